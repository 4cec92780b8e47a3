/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of the page, joined: fields to leaves, triples to their records, pages and bytes. All
 * levels, steps and ranges come from the library; nothing is shredded, assembled or decoded here.
 */
/* A name as the program prints it in paths: between quotation marks unless it is a word. */
function nameInPath(name) {
  const isWord =
    /^[A-Za-z_\u0080-\uffff][0-9A-Za-z_\u0080-\uffff]*$/.test(name) &&
    !/^(and|or|not|in|is|null|between|true|false)$/i.test(name);
  return isWord ? name : '"' + name.replace(/"/g, '""') + '"';
}

/* The last name of a path that the program has printed. */
function lastNameOf(path) {
  return /(?:"(?:[^"]|"")*"|[^."]*)$/.exec(path)[0];
}

class Model {
  constructor(data) {
    this.data = data;
    this.source = data.source;
    this.fields = [];
    this.root = this.addField(data.schema, null);
    const all = this.fields.filter((f) => !f.fields);
    all.forEach((f, i) => {
      f.column = i;
    });
    this.leaves = (data.source.columns || []).map((column, i) => this.makeLeaf(all[column], i));
    this.byPath = new Map(this.leaves.map((leaf) => [leaf.path, leaf]));
    this.records = this.makeRecords(data.shredding || []);
    this.joinBytes(data.bytes || []);
  }

  addField(field, parent) {
    const node = {
      ...field,
      parent,
      path: parent ? (parent.parent ? parent.path + "." : "") + nameInPath(field.name) : "",
    };
    this.fields.push(node);
    if (field.fields) node.fields = field.fields.map((f) => this.addField(f, node));
    return node;
  }

  makeLeaf(field, index) {
    const levels = this.data.levels[index];
    const leaf = {
      field,
      index,
      path: levels.path,
      column: field.column,
      levels,
      triples: [],
      maxR: levels.max_repetition,
      maxD: levels.max_definition,
    };
    const [first] = (this.data.triples || [])[index] || [0];
    let value = 0,
      record = -1;
    for (let i = 0; i < levels.d.length; i++) {
      const r = levels.r[i],
        d = levels.d[i];
      record += r === 0;
      const triple = {
        leaf,
        index: i,
        r,
        d,
        record,
        chunkIndex: first + i,
        isNull: d < leaf.maxD,
        valueIndex: -1,
      };
      if (!triple.isNull) {
        triple.value = levels.values[value];
        triple.valueIndex = value++;
      }
      leaf.triples.push(triple);
    }
    return leaf;
  }

  /* The groups and values of each record, from the events that the shredder was given. */
  makeRecords(traces) {
    const next = new Map();
    return traces.map((trace, index) => {
      const root = {kind: "record", name: "record " + trace.record, children: [], field: this.root};
      const record = {index, number: trace.record, steps: trace.steps, root, error: trace.error};
      const stack = [root];
      trace.steps.forEach((step, at) => {
        const top = stack[stack.length - 1];
        step.written = step.triples.map((written) => {
          const leaf = this.byPath.get(written.path);
          const i = next.get(written.path) || 0;
          next.set(written.path, i + 1);
          const triple = leaf && leaf.triples[i];
          if (triple) {
            triple.step = at;
            triple.words = written.words;
            triple.inRecord = record;
          }
          return {...written, triple};
        });
        step.node = top;
        const name = (step.field || "").slice(
          top.field && top.field.path ? top.field.path.length + 1 : 0,
        );
        if (step.event === "open") {
          const field = this.fields.find((f) => f.path === step.field) || {path: step.field, name};
          const node = {kind: "group", name, field, children: [], parent: top, step: at};
          top.children.push(node);
          stack.push(node);
          step.node = node;
        } else if (step.event === "put") {
          const triple = step.written[0] && step.written[0].triple;
          const node = {kind: "value", name, value: step.value, triple, parent: top, step: at};
          top.children.push(node);
          if (triple) triple.node = node;
          step.node = node;
        } else if (step.event === "close" || step.event === "end") {
          for (const written of step.written) {
            const base = top.field && top.field.path ? top.field.path.length + 1 : 0;
            const node = {
              kind: "missing",
              name: written.path.slice(base),
              triple: written.triple,
              words: written.words,
              parent: top,
              step: at,
            };
            top.children.push(node);
            if (written.triple) written.triple.node = node;
          }
          if (step.event === "close") stack.pop();
        }
      });
      return record;
    });
  }

