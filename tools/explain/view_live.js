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
  pageRows: 0,
};
let liveState = {...paper};

/* What each view is about, in numbers and as text: [view, count, one, many, text]. */
function liveFacts(m) {
  const steps = (traces) => (traces || []).reduce((sum, t) => sum + t.steps.length, 0);
  const triples = m.leaves.reduce((sum, leaf) => sum + leaf.triples.length, 0);
  const automaton = m.data.automaton || {edges: [], leaves: []};
  const pages = m.data.pages || [];
  const events = (m.data.shredding || []).map((t) =>
    t.steps.map((step) => [step.event, step.field, step.value, step.r, step.d]),
  );
  const hex = m.ranges
    .flatMap(descendants)
    .map((r) => r.length + " " + (r.hex || ""))
    .join();
  return [
    ["schema", m.leaves.length, "column", "columns", m.data.schema_text],
    ["records", triples, "triple", "triples", writeJson(m.data.levels)],
    ["shred", steps(m.data.shredding), "event", "events", writeJson(events)],
    ["assembly", automaton.leaves.length, "state", "states", writeJson(automaton)],
    ["page", pages.length, "page", "pages", writeJson(pages)],
    ["bytes", m.fileSize, "byte", "bytes", hex],
  ];
}

/* A line that says what changed, with links to the views that show it. */
function liveChanges(before, after) {
  const old = before && new Map(liveFacts(before).map((fact) => [fact[0], fact]));
  const changed = liveFacts(after).filter(([id, , , , text]) => !old || old.get(id)[4] !== text);
  if (!changed.length) return "No view has changed.";
  const item = ([id, count, one, many]) => {
    const was = old && old.get(id)[1];
    return [
      make("a", {href: "#" + id}, views.find((v) => v.id === id).title),
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
  title: "Live",
  render(model, box) {
    if (!Live.isThere()) {
      add(box, [
        make(
          "p",
          null,
          "This page was made by a build without the live view: it needs a compiler for WebAssembly (see tools/packages).",
        ),
        make("p", null, "With it, schema and records can be edited here."),
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
      });
    schema.value = liveState.schema;
    records.value = liveState.records;
    columns.value = liveState.columns;
    let run = 0,
      timer = 0;
    const explain = async () => {
      const mine = ++run;
      liveState = {
        ...liveState,
        schema: schema.value,
        records: records.value,
        columns: columns.value,
      };
      const data = await Live.explain(liveState).catch((error) => ({
        error: error.message,
        where: "engine",
        line: 0,
      }));
      if (mine !== run) return;
      if (data.error) {
        status.className = "error";
        const line =
          data.where === "schema" && /line (\d+)/.exec(data.error)
            ? ""
            : data.line
              ? ", line " + data.line
              : "";
        replace(status, "In the " + data.where + line + ": " + data.error);
        replace(changes, liveModel ? "The views show what was there before." : null);
        return;
      }
      status.className = "";
      const before = liveModel;
      setModel(data, true);
      replace(changes, liveChanges(before, liveModel));
      replace(
        status,
        plural(liveModel.records.length, "record") +
          ", " +
          plural(liveModel.leaves.length, "column") +
          ", a file of " +
          plural(liveModel.fileSize, "byte") +
          ". All views now show these records.",
      );
      replace(
        summary,
        make(
          "div.flow",
          null,
          liveModel.leaves.map((leaf) => tripleTable(leaf, 0, 200, null, new Map())),
        ),
      );
    };
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(explain, 200);
    };
    [schema, records, columns].forEach((field) => field.addEventListener("input", soon));
    const set = (key, convert) => (value) => {
      liveState[key] = convert(value);
      explain();
    };
    add(box, [
      make(
        "p",
        null,
        "Edit schema and records: they become a Parquet file in the memory of this page, by the library's own code, and every view shows that file. Without a schema one is inferred.",
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
        choice(
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
        make(
          "button",
          {
            type: "button",
            onclick: () => {
              schema.value = paper.schema;
              records.value = paper.records;
              columns.value = "";
              explain();
            },
          },
          "The paper's example",
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
        make(
          "button",
          {
            type: "button",
            onclick: () => {
              setModel(null, false);
              replace(status, "All views show the file again.");
              replace(changes);
            },
          },
          "Back to the file",
        ),
      ),
      status,
      changes,
      summary,
    ]);
    explain();
  },
});
