/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VARIANT: its bytes beside the value that they are, its columns with the rule that applies to
 * each pair, and how the value is put together from them.
 */
const variantRules = {
  missing: "missing",
  null: "a null",
  value: "in value",
  scalar: "in typed_value",
  array: "an array",
  object: "an object",
  partial: "an object in part",
  overlap: "in conflict, in part",
  conflict: "in conflict",
};

/* --- Bytes as boxes in boxes --- */

const cellNames = {
  variant_header: "header",
  variant_count: "count",
  variant_id: "id",
  variant_offset: "offset",
  variant_name: "name",
  value_length: "length",
  value_bytes: "value",
  gap: "gap",
  unknown: "unknown",
};

function cellCaption(range) {
  if (range.kind === "variant_id") return "id " + range.index;
  if (range.kind === "variant_offset")
    return range.label === "end" ? "end" : "offset " + range.index;
  if (range.kind === "variant_name") return range.index + " " + short(range.value);
  return range.kind === "number" ? range.label : cellNames[range.kind] || kindName(range);
}

function lastOfPath(path) {
  const last = path[path.length - 1];
  return last === undefined
    ? ""
    : typeof last === "number"
      ? "[" + last + "] "
      : short(last) + ": ";
}

/* Boxes for a range and all inside of it; `buttons` gets what can be pointed at: range to button. */
function byteBoxes(range, piece, buttons, name) {
  const button = (kind, ...content) => {
    const node = make(kind, {type: "button", "aria-label": wordsOfRange(range, piece)}, content);
    buttons.set(range, node);
    return node;
  };
  if (!range.inside.length) {
    const hex = range.hex ? allHex(range, 24) : range.length ? "\u2026" : "";
    const more = range.hex && 2 * range.length > range.hex.length && !hex.endsWith("\u2026");
    return button(
      "button.cell",
      make("span.mono", null, hex + (more ? " \u2026" : "")),
      make("small", null, cellCaption(range)),
    );
  }
  const isList = /^variant_(ids|offsets)$/.test(range.kind);
  const inside = [
    range.inside.map((r) => byteBoxes(r, piece, buttons)),
    range.inside.reduce((sum, r) => sum + r.length, 0) < range.length
      ? make("span.soft", null, "\u2026")
      : null,
  ];
  if (isList) return inside;
  const title =
    name ||
    (range.kind === "variant_value"
      ? (range.path.length > piece.path.length ? lastOfPath(range.path) : "") + typeOfValue(range)
      : kindName(range));
  return make("div.box-of", null, button("button.boxhead", title), make("div.cells", null, inside));
}

/* --- The value as a tree --- */

/* Lines for a value and all inside of it: [{range, depth}], containers before what they hold. */
function valueLines(range, depth = 0) {
  if (range.kind !== "variant_value")
    return /^(gap|unknown)$/.test(range.kind) ? [{range, depth}] : [];
  const values = range.inside
    .filter((r) => r.kind === "variant_value" || (r.kind === "unknown" && r.index !== undefined))
    .sort((a, b) => a.index - b.index);
  const left = (range.count ?? values.length) - values.length;
  return [
    {range, depth},
    ...values.flatMap((r) => valueLines(r, depth + 1)),
    ...(left > 0 && range.inside.length ? [{range, depth: depth + 1, left}] : []),
  ];
}

function lineText({range}, isTop) {
  const name = isTop ? "" : lastOfPath(range.path);
  if (range.kind !== "variant_value")
    return (name || "the value: ") + kindName(range) + ", " + (range.note || "");
  if (range.value !== undefined) return name + range.value;
  return name.replace(/[: ]+$/, "") || "the value";
}

/* --- Bytes and value, pointed at from either side --- */

