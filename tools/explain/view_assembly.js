/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The automaton that assembles records, drawn with one arrow for all levels that lead the same way,
 * and stepping through the records. Which columns take part can be chosen where the engine is there.
 */
function drawAutomaton(automaton) {
  const count = automaton.leaves.length,
    rowHeight = 62,
    top = 34,
    boxX = 40 + 24 * automaton.edges.filter((e) => e.to < e.from).length;
  const width = Math.max(
    220,
    22 + 8.2 * Math.max(...automaton.leaves.map((p) => visible(p).length), 3),
  );
  const y = (i) => top + i * rowHeight;
  const boxes = [],
    arrows = [],
    edges = automaton.edges;
  let leftLanes = 0,
    rightLanes = 0;
  const right = boxX + width;
  for (const [index, edge] of edges.entries()) {
    const {from, to} = edge,
      label = edge.r.join(",");
    let path, lx, ly;
    const y1 = y(from) + 18,
      y2 = y(to) + 18;
    if (to === from + 1) {
      path = `M${boxX + width / 2} ${y(from) + 36} V${y(to) - 2}`;
      lx = boxX + width / 2 + 8;
      ly = y(from) + 53;
    } else if (to === from) {
      path = `M${right} ${y1 - 8} C${right + 34} ${y1 - 16} ${right + 34} ${y1 + 16} ${right + 3} ${y1 + 8}`;
      lx = right + 30;
      ly = y1 + 4;
    } else if (to < from) {
      const x = boxX - 26 - 24 * leftLanes++;
      path = `M${boxX} ${y1} C${x - 12} ${y1} ${x - 12} ${y2} ${boxX - 3} ${y2}`;
      lx = x + 2;
      ly = (y1 + y2) / 2 + 4 + ((index % 3) - 1) * 12;
    } else {
      const x = right + 40 + 22 * rightLanes++;
      path = `M${right} ${y1 + 4} C${x} ${y1 + 4} ${x} ${y2 - 4} ${right + 3} ${y2 - 4}`;
      lx = right + (x - right) * 0.75 + 6;
      ly = (y1 + y2) / 2;
    }
    arrows.push({
      edge,
      node: make(
        "g",
        null,
        make("path.arrow", {d: path, "marker-end": "url(#head)"}),
        make("text.label", {x: lx, y: ly}, label),
      ),
    });
  }
  for (let i = 0; i <= count; i++) {
    const isEnd = i === count;
    boxes.push(
      make(
        "g",
        null,
        make("rect.box", {x: boxX, y: y(i), width, height: 36, rx: isEnd ? 18 : 6}),
        make(
          "text",
          {x: boxX + 12, y: y(i) + 23},
          isEnd ? "end of the record" : visible(automaton.leaves[i]),
        ),
        !isEnd &&
          make(
            "text.label",
            {x: boxX + width - 44, y: y(i) + 12, opacity: 0.75},
            "r \u2264 " + automaton.max_repetition[i],
          ),
      ),
    );
  }
  const w = right + 60 + 22 * rightLanes,
    h = y(count) + 50;
  const svg = make(
    "svg",
    {
      viewBox: `0 0 ${w} ${h}`,
      width: w,
      height: h,
      role: "img",
      "aria-label": "The automaton as a drawing; the table below has the same",
    },
    make(
      "defs",
      null,
      make(
        "marker",
        {
          id: "head",
          viewBox: "0 0 10 10",
          refX: 9,
          refY: 5,
          markerWidth: 9,
          markerHeight: 9,
          markerUnits: "userSpaceOnUse",
          orient: "auto",
        },
        make("path.head", {d: "M0 0 L10 5 L0 10 z"}),
      ),
    ),
    make("text", {x: boxX + width / 2 - 20, y: 14}, "start"),
    make("path.arrow", {d: `M${boxX + width / 2} 18 V${top - 2}`, "marker-end": "url(#head)"}),
    arrows.map((a) => a.node),
    boxes,
  );
  const mark = (state, edge) => {
    boxes.forEach((b, i) => b.firstChild.classList.toggle("on", i === state));
    arrows.forEach((a) => {
      a.node.childNodes.forEach((n) => n.classList.toggle("on", a.edge === edge));
    });
  };
  return {svg, mark};
}

