package memdynamo

// Sizes of one capacity unit ("Provisioned capacity mode", DynamoDB developer guide).
const (
	readUnit  = 4 << 10
	writeUnit = 1 << 10
)

// transactional is the factor that reads and writes of transactions cost.
const transactional = 2

// writeUnits is the write capacity of replacing an item of one size by one of another: the larger one counts, and a write
// is never free.
func writeUnits(oldSize, newSize int) float64 {
	return roundUp(max(oldSize, newSize), writeUnit)
}

// readUnits is the read capacity of so many bytes read together: half without consistency, and a read is never free.
func readUnits(size int, consistent bool) float64 {
	units := roundUp(size, readUnit)
	if !consistent {
		units /= 2
	}
	return units
}

func roundUp(size, unit int) float64 {
	return float64(max(1, (size+unit-1)/unit))
}

// Kinds of ReturnConsumedCapacity: how much of its cost a request wants to hear about.
const (
	costNone    = "NONE"
	costTotal   = "TOTAL"
	costIndexes = "INDEXES"
)

var costKinds = []string{costIndexes, costTotal, costNone}

// metricsKinds are the kinds of ReturnItemCollectionMetrics. The answer never has any, as in the service for a table
// without local secondary indexes.
var metricsKinds = []string{"SIZE", "NONE"}

// capacity is what a request consumed of one table and its indexes.
type capacity struct {
	table   string
	base    float64 // of the table itself
	indexes []indexCapacity
}

type indexCapacity struct {
	name  string
	units float64
}

func (c *capacity) total() float64 {
	sum := c.base
	for _, ix := range c.indexes {
		sum += ix.units
	}
	return sum
}

func (c *capacity) addIndex(name string, units float64) {
	for i := range c.indexes {
		if c.indexes[i].name == name {
			c.indexes[i].units += units
			return
		}
	}
	c.indexes = append(c.indexes, indexCapacity{name, units})
}

// bill is what a request consumed of all tables.
type bill []*capacity

// of returns the entry of a table, making it if need be.
func (b *bill) of(table string) *capacity {
	for _, c := range *b {
		if c.table == table {
			return c
		}
	}
	c := &capacity{table: table}
	*b = append(*b, c)
	return c
}

func (b bill) total() float64 {
	sum := 0.0
	for _, c := range b {
		sum += c.total()
	}
	return sum
}

// consumed writes the member ConsumedCapacity of a request on one table.
func (w *jsonWriter) consumed(cost string, c *capacity) {
	if cost != costNone {
		w.name("ConsumedCapacity").capacity(cost, c, "")
	}
}

// consumedBill writes the member ConsumedCapacity of a request on several tables. In transactions the service states the
// units once more under a name of their kind, ReadCapacityUnits or WriteCapacityUnits.
func (w *jsonWriter) consumedBill(cost string, b bill, kind string) {
	if cost == costNone {
		return
	}
	w.name("ConsumedCapacity").beginArray()
	for _, c := range b {
		w.capacity(cost, c, kind)
	}
	w.endArray()
}

func (w *jsonWriter) capacity(cost string, c *capacity, kind string) {
	units := func(n float64) {
		w.name("CapacityUnits").float(n)
		if kind != "" {
			w.name(kind).float(n)
		}
	}
	w.beginObject()
	w.name("TableName").str(c.table)
	units(c.total())
	if cost == costIndexes {
		w.name("Table").beginObject()
		units(c.base)
		w.endObject()
		if len(c.indexes) > 0 {
			w.name("GlobalSecondaryIndexes").beginObject()
			for _, ix := range c.indexes {
				w.name(ix.name).beginObject()
				units(ix.units)
				w.endObject()
			}
			w.endObject()
		}
	}
	w.endObject()
}
