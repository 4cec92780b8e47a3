/* SPDX-License-Identifier: Apache-2.0 */
/* Shows one view at a time; its name, and what in it is chosen, are behind the # of the address. */
const fileModel = new Model(readJson(document.getElementById("data").textContent));
let liveModel = null,
  model = fileModel;

function subtitle(m) {
  const s = m.source,
    last = s.first + s.count - 1;
  const records = !s.count
    ? "no records"
    : s.count === s.rows
      ? s.rows === 1
        ? "its only record"
        : "all " + number(s.rows) + " records"
      : (s.count === 1
          ? "record " + number(s.first)
          : "records " + number(s.first) + " to " + number(last)) +
        " of " +
        number(s.rows);
  const columns = s.columns.length === 1 ? "1 column" : s.columns.length + " columns";
  return (
    "This page shows " +
    records +
    ", " +
    columns +
    (s.columns_left_out ? " (" + number(s.columns_left_out) + " left out)" : "") +
    (s.row_groups > 1 ? ", row group " + s.row_group + " of " + number(s.row_groups) : "") +
    ". The file has " +
    plural(s.size, "byte") +
    (s.is_written_here ? "; it was written in memory from records in JSON." : ".")
  );
}

function setModel(data, isLive) {
  liveModel = isLive ? new Model({...data, live: true}) : null;
  model = liveModel || fileModel;
  showHead();
}

function showHead() {
  const title = visible(model.source.name);
  replace(
    document.getElementById("title"),
    liveModel ? "Records of this page, explained" : title + ", explained",
  );
  document.title = title + " \u2013 lamella explain";
  replace(document.getElementById("subtitle"), subtitle(model));
  const notes = document.getElementById("notes");
  notes.hidden = !model.data.notes.length;
  replace(
    notes.querySelector("ul"),
    model.data.notes.map((note) => make("li", null, note)),
  );
}

function showView() {
  const [id, ...parameters] = location.hash.slice(1).split("/");
  const view = views.find((v) => v.id === id) || (location.hash === "#view" ? null : views[0]);
  if (!view) return;
  const box = document.getElementById("view");
  replace(box, make("h2", null, view.title));
  document
    .querySelectorAll("#views a")
    .forEach((a) =>
      a.getAttribute("href") === "#" + view.id
        ? a.setAttribute("aria-current", "page")
        : a.removeAttribute("aria-current"),
    );
  view.render(model, box, parameters);
  reachScrolled();
  if (view.choose && parameters.length === 2) {
    const leaf = model.leaves[parameters[0]],
      triple = leaf && leaf.triples[parameters[1]];
    if (triple) view.choose(triple);
  }
}

/* What scrolls can be reached by the Tab key, so that arrow keys scroll it. */
function reachScrolled() {
  for (const node of document.querySelectorAll(".scroll"))
    if (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1)
      node.setAttribute("tabindex", "0");
}

const order = [
  "schema",
  "records",
  "shred",
  "assembly",
  "nulls",
  "page",
  "bytes",
  "footer",
  "variant",
  "size",
  "live",
  "words",
];
views.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
replace(
  document.querySelector("#views ul"),
  views.map((v) => make("li", null, make("a", {href: "#" + v.id}, v.title))),
);
window.addEventListener("hashchange", () => {
  showView();
  document.getElementById("view").focus({preventScroll: true});
});
["toggle", "input", "click", "change"].forEach((name) =>
  document.addEventListener(name, () => setTimeout(reachScrolled), true),
);
addEventListener("resize", reachScrolled);
showHead();
showView();
