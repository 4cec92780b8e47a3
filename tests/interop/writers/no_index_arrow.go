// SPDX-License-Identifier: Apache-2.0
//go:build !index

package main

import "MODULE/parquet"

var indexed = []parquet.WriterProperty{parquet.WithStats(true)}
