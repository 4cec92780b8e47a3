/* SPDX-License-Identifier: Apache-2.0 */
/* Where the bytes go, by column: stored and uncompressed, as the footer states them. */
views.push({
  id: "size",
  title: "Size",
  render(model, box) {
    const groups = (model.data.meta || {}).row_groups || [];
    const columns = new Map();
    for (const group of groups)
      for (const chunk of group.columns || []) {
        if (!chunk) continue;
        const sum = columns.get(chunk.path) || {
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
        columns.set(chunk.path, sum);
      }
    const total = [...columns.values()].reduce((s, c) => s + c.stored, 0) || 1;
    const rows = [...columns]
      .sort((a, b) => b[1].stored - a[1].stored)
      .map(([path, c]) => {
        const bar = make("div");
        bar.style.cssText = "height:.7rem;background:var(--accent);min-width:1px";
        bar.style.width = (10 * c.stored) / total + "rem";
        return make(
          "tr",
          null,
          make("td.v", null, path),
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
