package memdynamo

import "slices"

const (
	onDemand    = "PAY_PER_REQUEST"
	provisioned = "PROVISIONED"

	maxIndexes = 20
)

// definition is what CreateTable says of a table, apart from its indexes.
type definition struct {
	name       string
	attributes []keyAttribute
	key        keySchema
	billing    string
	throughput throughput
	streamView string // "" without a stream
	protected  bool   // against DeleteTable
}

// throughput is provisioned capacity. It is stored and answered, but never limits anything.
type throughput struct {
	read, write int
}

// tableRequest is a CreateTable request before it is checked.
type tableRequest struct {
	definition
	keyElements []keyElement
	indexes     []indexRequest
}

type keyElement struct{ name, role string }

type indexRequest struct {
	name       string
	elements   []keyElement
	projection string
	include    []string
	throughput throughput
}

func (r *jsonReader) tableRequest() *tableRequest {
	req := &tableRequest{definition: definition{billing: provisioned}}
	r.members(members{
		"TableName":                 &req.name,
		"AttributeDefinitions":      listOf(r, &req.attributes, r.attributeDefinition),
		"KeySchema":                 listOf(r, &req.keyElements, r.keyElement),
		"GlobalSecondaryIndexes":    listOf(r, &req.indexes, r.indexRequest),
		"BillingMode":               oneOf{&req.billing, []string{provisioned, onDemand}},
		"ProvisionedThroughput":     r.throughput(&req.throughput),
		"StreamSpecification":       func() { req.streamView = r.streamSpecification() },
		"DeletionProtectionEnabled": &req.protected,
	})
	return req
}

func (r *jsonReader) attributeDefinition() keyAttribute {
	name, typeName := "", ""
	r.members(members{"AttributeName": &name, "AttributeType": oneOf{&typeName, []string{"B", "N", "S"}}})
	return keyAttribute{name, kindNamed(typeName)}
}

func (r *jsonReader) keyElement() keyElement {
	var e keyElement
	r.members(members{"AttributeName": &e.name, "KeyType": oneOf{&e.role, []string{"HASH", "RANGE"}}})
	return e
}

func (r *jsonReader) indexRequest() indexRequest {
	var ix indexRequest
	r.members(members{
		"IndexName": &ix.name,
		"KeySchema": listOf(r, &ix.elements, r.keyElement),
		"Projection": func() {
			r.members(members{
				"ProjectionType":   oneOf{&ix.projection, []string{projectAll, projectInclude, projectKeys}},
				"NonKeyAttributes": listOf(r, &ix.include, r.str),
			})
		},
		"ProvisionedThroughput": r.throughput(&ix.throughput),
	})
	return ix
}

func (r *jsonReader) throughput(t *throughput) func() {
	return func() { r.members(members{"ReadCapacityUnits": &t.read, "WriteCapacityUnits": &t.write}) }
}

// build checks the request and makes the table.
func (req *tableRequest) build() (*table, error) {
	if err := checkName("TableName", req.name); err != nil {
		return nil, err
	}
	if err := req.checkBilling(); err != nil {
		return nil, err
	}
	t := &table{definition: req.definition}
	var err error
	if t.key, err = req.resolveKey(req.keyElements); err != nil {
		return nil, err
	}
	used := t.key.names()
	if len(req.indexes) > maxIndexes {
		return nil, invalidValue("GlobalSecondaryIndex count exceeds the per-table limit of %d", maxIndexes)
	}
	for _, ixReq := range req.indexes {
		ix, err := req.buildIndex(t, ixReq)
		if err != nil {
			return nil, err
		}
		t.indexes = append(t.indexes, ix)
		used = append(used, ix.key.names()...)
	}
	for _, attr := range req.attributes {
		if attr.kind == 0 {
			return nil, invalidValue("The AttributeType of %s is missing", attr.name)
		}
		if !slices.Contains(used, attr.name) {
			return nil, invalidValue("Some AttributeDefinitions are not used. AttributeDefinition: %s", attr.name)
		}
	}
	return t, nil
}

func (req *tableRequest) checkBilling() error {
	none := throughput{}
	switch {
	case req.billing == onDemand && req.throughput != none:
		return invalidValue("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case req.billing == provisioned && (req.throughput.read < 1 || req.throughput.write < 1):
		return invalidValue("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
	}
	for _, ix := range req.indexes {
		if req.billing == onDemand && ix.throughput != none {
			return invalidValue("ProvisionedThroughput should not be specified for index: %s when BillingMode is PAY_PER_REQUEST", ix.name)
		}
	}
	return nil
}

// resolveKey turns the elements of a key into a schema with the declared types.
func (req *tableRequest) resolveKey(elements []keyElement) (keySchema, error) {
	var key keySchema
	if len(elements) < 1 || len(elements) > 2 || elements[0].role != "HASH" || len(elements) == 2 && elements[1].role != "RANGE" {
		return key, invalidValue("Invalid KeySchema: one HASH key element, then at most one RANGE key element")
	}
	for i, target := range []*keyAttribute{&key.hash, &key.sort}[:len(elements)] {
		name := elements[i].name
		declared := slices.IndexFunc(req.attributes, func(a keyAttribute) bool { return a.name == name })
		if name == "" || declared < 0 {
			return key, invalidValue("Some index key attributes are not defined in AttributeDefinitions. Key: [%s]", name)
		}
		*target = req.attributes[declared]
	}
	if key.hash.name == key.sort.name {
		return key, invalidValue("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	return key, nil
}

func (req *tableRequest) buildIndex(t *table, ixReq indexRequest) (*index, error) {
	if err := checkName("IndexName", ixReq.name); err != nil {
		return nil, err
	}
	if _, err := t.index(ixReq.name); err == nil {
		return nil, invalidValue("Duplicate index name: %s", ixReq.name)
	}
	key, err := req.resolveKey(ixReq.elements)
	if err != nil {
		return nil, err
	}
	if ixReq.projection == "" {
		return nil, invalidValue("Unknown ProjectionType: null")
	}
	if (ixReq.projection == projectInclude) != (len(ixReq.include) > 0) {
		return nil, invalidValue("NonKeyAttributes must be specified if and only if ProjectionType is INCLUDE")
	}
	return &index{
		name: ixReq.name, key: key, projection: ixReq.projection, include: ixReq.include, throughput: ixReq.throughput, table: t,
	}, nil
}
