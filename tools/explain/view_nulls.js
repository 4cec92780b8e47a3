/* SPDX-License-Identifier: Apache-2.0 */
/* Null, empty list, list of null and missing parent: columns where definition levels differ, by example. */
views.push({
  id: "nulls",
  title: "Nothing",
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
              make("td", null, leaf.levels.d_words ? leaf.levels.d_words[d] : ""),
              make("td.n", null, found.length),
              make(
                "td",
                null,
                first
                  ? make(
                      "a",
                      {href: "#records/" + leaf.index + "/" + first.index},
                      "record " +
                        (model.source.first + first.record) +
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
          table(leaf.path, [["d"], "what is there", ["triples"], "for example"], rows),
        );
      });
    add(box, [
      make(
        "p",
        null,
        "A value that is not there can be missing in several ways: it is null, its list is empty, its list is null, the group around it is missing. The definition level tells them apart, since it counts how much of the path is there. Each row below is one way, and where these records have it.",
      ),
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
