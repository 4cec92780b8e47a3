/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page unwrapped: its header, what is stored of it, its levels as runs, its values by encoding.
 * Ranges, numbers and bytes that belong to one triple are marked while the pointer is over one.
 */
function runsOf(section, onChoose, pointed) {
  const runs = descendants(section).filter(
    (r) => r.kind === "rle_run" || r.kind === "bit_packed_run",
  );
  return make(
    "div.runs",
    null,
    runs.map((run) => {
      const packed = run.kind === "bit_packed_run";
      const groups = packed
        ? run.inside
            .filter((r) => r.kind === "packed_group")
            .map((r) => r.value)
            .filter(Boolean)
        : [];
      const value = run.inside.find((r) => r.kind === "run_value");
      const text = packed
        ? groups.length
          ? groups.join(" | ")
          : run.value || ""
        : value && value.value !== undefined
          ? value.value
          : run.value || "";
      const box = make(
        packed ? "div.run.packed" : "div.run",
        null,
        make("b", null, packed ? "bit-packed" : "RLE"),
        " ",
        packed
          ? plural(run.count ?? 0, "number") +
              " of " +
              plural(run.bit_width ?? section.bit_width ?? 0, "bit") +
              " each: "
          : (run.count ?? "?") + " \u00D7 ",
        make("span.mono", null, text.length > 160 ? text.slice(0, 160) + "\u2026" : text),
        make("div.soft.mono", null, allHex(run, 20)),
        packed ? numbersOf(run, onChoose, pointed) : null,
      );
      if (pointed) pointed.add(box, () => keysOfRange(model, run));
      return box;
    }),
  );
}

/* The numbers of a bit-packed run with their bits, each a button that shows its triple. */
function numbersOf(run, onChoose, pointed) {
  const groups = run.inside.filter((r) => r.kind === "packed_group" && r.hex && r.bit_width);
  if (!groups.length || !onChoose) return null;
  const box = make("div.scroll.tall");
  const fill = () => {
    if (box.childNodes.length) return;
    const rows = groups.flatMap((group) =>
      Array.from({length: group.count ?? 0}, (_, i) => {
        const index = group.first + i,
          [begin, end] = bitsOf(group, index);
        const row = make(
          "tr",
          null,
          make("td.n", null, index),
          make("td.n", null, begin === end ? begin : begin + "\u2013" + end),
          make("td.v", null, bitText(group).slice(begin, end + 1)),
          make(
            "td.n",
            null,
            make(
              "button.value",
              {
                type: "button",
                "aria-label":
                  "number " + index + ", " + numberAt(group, index) + ": show what it belongs to",
                onclick: () => onChoose({...group, first: index, count: 1}),
              },
              numberAt(group, index),
            ),
          ),
        );
        if (pointed) pointed.add(row, () => triplesOf(model, {...group, first: index, count: 1}));
        return row;
      }),
    );
    add(box, [
      table(
        "A number in each row; bits count from the lowest of its group of 8",
        [["number"], ["bits"], "lowest first", ["is"]],
        rows.slice(0, 400),
      ),
    ]);
    rove(box, "button");
  };
  const details = make(
    "details",
    {ontoggle: () => details.open && fill()},
    make("summary", null, "Bit by bit"),
    box,
  );
  return details;
}

/*
 * BYTE_STREAM_SPLIT values of the records on this page: a row for each stream, in the order of the
 * file, and a column for each value; its bytes stand one below the other.
 */
function streamTable(page, onChoose, pointed) {
  const streams = streamsOf(page);
  const triples = page.leaf
    ? page.leaf.triples.filter((t) => t.pageRange === page && !t.isNull).slice(0, 64)
    : [];
  if (!streams.length || !triples.length) return null;
  const cells = new Map();
  const choose = (triple) => {
    cells.forEach((list, t) => list.forEach((cell) => cell.classList.toggle("on", t === triple)));
    onChoose({...streams[0], first: triple.pageValue, count: 1});
  };
  const box = make(
    "div.scroll.streams",
    null,
    table(
      "The bytes of each value: byte j of a stream belongs to value j of the page",
      ["stream", ["begins at"], ...triples.map((t) => [show(t.value)])],
      streams.map((stream, i) =>
        make(
          "tr",
          null,
          make("th", {scope: "row"}, "byte " + i),
          make("td.n", null, (stream.inBody ? "+" : "") + number(stream.begin)),
          triples.map((t) => {
            const range = streamRange(stream, t.pageValue),
              hex = range.hex || "\u2026";
            const cell = make(
              "td.n",
              null,
              make(
                "button.value",
                {
                  type: "button",
                  title: visible("byte " + i + " of " + show(t.value)) + ": " + where(range),
                  "aria-label": visible(
                    hex + ", byte " + i + " of value " + show(t.value) + ", " + where(range),
                  ),
                  onclick: () => choose(t),
                },
                hex,
              ),
            );
            pointed.add(cell, () => [t]);
            cells.set(t, [...(cells.get(t) || []), cell]);
            return cell;
          }),
        ),
      ),
    ),
  );
  rove(box, "button");
  return box;
}

const encodingWords = {
  PLAIN:
    "Values one after the other: fixed sizes as they are in memory, byte arrays each behind its length, booleans a bit each.",
  RLE_DICTIONARY:
    "Each value is an index into the dictionary page; indexes are runs of one index, or packed bits, of as many bits as the dictionary needs.",
  PLAIN_DICTIONARY: "The deprecated name of RLE_DICTIONARY.",
  RLE: "Runs of one value, or packed bits.",
  DELTA_BINARY_PACKED:
    "The first value, then differences in blocks: each block has the smallest difference, and miniblocks pack what is above it in as few bits as they need.",
  DELTA_LENGTH_BYTE_ARRAY:
    "All lengths as DELTA_BINARY_PACKED, then all bytes without anything in between.",
  DELTA_BYTE_ARRAY:
    "How many bytes each value shares with the one before, then what is left of each.",
  BYTE_STREAM_SPLIT:
    "The first byte of all values, then the second byte of all values, and so on: bytes that are alike come together for the compression.",
  ALP: "Decimal floats as integers: each vector has an exponent and a factor, integers packed above their smallest, and exceptions that do not fit.",
};