  /* The tree of ranges, where its members about row group, column and page hold for what is inside. */
  joinBytes(bytes) {
    this.pages = [];
    const join = (range, parent, inBody) => {
      Object.assign(range, {
        parent,
        inBody,
        row_group: range.row_group ?? parent?.row_group,
        column: range.column ?? parent?.column,
        page: range.page ?? parent?.page,
      });
      if (range.kind === "page") this.pages.push(range);
      range.inside = range.uncompressed || range.children || [];
      for (const child of range.inside) join(child, range, inBody || !!range.uncompressed);
    };
    this.ranges = bytes.ranges || [];
    for (const range of this.ranges) join(range, null, false);
    this.fileSize = bytes.size || 0;
    for (const page of this.pages) {
      page.leaf = this.leaves.find((leaf) => leaf.column === page.column);
      page.isDictionary = /dictionary/i.test(page.label || "");
      page.dictionary = this.pages.find(
        (p) => p.isDictionary && p.column === page.column && p.row_group === page.row_group,
      );
      if (
        !page.leaf ||
        page.isDictionary ||
        !(page.count > 0) ||
        page.row_group !== this.source.row_group
      )
        continue;
      const inPage = page.leaf.triples.filter(
        (t) => t.chunkIndex >= page.first && t.chunkIndex < page.first + page.count,
      );
      /* Values of the page before the first triple that is shown. */
      let value =
        inPage.length && inPage[0].index === 0
          ? ((this.data.triples || [])[page.leaf.index] || [0, 0, 0])[2]
          : 0;
      for (const triple of inPage) {
        triple.pageRange = page;
        triple.pageIndex = triple.chunkIndex - page.first;
        triple.pageValue = triple.isNull ? -1 : value++;
      }
    }
  }

  /*
   * The column that shows most of what levels are for: nulls, elements after the first, and high
   * levels; of those with values that people can read. Null where there is none.
   */
  get example() {
    const score = (leaf) =>
      4 * leaf.triples.some((t) => t.r > 0) +
      4 * leaf.triples.some((t) => t.isNull) +
      8 * !isBytes(leaf.field) +
      leaf.maxR +
      leaf.maxD;
    const readable = this.leaves.filter(
      ({field}) => !variantAround(field) || !isBytes(field),
    );
    return readable.reduce(
      (best, leaf) => (score(leaf) > score(best) ? leaf : best),
      readable[0] || null,
    );
  }

  /* The number of the record that a triple belongs to, as the file counts. */
  recordNumber(triple) {
    return this.source.first + triple.record;
  }

  pathOf(node) {
    const names = [];
    for (let n = node; n && n.kind !== "record"; n = n.parent) {
      const same = n.parent.children.filter((c) => c.name === n.name);
      names.unshift(n.name + (same.length > 1 ? "[" + same.indexOf(n) + "]" : ""));
    }
    return names.join(".");
  }
}

/* Bytes that mean nothing as text. */
function isBytes(field) {
  return /^(binary|fixed_len_byte_array)/.test(field.type) && !field.logical_type;
}

/* The outermost VARIANT that a field is inside of, or null. */
function variantAround(field) {
  let found = null;
  for (let f = field.parent; f; f = f.parent) if (/^VARIANT/.test(f.logical_type || "")) found = f;
  return found;
}

/*
 * JSON whose numbers keep all their digits: those that a number of JavaScript would print otherwise
 * are strings behind a mark, which strings that begin with it get twice.
 */
function readJson(text) {
  return JSON.parse(
    text.replace(/"((?:[^"\\]|\\.)*)"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (token, inner) => {
      if (inner !== undefined) return inner.startsWith("\ue000") ? '"\ue000' + inner + '"' : token;
      return String(Number(token)) === token ? token : '"\ue000' + token + '"';
    }),
  );
}

function writeJson(value, indent) {
  return JSON.stringify(value, null, indent).replace(
    /"\ue000((?:[^"\\]|\\.)*)"/g,
    (token, inner) => (inner.startsWith("\ue000") ? '"' + inner + '"' : inner),
  );
}

function short(text) {
  return text.length > 120 ? text.slice(0, 117) + "\u2026" : text;
}

/* A value as the page writes it: JSON, cut where it is long. */
function show(value) {
  return value === undefined ? "NULL" : short(writeJson(value));
}
