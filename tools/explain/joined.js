/* SPDX-License-Identifier: Apache-2.0 */
/* From a triple to its bytes and bits, and back; and ranges of bytes as rows. */
const kindNames = {rle_run: "run of one level or index", bit_packed_run: "bit-packed run"};
const kindName = (range) => kindNames[range.kind] || range.kind.replace(/_/g, " ");

function descendants(range) {
  return [range, ...range.inside.flatMap(descendants)];
}

/* The innermost range that holds number `index`, of those that are numbered. */
function innermost(range, index) {
  let found =
    range.first !== undefined && index >= range.first && index < range.first + (range.count ?? 1)
      ? range
      : null;
  for (const child of range.inside) {
    const inner = innermost(child, index);
    if (inner) found = inner;
  }
  return found;
}

/* The number `index` of a run of levels or indexes, of a packed group or of a byte stream. */
function numberAt(range, index) {
  if (range.kind === "rle_run") {
    const value = range.inside.find((r) => r.kind === "run_value");
    return value && value.value !== undefined ? Number(value.value) : undefined;
  }
  if (range.kind === "run_value") return Number(range.value);
  const bits = bitsOf(range, index);
  const text = bits && bitText(range).slice(bits[0], bits[1] + 1);
  return text && text.length === range.bit_width
    ? parseInt([...text].reverse().join(""), 2)
    : undefined;
}

/* The entry of the dictionary that the value of a triple is an index of; undefined: none is known. */
function entryOf(triple) {
  if (triple.entry !== undefined || !triple.pageRange || triple.isNull) return triple.entry;
  const values = descendants(triple.pageRange).find((r) => r.kind === "values");
  if (!values || !/DICTIONARY/.test(values.label || "")) return undefined;
  const range = innermost(values, triple.pageValue);
  triple.entry = range ? numberAt(range, triple.pageValue) : undefined;
  return triple.entry;
}

/* The streams of BYTE_STREAM_SPLIT values, in their order; none for other encodings. */
function streamsOf(page) {
  return descendants(page).filter((r) => r.kind === "stream");
}

/* The byte of value `index` in a stream, as hex; undefined where it is not on the page. */
function streamByte(stream, index) {
  const at = 2 * (index - stream.first - (stream.hex_at || 0));
  return (at >= 0 && (stream.hex || "").slice(at, at + 2)) || undefined;
}

/* That byte as a range. */
function streamRange(stream, index) {
  return {
    kind: "stream",
    parent: stream,
    first: index,
    count: 1,
    begin: stream.begin + index - stream.first,
    length: 1,
    inBody: stream.inBody,
    hex: streamByte(stream, index),
    inside: [],
  };
}

/* Where the two levels and the value of a triple are: [{what, range, bits}]. */
function bytesOf(triple) {
  const page = triple.pageRange;
  if (!page) return [];
  const all = descendants(page);
  const places = [];
  const find = (what, kind, index) => {
    const section = all.find((r) => r.kind === kind);
    const range = section && innermost(section, index);
    if (range) places.push({what, range, bits: bitsOf(range, index)});
    return section;
  };
  find("repetition level " + triple.r, "repetition_levels", triple.pageIndex);
  find("definition level " + triple.d, "definition_levels", triple.pageIndex);
  const streams = triple.isNull ? [] : streamsOf(page);
  streams.forEach((stream, i) =>
    places.push({
      what: "byte " + i + " of value " + show(triple.value),
      range: streamRange(stream, triple.pageValue),
      bits: null,
    }),
  );
  if (!triple.isNull && !streams.length) {
    const values = find("value " + show(triple.value), "values", triple.pageValue);
    const last = places[places.length - 1];
    if (values && /DICTIONARY/.test(values.label || "") && last && /^value/.test(last.what))
      last.what = "index into the dictionary, for " + show(triple.value);
    const entry = entryOf(triple),
      dictionary = entry !== undefined && page.dictionary,
      range = dictionary && innermost(dictionary, entry);
    if (range && range !== dictionary && range.kind !== "values")
      places.push({what: "entry " + entry + " of the dictionary", range, bits: null});
  }
  return places;
}

/* The bits of number `index` in a range of packed numbers; null where it has bytes of its own. */
function bitsOf(range, index) {
  if (!range.bit_width || !/packed|miniblock/.test(range.kind)) return null;
  const begin = (index - range.first) * range.bit_width;
  return [begin, begin + range.bit_width - 1];
}

function hexOf(range) {
  return (range.hex || "").replace(/../g, "$& ").trim();
}

function allHex(range, most) {
  const parts = range.inside.length
    ? range.inside.map((r) => allHex(r, most)).join(" ")
    : hexOf(range);
  return parts.length > 3 * most ? parts.slice(0, 3 * most) + "\u2026" : parts;
}

