// SPDX-License-Identifier: Apache-2.0
// Writes rows with parquet-wasm, which is handed Arrow's streaming format. Usage: node make.mjs FOLDER

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { attempt, flat, lists, structs, texts } from './rows.mjs';

const require = createRequire(import.meta.url);
const wasm = (() => {
  try {
    return require('parquet-wasm/node/arrow1.js'); // before 0.6
  } catch {
    return require('parquet-wasm');
  }
})();
const arrow = require('apache-arrow');
const folder = process.argv[2];
const types = {
  id: new arrow.Int32(), flag: new arrow.Bool(), i32: new arrow.Int32(), i64: new arrow.Int64(), few: new arrow.Int32(),
  f32: new arrow.Float32(), f64: new arrow.Float64(), word: new arrow.Utf8(), url: new arrow.Utf8(), rare: new arrow.Utf8(),
  high: new arrow.Binary(), moment: new arrow.TimestampMillisecond(),
};
const list = (type) => new arrow.List(new arrow.Field('item', type, true));
const tables = {
  flat: Object.fromEntries(Object.entries(flat).map(([name, data]) => [name, arrow.vectorFromArray(data, types[name])])),
  lists: { lists: arrow.vectorFromArray(lists, list(new arrow.Int32())) },
  texts: { texts: arrow.vectorFromArray(texts, list(new arrow.Utf8())) },
  structs: { structs: arrow.vectorFromArray(structs, new arrow.Struct([new arrow.Field('x', types.i32, true), new arrow.Field('y', types.word, true)])) },
};
const builder = () => new wasm.WriterPropertiesBuilder();
const options = {
  '': (b) => b,
  '-v2': (b) => b.setWriterVersion(wasm.WriterVersion.V2),
  '-small': (b) => b.setMaxRowGroupSize(1000).setDataPageSizeLimit(2000).setWriteBatchSize(100),
  '-v2-small': (b) => b.setWriterVersion(wasm.WriterVersion.V2).setMaxRowGroupSize(1000).setDataPageSizeLimit(2000).setWriteBatchSize(100),
  '-plain': (b) => b.setDictionaryEnabled(false),
  '-page-statistics': (b) => b.setStatisticsEnabled(wasm.EnabledStatistics.Page).setDataPageSizeLimit(2000).setWriteBatchSize(100),
  ...Object.fromEntries(['SNAPPY', 'GZIP', 'BROTLI', 'ZSTD', 'LZ4_RAW', 'LZ4'].map((codec) => [`-${codec.toLowerCase()}`, (b) => b.setCompression(wasm.Compression[codec])])),
};
for (const [name, columns] of Object.entries(tables))
  for (const [suffix, set] of Object.entries(options))
    await attempt(`${name}${suffix}`, () => {
      const schema = new arrow.Schema(Object.entries(columns).map(([field, { type }]) => new arrow.Field(field, type, true)));
      const children = Object.values(columns).map((vector) => vector.data[0]);
      const data = arrow.makeData({ type: new arrow.Struct(schema.fields), length: children[0].length, nullCount: 0, children });
      const stream = arrow.tableToIPC(new arrow.Table([new arrow.RecordBatch(schema, data)]), 'stream');
      const table = wasm.Table ? wasm.Table.fromIPCStream(stream) : stream;
      writeFileSync(join(folder, `${name}${suffix}.parquet`), wasm.writeParquet(table, set(builder()).build()));
    });
