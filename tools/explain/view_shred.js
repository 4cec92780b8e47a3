/* SPDX-License-Identifier: Apache-2.0 */
/* The shredder, event by event: what comes, which levels it gets and why, and what is written. */
views.push({
  id: "shred",
  title: "Shredding",
  render(model, box) {
    const all = model.records.flatMap((record) =>
      record.steps.map((step, at) => ({record, step, at})),
    );
    if (!all.length) {
      add(box, [make("p", null, "There are no records to shred.")]);
      return;
    }
    const words = make("div.words", {role: "status", "aria-live": "polite"});
    const events = make("ol.mono.scroll.tall.card", {tabindex: 0, "aria-label": "events"});
    const tables = make("div.flow");
    let shown = -1,
      items = [];
    const eventText = (step, depth) =>
      "\u00A0\u00A0".repeat(depth) +
      {
        begin: "begin",
        open: "open " + step.field,
        put: "put " + step.field + " = " + show(step.value),
        close: "close " + step.field,
        end: "end",
      }[step.event];
    const showRecord = (record) => {
      let depth = 0;
      items = record.steps.map((step) => {
        if (step.event === "close") depth--;
        const levels =
          step.event === "open" || step.event === "put"
            ? make("span.soft", null, "\u00A0\u00A0r " + step.r + ", d " + step.d)
            : null;
        const item = make("li", null, make("span.line", null, eventText(step, depth), levels));
        if (step.event === "open") depth++;
        return item;
      });
      replace(events, items);
      shown = record.index;
    };
    const stepOf = new Map();
    all.forEach(({step}, i) =>
      step.written.forEach((w) => {
        if (w.triple) stepOf.set(w.triple, i);
      }),
    );
    const control = stepper("Shredding steps", all.length - 1, (at) => {
      const {record, step, at: inRecord} = all[at];
      if (shown !== record.index) showRecord(record);
      items.forEach((item, i) => {
        item.classList.toggle("on", i === inRecord);
        if (i === inRecord) item.setAttribute("aria-current", "step");
        else item.removeAttribute("aria-current");
      });
      if (items[inRecord].offsetParent)
        events.scrollTop = items[inRecord].offsetTop - events.clientHeight / 2;
      const verb = {
        begin: "Record " + record.number + " begins.",
        open: "Group " + step.field + " opens",
        put: "Value " + show(step.value) + " of " + step.field + " comes",
        close: "Group " + step.field + " closes.",
        end: "Record " + record.number + " ends.",
      }[step.event];
      const levels =
        step.event === "open" || step.event === "put"
          ? " with r = " + step.r + ", d = " + step.d + (step.words ? ": " + step.words + "." : ".")
          : "";
      const writes = step.written.map(
        (w) =>
          w.path +
          " gets (r " +
          w.r +
          ", d " +
          w.d +
          ", " +
          show(w.value) +
          ")" +
          (w.words ? ", because " + w.words : ""),
      );
      replace(
        words,
        verb + levels,
        writes.length
          ? [
              " ",
              make(
                "b",
                null,
                writes.length === 1 ? "Written: " : "Written, " + writes.length + " triples: ",
              ),
              writes.join("; ") + ".",
            ]
          : null,
      );
      replace(
        tables,
        model.leaves.map((leaf) => {
          const count = leaf.triples.filter((t) => stepOf.has(t) && stepOf.get(t) <= at).length;
          const marks = new Map();
          const node = tripleTable(leaf, Math.max(0, count - 12), count, null, marks);
          if (count > 12) node.prepend(make("p.soft", null, "\u2026 " + (count - 12) + " before"));
          marks.forEach(({row}, triple) => {
            if (stepOf.get(triple) === at) row.classList.add("on");
          });
          return node;
        }),
      );
    });
    add(box, [
      make(
        "p",
        null,
        "The shredder turns records into columns. It gets a record as ",
        term("event", "events"),
        " (begin, open a group, put a value, close a group, end; nothing for a field that is missing) and adds ",
        term("triple", "triples"),
        " to the columns. Step with the buttons, or with arrow keys on the slider. It knows two rules only:",
      ),
      make(
        "ul",
        null,
        make(
          "li",
          null,
          make("b", null, "Repetition."),
          " A field that comes for the first time in its group has the r of that group: nothing has been repeated since. When it comes again, it is this field that repeats, and r is its own max r.",
        ),
        make(
          "li",
          null,
          make("b", null, "Definition."),
          " A value has the max d of its column. When a group closes, each column below a field that did not come gets a null, with r and d of that group: so far the path is there.",
        ),
      ),
      control.node,
      words,
      make("div.sides", null, events, tables),
    ]);
    control.go(0);
    this.go = control.go;
  },
});
