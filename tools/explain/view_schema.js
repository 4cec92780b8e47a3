/* SPDX-License-Identifier: Apache-2.0 */
/* The schema as a tree, and how the levels of a field come about, from the root down. */
views.push({
  id: "schema",
  title: "Schema",
  render(model, box) {
    let chosen = model.leaves[0] ? model.leaves[0].field : model.root;
    const derivation = make("div.card", {"aria-live": "polite"});
    const buttons = new Map();
    const line = (field) => {
      const type = field.fields
        ? "group"
        : field.type + (field.length ? "(" + field.length + ")" : "");
      const button = make(
        "button.value",
        {type: "button", onclick: () => select(field)},
        field.parent ? field.name : field.name + " (the record)",
      );
      buttons.set(field, button);
      return make(
        "li",
        null,
        make(
          "span.line",
          null,
          button,
          " ",
          make(
            "span.soft",
            null,
            [field.repetition, type, field.logical_type && "(" + field.logical_type + ")"]
              .filter(Boolean)
              .join(" "),
          ),
          " ",
          make("span.badge", null, "max r " + field.max_repetition),
          " ",
          make("span.badge", null, "max d " + field.max_definition),
        ),
        field.fields && make("ul", null, field.fields.map(line)),
      );
    };
    const select = (field) => {
      chosen = field;
      buttons.forEach((button, f) => {
        button.classList.toggle("on", f === field);
        button.setAttribute("aria-pressed", f === field ? "true" : "false");
      });
      const way = [];
      for (let f = field; f; f = f.parent) way.unshift(f);
      let r = 0,
        d = 0;
      const rows = way.map((f) => {
        const what =
          {
            optional: "it may be missing: one more thing that may be there",
            repeated:
              "it may be missing, and there may be several: one more thing that may be there, and one more that may repeat",
            required: "it is always there: nothing to note down",
          }[f.repetition] || "the record itself";
        const before = [r, d];
        if (f.repetition === "repeated") {
          r++;
          d++;
        } else if (f.repetition === "optional") d++;
        const change = (from, to) => (from === to ? String(to) : from + " + 1 = " + to);
        return make(
          "tr",
          null,
          make("td.v", null, f.parent ? f.name : f.name),
          make("td", null, f.repetition || "\u2014"),
          make("td.n", null, change(before[0], r)),
          make("td.n", null, change(before[1], d)),
          make("td", null, what),
        );
      });
      const leaf = model.byPath.get(field.path);
      const words =
        leaf && leaf.levels.r_words
          ? [
              make("h3", null, "What each level of this column means"),
              make(
                "div.scroll",
                null,
                table(
                  null,
                  ["level", "meaning"],
                  [
                    ...leaf.levels.r_words.map((w, i) =>
                      make("tr", null, make("td.v", null, "r = " + i), make("td", null, w)),
                    ),
                    ...leaf.levels.d_words.map((w, i) =>
                      make("tr", null, make("td.v", null, "d = " + i), make("td", null, w)),
                    ),
                  ],
                ),
              ),
            ]
          : null;
      if (words) words.push(pairTable(leaf));
      replace(
        derivation,
        make("h3", null, field.parent ? "Levels of " + field.path : "Levels of the record"),
        make(
          "div.scroll",
          null,
          table(null, ["field", "occurs", ["max r"], ["max d"], "because"], rows),
        ),
        words,
      );
    };
    add(box, [
      make(
        "p",
        null,
        "A column stores the values of one leaf, from all records, and nothing of the fields around them. Two small numbers beside each value bring those back: the ",
        make("b", null, "repetition level r"),
        " says at which repeated field of the path the value is new, the ",
        make("b", null, "definition level d"),
        " how many fields of the path, of those that might be missing, are there. Choose a field to see how its highest levels come about.",
      ),
      make(
        "div.sides",
        null,
        make("div.card.scroll", null, make("ul.tree", null, line(model.root))),
        derivation,
      ),
      make(
        "details",
        null,
        make("summary", null, "The schema as message text"),
        make("pre.card.scroll", null, model.data.schema_text),
      ),
    ]);
    rove(box.querySelector(".tree"), "button");
    select(chosen);
  },
});

/*
 * Which pairs of levels a column can have, and how often these records do. A triple that begins
 * something repeated has that field, and all that is around it.
 */
function pairTable(leaf) {
  if (leaf.maxR === 0 && leaf.maxD === 0) return null;
  const repeated = [];
  for (let f = leaf.field; f; f = f.parent) if (f.repetition === "repeated") repeated.unshift(f);
  const definitions = Array.from({length: leaf.maxD + 1}, (x, d) => d);
  const rows = Array.from({length: leaf.maxR + 1}, (x, r) => {
    const field = r === 0 ? null : repeated[r - 1];
    return make(
      "tr",
      null,
      make("th", {scope: "row"}, "r = " + r),
      definitions.map((d) => {
        const count = leaf.triples.filter((t) => t.r === r && t.d === d).length;
        return make(
          "td.n",
          null,
          field && d < field.max_definition
            ? make(
                "span.soft",
                {
                  title:
                    "a triple with r = " +
                    r +
                    " begins another " +
                    field.name +
                    ", so " +
                    field.name +
                    " is there, and d is " +
                    field.max_definition +
                    " or more",
                },
                "never",
              )
            : count,
        );
      }),
    );
  });
  const least = repeated.map(
    (f, i) =>
      "r = " +
      (i + 1) +
      " begins another " +
      f.name +
      ", so " +
      f.name +
      " is there: d is " +
      f.max_definition +
      " or more.",
  );
  return [
    make("h3", null, "Pairs of levels, and how many of them there are here"),
    make("div.scroll", null, table(null, ["", ...definitions.map((d) => ["d = " + d])], rows)),
    least.length ? make("p.soft", null, least.join(" ")) : null,
  ];
}
