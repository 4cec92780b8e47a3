/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VARIANTs joined by path: each range of bytes gets the path of the value that it belongs to, each
 * pair of columns its path and its triples; and ranges in words. Ranges, rules and values come from
 * the library; nothing is decoded here but names and the bits of a header.
 */
const samePath = (a, b) => a.length === b.length && a.every((step, i) => step === b[i]);
const pathBegins = (path, begin) => begin.every((step, i) => step === path[i]);

/* Names have the mark of readJson where they begin with it. */
const plainName = (name) => (name.startsWith("\ue000") ? name.slice(1) : name);

function pathText(path) {
  return path.reduce(
    (text, step) =>
      text +
      (typeof step === "number"
        ? "[" + step + "]"
        : /^[A-Za-z_][A-Za-z_0-9]*$/.test(step)
          ? "." + step
          : "[" + JSON.stringify(step) + "]"),
    "$",
  );
}

function textOfHex(hex) {
  const bytes = (hex || "").match(/../g) || [];
  return new TextDecoder().decode(Uint8Array.from(bytes, (b) => parseInt(b, 16)));
}

const childOf = (range, kind) => range.children?.find((r) => r.kind === kind);

/* The names of a dictionary: [{id, name, text, range}]. */
function namesOf(metadata) {
  return (metadata?.children || [])
    .filter((r) => r.kind === "variant_name")
    .map((range) => ({id: range.index, name: textOfHex(range.hex), text: range.value, range}));
}

/*
 * Gives each range of a value the path of the value that it belongs to, and each value the name
 * or number that it has in its object or array.
 */
function joinVariant(range, path, names, within) {
  range.path = path;
  range.within = within;
  range.inside = range.children || [];
  if (range.kind !== "variant_value") {
    for (const child of range.inside) {
      const own = child.index !== undefined && child.label !== "end" && range.itemPath;
      joinVariant(child, own ? range.itemPath(child.index) : path, names, within);
    }
    return;
  }
  const ids = childOf(range, "variant_ids")?.children || [];
  const nameAt = (index) => {
    const id = ids.find((r) => r.index === index);
    const entry = id && names.find((n) => n.id === parseInt(id.value, 10));
    return entry ? entry.name : "field " + index;
  };
  const itemPath = (index) => [...path, range.label === "object" ? nameAt(index) : index];
  for (const child of range.inside) {
    if (/^variant_(ids|offsets)$/.test(child.kind)) child.itemPath = itemPath;
    const own = child.index !== undefined;
    joinVariant(child, own ? itemPath(child.index) : path, names, range);
  }
}

/* The VARIANTs of the page with their pairs joined to paths and triples, and their pieces of bytes. */
function joinVariants(model) {
  const opened = new Map();
  return (model.data.variants || []).map((found) => {
    const paths = [];
    const variant = {...found, pairs: []};
    const metadata = found.metadata?.ranges[0];
    const names = namesOf(metadata);
    if (metadata) joinVariant(metadata, [], names, metadata);
    for (const pair of found.pairs) {
      const step = pair.element ?? (pair.name === undefined ? undefined : plainName(pair.name));
      const path = pair.parent === undefined ? [] : [...paths[pair.parent], step];
      paths.push(path);
      const key = found.record + " " + pair.group;
      const nth = opened.get(key) || 0;
      opened.set(key, nth + 1);
      const tripleOf = (field) => {
        const leaf = model.byPath.get(field);
        return leaf?.triples.filter(
          (t) =>
            model.source.first + t.record === found.record &&
            t.d >= leaf.field.parent.max_definition,
        )[nth];
      };
      variant.pairs.push({
        ...pair,
        path,
        valueTriple: pair.value_field && tripleOf(pair.value_field),
        typedTriple: pair.typed_field && tripleOf(pair.typed_field),
      });
    }
    const isWhole = !found.assembled && found.pairs[0]?.value;
    variant.pieces = variant.pairs
      .filter((pair) => pair.value)
      .map((pair) => ({
        title: pair.value_field + (pair.path.length ? ", " + pathText(pair.path) : ""),
        words:
          "These are the bytes of the columns " +
          variant.group +
          ".metadata and " +
          pair.value_field +
          (pair.path.length ? ", which are " + pathText(pair.path) + " of the value." : "."),
        path: pair.path,
        metadata,
        names,
        ranges: pair.value.ranges,
        isWhole: isWhole && pair.path.length === 0,
      }));
    if (found.assembled) {
      const [first, ...rest] = found.assembled.ranges;
      const hasMetadata = first?.kind === "variant_metadata";
      const own = hasMetadata ? namesOf(first) : names;
      if (hasMetadata) joinVariant(first, [], own, first);
      variant.pieces.unshift({
        title: "the value as a whole, put together",
        path: [],
        metadata: hasMetadata ? first : metadata,
        names: own,
        ranges: hasMetadata ? rest : found.assembled.ranges,
        isWhole: true,
        words:
          "These bytes are in no column: they are the value that a reader puts together from all of its columns.",
      });
    }
    for (const piece of variant.pieces)
      for (const range of piece.ranges) joinVariant(range, piece.path, piece.names, range);
    return variant;
  });
}