function variantBytes(piece) {
  const words = make(
    "div.words.stick",
    {role: "status", "aria-live": "polite"},
    "Point at a byte, or at a part of the value.",
  );
  const buttons = new Map(),
    lines = new Map();
  const tree = make("div.card.vtree", {role: "group", "aria-label": "the value"});
  const list = make(
    "ul.tree",
    null,
    piece.ranges
      .flatMap((r) => valueLines(r))
      .map((line, i) => {
        if (line.left) return make("li.soft", null, "\u2026 " + number(line.left) + " more");
        const button = make("button.value", {type: "button"}, lineText(line, i === 0));
        button.style.marginLeft = Math.min(line.depth, 12) * 1.1 + "rem";
        lines.set(line.range, button);
        return make(
          "li",
          null,
          button,
          line.range.kind === "variant_value"
            ? make("span.soft", null, " " + typeOfValue(line.range))
            : null,
        );
      }),
  );
  add(tree, [list]);
  const metadataBox =
    piece.metadata && byteBoxes(piece.metadata, piece, buttons, "metadata: the dictionary");
  const valueBox = piece.ranges.map((r) => byteBoxes(r, piece, buttons));
  const bytes = make(
    "div.card.vbytes",
    {role: "group", "aria-label": "the bytes"},
    metadataBox,
    valueBox,
  );
  const ofKind = (kind) => [...buttons.keys()].filter((r) => r.kind === kind);
  const ids = ofKind("variant_id"),
    offsets = ofKind("variant_offset").filter((r) => r.label !== "end"),
    entries = ofKind("variant_name");
  const entryOf = (id) => entries.filter((r) => r.index === parseInt(id.value, 10));
  const isOfMetadata = (range) => range.within?.kind === "variant_metadata";
  /* What has to do with a range: [ranges, paths]. */
  const related = (range) => {
    if (range.kind === "variant_id") return [entryOf(range), []];
    if (range.kind === "variant_name") {
      const users = ids.filter((r) => parseInt(r.value, 10) === range.index);
      return [users, users.map((r) => r.path)];
    }
    if (range.kind !== "variant_value" || range.index === undefined) return [[], []];
    const own = ids.filter((r) => samePath(r.path, range.path));
    const begins = offsets.filter((r) => !isOfMetadata(r) && samePath(r.path, range.path));
    return [[...own, ...begins, ...own.flatMap(entryOf)], []];
  };
  /* Marks a range and what has to do with it on both sides, and scrolls the other side to it. */
  const point = (range, other) => {
    const [ranges, paths] = related(range);
    const near = new Set(ranges);
    buttons.forEach((node, each) => {
      let on = each === range;
      for (let r = each.around; r && !on; r = r.around) on = r === range;
      node.classList.toggle("on", on);
      node.classList.toggle("near", !on && near.has(each));
    });
    lines.forEach((node, each) => {
      const on =
        each === range ||
        (!isOfMetadata(range) &&
          range.kind !== "variant_metadata" &&
          each.kind === "variant_value" &&
          samePath(each.path, range.path));
      node.classList.toggle("on", on);
      node.classList.toggle("near", !on && paths.some((path) => samePath(path, each.path)));
      if (on) node.setAttribute("aria-current", "true");
      else node.removeAttribute("aria-current");
    });
    replace(words, wordsOfRange(range, piece));
    const mark = other.querySelector(".on") || other.querySelector(".near");
    if (mark) reveal(mark, other);
  };
  const listen = (other) => (node, range) =>
    ["mouseenter", "focus", "click"].forEach((name) =>
      node.addEventListener(name, () => point(range, other)),
    );
  const around = (range) => {
    for (const child of range.inside) {
      child.around = range;
      around(child);
    }
  };
  [piece.metadata, ...piece.ranges].filter(Boolean).forEach(around);
  buttons.forEach(listen(tree));
  lines.forEach(listen(bytes));
  rove(tree, "button");
  rove(bytes, "button");
  return [
    make("p.soft", null, piece.words),
    words,
    make("div.sides", null, tree, bytes),
    rangesAsTable(piece),
    dictionaryTable(piece, buttons),
  ];
}

