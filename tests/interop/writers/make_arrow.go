//go:build ignore

// Writes rows with Arrow's parquet package for Go. Usage: make FOLDER
package main

import (
	"os"

	"MODULE/arrow"
	"MODULE/arrow/array"
	"MODULE/arrow/memory"
	"MODULE/parquet"
	"MODULE/parquet/compress"
	"MODULE/parquet/pqarrow"
)

func schema() *arrow.Schema {
	person := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true})
	field := func(name string, kind arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: kind, Nullable: true}
	}
	return arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		field("flag", arrow.FixedWidthTypes.Boolean), field("i32", arrow.PrimitiveTypes.Int32), field("i64", arrow.PrimitiveTypes.Int64),
		field("u8", arrow.PrimitiveTypes.Uint8), field("u32", arrow.PrimitiveTypes.Uint32), field("u64", arrow.PrimitiveTypes.Uint64),
		field("f32", arrow.PrimitiveTypes.Float32), field("f64", arrow.PrimitiveTypes.Float64), field("word", arrow.BinaryTypes.String),
		field("url", arrow.BinaryTypes.String), field("cut", arrow.BinaryTypes.String), field("high", arrow.BinaryTypes.Binary),
		field("fixed", &arrow.FixedSizeBinaryType{ByteWidth: 8}), field("day", arrow.FixedWidthTypes.Date32),
		field("moment", arrow.FixedWidthTypes.Timestamp_us), field("list", arrow.ListOf(arrow.PrimitiveTypes.Int64)),
		field("texts", arrow.ListOf(arrow.BinaryTypes.String)), field("struct", person), field("people", arrow.ListOf(person)),
		field("map", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)),
	}, nil)
}

func appendPerson(made *array.StructBuilder, row int) {
	made.Append(true)
	made.FieldBuilder(0).(*array.Int64Builder).Append(id(row))
	if y := made.FieldBuilder(1).(*array.StringBuilder); isNull(row, 4) {
		y.AppendNull()
	} else {
		y.Append(word(row))
	}
}

func appendValue(made array.Builder, name string, row int) {
	if name != "id" && isNull(row, 7) {
		made.AppendNull()
		return
	}
	switch made := made.(type) {
	case *array.BooleanBuilder:
		made.Append(row%3 == 0)
	case *array.Int32Builder:
		made.Append(i32(row))
	case *array.Int64Builder:
		if name == "id" {
			made.Append(id(row))
		} else {
			made.Append(i64(row))
		}
	case *array.Uint8Builder:
		made.Append(uint8(row))
	case *array.Uint32Builder:
		made.Append(uint32(i32(row)))
	case *array.Uint64Builder:
		made.Append(uint64(i64(row)))
	case *array.Float32Builder:
		made.Append(float32(row) / 8)
	case *array.Float64Builder:
		made.Append(f64(row))
	case *array.StringBuilder:
		made.Append(map[string]func(int) string{"word": word, "url": url, "cut": cut}[name](row))
	case *array.BinaryBuilder:
		made.Append([]byte(high(row)))
	case *array.FixedSizeBinaryBuilder:
		made.Append([]byte(cut(row)[13:21]))
	case *array.Date32Builder:
		made.Append(arrow.Date32(row * 3))
	case *array.TimestampBuilder:
		made.Append(arrow.Timestamp(id(row) * 86400000000))
	case *array.StructBuilder:
		appendPerson(made, row)
	case *array.MapBuilder:
		made.Append(true)
		for _, n := range numbers(row) {
			made.KeyBuilder().(*array.StringBuilder).Append(url(int(n)))
			made.ItemBuilder().(*array.Int64Builder).Append(n)
		}
	case *array.ListBuilder:
		made.Append(true)
		for _, n := range numbers(row) {
			switch item := made.ValueBuilder().(type) {
			case *array.Int64Builder:
				item.Append(n)
			case *array.StringBuilder:
				item.Append(word(int(n)))
			case *array.StructBuilder:
				appendPerson(item, int(n))
			}
		}
	}
}

func main() {
	made := array.NewRecordBuilder(memory.DefaultAllocator, schema())
	for n, field := range schema().Fields() {
		for row := 0; row < count; row++ {
			appendValue(made.Field(n), field.Name, row)
		}
	}
	table := array.NewTableFromRecords(schema(), []arrow.Record{made.NewRecord()})
	v2 := parquet.WithDataPageVersion(parquet.DataPageV2)
	small := []parquet.WriterProperty{parquet.WithDataPageSize(2000), parquet.WithBatchSize(64)}
	plain := parquet.WithDictionaryDefault(false)
	codec := func(codec compress.Compression) []parquet.WriterProperty {
		return append([]parquet.WriterProperty{parquet.WithCompression(codec), v2}, small...)
	}
	for name, options := range map[string][]parquet.WriterProperty{
		"v1": {}, "v2": {v2}, "v1-small": small, "v2-small": append([]parquet.WriterProperty{v2}, small...),
		"plain": {plain}, "v2-plain": append([]parquet.WriterProperty{v2, plain}, small...),
		"no-statistics": {v2, parquet.WithStats(false)}, "snappy": codec(compress.Codecs.Snappy), "gzip": codec(compress.Codecs.Gzip),
		"brotli": codec(compress.Codecs.Brotli), "zstd": codec(compress.Codecs.Zstd),
	} {
		attempt(name, func(path string) error {
			file, err := os.Create(path)
			if err != nil {
				return err
			}
			return pqarrow.WriteTable(table, file, 1000, parquet.NewWriterProperties(options...), pqarrow.DefaultWriterProps())
		})
	}
}
