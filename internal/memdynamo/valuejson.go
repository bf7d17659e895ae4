package memdynamo

import "encoding/base64"

// maxDepth is how deep maps and lists may nest ("Naming rules and data types", DynamoDB developer guide).
const maxDepth = 32

// attributes reads an item, a key or the values of placeholders.
func (r *jsonReader) attributes() item { return r.fields(0) }

func (r *jsonReader) fields(depth int) item {
	attrs := []attribute{}
	r.object(func(name string) { attrs = append(attrs, attribute{name, r.value(depth)}) })
	if r.err != nil {
		return nil
	}
	it, err := newItem(attrs)
	if err != nil {
		r.fail(err)
	}
	return it
}

// value reads an attribute value: an object with one member, named after the type.
func (r *jsonReader) value(depth int) value {
	if depth > maxDepth {
		r.fail(invalid("Nesting Levels have exceeded supported limits"))
		return value{}
	}
	var v value
	r.object(func(name string) {
		if v.kind != 0 {
			r.fail(invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"))
			return
		}
		v = r.typed(name, depth)
	})
	if r.err == nil && v.kind == 0 {
		r.fail(invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"))
	}
	return v
}

func (r *jsonReader) typed(name string, depth int) value {
	k := kindNamed(name)
	switch k {
	case kindS, kindN, kindB:
		return r.scalar(k)
	case kindBOOL:
		return value{kind: k, flag: r.boolean()}
	case kindNULL:
		if !r.boolean() {
			r.fail(invalidValue("Null attribute value types must have the value of true"))
		}
		return value{kind: k}
	case kindM:
		return value{kind: k, fields: r.fields(depth + 1)}
	case kindL:
		v := value{kind: k}
		r.array(func() { v.elements = append(v.elements, r.value(depth+1)) })
		return v
	case kindSS, kindNS, kindBS:
		return r.set(k)
	}
	r.fail(malformed("unknown type of attribute value: %s", name))
	return value{}
}

func (r *jsonReader) scalar(k kind) value {
	v := value{kind: k, text: r.str()}
	if r.err != nil {
		return v
	}
	switch k {
	case kindN:
		text, err := canonicalNumber(v.text)
		if err != nil {
			r.fail(err)
		}
		v.text = text
	case kindB:
		raw, err := base64.StdEncoding.DecodeString(v.text)
		if err != nil {
			r.fail(malformed("a binary value is not base64"))
		}
		v.text = string(raw)
	}
	return v
}

func (r *jsonReader) set(k kind) value {
	var elements []value
	r.array(func() { elements = append(elements, r.scalar(k.element())) })
	if r.err != nil {
		return value{}
	}
	v, err := newSet(k, elements)
	if err != nil {
		r.fail(err)
	}
	return v
}

// attributes writes an item as an object of typed values.
func (w *jsonWriter) attributes(it item) {
	w.beginObject()
	for _, a := range it {
		w.name(a.name).value(a.value)
	}
	w.endObject()
}

func (w *jsonWriter) value(v value) {
	w.beginObject()
	w.name(v.kind.String())
	switch v.kind {
	case kindS, kindN, kindB:
		w.scalar(v)
	case kindBOOL:
		w.boolean(v.flag)
	case kindNULL:
		w.boolean(true)
	case kindM:
		w.attributes(v.fields)
	case kindL:
		w.beginArray()
		for _, e := range v.elements {
			w.value(e)
		}
		w.endArray()
	default:
		w.beginArray()
		for _, e := range v.elements {
			w.scalar(e)
		}
		w.endArray()
	}
	w.endObject()
}

func (w *jsonWriter) scalar(v value) {
	if v.kind == kindB {
		w.str(base64.StdEncoding.EncodeToString([]byte(v.text)))
		return
	}
	w.str(v.text)
}

// items writes a list of items.
func (w *jsonWriter) items(list []item) {
	w.beginArray()
	for _, it := range list {
		w.attributes(it)
	}
	w.endArray()
}
