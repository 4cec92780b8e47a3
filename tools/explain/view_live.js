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
/* Whether the reader changed or chose something here: only then the other views leave the file. */
let liveIsChosen = false;

/* A button that opens schema and records in this view, and then goes to another; null without an engine. */
function tryLive(text, schema, records, then) {
  if (!Live.isThere()) return null;
  const open = async () => {
    const state = {...paper, schema, records};
    const data = await Live.explain(state);
    if (data.error) return;
    liveState = state;
    liveIsChosen = true;
    setModel(data, true);
    if (location.hash === "#" + then) showView();
    else location.hash = "#" + then;
  };
  return make("button", {type: "button", onclick: open}, text);
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
          "This page was made by a build without the live view: it needs a compiler for WebAssembly (see tools/packages).",
        ),
        make("p", null, "With it, schema and records can be edited here."),
      ]);
      return;
    }
    const status = make("p", {role: "status", "aria-live": "polite"}),
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
    const explain = async (isChosen = true) => {
      liveIsChosen = liveIsChosen || isChosen;
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
        return;
      }
      status.className = "";
      if (liveIsChosen) setModel(data, true);
      const mineModel = liveIsChosen ? liveModel : new Model({...data, live: true});
      replace(
        status,
        plural(mineModel.records.length, "record") +
          ", " +
          plural(mineModel.leaves.length, "column") +
          ", a file of " +
          plural(mineModel.fileSize, "byte") +
          (liveIsChosen
            ? ". All views now show these records."
            : ". The other views still show the file: they change as soon as you edit, or choose an example."),
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
    [schema, records, columns].forEach((field) => field.addEventListener("input", soon));
    const set = (key, convert) => (value) => {
      liveState[key] = convert(value);
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
      summary,
    ]);
    explain(false);
  },
});
