/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scan concludes from metadata, joined and put into words: row groups with their pages, and
 * why each may have rows that fit or not. Nothing is judged here: what may be true where is the
 * library's own conclusion.
 */
const skipRules = {
  page: "its value is the smallest of the page in the middle of a row group",
  row_group: "its value is the smallest of the row group in the middle of the file",
  outside: "its value is the largest of a column, and asks for more",
  bloom: "its value lies between the bounds of a column, but its Bloom filter does not have it",
};

const mayBe = (judged, what) => judged.may_be.includes(what);
const sentence = (text) => text[0].toUpperCase() + text.slice(1);

/* --- Words --------------------------------------------------------------------------------- */

/* The part of the condition that a test is, as it was written. */
function testText(condition, index) {
  const test = (condition.tests || [])[index] || {};
  return "\u201c" + (test.text || condition.text) + "\u201d";
}

function boundWords(column) {
  const nulls =
    column.nulls > 0
      ? ", and " + plural(column.nulls, "is null", "are null")
      : column.nulls === 0
        ? ", none is null"
        : "";
  return column.min === undefined
    ? "no bounds are stated" + nulls
    : "all values lie from " + column.min + " to " + column.max + nulls;
}

/* Why a test may be what it may be, by the facts that the library gave with it. */
function testWords(condition, index, judged, byBloom) {
  const test = condition.tests[index],
    text = testText(condition, index),
    column = judged.column;
  if (!column) return "No statistics of one column decide " + text + ".";
  if (judged.has_residuals)
    return (
      "Values may also be in the column \u201cvalue\u201d beside it, so " + text + " may hold."
    );
  if (test.kind === "constant") return text + " is the same for every value of this type.";
  const both = judged.other
    ? column.path +
      ": " +
      boundWords(column) +
      "; " +
      judged.other.path +
      ": " +
      boundWords(judged.other)
    : boundWords(column);
  const facts = sentence(both);
  if (!mayBe(judged, "true")) {
    if (byBloom) return "The Bloom filter does not have the value, so " + text + " is never true.";
    if (column.is_all_null)
      return (
        "All " +
        plural(column.triples, "value is", "values are") +
        " null: " +
        text +
        " is never true."
      );
    return facts + ": " + text + " is never true.";
  }
  if (judged.may_be.length === 1) return facts + ": " + text + " is always true.";
  return facts + ": " + text + " may be true.";
}

/* --- What is joined ------------------------------------------------------------------------ */

/* Columns get the names that the tests of the condition have. */
function joinPaths(condition) {
  for (const group of condition.row_groups)
    for (const judged of [group.statistics, group.bloom, ...(group.ranges || [])])
      (judged ? judged.tests : []).forEach(({column, other}, index) => {
        if (column) column.path = condition.tests[index].path;
        if (other) other.path = condition.tests[index].other_path;
      });
}

/* A row group with its decision, and its pages by column. */
function skipGroup(condition, group) {
  const searched = (condition.searched || []).find((s) => s.index === group.index);
  const stages = [
    ["statistics", group.statistics],
    ["Bloom filter", group.bloom],
  ];
  const stage = stages.find(([, judged]) => judged && !mayBe(judged, "true"));
  const by =
    (searched && searched.ruled_out_by) ||
    (stage ? stage[0] : group.ranges && !group.left_rows ? "page index" : null);
  return {
    ...group,
    searched,
    by,
    isWhole: !group.ranges && group.left_rows === group.rows,
    columns: skipPages(condition, group),
  };
}

/* The pages of each column that have been judged. A page is read if any of its rows is left. */
function skipPages(condition, group) {
  const columns = new Map();
  for (const range of group.ranges || [])
    range.tests.forEach((judged, index) => {
      for (const column of [judged.column, judged.other]) {
        if (!column || column.page === undefined) continue;
        const pages = columns.get(column.path) || new Map();
        columns.set(column.path, pages);
        const page = pages.get(column.page) || {...column, tests: new Map(), isKept: false};
        pages.set(column.page, page);
        page.isKept = page.isKept || mayBe(range, "true");
        const before = page.tests.get(index);
        if (!before || mayBe(judged, "true")) page.tests.set(index, judged);
      }
    });
  return [...columns].map(([path, pages]) => ({path, pages: [...pages.values()]}));
}

function groupDecision(group) {
  const wanted = group.searched ? group.searched.wanted : null;
  if (group.by === "dictionary") return "no value in its dictionary";
  if (group.by) return "skipped by its " + group.by;
  if (group.isWhole) return "every row fits";
  return (
    number(group.left_rows) +
    " of " +
    plural(group.rows, "row") +
    " searched" +
    (wanted === null ? "" : ", " + number(wanted) + (wanted === 1 ? " fits" : " fit"))
  );
}

function groupReason(group) {
  if (group.by === "statistics")
    return "The statistics of its column chunks are in the footer, which is read first. They leave no row for which the condition can be true, so nothing of this row group is read.";
  if (group.by === "Bloom filter")
    return "The bounds leave it possible, but the Bloom filter says that the value is not there. Of this row group only the filter is read.";
  if (group.by === "page index")
    return "The row group as a whole may have such a row, but no page may: of this row group only the page index is read.";
  if (group.by === "dictionary")
    return "Metadata leave it possible. The search then finds that no value of the column\u2019s dictionary fits, so no data page is read.";
  if (group.isWhole)
    return "By the statistics alone the condition is true for every row: nothing has to be searched.";
  return group.left_rows < group.rows
    ? "Metadata rule out " +
        plural(group.rows - group.left_rows, "row") +
        "; the others may fit, and are searched."
    : "Metadata rule out nothing here: all rows are searched.";
}
