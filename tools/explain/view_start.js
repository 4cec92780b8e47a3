/* SPDX-License-Identifier: Apache-2.0 */
/* What levels are, in five lines and on a column of this file, and which view answers which question. */
const fiveLines = () => [
  [
    "A Parquet file keeps its ",
    term("record", "records"),
    " by ",
    term("column"),
    ": all values of one field lie together, away from those of the other fields.",
  ],
  [
    "A record is a tree: fields hold fields. On the ",
    term("path"),
    " from the record down to a value, some fields may be missing and some may come several times. The values alone say nothing of that.",
  ],
  [
    "So each entry of a column is a ",
    term("triple"),
    ": a value or none, and two small numbers, its levels r and d.",
  ],
  [
    make("b", null, "r, the ", term("repetition level"), ","),
    " says what begins here: 0, a new record; 1, another element of the outermost field of the path that repeats; 2, another element of the next one inside of it; and so on.",
  ],
  [
    make("b", null, "d, the ", term("definition level"), ","),
    " says how much of the path is there. At its highest the value is there. Below that there is none, a null, and d says at which field the path ends.",
  ],
];

views.push({
  id: "start",
  title: "Start",
  render(model, box) {
    add(box, [
      make(
        "ol.lines",
        null,
        fiveLines().map((line) => make("li", null, line)),
      ),
    ]);
    const leaf = model.example;
    if (leaf && leaf.triples.length) add(box, this.example(model, leaf));
    add(box, [
      make("h3", null, "What to look at, and why"),
      make(
        "ol.tour",
        null,
        views
          .slice(1)
          .map((view) =>
            make(
              "li",
              null,
              make("a", {href: this.addressOf(view, model)}, view.title),
              view.question ? ": " + view.question : "",
            ),
          ),
      ),
      make(
        "p.soft",
        null,
        "Words with a dotted line are explained in the glossary; point at one to read its meaning on the spot.",
      ),
    ]);
  },

  /* A view, opened where the example of this view is. */
  addressOf(view, model) {
    const leaf = model.example;
    if (!leaf || !leaf.triples.length) return "#" + view.id;
    const page = model.pages.indexOf(leaf.triples[0].pageRange);
    const at = {schema: leaf.index, records: leaf.index + "/0", page: page >= 0 ? page : null}[
      view.id
    ];
    return "#" + view.id + (at === undefined || at === null ? "" : "/" + at);
  },

  example(model, leaf) {
    const shown = leaf.triples.slice(0, 8);
    const {r_words: r, d_words: d} = leaf.levels;
    return [
      make("h3", null, "A column of this file, read from top to bottom"),
      make(
        "p",
        null,
        "Each line is a triple of ",
        make("code", null, leaf.path),
        ". The number of its record, counted from 0, is not stored: r says where one begins. Choose a triple to see it in its record, and in the bytes.",
      ),
      make(
        "div.card.scroll",
        null,
        table(
          null,
          [["record"], ["r"], ["d"], "value", "what the levels say"],
          shown.map((triple) =>
            make(
              triple.r === 0 ? "tr.first" : "tr",
              null,
              make("td.n.soft", null, triple.r === 0 ? number(model.recordNumber(triple)) : ""),
              make("td.n", null, triple.r),
              make("td.n", null, triple.d),
              make(
                "td",
                null,
                make(
                  "a.mono",
                  {href: "#records/" + leaf.index + "/" + triple.index},
                  show(triple.value),
                ),
              ),
              make("td", null, r && d ? r[triple.r] + "; " + d[triple.d] : ""),
            ),
          ),
        ),
        leaf.triples.length > shown.length
          ? make(
              "p.soft",
              null,
              "\u2026 and " +
                plural(leaf.triples.length - shown.length, "more triple", "more triples") +
                " on this page.",
            )
          : null,
      ),
    ];
  },
});
