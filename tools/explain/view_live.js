/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schema and records to edit; every view then shows them, run by the library itself. It opens with
 * the example of the paper (Melnik et al., Dremel, VLDB 2010, figures 2 and 3).
 */
const paper = {
  schema:
    "message Document {\n  required int64 DocId;\n  optional group Links {\n    repeated int64 Backward;\n    repeated int64 Forward;\n  }\n  repeated group Name {\n    repeated group Language {\n      required binary Code (STRING);\n      optional binary Country (STRING);\n    }\n    optional binary Url (STRING);\n  }\n}\n",
  records:
    '{"DocId": 10, "Links": {"Forward": [20, 40, 60]}, "Name": [{"Language": [{"Code": "en-us", "Country": "us"}, {"Code": "en"}], "Url": "http://A"}, {"Url": "http://B"}, {"Language": [{"Code": "en-gb", "Country": "gb"}]}]}\n{"DocId": 20, "Links": {"Backward": [10, 30], "Forward": [80]}, "Name": [{"Url": "http://C"}]}\n',
  columns: "",
  encoding: "",
  version: 1,
  where: "",
  pageRows: 0,
  groupRows: 0,
  bloom: 0,
};

/* Rows in an order, some missing, so that conditions have something to skip. */
const readings = {
  schema: "",
  where: "room = 'hall' and celsius > 20",
  pageRows: 2,
  groupRows: 4,
  bloom: 1,
  records: Array.from({length: 24}, (_, i) =>
    JSON.stringify({
      id: 100 + 2 * i,
      room: ["attic", "cellar", "hall", "kitchen"][Math.floor(i / 6)],
      celsius: i % 7 === 3 ? null : 15 + ((7 * i) % 20) / 2,
    }),
  ).join("\n"),
};
let liveState = {...paper};
/* Whether the reader changed or chose something here: only then the other views leave the file. */
let liveIsChosen = false;
/* The facts of what the views show now, if that is of this view. */
let liveShown = null;

/* A button that opens schema and records in this view, and then goes to another; null without an engine. */
function tryLive(text, schema, records, then) {
  if (!Live.isThere()) return null;
  const open = async () => {
    const state = {...paper, schema, records};
    const data = await Live.explain(state);
    if (data.error) return;
    liveState = state;
    liveIsChosen = true;
    liveShown = liveFacts(data);
    setModel(data, true);
    if (location.hash === "#" + then) showView();
    else location.hash = "#" + then;
  };
  return make("button", {type: "button", onclick: open}, text);
}

/*
 * What each view is about, in numbers and as text: [view, count, one, many, text]. Of data as they
 * come from the library: a model joins them to a graph, which has no text.
 */
function liveFacts(data) {
  const steps = (traces) => (traces || []).reduce((sum, t) => sum + t.steps.length, 0);
  const columns = (data.source.columns || []).length;
  const triples = data.levels.reduce((sum, leaf) => sum + leaf.d.length, 0);
  const automaton = data.automaton || {edges: [], leaves: []};
  const pages = data.pages || [];
  const events = (data.shredding || []).map((t) =>
    t.steps.map((step) => [step.event, step.field, step.value, step.r, step.d]),
  );
  return [
    ["schema", columns, "column", "columns", data.schema_text],
    ["records", triples, "triple", "triples", writeJson(data.levels)],
    ["shred", steps(data.shredding), "event", "events", writeJson(events)],
    ["assembly", automaton.leaves.length, "state", "states", writeJson(automaton)],
    ["page", pages.length, "page", "pages", writeJson(pages)],
    ["bytes", (data.bytes || {}).size || 0, "byte", "bytes", writeJson(data.bytes)],
  ];
}

/* A line that says what changed, with links to the views that show it. */
function liveChanges(before, after) {
  const old = before && new Map(before.map((fact) => [fact[0], fact]));
  const changed = after.filter(([id, , , , text]) => !old || old.get(id)[4] !== text);
  if (!changed.length) return "No view has changed.";
  const item = ([id, count, one, many]) => {
    const was = old && old.get(id)[1];
    return [
      linkTo(id),
      " (" +
        plural(count, one, many) +
        (!old
          ? ""
          : was === count
            ? ", others than before"
            : was < count
              ? ", " + number(count - was) + " more"
              : ", " + number(was - count) + " fewer") +
        ")",
    ];
  };
  return [
    old ? "Changed: " : "To see: ",
    changed.map((fact, i) => [i ? ", " : "", item(fact)]),
    ".",
  ];
}