/* --- A range in words --- */

/* The parts of a header byte, highest bits first, as they are read. */
function headerBits(range) {
  const bits = parseInt(range.hex, 16).toString(2).padStart(8, "0");
  const parts =
    range.within?.kind === "variant_metadata"
      ? [bits.slice(0, 2), bits.slice(2, 3), bits.slice(3, 4), bits.slice(4)]
      : [bits.slice(0, 6), bits.slice(6)];
  return parts.join(" ");
}

function wordsOfRange(range, piece) {
  const place = "of the " + (range.within?.kind === "variant_metadata" ? "metadata" : "value");
  const at =
    (range.length === 1
      ? "Byte " + range.begin
      : range.length
        ? "Bytes " + range.begin + " to " + (range.begin + range.length - 1)
        : "No bytes, at " + range.begin) +
    " " +
    place +
    ": ";
  const where = short(pathText(range.path));
  const entry = (id) => piece.names.find((n) => n.id === id);
  const words = {
    variant_metadata: () =>
      "the dictionary of names that field ids refer to, " + plural(range.count ?? 0, "name") + ".",
    variant_value: () =>
      where +
      ", " +
      typeOfValue(range) +
      (range.value !== undefined ? ", " + range.value : "") +
      "." +
      wayTo(range, piece),
    variant_header: () =>
      "the header, in bits " +
      headerBits(range) +
      ": " +
      range.value +
      "." +
      (range.within?.kind === "variant_metadata"
        ? " The last four bits are the version."
        : " The last two bits are the basic type."),
    variant_count: () =>
      "how many " +
      (range.within?.kind === "variant_metadata"
        ? "names"
        : range.within?.label === "array"
          ? "elements"
          : "fields") +
      " there are, " +
      range.value +
      ".",
    variant_ids: () => "the ids of the fields, in the order of their names.",
    variant_id: () => {
      const id = parseInt(range.value, 10);
      return (
        "field id " +
        id +
        " \u2192 entry " +
        id +
        " of the dictionary" +
        (entry(id) ? ", " + entry(id).text + ". So field " + range.index + " is " + where : "") +
        "."
      );
    },
    variant_offsets: () => "where each begins, and where the last one ends.",
    variant_offset: () => {
      const isName = range.within?.kind === "variant_metadata";
      if (range.label === "end")
        return (
          "offset " + range.value + ", the end of all " + (isName ? "names." : "values inside.")
        );
      const name = isName && entry(range.index);
      const begun = range.within?.children.find(
        (r) => /^variant_(name|value)$/.test(r.kind) && r.index === range.index,
      );
      return (
        "offset " +
        range.value +
        " \u2192 " +
        (isName ? "entry " + range.index + (name ? ", " + name.text + "," : "") : where) +
        " begins that many bytes behind the first byte of the " +
        (isName ? "names" : "values") +
        (begun ? ", at byte " + begun.begin : "") +
        "."
      );
    },
    variant_name: () => "entry " + range.index + " of the dictionary, " + range.value + ".",
    value_length: () => "the length of what follows, " + range.value + ".",
    value_bytes: () => where + " itself: " + range.value + ".",
    number: () => "the " + range.label + " of the decimal " + where + ", " + range.value + ".",
    gap: () => range.note + ".",
    unknown: () => "not understood, " + range.note + ".",
  }[range.kind];
  const isSaid = /^(gap|unknown)$/.test(range.kind);
  return (
    at +
    (words ? words() : kindName(range) + ".") +
    (range.note && !isSaid ? " But " + range.note + "." : "")
  );
}

/* How a reader finds a field or element: by its id in the dictionary, and by its offset. */
function wayTo(range, piece) {
  const around = range.index === undefined ? null : range.within;
  const itemOf = (kind) =>
    around && childOf(around, kind)?.children?.find((r) => r.index === range.index);
  const id = itemOf("variant_ids"),
    offset = itemOf("variant_offsets");
  const entry = id && piece.names.find((n) => n.id === parseInt(id.value, 10));
  return (
    (entry ? " Entry " + entry.id + " of the dictionary, " + entry.text + " → id " : "") +
    (entry ? "of field " + range.index : "") +
    (offset
      ? (entry ? " → " : " Element " + range.index + " → ") +
        "offset " +
        offset.value +
        " → byte " +
        range.begin +
        "."
      : "")
  );
}

function typeOfValue(range) {
  if (range.label === "object") return "object of " + plural(range.count, "field");
  if (range.label === "array") return "array of " + plural(range.count, "element");
  return range.label;
}
