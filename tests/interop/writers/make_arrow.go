// SPDX-License-Identifier: Apache-2.0
//go:build ignore

// Writes rows with Arrow for Go, 12 or newer. Usage: make FOLDER
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"MODULE/arrow"
	"MODULE/arrow/array"
	"MODULE/arrow/memory"
	"MODULE/parquet"
	"MODULE/parquet/compress"
	"MODULE/parquet/pqarrow"
)

// All rows again, in groups of so many.
const group = 700

var person = arrow.StructOf(
	arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true},
)

var kinds = []struct {
	name  string
	kind  arrow.DataType
	value func(row int) any
}{
	{"id", arrow.PrimitiveTypes.Int64, func(row int) any { return id(row) }},
	{"flag", arrow.FixedWidthTypes.Boolean, func(row int) any { return unless(row, 7, row%3 == 0) }},
	{"i32", arrow.PrimitiveTypes.Int32, func(row int) any { return unless(row, 7, i32(row)) }},
	{"i64", arrow.PrimitiveTypes.Int64, func(row int) any { return unless(row, 7, i64(row)) }},
	{"u32", arrow.PrimitiveTypes.Uint32, func(row int) any { return unless(row, 7, uint32(i32(row))) }},
	{"f64", arrow.PrimitiveTypes.Float64, func(row int) any { return unless(row, 7, f64(row)) }},
	{"word", arrow.BinaryTypes.String, func(row int) any { return unless(row, 7, word(row)) }},
	{"url", arrow.BinaryTypes.String, func(row int) any { return url(row) }},
	{"cut", arrow.BinaryTypes.String, func(row int) any { return unless(row, 9, cut(row)) }},
	{"high", arrow.BinaryTypes.Binary, func(row int) any {
		return unless(row, 7, base64.StdEncoding.EncodeToString([]byte(high(row))))
	}},
	{"day", arrow.FixedWidthTypes.Date32, func(row int) any { return unless(row, 7, day(row)) }},
	{"moment", arrow.FixedWidthTypes.Timestamp_us, func(row int) any { return unless(row, 7, moment(row)) }},
	{"d9", &arrow.Decimal128Type{Precision: 9, Scale: 2}, func(row int) any { return unless(row, 7, money(row, "")) }},
	{"d38", &arrow.Decimal128Type{Precision: 38, Scale: 2}, func(row int) any {
		return unless(row, 7, money(row, "98765432109876543210"))
	}},
	{"list", arrow.ListOf(arrow.PrimitiveTypes.Int64), func(row int) any { return unless(row, 5, nulls(numbers(row))) }},
	{"texts", arrow.ListOf(arrow.BinaryTypes.String), func(row int) any { return unless(row, 6, nulls(texts(row))) }},
	{"days", arrow.ListOf(arrow.FixedWidthTypes.Date32), func(row int) any {
		return unless(row, 6, some(row%4, func(n int) any { return unless(n, 4, day(row+n)) }))
	}},
	{"moments", arrow.ListOf(arrow.FixedWidthTypes.Timestamp_us), func(row int) any {
		return unless(row, 6, some(row%4, func(n int) any { return unless(n, 4, moment(row+n)) }))
	}},
	{"sums", arrow.ListOf(&arrow.Decimal128Type{Precision: 9, Scale: 2}), func(row int) any {
		return unless(row, 6, some(row%5, func(n int) any { return unless(n, 4, money(row+n, "")) }))
	}},
	{"rising", arrow.ListOf(arrow.PrimitiveTypes.Int32), func(row int) any {
		return some(row%4, func(n int) any { return row + n })
	}},
	{"deep", arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int64)), func(row int) any {
		return unless(row, 9, some(row%4, func(n int) any { return unless(n, 4, nulls(numbers(row+n))) }))
	}},
	{"struct", person, func(row int) any { return unless(row, 5, personOf(row)) }},
	{"people", arrow.ListOf(person), func(row int) any {
		return unless(row, 8, some(row%4, func(n int) any { return personOf(row + n) }))
	}},
}

func unless(row, every int, value any) any {
	if isNull(row, every) {
		return nil
	}
	return value
}

func some(size int, of func(n int) any) []any {
	made := make([]any, size)
	for n := range made {
		made[n] = of(n)
	}
	return made
}

func nulls[T any](values []T) []any {
	return some(len(values), func(n int) any { return unless(n, 4, values[n]) })
}

func personOf(row int) any {
	return map[string]any{"x": unless(row, 4, row), "y": unless(row, 6, word(row))}
}

// Before 1970 first.
func day(row int) string {
	return time.Date(1960, 1, 1+row*2, 0, 0, 0, 0, time.UTC).Format("2006-01-02")
}

func moment(row int) string {
	return time.Unix(int64(row-900)*40000, int64(row%1000)*1000000).UTC().Format("2006-01-02T15:04:05.000000Z")
}

func money(row int, more string) string {
	sign := ""
	if row%2 == 1 {
		sign = "-"
	}
	return fmt.Sprintf("%s%s%d.%02d", sign, more, 1+mixed(row)%99999, row%100)
}

func schemaOf(names []string) *arrow.Schema {
	fields := []arrow.Field{}
	for _, one := range kinds {
		for _, name := range names {
			if one.name == name {
				fields = append(fields, arrow.Field{Name: name, Type: one.kind, Nullable: true})
			}
		}
	}
	return arrow.NewSchema(fields, nil)
}

func rowsOf(schema *arrow.Schema, begin, end int) string {
	lines := []string{}
	for row := begin; row < end && row < count; row++ {
		made := map[string]any{}
		for _, one := range kinds {
			if _, has := schema.FieldsByName(one.name); has {
				made[one.name] = one.value(row)
			}
		}
		line, err := json.Marshal(made)
		if err != nil {
			panic(err)
		}
		lines = append(lines, string(line))
	}
	return "[" + strings.Join(lines, ",") + "]"
}

func write(path string, schema *arrow.Schema, some []parquet.WriterProperty) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	writer, err := pqarrow.NewFileWriter(schema, file, parquet.NewWriterProperties(append(some, indexed...)...), pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	for row := 0; row < count; row += group {
		rows, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rowsOf(schema, row, row+group)))
		if err != nil {
			return err
		}
		if err := writer.Write(rows); err != nil {
			return err
		}
	}
	return writer.Close()
}

func main() {
	v1, v2 := parquet.WithDataPageVersion(parquet.DataPageV1), parquet.WithDataPageVersion(parquet.DataPageV2)
	small, batch := parquet.WithDataPageSize(300), parquet.WithBatchSize(7)
	plain := parquet.WithDictionaryDefault(false)
	snappy, zstd := parquet.WithCompression(compress.Codecs.Snappy), parquet.WithCompression(compress.Codecs.Zstd)
	options := map[string][]parquet.WriterProperty{
		"-v1":             {v1},
		"-v1-small":       {v1, small, batch},
		"-v2-small":       {v2, small, batch},
		"-v1-small-plain": {v1, small, batch, plain, snappy},
		"-v2-small-plain": {v2, small, batch, plain, zstd},
	}
	names := []string{}
	for _, one := range kinds {
		names = append(names, one.name)
	}
	for suffix, some := range options {
		attempt("all"+suffix, func(path string) error { return write(path, schemaOf(names), some) })
		for _, name := range names[1:] {
			attempt(name+suffix, func(path string) error { return write(path, schemaOf([]string{"id", name}), some) })
		}
	}
}
