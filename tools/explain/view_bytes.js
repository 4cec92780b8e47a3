/* SPDX-License-Identifier: Apache-2.0 */
/* All bytes of the file to scale; choosing a range goes into it, down to its bits. */
/* The range of this kind that holds a byte, or the smallest that is there; #bytes/page/1234. */
function rangeAt(range, kind, offset) {
  if (range.kind === kind) return range;
  const inner = range.inside.find(
    (r) => !r.inBody && r.begin <= offset && offset < r.begin + r.length,
  );
  return inner ? rangeAt(inner, kind, offset) : range;
}

views.push({
  id: "bytes",
  title: "All bytes",
  render(model, box, parameters) {
    const way = make("nav", {"aria-label": "Ranges around"}),
      strip = make("div.strip", {role: "group", "aria-label": "Ranges to scale"}),
      list = make("div.scroll"),
      bits = make("div", {"aria-live": "polite"});
    const root = {
      kind: "file",
      begin: 0,
      length: model.fileSize,
      inside: model.ranges,
      parent: null,
      label: model.source.name,
    };
    const parentOf = (range) => (range === root ? null : range.parent || root);
    const title = (range) =>
      kindName(range) +
      (range.label ? " " + range.label : "") +
      (/_index$|^bloom_filter$/.test(range.kind) && range.column !== undefined
        ? " of " +
          (model.leaves.find((l) => l.column === range.column)?.path ?? "column " + range.column)
        : "");
    const pointed = pointing(box),
      numberLine = make("p");
    const triplesAt = (range) => {
      const found = triplesOf(model, range);
      return found.length
        ? found.map((t) =>
            make("a", {href: "#records/" + t.leaf.index + "/" + t.index}, tripleLine(t)),
          )
        : "It belongs to no triple of the records on this page.";
    };
    /* The bytes of a stream, each a button that shows whose it is. */
    const streamBytes = (range) => {
      if (range.kind !== "stream" || !range.hex) return null;
      const at = range.hex_at || 0,
        count = Math.min(range.hex.length / 2, 256);
      const bytes = make(
        "div.hex",
        {role: "group", "aria-label": "Bytes"},
        Array.from({length: count}, (_, i) => {
          const one = streamRange(range, range.first + at + i);
          const button = make(
            "button",
            {
              type: "button",
              "aria-label": one.hex + ", of value " + one.first,
              onclick: () => replace(numberLine, triplesAt(one)),
            },
            one.hex,
          );
          pointed.add(button, () => triplesOf(model, one));
          return [button, (i + 1) % 16 ? " " : "\n"];
        }),
      );
      rove(bytes, "button");
      return bytes;
    };
    const open = (range, focus, most = 500) => {
      const steps = [];
      for (let r = range; r; r = parentOf(r)) steps.unshift(r);
      replace(
        way,
        make(
          "ul",
          null,
          steps.map((r) =>
            make(
              "li",
              null,
              make(
                "button",
                {type: "button", disabled: r === range, onclick: () => open(r, true)},
                title(r),
              ),
            ),
          ),
        ),
      );
      const total = range.inside.reduce((sum, r) => sum + r.length, 0) || 1;
      const shown = range.inside.slice(0, most);
      replace(
        strip,
        shown.map((r) => {
          const button = make(
            "button",
            {
              type: "button",
              title: visible(title(r)) + ", " + r.length + " bytes",
              "aria-label": visible(title(r)) + ", " + where(r),
              onclick: () => open(r, true),
            },
            r.length / total > 0.05 ? title(r) : "",
          );
          pointed.add(button, () => keysOfRange(model, r));
          button.style.flex = Math.max(r.length, total / 2000) + " 1 0";
          return button;
        }),
      );
      replace(numberLine);
      strip.hidden = !shown.length;
      if (shown.length) rove(strip, "button");
      const triples = range === root ? [] : triplesOf(model, range);
      replace(
        bits,
        make(
          "p",
          null,
          range === root
            ? "The whole file: " + plural(model.fileSize, "byte") + "."
            : title(range) +
                ": " +
                where(range) +
                "." +
                (range.value !== undefined ? " Its value is " + range.value + "." : "") +
                (range.note ? " " + range.note : ""),
        ),
        range.hex && range.kind !== "stream"
          ? [
              make("p.mono", null, allHex(range, 256)),
              range.length <= 64
                ? make("p", null, "Bits, lowest of each byte first: ", bitRow(range))
                : null,
            ]
          : null,
        numbersOf({inside: [range]}, (number) => replace(numberLine, triplesAt(number)), pointed),
        streamBytes(range),
        numberLine,
        triples.length
          ? make(
              "p",
              null,
              "Triples: ",
              triples
                .slice(0, 12)
                .map((t, i) => [
                  i ? ", " : "",
                  make(
                    "a",
                    {href: "#records/" + t.leaf.index + "/" + t.index},
                    t.leaf.path + " (" + t.r + ", " + t.d + ", " + show(t.value) + ")",
                  ),
                ]),
            )
          : null,
      );
      replace(
        list,
        shown.length
          ? table(
              "What is inside",
              ["what", ["begins at"], ["bytes"], ["share"], "value"],
              shown.map((r) => {
                const row = make(
                  "tr",
                  null,
                  make(
                    "td",
                    null,
                    make("button.value", {type: "button", onclick: () => open(r, true)}, title(r)),
                  ),
                  make("td.n", null, number(r.begin)),
                  make("td.n", null, number(r.length)),
                  make("td.n", null, ((100 * r.length) / total).toFixed(1) + " %"),
                  make("td.v", null, r.value !== undefined ? short(r.value) : ""),
                );
                pointed.add(row, () => keysOfRange(model, r));
                return row;
              }),
            )
          : null,
        shown.length < range.inside.length
          ? make(
              "button",
              {type: "button", onclick: () => open(range, true, most + 500)},
              "Show more, of " + number(range.inside.length - shown.length),
            )
          : shown.length && range !== root
            ? leftOut(range)
            : null,
      );
      const rows = list.querySelector("table");
      if (rows) rove(rows, "button");
      if (focus)
        (
          strip.querySelector("button") ||
          way.querySelector("button:not([disabled])") ||
          box
        ).focus();
    };
    add(box, [
      make(
        "p",
        null,
        "Every byte of the file belongs to a range, and ranges have ranges inside. The strip is to scale; choose a part of it, or a row of the table, to go into it.",
      ),
      way,
      strip,
      pointed.line,
      bits,
      list,
    ]);
    let range = parameters.length > 1 ? rangeAt(root, parameters[0], Number(parameters[1])) : root;
    for (const step of parameters.length === 1 && parameters[0] ? parameters[0].split(".") : [])
      range = range.inside[step] || range;
    open(range, false);
  },
});
