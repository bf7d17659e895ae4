package memdynamo

func query(db *DB, r *jsonReader, w *jsonWriter) error {
	req := newPageRequest()
	var keyText *string
	forward := true
	err := r.request(req.members(), members{"KeyConditionExpression": &keyText, "ScanIndexForward": &forward})
	if err != nil {
		return err
	}
	if keyText == nil {
		return invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	keyCondition, err := newParser("KeyConditionExpression", *keyText, &req.refs).parseCondition()
	if err != nil {
		return err
	}
	predicates, err := keyPredicates(keyCondition)
	if err != nil {
		return err
	}
	filtered, err := req.parse(true)
	if err != nil {
		return err
	}
	pg, err := db.readPage(req, !forward, func(s source) (placeRange, error) {
		for _, p := range filtered {
			if s.key().has(p[0].name) {
				return placeRange{}, invalid("Filter Expression can only contain non-primary key attributes: "+
					"Primary key attribute: %s", p[0].name)
			}
		}
		return s.key().keyRange(predicates)
	})
	if err != nil {
		return err
	}
	db.answerPage(req, pg, w)
	return nil
}
