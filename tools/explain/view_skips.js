/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a condition skips: row groups and their pages as bars to scale, each with its reason, and the
 * bits of Bloom filters.
 */
/* --- The map ------------------------------------------------------------------------------- */

/* Many pages are drawn as runs: neighbours that are all read, or all skipped. */
function pageRuns(pages) {
  const runs = [];
  for (const page of pages) {
    const last = runs[runs.length - 1],
      before = last && last[last.length - 1];
    if (
      pages.length > 60 &&
      last &&
      before.isKept === page.isKept &&
      before.first_row + before.rows === page.first_row
    )
      last.push(page);
    else runs.push([page]);
  }
  return runs;
}

const pagesWords = (run) =>
  "Pages " + number(run[0].page) + " to " + number(run[run.length - 1].page);

/* Rows whose pages are not listed, in a strip to scale. */
function gap(rows) {
  const node = make("span.gap", {title: "pages that are not listed"}, "\u2026");
  node.style.flex = rows + " 1 0";
  return node;
}

/* Row groups as bars to scale, and below each the pages that were judged. */
function skipMap(condition, groups, choose) {
  const most = Math.max(1, ...groups.map((g) => g.rows));
  const box = make("div.skip-map.scroll.tall", {
    role: "group",
    "aria-label": "Row groups and their pages, to scale by rows",
  });
  const mark = (button) => {
    box
      .querySelectorAll("button[aria-pressed=true]")
      .forEach((b) => b.setAttribute("aria-pressed", "false"));
    button.setAttribute("aria-pressed", "true");
  };
  const part = (kind, label, text, show) => {
    const button = make(
      "button." + kind,
      {
        type: "button",
        "aria-pressed": "false",
        title: visible(label),
        "aria-label": visible(label),
        onclick: () => (mark(button), choose(show())),
      },
      make("span", null, text),
    );
    return button;
  };
  let next = 0;
  for (const group of groups) {
    if (group.index > next)
      add(box, [
        make(
          "p.soft",
          null,
          "Row groups " + number(next) + " to " + number(group.index - 1) + " are not drawn.",
        ),
      ]);
    next = group.index + 1;
    const kind = group.by ? "skipped" : group.isWhole ? "whole" : "kept";
    const name = "Row group " + number(group.index);
    const bar = part(
      kind,
      name + ", " + plural(group.rows, "row") + ": " + groupDecision(group),
      number(group.index),
      () => showGroup(condition, group),
    );
    const width = Math.max(2, (100 * group.rows) / most) + "%";
    bar.style.width = width;
    add(box, [
      make(
        "div.skip-group",
        null,
        make("div.skip-name", null, make("b", null, name), " \u2013 " + groupDecision(group)),
        bar,
      ),
    ]);
    for (const {path, pages} of group.columns) {
      const strip = make("div.skip-pages", {
        role: "group",
        "aria-label": "Pages of " + visible(path),
      });
      strip.style.width = width;
      let end = 0;
      for (const run of pageRuns(pages)) {
        const [first, last] = [run[0], run[run.length - 1]];
        if (first.first_row > end) add(strip, [gap(first.first_row - end)]);
        end = last.first_row + last.rows;
        const what = run.length === 1 ? "Page " + first.page : pagesWords(run);
        const decision = first.isKept ? "read" : "skipped";
        const cell = part(
          first.isKept ? "kept" : "skipped",
          what + " of " + path + ", " + plural(end - first.first_row, "row") + ": " + decision,
          run.length === 1 ? String(first.page) : first.page + "\u2013" + last.page,
          () =>
            run.length === 1
              ? showPage(condition, group, path, first)
              : showPages(condition, group, path, run),
        );
        cell.dataset.pages = run.length;
        cell.style.flex = end - first.first_row + " 1 0";
        add(strip, [cell]);
      }
      if (end < group.rows) add(strip, [gap(group.rows - end)]);
      add(box.lastChild, [make("div.skip-path.soft.mono", null, "pages of " + path), strip]);
    }
    if (group.ranges_hidden)
      add(box.lastChild, [make("p.soft", null, "Not all pages that were judged here are listed.")]);
  }
  rove(box, "button");
  return box;
}

const skipKey = () =>
  make(
    "p.skip-key",
    null,
    make("span.key.skipped", {"aria-hidden": "true"}),
    " hatched: skipped, not read ",
    make("span.key.kept", {"aria-hidden": "true"}),
    " plain: may have rows that fit ",
    make("span.key.whole", {"aria-hidden": "true"}),
    " thick frame: every row fits",
  );

