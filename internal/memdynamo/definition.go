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
	key     []keyElement
	indexes []indexRequest
}

type keyElement struct{ name, role string }

type indexRequest struct {
	name       string
	key        []keyElement
	projection projectionType
	include    []string
	throughput throughput
}

func (r *jsonReader) tableRequest() *tableRequest {
	req := &tableRequest{}
	r.object(func(name string) {
		switch name {
		case "TableName":
			req.name = r.str()
		case "AttributeDefinitions":
			r.array(func() { req.attributes = append(req.attributes, r.attributeDefinition()) })
		case "KeySchema":
			req.key = r.keySchema()
		case "GlobalSecondaryIndexes":
			r.array(func() { req.indexes = append(req.indexes, r.indexRequest()) })
		case "BillingMode":
			req.billing = r.str()
		case "ProvisionedThroughput":
			req.throughput = r.throughput()
		case "StreamSpecification":
			req.streamView = r.streamSpecification()
		case "DeletionProtectionEnabled":
			req.protected = r.boolean()
		default:
			r.unknown(name)
		}
	})
	return req
}

func (r *jsonReader) attributeDefinition() keyAttribute {
	var attr keyAttribute
	r.object(func(name string) {
		switch name {
		case "AttributeName":
			attr.name = r.str()
		case "AttributeType":
			text := r.str()
			if attr.kind = kindNamed(text); !attr.kind.scalar() {
				r.fail(notMember("attributeDefinitions.attributeType", text, "B, N, S"))
			}
		default:
			r.unknown(name)
		}
	})
	return attr
}

func (r *jsonReader) keySchema() []keyElement {
	var elements []keyElement
	r.array(func() {
		var e keyElement
		r.object(func(name string) {
			switch name {
			case "AttributeName":
				e.name = r.str()
			case "KeyType":
				e.role = r.str()
			default:
				r.unknown(name)
			}
		})
		elements = append(elements, e)
	})
	return elements
}

func (r *jsonReader) indexRequest() indexRequest {
	var ix indexRequest
	r.object(func(name string) {
		switch name {
		case "IndexName":
			ix.name = r.str()
		case "KeySchema":
			ix.key = r.keySchema()
		case "Projection":
			ix.projection, ix.include = r.projection()
		case "ProvisionedThroughput":
			ix.throughput = r.throughput()
		default:
			r.unknown(name)
		}
	})
	return ix
}

func (r *jsonReader) projection() (kind projectionType, include []string) {
	r.object(func(name string) {
		switch name {
		case "ProjectionType":
			kind = projectionType(r.str())
		case "NonKeyAttributes":
			include = r.stringList()
		default:
			r.unknown(name)
		}
	})
	return kind, include
}

func (r *jsonReader) throughput() throughput {
	var t throughput
	r.object(func(name string) {
		switch name {
		case "ReadCapacityUnits":
			t.read = r.integer()
		case "WriteCapacityUnits":
			t.write = r.integer()
		default:
			r.unknown(name)
		}
	})
	return t
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
	if t.key, err = req.resolveKey(req.key); err != nil {
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
		if !slices.Contains(used, attr.name) {
			return nil, invalidValue("Some AttributeDefinitions are not used. AttributeDefinition: %s", attr.name)
		}
	}
	return t, nil
}

func (req *tableRequest) checkBilling() error {
	switch req.billing {
	case onDemand:
		if req.throughput != (throughput{}) {
			return invalidValue("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
		}
	case provisioned, "":
		req.billing = provisioned
		if req.throughput.read < 1 || req.throughput.write < 1 {
			return invalidValue("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
		}
	default:
		return notMember("billingMode", req.billing, "PROVISIONED, PAY_PER_REQUEST")
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
	key, err := req.resolveKey(ixReq.key)
	if err != nil {
		return nil, err
	}
	switch ixReq.projection {
	case projectAll, projectKeys, projectInclude:
	default:
		return nil, invalidValue("Unknown ProjectionType: %s", ixReq.projection)
	}
	if (ixReq.projection == projectInclude) != (len(ixReq.include) > 0) {
		return nil, invalidValue("NonKeyAttributes must be specified if and only if ProjectionType is INCLUDE")
	}
	if req.billing == onDemand && ixReq.throughput != (throughput{}) {
		return nil, invalidValue("ProvisionedThroughput should not be specified for index: %s when BillingMode is PAY_PER_REQUEST", ixReq.name)
	}
	return &index{
		name: ixReq.name, key: key, projection: ixReq.projection, include: ixReq.include, throughput: ixReq.throughput, table: t,
	}, nil
}
