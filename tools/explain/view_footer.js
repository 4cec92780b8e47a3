/* SPDX-License-Identifier: Apache-2.0 */
/* The footer as a tree of Thrift fields, each with its bytes. */
views.push({
  id: "footer",
  title: "Footer",
  render(model, box) {
    const footer = model.ranges.find((r) => r.kind === "footer");
    const meta = model.data.meta || {};
    add(box, [
      make(
        "p",
        null,
        "The footer is the last thing written, and the first read: the schema, and for each row group and column where its pages are, how they are encoded, and between which bounds their values lie. It is a struct of Thrift's compact protocol: each field has a head of its number and type, then its value.",
      ),
      make(
        "p",
        null,
        "Written by ",
        make("code", null, meta.created_by || "unknown"),
        "; " +
          plural(meta.footer_size || 0, "byte") +
          ", " +
          plural(meta.rows || 0, "row") +
          ", " +
          plural(model.source.row_groups, "row group") +
          ".",
      ),
      (meta.known_faults || []).map((fault) => make("p.error", null, fault)),
      footer
        ? make("div.card.scroll", null, make("ul.tree", null, rangeTree(footer, {openTo: 2})))
        : make("p", null, "The footer has no range of its own here."),
    ]);
  },
});