/* --- The summary --------------------------------------------------------------------------- */

function summaryWords(condition) {
  const r = condition.report;
  if (!r) return [];
  const causes = [
    [r.by_statistics, "by statistics"],
    [r.by_bloom, "by Bloom filters"],
    [r.by_pages, "by the page index"],
  ].filter(([count]) => count);
  const skipped = causes.reduce((sum, [count]) => sum + count, 0);
  const share = r.file_size ? (100 * r.bytes_read) / r.file_size : 0;
  const bar = make("div.skip-read", {"aria-hidden": "true"}, make("div"));
  bar.firstChild.style.width = Math.min(100, share) + "%";
  return [
    make(
      "ul",
      null,
      make(
        "li",
        null,
        "Row groups: " +
          number(skipped) +
          " of " +
          number(r.row_groups) +
          " skipped" +
          (causes.length
            ? " (" + causes.map(([count, by]) => number(count) + " " + by).join(", ") + ")"
            : "") +
          (r.by_dictionary
            ? "; in " + number(r.by_dictionary) + " the dictionary had no value that fits"
            : "") +
          ".",
      ),
      r.pages
        ? make(
            "li",
            null,
            "Pages in the page index, of the condition\u2019s columns: " +
              number(r.pages_ruled_out) +
              " of " +
              number(r.pages) +
              " skipped.",
          )
        : null,
      make(
        "li",
        null,
        "Rows: " +
          number(r.rows_ruled_out) +
          " of " +
          number(r.rows) +
          " ruled out unread; " +
          number(r.rows_wanted) +
          (r.rows_wanted === 1 ? " fits." : " fit."),
      ),
      make(
        "li",
        null,
        "Bytes: " +
          number(r.bytes_read) +
          " of " +
          number(r.file_size) +
          " read" +
          (r.index_bytes
            ? ", " + number(r.index_bytes) + " of them page indexes and Bloom filters"
            : "") +
          "; " +
          number(Math.max(0, r.file_size - r.bytes_read)) +
          " not read" +
          (r.reads_all_columns
            ? "."
            : " (of the condition\u2019s columns only, as the file is large)."),
        bar,
      ),
      r.is_cut
        ? make(
            "li",
            null,
            "The search ended after " +
              plural(r.row_groups, "row group") +
              ": the file is large. lamella cat --where \u2026 --explain reads all of it.",
          )
        : null,
    ),
  ];
}

/* The pages of all row groups, made when it is opened. */
function pageTable(groups) {
  const rows = groups.flatMap((group) =>
    group.columns.flatMap(({path, pages}) => pages.map((page) => [group, path, page])),
  );
  if (!rows.length) return null;
  const box = make("div.scroll.tall");
  const fill = () =>
    box.childNodes.length ||
    add(box, [
      table(
        null,
        [["row group"], "column", ["page"], ["rows"], "smallest", "largest", ["nulls"], "decision"],
        rows
          .slice(0, 2000)
          .map(([group, path, page]) =>
            make(
              "tr",
              null,
              make("td.n", null, group.index),
              make("td.v", null, path),
              make("td.n", null, page.page),
              make("td.n", null, number(page.rows)),
              make("td.v", null, page.min === undefined ? "not stated" : page.min),
              make("td.v", null, page.max === undefined ? "not stated" : page.max),
              make("td.n", null, page.nulls === undefined ? "not stated" : number(page.nulls)),
              make("td", null, page.isKept ? "read" : "skipped"),
            ),
          ),
      ),
    ]);
  return make("details", {ontoggle: fill}, make("summary", null, "Pages as a table"), box);
}

