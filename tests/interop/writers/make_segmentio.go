// SPDX-License-Identifier: Apache-2.0
//go:build ignore

// Writes rows with segmentio/parquet-go, or parquet-go/parquet-go, which it became. Usage: make FOLDER
package main

import (
	"os"
	"time"

	"MODULE"
	"MODULE/compress"
)

type person struct {
	X int64   `parquet:"x"`
	Y *string `parquet:"y,optional"`
}

type record struct {
	ID     int64            `parquet:"id"`
	Flag   *bool            `parquet:"flag,optional"`
	I32    *int32           `parquet:"i32,optional"`
	I64    *int64           `parquet:"i64,optional"`
	Delta  int64            `parquet:"delta,delta"`
	U32    uint32           `parquet:"u32"`
	U64    uint64           `parquet:"u64"`
	F32    float32          `parquet:"f32"`
	F64    *float64         `parquet:"f64,optional"`
	Split  float64          `parquet:"split,split"`
	Word   *string          `parquet:"word,optional,dict"`
	URL    string           `parquet:"url"`
	URLs   string           `parquet:"urls,delta"`
	Cut    string           `parquet:"cut"`
	High   []byte           `parquet:"high"`
	UUID   [16]byte         `parquet:"uuid,uuid"`
	Moment time.Time        `parquet:"moment,timestamp"`
	Micros int64            `parquet:"micros,timestamp(microsecond)"`
	Day    int32            `parquet:"day,date"`
	D9     int32            `parquet:"d9,decimal(2:9)"`
	D18    int64            `parquet:"d18,decimal(4:18)"`
	Enum   string           `parquet:"enum,enum"`
	JSON   string           `parquet:"json,json"`
	List   []int64          `parquet:"list,list"`
	Bare   []int64          `parquet:"bare"`
	Texts  []string         `parquet:"texts,list"`
	People []person         `parquet:"people,list"`
	Struct person           `parquet:"struct"`
	Map    map[string]int64 `parquet:"map"`
}

func pointer[T any](row int, value T) *T {
	if isNull(row, 7) {
		return nil
	}
	return &value
}

func rowOf(row int) record {
	var uuid [16]byte
	copy(uuid[:], url(int(mixed(row) % 1000000))[40:])
	people := []person{}
	for _, n := range numbers(row) {
		people = append(people, person{n, pointer(int(n), word(int(n)))})
	}
	entries := map[string]int64{}
	if row%3 == 0 {
		entries["k"] = id(row)
	}
	return record{
		id(row), pointer(row, row%3 == 0), pointer(row, i32(row)), pointer(row, i64(row)), id(row), uint32(i32(row)),
		uint64(i64(row)), float32(row) / 8, pointer(row, f64(row)), f64(row), pointer(row, word(row)), url(row), url(row),
		cut(row), []byte(high(row)), uuid, time.UnixMilli(id(row) * 86400000).UTC(), id(row) * 86400000000, int32(row),
		int32(row) * 7, id(row) * 11, word(row), `{"a":1}`, numbers(row), numbers(row), texts(row), people,
		person{id(row), pointer(row, word(row))}, entries,
	}
}

func main() {
	v1, v2, small := parquet.DataPageVersion(1), parquet.DataPageVersion(2), parquet.PageBufferSize(2000)
	groups := parquet.MaxRowsPerRowGroup(1000)
	options := map[string][]parquet.WriterOption{
		"v1":              {v1},
		"v2":              {v2},
		"v1-small":        {v1, small, groups},
		"v2-small":        {v2, small, groups},
		"page-statistics": {v2, small, parquet.DataPageStatistics(true)},
		"bloom":           {small, parquet.BloomFilters(parquet.SplitBlockFilter(10, "id"), parquet.SplitBlockFilter(10, "url"), parquet.SplitBlockFilter(10, "cut"))},
	}
	for name, codec := range map[string]compress.Codec{
		"snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "brotli": &parquet.Brotli, "zstd": &parquet.Zstd, "lz4": &parquet.Lz4Raw,
	} {
		options[name] = []parquet.WriterOption{v2, small, groups, parquet.Compression(codec)}
	}
	for name, some := range options {
		attempt(name, func(path string) error {
			file, err := os.Create(path)
			if err != nil {
				return err
			}
			defer file.Close()
			writer := parquet.NewGenericWriter[record](file, some...)
			for row := 0; row < count; row += 10 {
				rows := make([]record, 10)
				for n := range rows {
					rows[n] = rowOf(row + n)
				}
				if _, err := writer.Write(rows); err != nil {
					return err
				}
			}
			return writer.Close()
		})
	}
}
