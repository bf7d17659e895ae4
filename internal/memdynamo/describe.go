package memdynamo

import "time"

// Status of tables and indexes. The engine knows no state in between: a table is usable when CreateTable returns.
const (
	statusActive   = "ACTIVE"
	statusDeleting = "DELETING"
)

// describe writes a TableDescription.
func (w *jsonWriter) describe(t *table, status string) {
	w.beginObject()
	w.tableDefinition(t)
	w.name("TableArn").str(arnPrefix + t.name)
	w.name("TableId").str(t.id)
	w.name("TableStatus").str(status)
	w.name("CreationDateTime").timestamp(t.created)
	w.name("ItemCount").integer(t.rows.Len())
	w.name("TableSizeBytes").integer(t.bytes)
	w.name("BillingModeSummary").beginObject()
	w.name("BillingMode").str(t.billing)
	w.endObject()
	if len(t.indexes) > 0 {
		w.name("GlobalSecondaryIndexes").beginArray()
		for _, ix := range t.indexes {
			w.beginObject()
			w.indexDefinition(ix)
			w.name("IndexArn").str(arnPrefix + t.name + "/index/" + ix.name)
			w.name("IndexStatus").str(status)
			w.name("ItemCount").integer(ix.rows.Len())
			w.name("IndexSizeBytes").integer(ix.bytes)
			w.endObject()
		}
		w.endArray()
	}
	if t.stream != nil {
		w.name("LatestStreamArn").str(t.stream.arn)
		w.name("LatestStreamLabel").str(t.stream.label)
	}
	w.endObject()
}

// tableDefinition writes the members that CreateTable takes and DescribeTable answers alike.
func (w *jsonWriter) tableDefinition(t *table) {
	w.name("TableName").str(t.name)
	w.name("AttributeDefinitions").beginArray()
	for _, attr := range t.attributes {
		w.beginObject()
		w.name("AttributeName").str(attr.name)
		w.name("AttributeType").str(attr.kind.String())
		w.endObject()
	}
	w.endArray()
	w.keySchema(t.key)
	w.throughput(t.throughput)
	if t.streamView != "" {
		w.name("StreamSpecification").beginObject()
		w.name("StreamEnabled").boolean(true)
		w.name("StreamViewType").str(t.streamView)
		w.endObject()
	}
	w.name("DeletionProtectionEnabled").boolean(t.protected)
}

// indexDefinition writes the same for an index.
func (w *jsonWriter) indexDefinition(ix *index) {
	w.name("IndexName").str(ix.name)
	w.keySchema(ix.key)
	w.name("Projection").beginObject()
	w.name("ProjectionType").str(ix.projection)
	if len(ix.include) > 0 {
		w.name("NonKeyAttributes").beginArray()
		for _, name := range ix.include {
			w.str(name)
		}
		w.endArray()
	}
	w.endObject()
	w.throughput(ix.throughput)
}

func (w *jsonWriter) keySchema(key keySchema) {
	w.name("KeySchema").beginArray()
	for i, name := range key.names() {
		w.beginObject()
		w.name("AttributeName").str(name)
		w.name("KeyType").str([]string{"HASH", "RANGE"}[i])
		w.endObject()
	}
	w.endArray()
}

func (w *jsonWriter) throughput(t throughput) {
	w.name("ProvisionedThroughput").beginObject()
	w.name("ReadCapacityUnits").integer(t.read)
	w.name("WriteCapacityUnits").integer(t.write)
	w.endObject()
}

// timestamp writes a time as the protocol does: epoch seconds with a fraction.
func (w *jsonWriter) timestamp(t time.Time) {
	w.float(float64(t.UnixMilli()) / 1000)
}
