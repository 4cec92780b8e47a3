/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the bytes go, by column: stored and uncompressed, as the footer states them; and what would
 * make the file smaller, as the program found by writing some rows of each column in other ways.
 */
function waysOf(finding) {
  const name = (codec) => (codec === "UNCOMPRESSED" ? "none" : codec);
  return make(
    "details",
    null,
    make("summary", null, "All that was tried"),
    make(
      "div.scroll",
      null,
      table(
        "The column in " +
          plural(finding.ways.length, "way") +
          ", judged by " +
          plural(finding.rows, "row"),
        ["encoding", "codec", ["bytes"], ["of what it takes"]],
        finding.ways.map(([encoding, codec, bytes]) =>
          make(
            "tr",
            null,
            make("td", null, encoding),
            make("td", null, name(codec)),
            make("td.n", null, number(bytes)),
            make("td.n", null, ((100 * bytes) / (finding.stored || 1)).toFixed(0) + " %"),
          ),
        ),
      ),
    ),
  );
}

function findingsOf(model) {
  const sizes = model.data.sizes;
  if (!sizes)
    return model.source.is_written_here
      ? make(
          "p",
          null,
          "The records were written to a file in memory, uncompressed, so that its bytes can be read. A file that is made of them by ",
          make("code", null, "lamella import"),
          " is smaller, and the page of that file says what would make it smaller still.",
        )
      : null;
  const list = sizes.findings;
  return make(
    "section.card",
    {"aria-label": "Findings"},
    make("h3", null, "What would make the file smaller"),
    list.length
      ? make(
          "ol.findings",
          null,
          list.map((finding) =>
            make(
              "li",
              null,
              finding.text,
              finding.options !== undefined &&
                make(
                  "div.soft",
                  null,
                  "To have it so: ",
                  make(
                    "code",
                    null,
                    ["lamella rewrite", finding.options, "-o OUT", "FILE"]
                      .filter(Boolean)
                      .join(" "),
                  ),
                ),
              finding.ways && waysOf(finding),
            ),
          ),
        )
      : make("p", null, "Nothing was found that saves a tenth of a column."),
    sizes.options &&
      make(
        "p",
        null,
        "All columns at once: ",
        make("code", null, "lamella rewrite " + sizes.options + " -o OUT FILE"),
      ),
    make(
      "p.soft",
      null,
      (sizes.judged ? plural(sizes.judged, "column was", "columns were") : "No column was") +
        " judged by writing rows from up to 16 places of the file with each encoding that fits the type, without compression, with SNAPPY, with ZSTD and with the codec of the column. What saves less than a tenth of a column is not listed; --codec holds for all columns of the new file." +
        (sizes.small
          ? " " +
            plural(sizes.small, "column") +
            " of few bytes, or behind the 40 largest, not tried."
          : "") +
        (sizes.failed ? " " + plural(sizes.failed, "column") + " cannot be read." : ""),
    ),
  );
}

views.push({
  id: "size",
  title: "Size",
  render(model, box) {
    const groups = (model.data.meta || {}).row_groups || [];
    const columns = new Map();
    for (const group of groups)
      (group.columns || []).forEach((chunk, column) => {
        if (!chunk) return;
        const sum = columns.get(column) || {
          path: chunk.path,
          stored: 0,
          plain: 0,
          values: 0,
          codecs: new Set(),
          encodings: new Set(),
        };
        sum.stored += chunk.total_compressed_size || 0;
        sum.plain += chunk.total_uncompressed_size || 0;
        sum.values += chunk.values || chunk.value_count || 0;
        if (chunk.codec) sum.codecs.add(chunk.codec);
        (chunk.encodings || []).forEach((e) => sum.encodings.add(e));
        columns.set(column, sum);
      });
    const total = [...columns.values()].reduce((s, c) => s + c.stored, 0) || 1;
    const rows = [...columns]
      .sort((a, b) => b[1].stored - a[1].stored)
      .map(([, c]) => {
        const bar = make("div");
        bar.style.cssText = "height:.7rem;background:var(--accent);min-width:1px";
        bar.style.width = (10 * c.stored) / total + "rem";
        return make(
          "tr",
          null,
          make("td.v", null, c.path),
          make("td.n", null, number(c.stored)),
          make("td.n", null, ((100 * c.stored) / total).toFixed(1) + " %"),
          make("td", {"aria-hidden": "true"}, bar),
          make("td.n", null, number(c.plain)),
          make("td.n", null, c.values ? (c.stored / c.values).toFixed(2) : ""),
          make("td", null, [...c.codecs].join(", ")),
          make("td", null, [...c.encodings].join(", ")),
        );
      });
    const file = make(
      "div.scroll",
      null,
      table(
        "Parts of the file",
        ["what", ["ranges"], ["bytes"], ["share"]],
        [
          ...model.ranges.reduce((map, r) => {
            const entry = map.get(r.kind) || [0, 0];
            entry[0]++;
            entry[1] += r.length;
            return map.set(r.kind, entry);
          }, new Map()),
        ]
          .sort((a, b) => b[1][1] - a[1][1])
          .map(([kind, [count, bytes]]) =>
            make(
              "tr",
              null,
              make("td", null, kind.replace(/_/g, " ")),
              make("td.n", null, number(count)),
              make("td.n", null, number(bytes)),
              make("td.n", null, ((100 * bytes) / (model.fileSize || 1)).toFixed(1) + " %"),
            ),
          ),
      ),
    );
    add(box, [
      findingsOf(model),
      make(
        "p",
        null,
        groups.length < model.source.row_groups
          ? "Of the row group that this page is about."
          : "Of all row groups.",
      ),
      make(
        "div.scroll",
        null,
        table(
          "Columns",
          [
            "column",
            ["stored bytes"],
            ["share"],
            "",
            ["uncompressed"],
            ["bytes per value"],
            "codec",
            "encodings",
          ],
          rows,
        ),
      ),
      file,
    ]);
  },
});