function where(range) {
  return (
    (range.inBody
      ? "byte " + number(range.begin) + " of the uncompressed page"
      : "byte " + number(range.begin) + " of the file") +
    ", " +
    plural(range.length, "byte")
  );
}

/* The bits of a byte string, the lowest bit of each byte first, as packed numbers are read. */
function bitText(range) {
  return (
    (range.hex || "")
      .match(/../g)
      ?.slice(0, 64)
      .map((h) => [...parseInt(h, 16).toString(2).padStart(8, "0")].reverse().join(""))
      .join("") || ""
  );
}

function bitRow(range, marked) {
  const text = bitText(range);
  if (!text) return null;
  if (!marked) return make("code", null, text);
  return make(
    "code",
    null,
    text.slice(0, marked[0]),
    make("b.on", null, text.slice(marked[0], marked[1] + 1)),
    text.slice(marked[1] + 1),
  );
}

/* A triple in one line: its record, levels, value, page and bytes. */
function tripleLine(triple) {
  const places = bytesOf(triple).map(
    ({what, range, bits}) =>
      what.replace(/ of value .*| for .*/, "").replace(/^value .*/s, "value") +
      ": byte " +
      (range.inBody ? "+" : "") +
      number(range.begin) +
      (!bits ? "" : bits[0] === bits[1] ? " bit " + bits[0] : " bits " + bits.join("\u2013")),
  );
  return (
    triple.leaf.path +
    ", record " +
    (triple.inRecord ? triple.inRecord.number : model.source.first + triple.record) +
    ", triple " +
    triple.chunkIndex +
    ": (" +
    triple.r +
    ", " +
    triple.d +
    ", " +
    (triple.isNull ? "NULL" : show(triple.value)) +
    ")" +
    (triple.pageRange ? ", page " + triple.pageRange.page : "") +
    (places.length ? "; " + places.join(", ") : "")
  );
}

const TRIPLES_POINTED = 64; /* of a range: one of more is not about single triples */

/*
 * Marks what belongs together while the pointer is over it, or the focus in it: add(node, keys)
 * takes a node and a function that gives triples and ranges; nodes with a common one are marked,
 * and `line` says which triple it is. What was chosen stays chosen.
 */
function pointing(box) {
  const keysOf = new Map(),
    nodesOf = new Map(),
    line = make("p.pointed-line.soft", {"aria-hidden": "true"}, "\u00A0");
  let fresh = [],
    marked = [];
  const index = () => {
    for (const [node, keys] of fresh) {
      const found = keys();
      keysOf.set(node, found);
      for (const key of found) {
        if (!nodesOf.has(key)) nodesOf.set(key, []);
        nodesOf.get(key).push(node);
      }
    }
    fresh = [];
  };
  const clear = () => {
    marked.forEach((node) => node.classList.remove("pointed"));
    marked = [];
  };
  const point = (target) => {
    index();
    let node = target;
    while (node && node !== box && !keysOf.has(node)) node = node.parentNode;
    clear();
    const keys = keysOf.get(node);
    if (!keys) return;
    marked = [...new Set(keys.flatMap((key) => nodesOf.get(key)))].filter((n) => n.isConnected);
    marked.forEach((n) => n.classList.add("pointed"));
    const triples = keys.filter((key) => key.leaf);
    line.textContent = visible(
      triples.length === 1
        ? tripleLine(triples[0])
        : triples.length
          ? plural(triples.length, "triple") + " of " + triples[0].leaf.path
          : "\u00A0",
    );
  };
  /* A box may get other contents, and then points at those alone. */
  box.pointing?.abort();
  box.pointing = new AbortController();
  const until = {signal: box.pointing.signal};
  box.addEventListener("pointerover", (event) => point(event.target), until);
  box.addEventListener("pointerleave", clear, until);
  box.addEventListener("focusin", (event) => point(event.target), until);
  return {line, add: (node, keys) => fresh.push([node, keys])};
}

/* The keys of a range: its triples, if they are few, and itself. */
function keysOfRange(model, range) {
  const triples = triplesOf(model, range);
  return triples.length <= TRIPLES_POINTED ? [range, ...triples] : [range];
}

/* The address of a range in the view of all bytes. */
function bytesLink(model, range) {
  const steps = [];
  for (let r = range; r; r = r.parent) {
    const list = r.parent ? r.parent.inside : model.ranges,
      at = list.indexOf(r);
    if (at >= 0) steps.unshift(at);
  }
  return "#bytes/" + steps.join(".");
}

