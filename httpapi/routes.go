package httpapi

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// route is one row of the route table.
type route struct {
	method string
	// path is what the client asks for, with {emailId} for the one segment that is an id.
	path   string
	handle func(h *Handler, ctx context.Context, c *call) (answer, error)
	access access
	// anyStatus lets accounts of every status in.
	anyStatus bool
	// takesBody asks for a JSON body. The other routes ignore a body and its type.
	takesBody bool

	segments []string
}

// access says who may use a route.
type access int

const (
	// open routes need no token and are not limited.
	open access = iota
	// reads need a token. Their handlers read the account, and judge it by what they have read.
	reads
	// writes need a token. The stores check the account in their transactions; with EveryRequest it is judged before that too.
	writes
)

const idSegment = "{emailId}"

var idSyntax = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// routeTable is every route there is. GET answers HEAD too, and every path answers OPTIONS.
func routeTable(prefix string) []route {
	const (
		me     = "/users/me"
		all    = me + "/emails"
		one    = all + "/" + idSegment
		verify = one + "/verify"
	)
	table := []route{
		{method: http.MethodGet, path: me, handle: (*Handler).getUser, access: reads},
		{method: http.MethodPut, path: me, handle: (*Handler).updateUser, access: writes, takesBody: true},
		{method: http.MethodDelete, path: me, handle: (*Handler).deleteUser, access: writes, anyStatus: true},
		{method: http.MethodGet, path: all, handle: (*Handler).listEmails, access: reads},
		{method: http.MethodPost, path: all, handle: (*Handler).addEmail, access: writes, takesBody: true},
		{method: http.MethodGet, path: one, handle: (*Handler).getEmail, access: reads},
		{method: http.MethodDelete, path: one, handle: (*Handler).removeEmail, access: writes},
		{method: http.MethodPost, path: verify, handle: (*Handler).sendCode, access: writes},
		{method: http.MethodPost, path: verify + "/confirm", handle: (*Handler).confirm, access: writes, takesBody: true},
		{method: http.MethodPut, path: one + "/primary", handle: (*Handler).setPrimary, access: writes},
	}
	for i := range table {
		table[i].path = prefix + table[i].path
	}
	table = append(table, route{method: http.MethodGet, path: documentPath, handle: (*Handler).getDocument, access: open})
	for i := range table {
		table[i].segments = strings.Split(table[i].path, "/")
	}
	return table
}

// match finds the routes of a path, compared as it was sent: nothing is decoded or cleaned, so "//", "/./" and "%6De" match nothing. It
// returns the segment that stands for the id, whose syntax is not checked yet.
func (h *Handler) match(path string) (routes []*route, id string) {
	segments := strings.Split(path, "/")
	for i := range h.routes {
		if segment, ok := h.routes[i].matches(segments); ok {
			routes = append(routes, &h.routes[i])
			id = segment
		}
	}
	return routes, id
}

func (rt *route) matches(segments []string) (id string, ok bool) {
	if len(segments) != len(rt.segments) {
		return "", false
	}
	for i, want := range rt.segments {
		got := segments[i]
		switch {
		case want == got:
		case want == idSegment && got != "" && got != "." && got != "..":
			id = got
		default:
			return "", false
		}
	}
	return id, true
}

// pick finds the route for a method among those of one path.
func pick(routes []*route, method string) (*route, bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	i := slices.IndexFunc(routes, func(rt *route) bool { return rt.method == method })
	if i < 0 {
		return nil, false
	}
	return routes[i], true
}

// allow is the Allow header of a path.
func allow(routes []*route) string {
	methods := []string{http.MethodOptions}
	for _, rt := range routes {
		methods = append(methods, rt.method)
		if rt.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}
