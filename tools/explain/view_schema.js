/* SPDX-License-Identifier: Apache-2.0 */
/* The schema as a tree, and how the levels of a field come about, from the root down. */
views.push({
  id: "schema",
  title: "Schema",
  render(model, box, parameters) {
    const asked = model.leaves[parameters[0]] || model.example;
    const chosen = asked ? asked.field : model.root;
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
          make(
            "span.badge",
            {title: "the highest repetition level"},
            "max r " + field.max_repetition,
          ),
          " ",
          make(
            "span.badge",
            {title: "the highest definition level"},
            "max d " + field.max_definition,
          ),
        ),
        field.fields && make("ul", null, field.fields.map(line)),
      );
    };
    const select = (field) => {
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
            optional: "it may be missing: d counts whether it is there",
            repeated:
              "it may come several times: r has a number for it; it may come no time at all: d counts whether it is there",
            required: "it is always there, once: nothing to count",
          }[f.repetition] || "the record itself: adds nothing";
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
        make(
          "h3",
          null,
          field.parent ? "The highest levels of " + field.path : "The highest levels of the record",
        ),
        make("p", null, "Down the path, field by field:"),
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
        "The ",
        term("schema"),
        " is the tree of fields that every record has. A ",
        term("group"),
        " has fields of its own; a field with a value instead is a ",
        term("leaf"),
        ", and each leaf is a ",
        term("column"),
        " of the file. A required field is there once, an optional one once or not at all, a repeated one any number of times.",
      ),
      make(
        "p",
        null,
        "From that alone follow the ",
        term("max r", "highest levels"),
        " of a field, max r and max d: walk down its path; each repeated field adds 1 to both, each optional field adds 1 to d, a required one adds nothing. Choose a field on the left to see the sum, and what each of its levels means.",
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
