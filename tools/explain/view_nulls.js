/* SPDX-License-Identifier: Apache-2.0 */
/* Null, empty list, list of null and missing parent: columns where definition levels differ, by example. */
views.push({
  id: "nulls",
  title: "What is missing",
  render(model, box) {
    const sections = model.leaves
      .filter((leaf) => leaf.maxD > 0)
      .map((leaf) => {
        const rows = [];
        for (let d = 0; d <= leaf.maxD; d++) {
          const found = leaf.triples.filter((t) => t.d === d);
          const first = found[0];
          rows.push(
            make(
              "tr",
              null,
              make("td.n", null, d),
              make(
                "td",
                null,
                leaf.levels.d_words ? leaf.levels.d_words[d] : "",
                d === leaf.maxD ? make("span.badge", null, "value") : null,
              ),
              make("td.n", null, found.length),
              make(
                "td",
                null,
                first
                  ? make(
                      "a",
                      {href: "#records/" + leaf.index + "/" + first.index},
                      "record " +
                        model.recordNumber(first) +
                        (first.node ? ", " + model.pathOf(first.node) : ""),
                    )
                  : make("span.soft", null, "in none of these records"),
              ),
            ),
          );
        }
        return make(
          "div.card.scroll",
          null,
          table(leaf.path, [["d"], "what is there, what is not", ["triples"], "for example"], rows),
        );
      });
    const tryList = tryLive(
      "A list with all four ways to have nothing",
      "message m {\n  optional group p {\n    optional group t (LIST) {\n      repeated group list {\n        optional binary element (STRING);\n      }\n    }\n  }\n}\n",
      '{"p": null}\n{"p": {"t": null}}\n{"p": {"t": []}}\n{"p": {"t": [null]}}\n{"p": {"t": ["x", "y"]}}\n',
      "nulls",
    );
    add(box, [
      make(
        "p",
        null,
        "A value can be missing in several ways: it is null, the list that it would be in is empty, that list is null, or a group around it is missing. A file stores nothing in any of these cases but the levels, and the ",
        term("definition level"),
        " tells them apart, since it counts how much of the path is there. Each row below is one way, with a place where these records have it. Only the highest d of a column has a value.",
      ),
      tryList ? make("p", null, tryList) : null,
      sections.length
        ? make("div.flow", null, sections)
        : make(
            "p",
            null,
            "All fields of this schema are required: nothing can be missing, and no definition levels are stored.",
          ),
    ]);
  },
});
