/* SPDX-License-Identifier: Apache-2.0 */
/* Why one row group or page is read or skipped: the facts that the library judged it by. */
function factTable(caption, condition, tests) {
  return make(
    "div.scroll",
    null,
    table(
      caption,
      ["part of the condition", "column", "smallest", "largest", ["nulls"], "it may be"],
      tests.flatMap(([index, judged]) =>
        [judged.column, judged.other]
          .filter((c, i) => c || !i)
          .map((column) =>
            make(
              "tr",
              null,
              make("td.v", null, testText(condition, index)),
              make("td.v", null, column ? column.path : ""),
              make("td.v", null, column && column.min !== undefined ? column.min : "not stated"),
              make("td.v", null, column && column.max !== undefined ? column.max : "not stated"),
              make(
                "td.n",
                null,
                column && column.nulls !== undefined ? number(column.nulls) : "not stated",
              ),
              make("td", null, judged.may_be.join(" or ")),
            ),
          ),
      ),
    ),
  );
}

function reasonList(condition, tests, bloomOf) {
  const lines = tests.map(([index, judged]) =>
    judged.column && !judged.other ? boundLine(condition, index, judged.column) : null,
  );
  return [
    tests.map(([index, judged], i) => [
      make("p", null, testWords(condition, index, judged, bloomOf(index))),
      lines[i],
    ]),
    lines.some(Boolean)
      ? make(
          "p.soft",
          null,
          "The box goes from the smallest to the largest value here, the line over all row groups; the mark is the value of the condition.",
        )
      : null,
  ];
}

const entries = (judged) => (judged ? judged.tests.map((test, index) => [index, test]) : []);

function rowWords(runs, hidden) {
  const shown = runs
    .slice(0, 12)
    .map(([first, count]) =>
      count === 1 ? number(first) : number(first) + " to " + number(first + count - 1),
    );
  const more = runs.length - shown.length + (hidden || 0);
  return shown.join(", ") + (more ? " and " + plural(more, "range") + " more" : "");
}

function showGroup(condition, group) {
  const before = group.statistics;
  const byBloom = (index) =>
    group.by === "Bloom filter" &&
    mayBe(before.tests[index], "true") &&
    !mayBe(group.bloom.tests[index], "true");
  const judged = entries(group.by === "Bloom filter" ? group.bloom : before);
  const chunks = [
    ...new Map(
      entries(before)
        .flatMap(([, t]) => [t.column, t.other])
        .filter((c) => c && c.chunk)
        .map((c) => [c.path, c]),
    ).values(),
  ];
  return [
    make("h3", null, "Row group " + number(group.index) + ": " + groupDecision(group)),
    make("p", null, groupReason(group)),
    reasonList(condition, judged, byBloom),
    group.left_rows && !group.isWhole
      ? make(
          "p",
          null,
          "Rows that are left: " +
            rowWords(group.left, group.left_hidden) +
            ", counted from 0 in the row group.",
        )
      : null,
    judged.length ? factTable("Statistics beside the condition", condition, entries(before)) : null,
    chunks.length
      ? make(
          "p",
          null,
          "In all bytes: ",
          chunks.map((c, i) => [
            i ? "; " : "",
            linkToBytes("column_chunk", c.chunk.offset, "column chunk " + c.path),
            c.chunk.bloom_filter
              ? [", ", linkToBytes("bloom_filter", c.chunk.bloom_filter, "its Bloom filter")]
              : "",
            c.chunk.column_index
              ? [", ", linkToBytes("column_index", c.chunk.column_index, "its column index")]
              : "",
          ]),
          ".",
        )
      : null,
    (group.probes || []).length
      ? [
          make("h3", null, "The Bloom filter"),
          group.probes.map((probe) => bloomWords(condition, probe)),
        ]
      : null,
  ];
}

function showPage(condition, group, path, page) {
  const tests = [...page.tests];
  const own = tests.filter(([, judged]) => judged.column && judged.column.path === path);
  const rules = tests.some(([, judged]) => !mayBe(judged, "true"));
  return [
    make(
      "h3",
      null,
      "Page " +
        number(page.page) +
        " of " +
        path +
        ", row group " +
        number(group.index) +
        ": " +
        (page.isKept ? "read" : "skipped"),
    ),
    make(
      "p",
      null,
      "It has " +
        plural(page.rows, "row") +
        ", " +
        rowWords([[page.first_row, page.rows]]) +
        " of the row group, in " +
        plural(page.size, "byte") +
        " of the file: ",
      linkToBytes("page", page.offset, "byte " + number(page.offset) + " on"),
      ".",
    ),
    reasonList(condition, tests, () => false),
    make(
      "p",
      null,
      page.isKept
        ? "The condition may be true for some of its rows, so the page is read."
        : rules
          ? "The condition is true for none of its rows, so the page is not read."
          : "Its own values would allow it, but the other parts of the condition rule out all of its rows, so the page is not read.",
      page.is_of_page ? "" : " There is no column index: the bounds are those of the whole chunk.",
    ),
    factTable("The column index beside the condition", condition, own.length ? own : tests),
  ];
}

function showPages(condition, group, path, run) {
  return [
    make(
      "h3",
      null,
      pagesWords(run) +
        " of " +
        path +
        ", row group " +
        number(group.index) +
        ": " +
        (run[0].isKept ? "read" : "skipped"),
    ),
    make(
      "p",
      null,
      run[0].isKept
        ? "In each of them the condition may be true for some rows."
        : "In none of them the condition is true for any row." +
            (run.some((page) => [...page.tests.values()].every((t) => mayBe(t, "true")))
              ? " Where their own values would allow it, the other parts of the condition do not."
              : ""),
    ),
    make("p", null, "Page " + number(run[0].page) + ", for example:"),
    reasonList(condition, [...run[0].tests], () => false),
    make(
      "div.scroll.tall",
      null,
      table(
        "The column index",
        [["page"], ["rows"], "smallest", "largest", ["nulls"], "bytes"],
        run
          .slice(0, 400)
          .map((page) =>
            make(
              "tr",
              null,
              make("td.n", null, page.page),
              make("td.n", null, number(page.rows)),
              make("td.v", null, page.min === undefined ? "not stated" : page.min),
              make("td.v", null, page.max === undefined ? "not stated" : page.max),
              make("td.n", null, page.nulls === undefined ? "not stated" : number(page.nulls)),
              make("td", null, linkToBytes("page", page.offset, number(page.offset))),
            ),
          ),
      ),
    ),
  ];
}
