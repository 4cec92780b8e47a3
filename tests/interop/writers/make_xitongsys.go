// SPDX-License-Identifier: Apache-2.0
//go:build ignore

// Writes rows with xitongsys/parquet-go. Usage: make FOLDER
package main

import (
	"encoding/binary"
	"os"

	"MODULE/parquet"
	"MODULE/writer"
)

type person struct {
	X int64   `parquet:"name=x, type=INT64"`
	Y *string `parquet:"name=y, type=BYTE_ARRAY, convertedtype=UTF8"`
}

type record struct {
	ID     int64            `parquet:"name=id, type=INT64"`
	Flag   *bool            `parquet:"name=flag, type=BOOLEAN"`
	I32    *int32           `parquet:"name=i32, type=INT32"`
	I64    *int64           `parquet:"name=i64, type=INT64"`
	Delta  int64            `parquet:"name=delta, type=INT64, encoding=DELTA_BINARY_PACKED"`
	F32    float32          `parquet:"name=f32, type=FLOAT"`
	F64    *float64         `parquet:"name=f64, type=DOUBLE"`
	Word   *string          `parquet:"name=word, type=BYTE_ARRAY, convertedtype=UTF8, encoding=PLAIN_DICTIONARY"`
	URL    string           `parquet:"name=url, type=BYTE_ARRAY, convertedtype=UTF8"`
	URLs   string           `parquet:"name=urls, type=BYTE_ARRAY, convertedtype=UTF8, encoding=DELTA_BYTE_ARRAY"`
	Length string           `parquet:"name=length, type=BYTE_ARRAY, convertedtype=UTF8, encoding=DELTA_LENGTH_BYTE_ARRAY"`
	Cut    string           `parquet:"name=cut, type=BYTE_ARRAY, convertedtype=UTF8"`
	High   string           `parquet:"name=high, type=BYTE_ARRAY"`
	I8     int32            `parquet:"name=i8, type=INT32, convertedtype=INT_8"`
	U32    int32            `parquet:"name=u32, type=INT32, convertedtype=UINT_32"`
	U64    int64            `parquet:"name=u64, type=INT64, convertedtype=UINT_64"`
	Day    int32            `parquet:"name=day, type=INT32, convertedtype=DATE"`
	Moment int64            `parquet:"name=moment, type=INT64, convertedtype=TIMESTAMP_MILLIS"`
	I96    string           `parquet:"name=i96, type=INT96"`
	D9     int32            `parquet:"name=d9, type=INT32, convertedtype=DECIMAL, scale=2, precision=9"`
	D20    string           `parquet:"name=d20, type=BYTE_ARRAY, convertedtype=DECIMAL, scale=2, precision=20"`
	Span   string           `parquet:"name=span, type=FIXED_LEN_BYTE_ARRAY, convertedtype=INTERVAL, length=12"`
	List   []int64          `parquet:"name=list, type=LIST, valuetype=INT64"`
	Texts  []string         `parquet:"name=texts, type=LIST, convertedtype=LIST, valuetype=BYTE_ARRAY, valueconvertedtype=UTF8"`
	Bare   []int64          `parquet:"name=bare, type=INT64, repetitiontype=REPEATED"`
	People []person         `parquet:"name=people, type=LIST"`
	Struct *person          `parquet:"name=struct"`
	Map    map[string]int64 `parquet:"name=map, type=MAP, convertedtype=MAP, keytype=BYTE_ARRAY, keyconvertedtype=UTF8, valuetype=INT64"`
}

func pointer[T any](row int, value T) *T {
	if isNull(row, 7) {
		return nil
	}
	return &value
}

func julian(row int) string {
	made := make([]byte, 12)
	binary.LittleEndian.PutUint64(made, uint64(row)*1000000007)
	binary.LittleEndian.PutUint32(made[8:], uint32(2440588+row))
	return string(made)
}

func rowOf(row int) record {
	people := []person{}
	for _, n := range numbers(row) {
		people = append(people, person{n, pointer(int(n), word(int(n)))})
	}
	entries := map[string]int64{}
	if row%3 == 0 {
		entries["k"] = id(row)
	}
	big := make([]byte, 8)
	binary.BigEndian.PutUint64(big, uint64(i64(row)))
	return record{
		id(row), pointer(row, row%3 == 0), pointer(row, i32(row)), pointer(row, i64(row)), id(row), float32(row) / 8,
		pointer(row, f64(row)), pointer(row, word(row)), url(row), url(row), url(row), cut(row), high(row),
		int32(int8(row)), i32(row), i64(row), int32(row), id(row) * 86400000, julian(row), int32(row) * 7, string(big),
		julian(row), numbers(row), texts(row), numbers(row), people, pointer(row, person{id(row), pointer(row+1, word(row))}),
		entries,
	}
}

func main() {
	codecs := map[string]parquet.CompressionCodec{
		"none": parquet.CompressionCodec_UNCOMPRESSED, "snappy": parquet.CompressionCodec_SNAPPY,
		"gzip": parquet.CompressionCodec_GZIP, "zstd": parquet.CompressionCodec_ZSTD, "lz4": parquet.CompressionCodec_LZ4,
	}
	for name, codec := range codecs {
		for suffix, small := range map[string]bool{"": false, "-small": true} {
			attempt(name+suffix, func(path string) error {
				file, err := os.Create(path)
				if err != nil {
					return err
				}
				defer file.Close()
				made, err := writer.NewParquetWriterFromWriter(file, new(record), 1)
				if err != nil {
					return err
				}
				made.CompressionType = codec
				if small {
					made.PageSize, made.RowGroupSize = 2000, 200000
				}
				for row := 0; row < count; row++ {
					if err := made.Write(rowOf(row)); err != nil {
						return err
					}
				}
				return made.WriteStop()
			})
		}
	}
}