views.push({
  id: "page",
  title: "Inside a page",
  render(model, box, parameters) {
    const pages = model.pages.filter((p) => p.inside.length);
    if (!pages.length) {
      add(box, [make("p", null, "No pages are opened on this page.")]);
      return;
    }
    const body = make("div");
    const showPage = (page) => {
      const content = make("div"),
        pointed = pointing(content),
        onMake = (node, range) => pointed.add(node, () => keysOfRange(model, range));
      const inside = descendants(page);
      const header = inside.find((r) => r.kind === "page_header");
      const bodyRange = inside.find((r) => r.kind === "page_body");
      const values = inside.find((r) => r.kind === "values");
      const shownTriples = make("div", {"aria-live": "polite"});
      const onChoose = (range) => {
        const triples = triplesOf(model, range);
        replace(
          shownTriples,
          make(
            "p",
            null,
            triples.length
              ? "This range belongs to: "
              : "This range belongs to no triple of the records on this page.",
          ),
          triples.length
            ? make(
                "ul",
                null,
                triples
                  .slice(0, 24)
                  .map((t) =>
                    make(
                      "li",
                      null,
                      make(
                        "a",
                        {href: "#records/" + t.leaf.index + "/" + t.index},
                        "record " +
                          (model.source.first + t.record) +
                          ": (r " +
                          t.r +
                          ", d " +
                          t.d +
                          ", " +
                          show(t.value) +
                          ")",
                      ),
                    ),
                  ),
              )
            : null,
        );
      };
      const levels = ["repetition_levels", "definition_levels"].map((kind) => {
        const section = inside.find((r) => r.kind === kind);
        if (!section) return null;
        return [
          make("h3", null, kind.replace("_", " ")),
          make(
            "p.soft",
            null,
            where(section) +
              ". Levels are stored as runs, each behind a header. If that is even, one level follows, repeated half as often as it says (RLE, a solid box). If it is odd, take its lowest bit away, and half of the rest is how many groups of eight levels follow (bit-packed, a dashed box), each level in as few bits as the highest needs, from the lowest bit of each byte on. The last group is filled up with zeros.",
          ),
          runsOf(section, onChoose, pointed),
        ];
      });
      replace(body, content);
      replace(
        content,
        make(
          "div.card",
          null,
          make(
            "h3",
            null,
            "Page " +
              page.page +
              " of " +
              (page.leaf ? page.leaf.path : "column " + page.column) +
              ", row group " +
              page.row_group,
          ),
          make(
            "p",
            null,
            where(page) +
              (page.label ? ", " + page.label.toLowerCase().replace(/_/g, " ") : "") +
              (page.count !== undefined
                ? ", " +
                  plural(
                    page.count,
                    page.isDictionary ? "entry" : "triple",
                    page.isDictionary ? "entries" : "triples",
                  )
                : "") +
              ".",
          ),
          bodyRange &&
            bodyRange.uncompressed_size !== undefined &&
            make(
              "p",
              null,
              "The body is compressed" +
                (bodyRange.label ? " with " + bodyRange.label : "") +
                ": " +
                plural(bodyRange.length, "byte") +
                " stored, " +
                plural(bodyRange.uncompressed_size, "byte") +
                " uncompressed. What follows counts in the uncompressed bytes.",
            ),
          header &&
            make(
              "details",
              {open: true},
              make(
                "summary",
                null,
                "Header: " + plural(header.length, "byte") + " of Thrift's compact protocol",
              ),
              make(
                "ul.tree",
                null,
                header.inside.map((r) => rangeTree(r, {openTo: 1})),
              ),
            ),
        ),
        make(
          "div.card",
          null,
          pointed.line,
          levels,
          values && [
            make("h3", null, "Values: " + (values.label || "")),
            make("p", null, encodingWords[values.label] || ""),
            /DICTIONARY|^RLE$/.test(values.label || "") ? runsOf(values, onChoose, pointed) : null,
            streamTable(page, onChoose, pointed),
          ],
        ),
        make(
          "div.card",
          null,
          make("h3", null, "Range by range"),
          make("p.soft", null, "The button beside a range shows which triples it belongs to."),
          shownTriples,
          make(
            "ul.tree",
            null,
            page.inside
              .filter((r) => r !== header)
              .map((r) => rangeTree(r, {openTo: 3, onChoose, onMake})),
          ),
        ),
      );
    };
    const name = (p) =>
      (p.leaf ? p.leaf.path : "column " + p.column) +
      ", page " +
      p.page +
      (p.isDictionary ? " (dictionary)" : "");
    let at = Number(parameters[0] !== undefined ? pages.indexOf(model.pages[parameters[0]]) : 0);
    if (!(at >= 0)) at = 0;
    add(box, [
      make(
        "p",
        null,
        "A ",
        term("page"),
        " is a ",
        term("header"),
        " and a body. The header says how much there is, and in which ",
        term("encoding"),
        ". The body of a data page has three sections, one after the other: the repetition levels, the definition levels, and the values that are there. Levels of a column where they can only be 0 are not stored.",
      ),
      choice(
        "Page",
        pages.map((p, i) => [i, name(p)]),
        at,
        (value) => showPage(pages[value]),
      ),
      body,
    ]);
    showPage(pages[at]);
  },
});
