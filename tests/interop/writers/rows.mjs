// SPDX-License-Identifier: Apache-2.0
// Rows like those of rows.py, as columns of plain values.

export const COUNT = 3000;
export const WORDS = ['', 'a', 'b', 'ab', "it's", 'Zz', '\u00e4\u00f6\u00fc\u00df', '\u{1f600} smile', '\u65e5\u672c\u8a9e', 'long '.repeat(30)];

const range = [...Array(COUNT).keys()];
export const mixed = (row) => Number((BigInt(row + 1) * 0x9e3779b97f4a7c15n) >> 17n & 0xffffffffn);
export const column = (make, nulls = 7) => range.map((row) => (nulls && row % nulls === 3 ? null : make(row)));
const extremes = (row, low, high, value) => (row % 211 === 5 ? low : row % 211 === 6 ? high : value);

export const flat = {
  id: column((row) => row * 3 - 500, 0),
  flag: column((row) => row % 3 === 0),
  i32: column((row) => extremes(row, -(2 ** 31), 2 ** 31 - 1, mixed(row) - 2 ** 31)),
  i64: column((row) => BigInt(extremes(row, -(2 ** 53), 2 ** 53, mixed(row) * 4096 - 2 ** 43))),
  few: column((row) => Math.floor(row / 40) % 5, 0),
  f32: column((row) => [NaN, Infinity, -Infinity, -0, 0][row % 199] ?? (mixed(row) % 20001) / 8 - 1000),
  f64: column((row) => [0, NaN, Infinity, -Infinity, -0, 5e-324][row % 199] ?? (mixed(row) % 2000001) / 64 - 9000),
  word: column((row) => WORDS[mixed(row) % WORDS.length]),
  url: column((row) => `https://example.org/a/rather/long/beginning/${String(row).padStart(6, '0')}/\u00ff`, 0),
  rare: column((row) => (row % 500 ? null : `x${row}`), 0),
  high: column((row) => Buffer.from([...Array(row % 20).fill(255), row % 256, 255 - (row % 7)])),
  moment: column((row) => new Date(row * 86400000 * 3 - 10 ** 12)),
};

export const lists = column((row) => [...Array(row % 6).keys()].map((n) => row + n), 5);
export const texts = column((row) => [...Array(row % 4).keys()].map((n) => WORDS[(row + n) % WORDS.length]), 6);
export const structs = column((row) => ({ x: row, y: WORDS[row % WORDS.length] }), 0);

// Calls `write` and says why it failed: what a version cannot is no fault.
export async function attempt(name, write) {
  try {
    await write();
  } catch (error) {
    console.log(`${name}: ${error.message ?? error}`);
  }
}