function rangesAsTable(piece) {
  const all = [piece.metadata, ...piece.ranges].filter(Boolean).flatMap(descendants);
  const details = make(
    "details",
    {
      ontoggle: () => {
        if (details.open && !details.querySelector("table"))
          add(details, [
            make(
              "div.scroll",
              null,
              table(
                null,
                ["of", ["begins at"], ["bytes"], "hexadecimal", "what it is"],
                all
                  .slice(0, 400)
                  .map((r) =>
                    make(
                      "tr",
                      null,
                      make(
                        "td",
                        null,
                        r.within?.kind === "variant_metadata" ? "metadata" : "value",
                      ),
                      make("td.n", null, r.begin),
                      make("td.n", null, r.length),
                      make("td.v", null, r.inside.length ? "" : allHex(r, 24)),
                      make("td", null, wordsOfRange(r, piece).replace(/^[^:]*: /, "")),
                    ),
                  ),
              ),
            ),
          ]);
      },
    },
    make("summary", null, "The same as a table"),
  );
  return details;
}

/* Which fields refer to each entry of the dictionary. */
function dictionaryTable(piece, buttons) {
  if (!piece.names.length) return null;
  const ids = [...buttons.keys()].filter((r) => r.kind === "variant_id");
  return make(
    "div.scroll",
    null,
    table(
      "The dictionary",
      [["id"], "name", "fields that refer to it here"],
      piece.names.slice(0, 100).map((entry) =>
        make(
          "tr",
          null,
          make("td.n", null, entry.id),
          make("td.v", null, entry.text),
          make(
            "td.v",
            null,
            ids
              .filter((r) => parseInt(r.value, 10) === entry.id)
              .slice(0, 12)
              .map((r) => pathText(r.path))
              .join(", ") || make("span.soft", null, "none"),
          ),
        ),
      ),
    ),
  );
}

/* --- The columns --- */

function tripleCell(triple, content) {
  if (content === null) return make("td.soft", null, "no such column");
  return make(
    "td.v",
    null,
    content,
    triple
      ? [
          " ",
          make(
            "a.pair",
            {
              href: "#records/" + triple.leaf.index + "/" + triple.index,
              "aria-label": "its triple, r " + triple.r + ", d " + triple.d,
            },
            "(" + triple.r + ", " + triple.d + ")",
          ),
        ]
      : null,
  );
}

function valueWords(pair) {
  if (!pair.value) return "null";
  const size = plural(pair.value.size, "byte");
  return pair.value.json !== undefined ? show(pair.value.json) + ", " + size : size;
}

function typedWords(pair) {
  if (!pair.is_typed) return "null";
  if (pair.typed !== undefined) return show(pair.typed);
  if (pair.rule === "array") return "a list of " + plural(pair.elements || 0, "element");
  return pair.typed_size !== undefined ? plural(pair.typed_size, "byte") : "a group";
}

function columnsTable(variant, rules, rows) {
  return make(
    "div.scroll",
    null,
    table(
      "Pairs of columns",
      ["of the value", "value", "typed_value", "so it is"],
      variant.pairs.map((pair) => {
        const row = make(
          "tr",
          null,
          make("td.v", null, pathText(pair.path)),
          tripleCell(pair.valueTriple, pair.value_field ? valueWords(pair) : null),
          tripleCell(pair.typedTriple, pair.typed_field ? typedWords(pair) : null),
          make(
            "td",
            null,
            make("span.badge.strong", {title: rules[pair.rule]}, variantRules[pair.rule]),
          ),
        );
        rows.push(row);
        return row;
      }),
    ),
  );
}

/* --- Reassembly --- */

/* The pair that a part of the whole value came from: the innermost around it. */
function pairOf(variant, path) {
  let found = 0;
  variant.pairs.forEach((pair, i) => {
    if (pathBegins(path, pair.path) && pair.path.length >= variant.pairs[found].path.length)
      found = i;
  });
  return found;
}

