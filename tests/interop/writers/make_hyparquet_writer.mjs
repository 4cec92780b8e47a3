// SPDX-License-Identifier: Apache-2.0
// Writes rows with hyparquet-writer. Usage: node make.mjs FOLDER

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { attempt, flat, lists, structs, texts } from './rows.mjs';

const folder = process.argv[2];
const types = {
  id: 'INT32', flag: 'BOOLEAN', i32: 'INT32', i64: 'INT64', few: 'INT32', f32: 'FLOAT', f64: 'DOUBLE', word: 'STRING',
  url: 'STRING', rare: 'STRING', high: 'BYTE_ARRAY', moment: 'TIMESTAMP',
};

async function write(file, columnData, options = {}) {
  await attempt(file, () => {
    const buffer = parquetWriteBuffer({ columnData: columnData.filter((column) => column.data), ...options });
    writeFileSync(join(folder, `${file}.parquet`), Buffer.from(buffer));
  });
}

const guessed = Object.entries(flat).filter(([name]) => !['f32', 'high'].includes(name));
await write('guessed', guessed.map(([name, data]) => ({ name, data })));
const small = { rowGroupSize: 500, pageSize: 1000 };
for (const [suffix, options] of Object.entries({
  '': {}, '-small': small, '-plain': { ...small, compressed: false, codec: 'UNCOMPRESSED' }, '-no-statistics': { statistics: false },
})) {
  const index = { columnIndex: suffix === '-small', offsetIndex: suffix === '-small', bloomFilter: suffix === '-small' };
  for (const [name, data] of Object.entries(flat)) {
    await write(`${name}${suffix}`, [
      { name: 'id', data: flat.id, type: 'INT32', ...index }, { name, data, type: types[name], ...index },
    ].slice(name === 'id'), options);
    await write(`${name}${suffix}-guessed`, [{ name, data }], options);
  }
  const nested = { lists, texts, structs };
  for (const [name, data] of Object.entries(nested)) {
    await write(`${name}${suffix}`, [{ name: 'id', data: flat.id, ...index }, { name, data, ...index }], options);
    await write(`json-${name}${suffix}`, [{ name, data, type: 'JSON' }], options);
    await write(`variant-${name}${suffix}`, [{ name, data, type: 'VARIANT' }], options);
    await write(`shredded-${name}${suffix}`, [{ name, data, type: 'VARIANT', shredding: true }], options);
  }
  for (const encoding of ['PLAIN', 'RLE_DICTIONARY', 'DELTA_BINARY_PACKED', 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY', 'BYTE_STREAM_SPLIT', 'RLE'])
    for (const name of ['i32', 'i64', 'f64', 'word', 'url', 'flag'])
      await write(`${name}${suffix}-${encoding.toLowerCase()}`, [{ name, data: flat[name], type: types[name], encoding }], options);
}
