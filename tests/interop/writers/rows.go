// SPDX-License-Identifier: Apache-2.0
//go:build ignore

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Rows like those of rows.py. The structs of the writers name the columns.

const count = 3000

var words = []string{"", "a", "b", "ab", "it's", "Zz", "\u00e4\u00f6\u00fc\u00df", "\U0001f600 smile", "\u65e5\u672c\u8a9e", strings.Repeat("long ", 30)}

func mixed(row int) uint64 { return uint64(row+1) * 0x9e3779b97f4a7c15 }

func id(row int) int64 { return int64(row)*3 - 500 }

func i64(row int) int64 {
	switch row % 211 {
	case 5:
		return -1 << 63
	case 6:
		return 1<<63 - 1
	}
	return int64(mixed(row))
}

func i32(row int) int32 { return int32(i64(row) >> 32) }

func f64(row int) float64 { return float64(mixed(row)%2000001)/64 - 9000 }

func word(row int) string { return words[mixed(row)>>8%10] }

func url(row int) string {
	return fmt.Sprintf("https://example.org/a/rather/long/beginning/%06d/\u00ff", row)
}

func high(row int) string {
	return string(append(bytes.Repeat([]byte{255}, row%20), byte(row), byte(255-row%7)))
}

// Sixteen bytes alike and then what differs: an upper bound cut there must be raised.
func cut(row int) string { return fmt.Sprintf("sixteen bytes ar%05d", row/10) }

func numbers(row int) []int64 {
	made := make([]int64, row%6)
	for n := range made {
		made[n] = int64(row%50 + n)
	}
	return made
}

func texts(row int) []string {
	made := make([]string, row%4)
	for n := range made {
		made[n] = words[(row+n)%10]
	}
	return made
}

func isNull(row, every int) bool { return row%every == 3 }

// Calls `write` with a path; what a version cannot is no fault, and leaves no file.
func attempt(name string, write func(path string) error) {
	path := filepath.Join(os.Args[1], name+".parquet")
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Printf("%s: %v\n", name, reason)
			os.Remove(path)
		}
	}()
	if err := write(path); err != nil {
		panic(err)
	}
}
