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
        const item = make("li", null, make("span.line", null, eventText(step, depth)));
        if (step.event === "open") depth++;
        return item;
      });
      replace(events, items);
      shown = record.index;
    };
    const written = new Map();
    let total = 0;
    all.forEach(({step}) =>
      step.written.forEach((w) => {
        if (w.triple) written.set(w.triple, ++total);
      }),
    );
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
        put: "Value " + show(step.value) + " of " + step.field,
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
        "The shredder takes records as events, five verbs: begin, open, put, close, end. The first time a field comes in an open group it has the repetition level of that group; another time it must be repeated, and has its own. What a group did not get becomes a null when the group closes.",
      ),
      control.node,
      words,
      make("div.sides", null, events, tables),
    ]);
    control.go(0);
    this.go = control.go;
  },
});