views.push({
  id: "assembly",
  title: "Assembly",
  render(model, box) {
    if (!model.data.automaton || !model.data.automaton.leaves.length) {
      add(box, [make("p", null, "There are no columns to assemble.")]);
      return;
    }
    const body = make("div");
    const show = (data) => replace(body, this.assemble(data.automaton, data.assembly || []));
    add(box, [
      make(
        "p",
        null,
        "Assembly turns columns into records again, with a plan that follows from the schema alone, an ",
        term("automaton"),
        ". Each box, or ",
        term("state"),
        ", is a column: there its next triple is read. Then the r that comes next in the same column says which arrow to take: back to the beginning of what repeats, or on to the next column. The numbers at an arrow are the r that lead that way; the one in a box is the highest r of its column.",
      ),
      make(
        "details",
        null,
        make("summary", null, "Assemble some of the columns only"),
        columnChoice(model, show),
      ),
      body,
    ]);
    show(model.data);
    this.go(0);
  },

  assemble(automaton, traces) {
    const all = traces.flatMap((trace) => trace.steps.map((step) => ({trace, step})));
    const drawing = drawAutomaton(automaton);
    const words = make("div.words", {role: "status", "aria-live": "polite"});
    const built = make("pre.card.scroll.tall", {"aria-label": "the record so far", tabindex: 0});
    const edgeOf = (step) =>
      automaton.edges.find((e) => e.from === step.state && e.r.includes(step.next_r));
    const textOf = (events) => {
      let depth = 0;
      const lines = [];
      for (const event of events) {
        if (event.event === "close") {
          depth--;
          continue;
        }
        if (event.event === "open" || event.event === "put")
          lines.push(
            "  ".repeat(depth) +
              lastNameOf(event.field) +
              (event.event === "put" ? ": " + show(event.value) : ""),
          );
        if (event.event === "open") depth++;
      }
      return lines.join("\n");
    };
    const control = all.length
      ? stepper("Assembly steps", 2 * all.length - 1, (position) => {
          const at = position >> 1,
            {trace, step} = all[at],
            follows = position % 2 === 1;
          drawing.mark(follows ? step.next : step.state, follows ? edgeOf(step) : null);
          const before = all
            .slice(0, at)
            .filter((x) => x.trace === trace)
            .flatMap((x) => [...x.step.events, ...x.step.closes]);
          const events = [...before, ...step.events, ...(follows ? step.closes : [])];
          replace(
            words,
            follows
              ? [
                  "Next in this column is r = " +
                    step.next_r +
                    (step.is_last ? " (the column ends)" : "") +
                    ": " +
                    step.words +
                    ". ",
                  make(
                    "b",
                    null,
                    step.next === automaton.leaves.length
                      ? "The record ends."
                      : "Go to " + automaton.leaves[step.next] + ".",
                  ),
                  step.closes.length
                    ? " On the way: " +
                      step.closes.map((e) => e.event + (e.field ? " " + e.field : "")).join(", ") +
                      "."
                    : "",
                ]
              : [
                  "Read ",
                  make("b", null, step.path),
                  ": (r " +
                    step.r +
                    ", d " +
                    step.d +
                    ", " +
                    show(step.value) +
                    "). " +
                    (step.means || "") +
                    ". ",
                  step.events.length
                    ? "This gives: " +
                      step.events
                        .map(
                          (e) =>
                            e.event +
                            (e.field ? " " + e.field : "") +
                            (e.event === "put" ? " = " + show(e.value) : ""),
                        )
                        .join(", ") +
                      "."
                    : "This gives nothing: all that is there is open already.",
                ],
          );
          replace(built, "record " + trace.record + "\n" + textOf(events));
        })
      : null;
    this.go = (step) => control && control.go(step);
    const nodes = [
      control && control.node,
      control && words,
      make("div.sides", null, make("div.card.scroll", null, drawing.svg), built),
      make(
        "details",
        {open: true},
        make("summary", null, "The same as a table"),
        make(
          "div.scroll",
          null,
          table(
            null,
            ["from", "next r", "to", "because"],
            automaton.edges.flatMap((edge) =>
              edge.r.map((r, i) =>
                make(
                  "tr",
                  null,
                  make("td.v", null, automaton.leaves[edge.from]),
                  make("td.n", null, r),
                  make("td.v", null, automaton.leaves[edge.to] || "end"),
                  make("td", null, (edge.words || [])[i] || ""),
                ),
              ),
            ),
          ),
        ),
      ),
    ];
    if (control) control.go(0);
    return nodes;
  },
});

/* Check boxes for the columns; the library makes the automaton and the steps of those chosen. */
function columnChoice(model, show) {
  if (!Live.isThere())
    return make("p.soft", null, "Make a page with --columns to see the automaton of some columns.");
  const status = make("p", {role: "status"});
  const boxes = model.leaves.map((leaf) =>
    make("input", {type: "checkbox", checked: true, value: leaf.path}),
  );
  let last = 0;
  const change = async () => {
    const mine = ++last;
    const columns = model.leaves
      .filter((leaf, i) => boxes[i].checked)
      .map((leaf) => leaf.path);
    if (!columns.length) {
      replace(status, "Choose one column at least.");
      return;
    }
    const data = await Live.explain({
      schema: model.data.columns_text || model.data.schema_text,
      records: model.data.records.map((r) => writeJson(r)).join("\n"),
      columns: columns.join(","),
      encoding: "",
      version: 1,
      pageRows: 0,
    }).catch((error) => ({error: error.message}));
    if (mine !== last) return;
    if (data.error) {
      replace(status, "The records of this page cannot be assembled anew: " + data.error);
      return;
    }
    replace(
      status,
      data.automaton.leaves.length === model.leaves.length
        ? ""
        : "Assembled from " + plural(data.automaton.leaves.length, "column") + ".",
    );
    show(data);
  };
  return make(
    "fieldset",
    null,
    make("legend", null, "Columns that take part"),
    model.leaves.map((leaf, i) => {
      boxes[i].addEventListener("change", change);
      return make("label.pick", null, boxes[i], " " + leaf.path);
    }),
    status,
  );
}
