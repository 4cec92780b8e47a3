// SPDX-License-Identifier: Apache-2.0
//go:build index

package main

import "MODULE/parquet"

// Of versions that write page indexes.
var indexed = []parquet.WriterProperty{parquet.WithPageIndexEnabled(true), parquet.WithStats(true)}