function bytesOfTriple(model, triple) {
  const page = triple.pageRange;
  if (!page) return make("p.soft", null, "The bytes of its page are not on this page.");
  const places = bytesOf(triple);
  return [
    make(
      "p",
      null,
      "It is triple " + triple.pageIndex + " of ",
      make(
        "a",
        {href: "#page/" + model.pages.indexOf(page)},
        "page " + page.page + " of its column chunk",
      ),
      ", " + where(page) + ".",
    ),
    !places.length
      ? null
      : make(
          "div.scroll",
          null,
          table(
            null,
            ["what", "where", "bytes", "bits, lowest first"],
            places.map(({what, range, bits}) =>
              make(
                "tr",
                null,
                make("td", null, what),
                make(
                  "td",
                  null,
                  make("a", {href: bytesLink(model, range)}, kindName(range)),
                  ", " +
                    where(range) +
                    (!bits
                      ? ""
                      : bits[0] === bits[1]
                        ? ", bit " + bits[0]
                        : ", bits " + bits[0] + " to " + bits[1]),
                ),
                make("td.v", null, allHex(range, 24)),
                make("td.v", null, bits ? bitRow(range, bits) : ""),
              ),
            ),
          ),
        ),
  ];
}

/* The triples of the sample that a range belongs to: what has no numbers, to those of its value. */
function triplesOf(model, range) {
  while (
    range.first === undefined &&
    range.parent &&
    !/^page|^values$|_levels$/.test(range.parent.kind)
  )
    range = range.parent;
  let page = range,
    section = range;
  while (page && page.kind !== "page") {
    if (/_levels$|^values$/.test(page.kind)) section = page;
    page = page.parent;
  }
  if (!page || !page.leaf || range.first === undefined) return [];
  const end = range.first + (range.count ?? 1);
  if (page.isDictionary)
    return page.leaf.triples.filter(
      (t) =>
        t.pageRange &&
        t.pageRange.row_group === page.row_group &&
        entryOf(t) >= range.first &&
        entryOf(t) < end,
    );
  const inPage = page.leaf.triples.filter((t) => t.pageRange === page);
  if (range === page) return inPage;
  return inPage.filter((t) => {
    const i = section.kind === "values" ? t.pageValue : t.pageIndex;
    return i >= range.first && i < end;
  });
}

const RANGES_AT_ONCE = 400;

/* A range, what it means and its bytes, and what is inside of it, as a tree that opens. */
function rangeTree(range, options) {
  const {onChoose, onMake, openTo = 1} = options;
  const text = () => [
    make("b", null, kindName(range)),
    range.label ? " " + range.label : "",
    range.value !== undefined
      ? [
          " = ",
          make(
            "span.mono",
            null,
            range.value.length > 200 ? range.value.slice(0, 200) + "\u2026" : range.value,
          ),
        ]
      : "",
    range.note ? [" ", make("span.badge.strong", null, range.note)] : "",
    " ",
    make(
      "span.soft",
      null,
      (range.inBody ? "+" : "") +
        number(range.begin) +
        ", " +
        plural(range.length, "byte") +
        (range.count !== undefined ? ", " + plural(range.count, "number") : ""),
    ),
  ];
  const bytes =
    !range.inside.length && range.hex ? make("span.mono.bytes", null, allHex(range, 32)) : null;
  const around = range.parent;
  const isOwn =
    range.first !== undefined &&
    !(
      around &&
      around.first === range.first &&
      around.count === range.count &&
      around.kind !== "page_body"
    );
  const button =
    onChoose && isOwn
      ? make(
          "button",
          {
            type: "button",
            onclick: () => onChoose(range),
            "aria-label": "show what " + kindName(range) + " at " + range.begin + " belongs to",
          },
          "Triples",
        )
      : null;
  if (!range.inside.length) {
    const line = make("span.line", null, text());
    if (onMake) onMake(line, range);
    return make("li", null, line, " ", bytes, " ", button);
  }
  const list = make("ul");
  const more = (from) => {
    const next = from + RANGES_AT_ONCE,
      rest = range.inside.length - next;
    const go = () => {
      last.remove();
      more(next);
      list.children[next]?.querySelector("summary, button")?.focus();
    };
    const last =
      rest > 0
        ? make(
            "li",
            null,
            make("button", {type: "button", onclick: go}, "Show more, of " + number(rest)),
          )
        : leftOut(range);
    add(list, [
      range.inside
        .slice(from, next)
        .map((child) => rangeTree(child, {...options, openTo: openTo - 1})),
      last,
    ]);
  };
  const fill = () => list.childNodes.length || more(0);
  const details = make(
    "details",
    {open: openTo > 0, ontoggle: () => details.open && fill()},
    make("summary", null, text()),
    list,
  );
  if (onMake) onMake(details.firstChild, range);
  if (openTo > 0) fill();
  return make("li.with-button", null, details, button);
}

/* Where ranges inside are left out, a line that says so. */
function leftOut(range) {
  const shown = range.inside.reduce((sum, r) => sum + r.length, 0);
  const all = range.uncompressed ? range.uncompressed_size : range.length;
  return shown < all
    ? make("li.soft", null, "\u2026 " + plural(all - shown, "byte") + " more")
    : null;
}
