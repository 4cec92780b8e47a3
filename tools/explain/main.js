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
    (s.is_written_here ? "; it was written in memory from records in JSON, uncompressed." : ".")
  );
}

function setModel(data, isLive) {
  liveModel = isLive ? new Model({...data, live: true}) : null;
  model = liveModel || fileModel;
  showHead();
}

function backToFile() {
  liveIsChosen = false;
  liveShown = null;
  setModel(null, false);
  showView();
  document.getElementById("view").focus();
}

function showHead() {
  const title = visible(fileModel.source.name);
  replace(
    document.getElementById("title"),
    liveModel ? "Your own records, explained" : title + ", explained",
  );
  const live = document.getElementById("live");
  live.hidden = !liveModel;
  replace(
    live,
    liveModel
      ? [
          "All views show the records of ",
          linkTo("live"),
          ", not those of " + title + ". ",
          make("button", {type: "button", onclick: backToFile}, "Back to the file"),
        ]
      : null,
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
  replace(box, [
    make("h2", null, view.title),
    view.question ? make("p.question", null, view.question) : null,
  ]);
  box.className = "view-" + view.id;
  document
    .querySelectorAll("#views a")
    .forEach((a) =>
      a.getAttribute("href") === "#" + view.id
        ? a.setAttribute("aria-current", "page")
        : a.removeAttribute("aria-current"),
    );
  view.render(model, box, parameters);
  add(box, [onward(view)]);
  reachScrolled();
  if (view.choose && parameters.length === 2) {
    const leaf = model.leaves[parameters[0]],
      triple = leaf && leaf.triples[parameters[1]];
    if (triple) view.choose(triple);
  }
}

/* To the views before and behind this one. */
function onward(view) {
  const at = views.indexOf(view),
    link = (v, text) => v && make("a", {href: "#" + v.id}, text + v.title);
  return make(
    "nav.onward",
    {"aria-label": "Neighbouring views"},
    link(views[at - 1], "\u25C0 "),
    views[at + 1] &&
      make("a", {href: "#" + views[at + 1].id}, "Next: " + views[at + 1].title + " \u25B6"),
  );
}

/* What scrolls can be reached by the Tab key, so that arrow keys scroll it. */
function reachScrolled() {
  for (const node of document.querySelectorAll(".scroll"))
    if (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1)
      node.setAttribute("tabindex", "0");
}

/* The views in the order in which a reader needs them, and the question that each answers. */
const order = [
  ["start", "What are levels, and where does one go from here?"],
  ["schema", "Which levels can a column have, and why?"],
  ["records", "Which triple does a value become, and where are its bytes?"],
  ["nulls", "In which ways can a value be missing, and what tells them apart?"],
  ["shred", "How does a record become columns, step by step?"],
  ["assembly", "How do columns become records again, step by step?"],
  ["page", "How do levels and values become bytes?"],
  ["bytes", "What is each byte of the file?"],
  ["footer", "What does the file say of itself?"],
  ["skips", "What need not be read for a condition?"],
  ["size", "Where do the bytes go?"],
  ["variant", "How is a value of any kind stored?"],
  ["exercises", "Did I get it?"],
  ["live", "What becomes of my own schema and records?"],
  ["words", "What does a word mean?"],
];
const place = (view) => order.findIndex(([id]) => id === view.id);
views.sort((a, b) => place(a) - place(b));
for (const view of views) view.question = (order[place(view)] || [])[1];

function tour() {
  return views;
}
replace(
  document.querySelector("#views ul"),
  views.map((v) => make("li", null, make("a", {href: "#" + v.id}, v.title))),
);
/* Another view begins at its heading, wherever the one before was scrolled to. */
window.addEventListener("hashchange", () => {
  const box = document.getElementById("view");
  if (box.getBoundingClientRect().top < 0) box.scrollIntoView();
  showView();
  box.focus({preventScroll: true});
});
["toggle", "input", "click", "change"].forEach((name) =>
  document.addEventListener(name, () => setTimeout(reachScrolled), true),
);
addEventListener("resize", reachScrolled);
showHead();
showView();
