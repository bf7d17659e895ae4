package cognitotest

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

type listInput struct {
	UserPoolID      string  `json:"UserPoolId"`
	Limit           int     `json:"Limit"`
	PaginationToken *string `json:"PaginationToken"`
	Filter          string  `json:"Filter"`
}

type listOutput struct {
	Users           []userJSON `json:"Users"`
	PaginationToken string     `json:"PaginationToken,omitempty"`
}

const maxLimit = 60

var subFilter = regexp.MustCompile(`^sub = "([^"]*)"$`)

// list is ListUsers. A token is the number of the page and the place in the order where it begins.
func (p *Pool) list(in listInput) (any, error) {
	if in.Limit < 1 || in.Limit > maxLimit {
		in.Limit = maxLimit
	}
	now := time.Now()
	if in.Filter != "" {
		return p.filtered(in.Filter, now)
	}
	page, from, ok := parsePage(in.PaginationToken)
	if !ok || from > len(p.order) {
		return nil, exception("InvalidParameterException", "Invalid pagination token")
	}
	start, end := from, min(from+in.Limit, len(p.order))
	if p.options.Ragged {
		start, end = ragged(page, from, end)
	}
	out := listOutput{Users: []userJSON{}}
	for _, r := range p.order[start:end] {
		if u := p.listed(r, now); u != nil {
			out.Users = append(out.Users, newUserJSON(u))
		}
	}
	if end < len(p.order) || p.options.Ragged && page%2 == 0 && end > start {
		out.PaginationToken = "page:" + strconv.Itoa(page+1) + ":" + strconv.Itoa(max(end, from))
	}
	return out, nil
}

// ragged spoils a page: every seventh is empty, every fifth is half as long, every third begins with two users of the one before.
func ragged(page, from, end int) (int, int) {
	switch {
	case page%7 == 6:
		return from, from
	case page%5 == 4:
		return from, from + (end-from+1)/2
	case page%3 == 2:
		return max(0, from-2), end
	}
	return from, end
}

func (p *Pool) filtered(filter string, now time.Time) (any, error) {
	match := subFilter.FindStringSubmatch(filter)
	if match == nil {
		return nil, exception("InvalidParameterException", "the fake filters by sub alone")
	}
	out := listOutput{Users: []userJSON{}}
	if r := p.subs[match[1]]; r != nil {
		if u := p.listed(r, now); u != nil {
			out.Users = append(out.Users, newUserJSON(u))
		}
	}
	return out, nil
}

func parsePage(token *string) (page, from int, ok bool) {
	if token == nil {
		return 0, 0, true
	}
	parts := strings.Split(*token, ":")
	if len(parts) != 3 || parts[0] != "page" {
		return 0, 0, false
	}
	page, errPage := strconv.Atoi(parts[1])
	from, errFrom := strconv.Atoi(parts[2])
	return page, from, errPage == nil && errFrom == nil && page >= 0 && from >= 0
}
