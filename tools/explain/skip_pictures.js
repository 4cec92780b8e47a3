/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds beside the values of a condition, and the block of a Bloom filter that a value falls into. */
/* Bounds and the values of the condition on one line, where they are numbers. */
function boundLine(condition, index, column) {
  const numbers = (condition.tests[index].values || []).map(Number);
  const low = Number(column.min),
    high = Number(column.max);
  const facts = condition.row_groups.map((g) => g.statistics && g.statistics.tests[index].column);
  const all = facts
    .filter((c) => c && c.min !== undefined)
    .flatMap((c) => [Number(c.min), Number(c.max)])
    .concat(numbers, low, high);
  if (column.min === undefined || !numbers.length || all.some((n) => !Number.isFinite(n)))
    return null;
  const least = Math.min(...all),
    most = Math.max(...all);
  if (least === most) return null;
  const at = (n) => 20 + (600 * (n - least)) / (most - least);
  const ends = (n) => (at(n) < 60 ? "start" : at(n) > 580 ? "end" : "middle");
  return make(
    "svg.bound-line",
    {
      viewBox: "0 -14 640 104",
      role: "img",
      "aria-label":
        "Bounds from " +
        column.min +
        " to " +
        column.max +
        ", value " +
        condition.tests[index].values.join(", "),
    },
    make("path.arrow", {d: "M20 40H620"}),
    make("rect.bound-range", {
      x: at(low),
      y: 32,
      width: Math.max(3, at(high) - at(low)),
      height: 16,
    }),
    make(
      "text",
      {x: at(low), y: 72, "text-anchor": at(low) > 520 ? "end" : "start"},
      column.min + " to " + column.max,
    ),
    numbers
      .slice(0, 8)
      .map((n, i) => [
        make("path.bound-value", {d: "M" + at(n) + " 18V56"}),
        make(
          "text.bound-label",
          {x: at(n), y: 13, "text-anchor": ends(n)},
          condition.tests[index].values[i],
        ),
      ]),
  );
}

const bitOf = (probe, word, bit) =>
  (parseInt(probe.bits.slice(8 * word + 2 * (bit >> 3), 8 * word + 2 * (bit >> 3) + 2), 16) >>
    (bit & 7)) &
  1;

/* A block of a Bloom filter: eight words of 32 bits, with those that the value needs. */
function bloomPicture(probe) {
  const cells = [];
  for (let word = 0; word < 8; word++) {
    cells.push(make("text", {x: 0, y: 34 + 20 * word}, String(word)));
    for (let bit = 0; bit < 32; bit++) {
      const isSet = bitOf(probe, word, bit) === 1,
        isNeeded = probe.word_bits[word] === bit,
        x = 22 + 19 * bit,
        y = 20 + 20 * word;
      cells.push(
        make("rect.bit" + (isSet ? ".set" : "") + (isNeeded ? ".needed" : ""), {
          x,
          y,
          width: 16,
          height: 16,
        }),
      );
      if (isNeeded && !isSet)
        cells.push(
          make("path.bit-missing", {d: "M" + (x + 2) + " " + (y + 2) + "l12 12m0-12l-12 12"}),
        );
    }
  }
  const missing = probe.word_bits.filter((bit, word) => !bitOf(probe, word, bit)).length;
  return make(
    "svg.bloom",
    {
      viewBox: "-6 -6 638 192",
      role: "img",
      "aria-label":
        "Block " + probe.block + ": of the eight bits needed, " + (8 - missing) + " are set",
    },
    [0, 8, 16, 24, 31].map((bit) => make("text.label", {x: 22 + 19 * bit, y: 12}, String(bit))),
    cells,
  );
}

function bloomWords(condition, probe) {
  const lacking = probe.word_bits
    .map((bit, word) => [bit, word])
    .filter(([bit, word]) => !bitOf(probe, word, bit));
  const head = make(
    "p",
    null,
    "The value " + probe.value + " is hashed (XXH64): ",
    make("code", null, probe.hash.slice(0, 8) + " " + probe.hash.slice(8)),
    ". The upper half, scaled to " + plural(probe.blocks, "block") + ", picks ",
    linkToBytes("bloom_filter", probe.offset, "block " + number(probe.block)),
    ". The lower half picks one bit in each of the eight words of the block: all of them were set when a value with this hash was written.",
  );
  if (!probe.bits) return [head, make("p", null, "This block was not read.")];
  return [
    head,
    make(
      "p",
      null,
      lacking.length
        ? "Here " +
            (lacking.length === 1
              ? "bit " + lacking[0][0] + " of word " + lacking[0][1] + " is not set"
              : lacking.length + " of the eight bits are not set") +
            ": no row of this chunk has the value."
        : "Here all eight bits are set, so the value may be there. Other values may have set them: a filter never misses a value, but may find one too many.",
      !probe.decides
        ? " The answer does not count here: bounds decide before it, or the value can be written in several ways."
        : "",
    ),
    bloomPicture(probe),
    make(
      "p.soft",
      null,
      "Filled: set. Framed: the bit that this value needs in the word. Crossed: needed, but not set.",
    ),
    make(
      "details",
      null,
      make("summary", null, "The bits as a table"),
      table(
        null,
        ["word", ["bit needed"], "is it set?"],
        probe.word_bits.map((bit, word) =>
          make(
            "tr",
            null,
            make("td.n", null, word),
            make("td.n", null, bit),
            make("td", null, bitOf(probe, word, bit) ? "set" : "not set"),
          ),
        ),
      ),
    ),
  ];
}

function linkToBytes(kind, offset, text) {
  return offset === undefined ? text : make("a", {href: "#bytes/" + kind + "/" + offset}, text);
}
