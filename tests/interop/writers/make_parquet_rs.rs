// SPDX-License-Identifier: Apache-2.0
// Writes rows like those of rows.py with the crate parquet, 24 or newer. Usage: make FOLDER

use arrow::array::*;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion};
use std::sync::Arc;

const COUNT: i64 = 3000;
const WORDS: [&str; 9] = ["", "a", "b", "ab", "it's", "Zz", "äöüß", "😀 smile", "日本語"];

fn mixed(row: i64) -> u64 {
    (row as u64 + 1).wrapping_mul(0x9e3779b97f4a7c15)
}

fn big(row: i64) -> i64 {
    match row % 211 {
        5 => i64::MIN,
        6 => i64::MAX,
        _ => mixed(row) as i64,
    }
}

fn word(row: i64) -> &'static str {
    WORDS[(mixed(row) >> 8) as usize % 9]
}

fn unless<T>(row: i64, every: i64, value: T) -> Option<T> {
    if row % every == 3 { None } else { Some(value) }
}

fn column<T>(every: i64, of: impl Fn(i64) -> T) -> Vec<Option<T>> {
    (0..COUNT).map(|row| unless(row, every, of(row))).collect()
}

fn url(row: i64) -> String {
    format!("https://example.org/a/rather/long/beginning/{row:06}/ÿ")
}

fn high(row: i64) -> Vec<u8> {
    let mut made = vec![255u8; row as usize % 20];
    made.extend([row as u8, 255 - (row % 7) as u8]);
    made
}

// Each list is null, empty or has elements, of which some are null.
fn lists<B: ArrayBuilder>(builder: B, every: i64, size: i64, put: impl Fn(&mut B, i64, bool)) -> ArrayRef {
    let mut made = ListBuilder::new(builder);
    for row in 0..COUNT {
        let is_there = row % every != 3;
        for n in 0..if is_there { row % size } else { 0 } {
            put(made.values(), row + n, n % 4 != 3);
        }
        made.append(is_there);
    }
    Arc::new(made.finish())
}

fn people() -> ArrayRef {
    let fields = vec![Field::new("x", DataType::Int64, true), Field::new("y", DataType::Utf8, true)];
    lists(StructBuilder::from_fields(fields, 0), 8, 4, |one, row, is_there| {
        one.field_builder::<Int64Builder>(0).unwrap().append_option(unless(row, 4, row).filter(|_| is_there));
        one.field_builder::<StringBuilder>(1).unwrap().append_option(unless(row, 6, word(row)).filter(|_| is_there));
        one.append(is_there);
    })
}

fn deep() -> ArrayRef {
    lists(ListBuilder::new(Int64Builder::new()), 9, 4, |one, row, is_there| {
        for n in 0..if is_there { row % 5 } else { 0 } {
            one.values().append_option(unless(n, 4, row % 50 + n));
        }
        one.append(is_there);
    })
}

fn columns() -> Vec<(&'static str, ArrayRef)> {
    let texts = column(9, |row| format!("sixteen bytes ar{:05}", row / 10));
    let bytes = column(7, high);
    vec![
        ("id", Arc::new(Int64Array::from((0..COUNT).map(|row| row * 3 - 500).collect::<Vec<i64>>()))),
        ("flag", Arc::new(BooleanArray::from(column(7, |row| row % 3 == 0)))),
        ("i32", Arc::new(Int32Array::from(column(7, |row| (big(row) >> 32) as i32)))),
        ("u32", Arc::new(UInt32Array::from(column(7, |row| (big(row) >> 32) as u32)))),
        ("u64", Arc::new(UInt64Array::from(column(7, |row| big(row) as u64)))),
        ("f64", Arc::new(Float64Array::from(column(7, |row| (mixed(row) % 2000001) as f64 / 64.0 - 9000.0)))),
        ("word", Arc::new(StringArray::from(column(7, word)))),
        ("url", Arc::new(StringArray::from((0..COUNT).map(url).collect::<Vec<String>>()))),
        ("cut", Arc::new(StringArray::from(texts.iter().map(|text| text.as_deref()).collect::<Vec<Option<&str>>>()))),
        ("high", Arc::new(BinaryArray::from(bytes.iter().map(|one| one.as_deref()).collect::<Vec<Option<&[u8]>>>()))),
        ("day", Arc::new(Date32Array::from(column(7, |row| row as i32 * 20 - 3000)))),
        ("moment", Arc::new(TimestampMicrosecondArray::from(column(7, |row| (row - 900) * 40000000000 + row % 1000)))),
        ("d9", Arc::new(Decimal128Array::from(column(7, |row| (mixed(row) % 99999999) as i128 - 50000000)).with_precision_and_scale(9, 2).unwrap())),
        ("d38", Arc::new(Decimal128Array::from(column(7, |row| big(row) as i128 * 1000000007)).with_precision_and_scale(38, 10).unwrap())),
        ("list", lists(Int64Builder::new(), 5, 6, |one, row, is_there| one.append_option(Some(row % 50).filter(|_| is_there)))),
        ("rising", lists(Int32Builder::new(), 5, 4, |one, row, is_there| one.append_option(Some(row as i32).filter(|_| is_there)))),
        ("days", lists(Date32Builder::new(), 6, 5, |one, row, is_there| one.append_option(Some(row as i32 - 900).filter(|_| is_there)))),
        ("texts", lists(StringBuilder::new(), 6, 5, |one, row, is_there| one.append_option(Some(word(row)).filter(|_| is_there)))),
        ("deep", deep()),
        ("people", people()),
    ]
}

fn write(path: &str, columns: &[(&str, ArrayRef)], options: WriterProperties) {
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), columns.iter().map(|(_, array)| array.clone()).collect()).unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, schema, Some(options)).unwrap();
    for row in (0..COUNT as usize).step_by(700) {
        writer.write(&batch.slice(row, 700.min(COUNT as usize - row))).unwrap();
    }
    writer.close().unwrap();
}

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let small = |builder: WriterPropertiesBuilder| {
        builder.PAGE_SIZE_LIMIT(300).set_write_batch_size(16).set_max_row_group_size(1000).set_statistics_enabled(EnabledStatistics::Page)
    };
    let all = columns();
    for (suffix, is_small, version, has_dictionary, codec) in [
        ("-v1", false, WriterVersion::PARQUET_1_0, true, Compression::UNCOMPRESSED),
        ("-v1-small", true, WriterVersion::PARQUET_1_0, true, Compression::UNCOMPRESSED),
        ("-v2-small", true, WriterVersion::PARQUET_2_0, true, Compression::SNAPPY),
        ("-v1-small-plain", true, WriterVersion::PARQUET_1_0, false, Compression::SNAPPY),
        ("-v2-small-plain", true, WriterVersion::PARQUET_2_0, false, Compression::UNCOMPRESSED),
    ] {
        let options = || {
            let builder = WriterProperties::builder()
                .set_writer_version(version)
                .set_dictionary_enabled(has_dictionary)
                .set_compression(codec);
            if is_small { small(builder).build() } else { builder.build() }
        };
        write(&format!("{folder}/all{suffix}.parquet"), &all, options());
        for one in &all[1..] {
            write(&format!("{folder}/{}{suffix}.parquet", one.0), &[all[0].clone(), one.clone()], options());
        }
    }
}
