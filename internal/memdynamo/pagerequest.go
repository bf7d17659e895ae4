package memdynamo

// pageRequest is what Query and Scan have in common.
type pageRequest struct {
	table, index               string
	filterText, projectionText *string
	refs                       placeholders
	limit                      *int
	consistent                 bool
	start                      item // ExclusiveStartKey
	choice                     string
	cost                       string

	filter condition  // nil without filterText
	paths  projection // nil without projectionText
}

// Kinds of Select.
const (
	selectAll       = "ALL_ATTRIBUTES"
	selectProjected = "ALL_PROJECTED_ATTRIBUTES"
	selectSpecific  = "SPECIFIC_ATTRIBUTES"
	selectCount     = "COUNT"
)

func newPageRequest() *pageRequest { return &pageRequest{cost: costNone} }

func (q *pageRequest) members() members {
	return members{
		"TableName":                 &q.table,
		"IndexName":                 &q.index,
		"FilterExpression":          &q.filterText,
		"ProjectionExpression":      &q.projectionText,
		"ExpressionAttributeNames":  &q.refs.names,
		"ExpressionAttributeValues": &q.refs.values,
		"Limit":                     &q.limit,
		"ConsistentRead":            &q.consistent,
		"ExclusiveStartKey":         &q.start,
		"Select":                    oneOf{&q.choice, []string{selectSpecific, selectCount, selectAll, selectProjected}},
		"ReturnConsumedCapacity":    oneOf{&q.cost, costKinds},
	}
}

// parse checks the members that need no table and returns the paths that the filter names. keyed says whether the
// request has a key condition, which is parsed already.
func (q *pageRequest) parse(keyed bool) (filtered []path, err error) {
	if q.limit != nil && *q.limit < 1 {
		return nil, invalid("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: "+
			"Member must have value greater than or equal to 1", *q.limit)
	}
	if q.filterText != nil {
		p := newParser("FilterExpression", *q.filterText, &q.refs)
		if q.filter, err = p.parseCondition(); err != nil {
			return nil, err
		}
		filtered = p.paths
	}
	if q.projectionText != nil {
		if q.paths, err = newParser("ProjectionExpression", *q.projectionText, &q.refs).parseProjection(); err != nil {
			return nil, err
		}
	}
	if err := q.checkSelect(); err != nil {
		return nil, err
	}
	return filtered, q.refs.check(keyed || q.filterText != nil || q.projectionText != nil)
}

func (q *pageRequest) checkSelect() error {
	switch {
	case q.choice == selectSpecific && q.paths == nil:
		return invalid("SPECIFIC_ATTRIBUTES needs a ProjectionExpression")
	case q.choice != selectSpecific && q.choice != "" && q.paths != nil:
		return invalid("Cannot specify the ProjectionExpression when choosing to get %s", q.choice)
	case q.choice == selectProjected && q.index == "":
		return invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
	}
	return nil
}