views.push({
  id: "live",
  title: "Try your own",
  render(model, box) {
    if (!Live.isThere()) {
      add(box, [
        make(
          "p",
          null,
          "Schema and records can be edited here, if the program that writes the page was built with what that needs: Clang, lld and the WASI libraries for C and C++. In the folder of Lamella's sources, these lines install them, and build it so:",
        ),
        make(
          "pre.scroll",
          null,
          "tools/packages --page\nmeson setup --reconfigure build\nninja -C build tools/lamella",
        ),
      ]);
      return;
    }
    const status = make("p", {role: "status", "aria-live": "polite"}),
      changes = make("p.changes"),
      summary = make("div");
    const schema = make("textarea", {
        id: "live-schema",
        spellcheck: "false",
        autocapitalize: "off",
      }),
      records = make("textarea", {id: "live-records", spellcheck: "false", autocapitalize: "off"}),
      columns = make("input", {
        id: "live-columns",
        type: "text",
        placeholder: "all",
        spellcheck: "false",
        size: 30,
      }),
      condition = make("input", {
        id: "live-where",
        type: "text",
        placeholder: "the program\u2019s choice",
        spellcheck: "false",
        autocapitalize: "off",
        size: 30,
      });
    condition.value = liveState.where;
    schema.value = liveState.schema;
    records.value = liveState.records;
    columns.value = liveState.columns;
    let run = 0,
      timer = 0;
    const explain = async (isChosen = true) => {
      liveIsChosen = liveIsChosen || isChosen;
      const mine = ++run;
      liveState = {
        ...liveState,
        schema: schema.value,
        records: records.value,
        columns: columns.value,
        where: condition.value,
      };
      const data = await Live.explain(liveState).catch((error) => ({
        error: error.message,
        where: "engine",
        line: 0,
      }));
      if (mine !== run) return;
      if (data.error) {
        status.className = "error";
        const line = data.line && !/^line \d/.test(data.error) ? ", line " + data.line : "";
        replace(status, "In the " + data.where + line + ": " + data.error);
        replace(changes, liveShown ? "The views show what was there before." : null);
        return;
      }
      status.className = "";
      const before = liveShown;
      const facts = liveFacts(data);
      liveShown = liveIsChosen ? facts : null;
      if (liveIsChosen) setModel(data, true);
      const mineModel = liveIsChosen ? liveModel : new Model({...data, live: true});
      const wrong = mineModel.data.skips.conditions.find((c) => c.error);
      if (wrong) status.className = "error";
      replace(changes, liveIsChosen ? liveChanges(before, facts) : null);
      replace(
        status,
        wrong ? "In the condition: " + wrong.error + ". " : "",
        plural(mineModel.source.rows, "record") +
          (mineModel.source.row_groups > 1
            ? " in " + plural(mineModel.source.row_groups, "row group")
            : "") +
          ", " +
          plural(mineModel.leaves.length, "column") +
          ", a file of " +
          plural(mineModel.fileSize, "byte") +
          (!liveIsChosen
            ? ". The other views still show the file: they change as soon as you edit, or choose an example."
            : mineModel.source.count < mineModel.source.rows
              ? ". All views now show the records of the first row group, and "
              : ". All views now show these records, and "),
        liveIsChosen ? [make("a", {href: "#skips"}, "what the condition skips"), "."] : null,
      );
      replace(
        summary,
        make(
          "div.flow",
          null,
          mineModel.leaves.map((leaf) => tripleTable(leaf, 0, 200, null, new Map())),
        ),
      );
    };
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => explain(), 200);
    };
    [schema, records, columns, condition].forEach((field) => field.addEventListener("input", soon));
    const set = (key, convert) => (value) => {
      liveState[key] = convert(value);
      explain();
    };
    const cuts = {
      pageRows: choice(
        "Rows of a page",
        [
          [0, "all"],
          [1, "1"],
          [2, "2"],
          [5, "5"],
        ],
        liveState.pageRows,
        set("pageRows", Number),
      ),
      groupRows: choice(
        "Rows of a row group",
        [
          [0, "all"],
          [2, "2"],
          [4, "4"],
          [8, "8"],
        ],
        liveState.groupRows,
        set("groupRows", Number),
      ),
      bloom: choice(
        "Bloom filters",
        [
          [0, "none"],
          [1, "of all columns"],
        ],
        liveState.bloom,
        set("bloom", Number),
      ),
    };
    const open = (example) => {
      schema.value = example.schema;
      records.value = example.records;
      condition.value = example.where;
      columns.value = "";
      for (const [key, label] of Object.entries(cuts)) {
        liveState[key] = example[key];
        label.querySelector("select").value = example[key];
      }
      explain();
    };
    add(box, [
      make(
        "p",
        null,
        "Edit the schema or the records, and all views show what becomes of them: they are written to a Parquet file in the memory of this page, by the library's own code. Below are the columns of that file. An empty schema is inferred from the records. It begins with the example of the Dremel paper.",
      ),
      make(
        "div.sides",
        null,
        make("div", null, make("label", {for: "live-schema"}, "Schema, as message text"), schema),
        make(
          "div",
          null,
          make("label", {for: "live-records"}, "Records, a JSON object on each line"),
          records,
        ),
      ),
      make(
        "div.stepper",
        null,
        make("label", {for: "live-columns"}, "Columns"),
        columns,
        choice(
          "Encoding",
          [
            ["", "the writer's choice"],
            ...Object.keys(encodingWords)
              .filter((e) => e !== "RLE" && e !== "PLAIN_DICTIONARY")
              .map((e) => [e, e]),
          ],
          liveState.encoding,
          set("encoding", String),
        ),
        choice(
          "Pages",
          [
            [1, "version 1"],
            [2, "version 2"],
          ],
          liveState.version,
          set("version", Number),
        ),
        Object.values(cuts),
        make("label", {for: "live-where"}, "Condition"),
        condition,
        make(
          "button",
          {
            type: "button",
            onclick: () => open(paper),
          },
          "The paper's example",
        ),
        make(
          "button",
          {
            type: "button",
            onclick: () => open(readings),
          },
          "Rows to skip",
        ),
        make(
          "button",
          {
            type: "button",
            onclick: () => {
              schema.value = "";
              explain();
            },
          },
          "Infer the schema",
        ),
        fileModel.records.length
          ? make(
              "button",
              {
                type: "button",
                onclick: () => {
                  schema.value = fileModel.data.schema_text;
                  records.value = fileModel.data.records.map((r) => writeJson(r)).join("\n");
                  columns.value = "";
                  explain();
                },
              },
              "The records of this page's file",
            )
          : null,
      ),
      status,
      changes,
      summary,
    ]);
    explain(false);
  },
});