function reassembly(variant, rules, rows) {
  const whole = variant.pieces.find((piece) => piece.isWhole);
  const lines = whole ? whole.ranges.flatMap((r) => valueLines(r)).filter((l) => !l.left) : [];
  const from = lines.map((line) => pairOf(variant, line.range.path));
  const items = lines.map(() => make("li"));
  const list = make(
    "ol.mono.scroll.tall.card",
    {tabindex: 0, "aria-label": "the value so far"},
    items,
  );
  const words = make("div.words", {role: "status", "aria-live": "polite"});
  const last = variant.pairs.length + 1;
  const control = stepper("Steps of reassembly", last, (at) => {
    const current = at - 1;
    rows.forEach((row, i) => {
      row.classList.toggle("on", i === current);
      if (i === current) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
    lines.forEach((line, i) => {
      const pair = variant.pairs[from[i]];
      const isThere = from[i] <= current;
      const source =
        /value|partial|overlap/.test(pair.rule) &&
        !(/partial|overlap/.test(pair.rule) && samePath(line.range.path, pair.path))
          ? pair.value_field
          : pair.typed_field || pair.value_field;
      items[i].classList.toggle("on", from[i] === current);
      replace(
        items[i],
        make(
          isThere ? "span.line" : "span.line.missing",
          null,
          "\u00A0\u00A0".repeat(line.depth) +
            (isThere
              ? lineText(line, i === 0) +
                (line.range.children && line.range.value === undefined
                  ? ": " + typeOfValue(line.range)
                  : "")
              : (i ? lastOfPath(line.range.path) : "") + "not yet"),
        ),
        isThere ? make("span.soft", null, " \u2190 " + source) : null,
      );
    });
    const first = from.indexOf(current);
    if (first >= 0 && items[first].offsetParent)
      list.scrollTop = items[first].offsetTop - list.clientHeight / 2;
    replace(words, stepWords(variant, rules, at, last));
  });
  return {
    control,
    nodes: [control.node, words, lines.length ? list : null],
  };
}

function stepWords(variant, rules, at, last) {
  if (at === 0)
    return variant.metadata
      ? "The metadata are read: field ids in value columns are entries of this dictionary."
      : "There are no metadata: only values without field ids can be read.";
  if (at === last) {
    if (variant.failure) return "The value cannot be put together: " + variant.failure + ".";
    const added = variant.assembled?.has_new_names
      ? " Names of shredded fields that the metadata lack are added to the dictionary."
      : "";
    return variant.assembled
      ? "All parts are there. Fields get the ids of their names, and are encoded in the order of their names: " +
          plural(variant.assembled.value_size, "byte") +
          "." +
          added
      : "The bytes of the value column are the value: nothing is encoded again.";
  }
  const pair = variant.pairs[at - 1];
  const result =
    pair.rule === "scalar"
      ? ": " + typedWords(pair)
      : pair.rule === "value"
        ? ": " + valueWords(pair)
        : /partial|overlap/.test(pair.rule)
          ? ": " + valueWords(pair)
          : pair.rule === "array"
            ? ", " + plural(pair.elements || 0, "element")
            : "";
  return [
    make("b", null, pathText(pair.path) + ", " + variantRules[pair.rule] + ". "),
    rules[pair.rule][0].toUpperCase() + rules[pair.rule].slice(1) + result + ".",
  ];
}

/* The example of docs/variant.md: weights of three kinds, a place that is no object, a parcel that is lost. */
const parcels = {
  schema:
    "message parcels {\n  optional group parcel (VARIANT) {\n    required binary metadata;\n    optional binary value;\n    optional group typed_value {\n      required group weight {\n        optional binary value;\n        optional int64 typed_value;\n      }\n      required group to {\n        optional binary value;\n        optional group typed_value {\n          required group city {\n            optional binary value;\n            optional binary typed_value (STRING);\n          }\n        }\n      }\n      required group tags {\n        optional binary value;\n        optional group typed_value (LIST) {\n          repeated group list {\n            required group element {\n              optional binary value;\n              optional binary typed_value (STRING);\n            }\n          }\n        }\n      }\n    }\n  }\n}\n",
  records: [
    '{"parcel": {"weight": 120, "to": {"city": "Bergen", "zip": "5003"}, "tags": ["cold"]}}',
    '{"parcel": {"weight": "heavy", "to": {"city": "Oslo"}, "note": "ring twice"}}',
    '{"parcel": {"weight": null, "to": "the harbour", "tags": []}}',
    '{"parcel": {"to": {}, "tags": ["cold", 7]}}',
    '{"parcel": "lost"}',
  ].join("\n"),
};

views.push({
  id: "variant",
  title: "VARIANT",
  render(model, box) {
    this.go = null;
    const hasAny = model.fields.some((f) => /^VARIANT/.test(f.logical_type || ""));
    const rules = model.data.variant_rules || {};
    const variants = joinVariants(model);
    add(box, [
      make(
        "p",
        null,
        "A VARIANT holds a value of any shape, such as any JSON. Its bytes say of which type each part is; the names of fields stand in a dictionary of their own, the metadata. Parts that have the same shape in many records can have columns of their own, named typed_value: the value is shredded, and put together again by readers.",
      ),
      variants.length
        ? null
        : make(
            "p",
            null,
            !hasAny
              ? [
                  "The schema of this file has no VARIANT. In the ",
                  linkTo("live"),
                  " view a schema can be given one, as in these five parcels. ",
                  tryLive("Try the parcels", parcels.schema, parcels.records, "variant"),
                ]
              : model.source.columns_left_out ||
                  model.source.columns.length < model.fields.filter((f) => !f.fields).length
                ? "This page does not show all columns of a VARIANT, so that none can be put together."
                : "These records have no value in a VARIANT.",
          ),
    ]);
    if (!variants.length) return;
    const body = make("div");
    const showVariant = (variant) => {
      const rows = [];
      const bytes = make("div");
      const showPiece = (i) => replace(bytes, variantBytes(variant.pieces[i]));
      const columns = columnsTable(variant, rules, rows);
      const {control, nodes} = reassembly(variant, rules, rows);
      replace(
        body,
        variant.failure
          ? make("p.error", null, "This value cannot be put together: " + variant.failure)
          : variant.result !== undefined
            ? make("p", null, "As JSON: ", make("code", null, show(variant.result)))
            : variant.result_size
              ? make("p", null, "As JSON it has " + plural(variant.result_size, "byte") + ".")
              : null,
        make("h3", null, "The bytes"),
        variant.pieces.length > 1
          ? choice(
              "Bytes of",
              variant.pieces.map((piece, i) => [i, short(visible(piece.title))]),
              0,
              showPiece,
            )
          : null,
        bytes,
        variant.pieces.length
          ? null
          : make("p", null, "No value column has a value, so that there are no bytes to show."),
        make("h3", null, "The columns"),
        make(
          "p.soft",
          null,
          "The VARIANT itself, each shredded field and each element of a shredded array is a pair of the columns value and typed_value. The numbers in parentheses are r and d of its triple.",
        ),
        columns,
        variant.pairs_left_out
          ? make("p.soft", null, "\u2026 " + plural(variant.pairs_left_out, "pair") + " more")
          : null,
        make("h3", null, "Put together again"),
        nodes,
      );
      if (variant.pieces.length) showPiece(0);
      control.go(0);
      this.go = control.go;
    };
    add(box, [
      choice(
        "VARIANT",
        variants.map((v, i) => [
          i,
          short(
            visible(
              "record " +
                v.record +
                ", " +
                v.group +
                ": " +
                (v.result === undefined ? "\u2026" : show(v.result)),
            ),
          ),
        ]),
        0,
        (i) => showVariant(variants[i]),
      ),
      body,
    ]);
    showVariant(variants[0]);
  },
});
