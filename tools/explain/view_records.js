/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records beside their columns. Each value and each absence of the record is a button, and so is
 * each triple: whichever is chosen, the others show where it is, down to its page and bytes.
 */
function recordTree(record, onChoose, marks, pointed) {
  const item = (node) => {
    if (node.kind === "group")
      return make(
        "li",
        null,
        make("span.line", null, node.name),
        make("ul", null, node.children.map(item)),
      );
    const button = make(
      "button.value",
      {type: "button", onclick: () => node.triple && onChoose(node.triple)},
      node.name + ": " + (node.kind === "missing" ? "\u2014" : show(node.value)),
    );
    if (node.kind === "missing") button.classList.add("missing");
    if (node.triple) marks.set(node.triple, button);
    if (node.triple && pointed) pointed.add(button, () => [node.triple]);
    return make("li", null, button);
  };
  return make("ul.tree", {"aria-label": "record " + record.number}, record.root.children.map(item));
}

function tripleTable(leaf, from, to, onChoose, marks, pointed) {
  return make(
    "div.card.scroll",
    null,
    table(
      leaf.path,
      [["r"], ["d"], "value"],
      leaf.triples.slice(from, to).map((triple) => {
        const button = make(
          "button.value",
          {
            type: "button",
            onclick: () => onChoose && onChoose(triple),
            "aria-label":
              "r " +
              triple.r +
              ", d " +
              triple.d +
              ", " +
              (triple.isNull ? "NULL" : show(triple.value)),
          },
          triple.isNull ? "NULL" : show(triple.value),
        );
        if (triple.isNull) button.classList.add("missing");
        const row = make(
          triple.r === 0 ? "tr.first" : "tr",
          null,
          make("td.n", null, triple.r),
          make("td.n", null, triple.d),
          make("td", null, onChoose ? button : button.textContent),
        );
        marks.set(triple, {row, button});
        if (pointed) pointed.add(row, () => [triple]);
        return row;
      }),
    ),
  );
}

views.push({
  id: "records",
  title: "Records and columns",
  render(model, box) {
    const recordMarks = new Map(),
      columnMarks = new Map(),
      pointed = pointing(box);
    const detail = make(
      "div",
      {"aria-live": "polite"},
      make("p", null, "Choose a value on either side."),
    );
    const fold = make("button", {type: "button", onclick: () => setFolded(!detail.hidden)});
    const setFolded = (isFolded) => {
      detail.hidden = isFolded;
      fold.setAttribute("aria-expanded", String(!isFolded));
      fold.textContent = isFolded ? "Show details" : "Hide details";
    };
    /* Of a small screen they would take what the records need. */
    setFolded(matchMedia("(max-width: 52rem)").matches);
    const choose = (triple) => {
      recordMarks.forEach((button, t) => {
        button.classList.toggle("on", t === triple);
      });
      columnMarks.forEach(({row, button}, t) => {
        row.classList.toggle("on", t === triple);
        row.classList.toggle(
          "near",
          t !== triple && t.record === triple.record && t.leaf === triple.leaf,
        );
        button.setAttribute("aria-pressed", t === triple ? "true" : "false");
      });
      const mark = columnMarks.get(triple);
      if (mark) reveal(mark.row, columns);
      pointed.line.textContent = visible(tripleLine(triple));
      const words = triple.leaf.levels;
      replace(
        detail,
        make(
          "h3",
          null,
          triple.leaf.path + ", triple " + triple.chunkIndex + " of its column chunk",
        ),
        make(
          "p",
          null,
          "r = " +
            triple.r +
            (words.r_words ? ": " + words.r_words[triple.r] : "") +
            ". d = " +
            triple.d +
            (words.d_words ? ": " + words.d_words[triple.d] : "") +
            ". " +
            (triple.isNull
              ? "So there is no value: only the two levels are stored."
              : "The value is " + show(triple.value) + "."),
        ),
        triple.node &&
          make(
            "p",
            null,
            "In record " + model.records[triple.record].number + " it is at ",
            make("code", null, model.pathOf(triple.node)),
            triple.words ? " (" + triple.words + ")." : ".",
          ),
        bytesOfTriple(model, triple),
      );
    };
    const left = make("div");
    const showRecord = (index) => {
      const record = model.records[index];
      recordMarks.clear();
      replace(
        left,
        record
          ? [
              recordTree(record, choose, recordMarks, pointed),
              record.error && make("p.error", null, record.error),
              make(
                "details",
                null,
                make("summary", null, "The record as JSON, as cat prints it"),
                make("pre.scroll", null, writeJson(model.data.records[index], 2)),
              ),
            ]
          : make("p", null, "No records."),
      );
      const tree = left.querySelector(".tree");
      if (tree) rove(tree, "button");
    };
    const select = choice(
      "Record",
      model.records.map((r, i) => [i, r.number]),
      0,
      (value) => showRecord(Number(value)),
    );
    const columns = make(
      "div.flow.tall.scroll.card",
      {tabindex: 0, role: "region", "aria-label": "Columns"},
      model.leaves.map((leaf) =>
        tripleTable(
          leaf,
          0,
          1000,
          (triple) => {
            if (model.records[triple.record]) {
              select.querySelector("select").value = triple.record;
              showRecord(triple.record);
            }
            choose(triple);
          },
          columnMarks,
          pointed,
        ),
      ),
    );
    add(box, [
      make(
        "p",
        null,
        "On the left a record, with a dash for what is missing; on the right the columns of all records that this page shows, a ",
        term("triple"),
        " of r, d and value in each row. A line above a triple marks where a record begins (r = 0). Choose a value or a dash on the left, or a triple on the right: the other side shows where it is, and the box at the bottom what its levels say, and its bytes.",
      ),
      make(
        "div.sides",
        null,
        make("div.card.scroll", null, select, left),
        make("div", null, columns),
      ),
      make("div.card.dock", null, make("div.dock-line", null, pointed.line, fold), detail),
    ]);
    columns.querySelectorAll("table").forEach((t) => rove(t, "button"));
    showRecord(0);
    if (model.leaves[0] && model.leaves[0].triples[0]) choose(model.leaves[0].triples[0]);
    this.choose = (triple) => {
      if (model.records[triple.record]) {
        select.querySelector("select").value = triple.record;
        showRecord(triple.record);
      }
      choose(triple);
    };
  },
});