/* All about one condition. */
function skipResult(condition) {
  const detail = make("div.card", {"aria-live": "polite"});
  const error = condition.error && make("p.error", null, condition.error);
  if (error && !condition.row_groups) return [error];
  if (!condition.row_groups)
    return [
      make("p", null, "The file has no rows, so nothing was judged."),
      summaryWords(condition),
    ];
  joinPaths(condition);
  const groups = condition.row_groups.map((group) => skipGroup(condition, group));
  const hidden = condition.row_group_count - groups.length;
  const map = skipMap(condition, groups, (nodes) => replace(detail, nodes));
  const first =
    groups.find((g) => g.by === "Bloom filter") || groups.find((g) => !g.by) || groups[0];
  const button = [...map.querySelectorAll(".skip-group > button")][groups.indexOf(first)];
  if (button) button.click();
  return [
    error,
    make("h3", null, "In short"),
    summaryWords(condition),
    skipKey(),
    map,
    hidden > 0 ? make("p.soft", null, plural(hidden, "row group") + " more are not drawn.") : null,
    make(
      "p.soft",
      null,
      "Choose a row group or a page, by pointer or with the arrow keys and Enter, to see why.",
    ),
    detail,
    make(
      "details",
      null,
      make("summary", null, "Row groups as a table"),
      make(
        "div.scroll",
        null,
        table(
          null,
          [["row group"], ["rows"], "decision", ["rows left"], ["rows that fit"]],
          groups.map((g) =>
            make(
              "tr",
              null,
              make("td.n", null, g.index),
              make("td.n", null, number(g.rows)),
              make("td", null, groupDecision(g)),
              make("td.n", null, number(g.left_rows)),
              make("td.n", null, g.searched ? number(g.searched.wanted) : ""),
            ),
          ),
        ),
      ),
    ),
    pageTable(groups),
  ];
}

/* A field for a condition on the records of what the reader edits; calls changed() when it was run. */
function liveCondition(changed) {
  const field = make("input", {
    id: "skip-where",
    type: "text",
    value: liveState.where || "",
    spellcheck: "false",
    autocapitalize: "off",
    placeholder: "the program\u2019s choice",
  });
  let timer = 0,
    run = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const mine = ++run;
      liveState = {...liveState, where: field.value};
      const data = await Live.explain(liveState);
      if (mine !== run) return;
      if (!data.error) {
        liveShown = liveFacts(data);
        setModel(data, true);
      }
      changed(data.error);
    }, 150);
  });
  return make(
    "div.stepper",
    null,
    make("label", {for: "skip-where"}, "Condition, as cat --where takes it"),
    " ",
    field,
  );
}

views.push({
  id: "skips",
  title: "What is skipped",
  render(_, box) {
    const result = make("div"),
      choose = make("div");
    const show = (error) => {
      const skips = model.data.skips || {conditions: []};
      const conditions = skips.conditions;
      const about = (condition) => [
        make(
          "p",
          null,
          "The condition is ",
          make("code", null, condition.text),
          ".",
          skipRules[condition.chosen_by]
            ? " The program chose it: " + skipRules[condition.chosen_by] + "."
            : "",
        ),
        condition.test_count > 1
          ? make(
              "p",
              null,
              "It has " + plural(condition.test_count, "part") + ": ",
              condition.tests.map((test, i) => [
                i ? ", " : "",
                make("code", null, test.text || "part " + (i + 1)),
              ]),
              condition.tests.length < condition.test_count ? " and more" : "",
              ".",
            )
          : null,
        skipResult(condition),
      ];
      if (error) {
        replace(choose);
        replace(result, make("p.error", null, error));
      } else if (!conditions.length) {
        replace(choose);
        replace(
          result,
          make(
            "p",
            null,
            "No condition skips anything here that the program could find: this file has no statistics, no page index and no Bloom filter that can be used, or no rows.",
          ),
        );
      } else {
        replace(
          choose,
          conditions.length > 1
            ? choice(
                "Condition",
                conditions.map((c, i) => [i, short(visible(c.text))]),
                0,
                (at) => replace(result, about(conditions[at])),
              )
            : null,
        );
        replace(result, about(conditions[0]));
      }
    };
    add(box, [
      make(
        "p",
        null,
        "A program that looks for a few rows need not read all of them. Beside the values a file keeps notes: of each row group the smallest and largest value of each column (its statistics), the same of each page (the page index), and perhaps a Bloom filter, which can say that a value is not there. What these notes rule out is skipped, never even read. They only ever say \u201cno\u201d for sure: whatever is left must be searched.",
      ),
      model.data.live ? liveCondition(show) : null,
      choose,
      result,
      model.data.live
        ? null
        : make(
            "p.soft",
            null,
            "For another condition: ",
            make("code", null, 'lamella explain -o page.html --where "CONDITION" FILE'),
            ". In the ",
            linkTo("live"),
            " view conditions can be tried on records of your own.",
          ),
    ]);
    show();
  },
});
