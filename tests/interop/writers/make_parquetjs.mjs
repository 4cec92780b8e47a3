// SPDX-License-Identifier: Apache-2.0
// Writes rows with parquetjs or @dsnp/parquetjs. Usage: node make.mjs FOLDER PACKAGE

import { existsSync, unlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { attempt, COUNT, flat, lists, structs, texts } from './rows.mjs';

const [, , folder, name] = process.argv;
const parquet = createRequire(import.meta.url)(name);
const types = {
  id: 'INT64', flag: 'BOOLEAN', i32: 'INT32', i64: 'INT64', few: 'INT32', f32: 'FLOAT', f64: 'DOUBLE', word: 'UTF8',
  url: 'UTF8', rare: 'UTF8', high: 'BYTE_ARRAY', moment: 'TIMESTAMP_MILLIS',
};

async function write(file, fields, columns, options, common = {}) {
  const path = join(folder, `${file}.parquet`);
  await attempt(file, async () => {
    const all = Object.fromEntries(Object.entries(fields).map(([field, what]) => [field, { ...what, ...common }]));
    const writer = await parquet.ParquetWriter.openFile(new parquet.ParquetSchema(all), path, options);
    writer.setRowGroupSize(options.rowGroupSize ?? 1000);
    try {
      for (let row = 0; row < COUNT; row++) {
        const record = {};
        for (const field of Object.keys(fields)) {
          const value = columns[field][row];
          if (value !== null) record[field] = value;
        }
        await writer.appendRow(record);
      }
      await writer.close();
    } catch (error) {
      if (existsSync(path)) unlinkSync(path);
      throw error;
    }
  });
}

for (const name of ['f32', 'f64']) flat[name] = flat[name].map((value) => (value === null || isFinite(value) ? value : 0)); // all that old ones take
const fields = Object.fromEntries(
  Object.entries(types).map(([field, type]) => [field, { type, optional: flat[field].includes(null) }]),
);
const v1 = { useDataPageV2: false };
const small = { rowGroupSize: 500, pageSize: 1000 };
for (const [suffix, options] of Object.entries({ '': {}, '-v1': v1, '-small': small, '-v1-small': { ...small, ...v1 } })) {
  await write(`flat${suffix}`, fields, flat, options);
  for (const compression of ['GZIP', 'SNAPPY', 'BROTLI'])
    await write(`flat${suffix}-${compression.toLowerCase()}`, fields, flat, options, { compression });
  const id = { id: { type: 'INT64' } };
  const repeated = (list) => list.map((items) => items ?? []);
  await write(`list${suffix}`, { ...id, list: { type: 'INT64', repeated: true } }, { id: flat.id, list: repeated(lists) }, options);
  await write(`texts${suffix}`, { ...id, texts: { type: 'UTF8', repeated: true } }, { id: flat.id, texts: repeated(texts) }, options);
  const group = { fields: { x: { type: 'INT32' }, y: { type: 'UTF8', optional: true } } };
  await write(`struct${suffix}`, { ...id, struct: group }, { id: flat.id, struct: structs }, options);
  const people = lists.map((items) => (items ?? []).map((x) => ({ x, y: x % 3 ? `n${x}` : undefined })));
  await write(`people${suffix}`, { ...id, people: { ...group, repeated: true } }, { id: flat.id, people }, options);
  await write(`others${suffix}`, {
    date: { type: 'DATE' }, time: { type: 'TIME_MILLIS' }, micros: { type: 'TIMESTAMP_MICROS' }, json: { type: 'JSON' },
  }, {
    date: flat.id.map((id) => new Date(id * 86400000)), time: flat.id.map((id) => id + 500),
    micros: flat.id.map((id) => new Date(id * 1e9)), json: flat.id.map((id) => ({ id })),
  }, options);
  await write(`decimals${suffix}`, {
    d9: { type: 'DECIMAL', precision: 9, scale: 2 }, d18: { type: 'DECIMAL', precision: 18, scale: 4 },
  }, { d9: flat.id.map((id) => id + 0.25), d18: flat.id.map((id) => id * 7 + 0.5) }, options);
}
const bloomFilters = ['id', 'url', 'word'].map((column) => ({ column, numFilterBytes: 1024 }));
await write('bloom', fields, flat, { ...small, bloomFilters });
