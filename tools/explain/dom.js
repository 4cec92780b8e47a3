/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements without markup: text from a file only ever becomes text nodes, so nothing in it can
 * become an element. make("td.n", {title: "x"}, child, ...) makes one; children are nodes or texts.
 */
function make(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const svg = make.svgTags.has(tag);
  const node = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  add(node, children);
  return node;
}
make.svgTags = new Set(["svg", "g", "path", "rect", "circle", "text", "defs", "marker", "title"]);

function add(node, children) {
  for (const child of children.flat(9)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
  return node;
}

/* Control characters and such as change the direction of text, shown as symbols. */
function visible(text) {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => {
      const code = c.charCodeAt(0);
      return code < 0x20
        ? String.fromCharCode(0x2400 + code)
        : "\u27e8U+" + code.toString(16).toUpperCase().padStart(4, "0") + "\u27e9";
    },
  );
}

function replace(node, ...children) {
  node.textContent = "";
  return add(node, children);
}

function number(value) {
  return Number(value).toLocaleString("en-US").replace(/,/g, "\u202f");
}

function plural(count, one, many) {
  return number(count) + " " + (count === 1 ? one : many || one + "s");
}

function table(caption, heads, rows, options) {
  const body = make("tbody", null, rows);
  return make(
    "table",
    options,
    caption && make("caption", null, caption),
    make(
      "thead",
      null,
      make(
        "tr",
        null,
        heads.map((h) =>
          Array.isArray(h) ? make("th.n", {scope: "col"}, h[0]) : make("th", {scope: "col"}, h),
        ),
      ),
    ),
    body,
  );
}

/*
 * One stop of the Tab key for many buttons: arrow keys go from one to the next, Home and End to the
 * ends. The buttons are found when a key is pressed, so they may change.
 */
function rove(box, selector) {
  const all = () => [...box.querySelectorAll(selector)].filter((b) => b.offsetParent !== null);
  const reset = (keep) => {
    box
      .querySelectorAll(selector)
      .forEach((b) => b.setAttribute("tabindex", b === keep ? "0" : "-1"));
  };
  const first = box.querySelector(selector);
  if (first) reset(first);
  box.addEventListener("focusin", (event) => {
    const target = event.target.closest(selector);
    if (target) reset(target);
  });
  box.addEventListener("keydown", (event) => {
    const list = all();
    const at = list.indexOf(document.activeElement);
    const step = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
    let to = at;
    if (step) to = at + step;
    else if (event.key === "Home") to = 0;
    else if (event.key === "End") to = list.length - 1;
    else return;
    if (at < 0 || to < 0 || to >= list.length) return;
    event.preventDefault();
    list[to].focus();
  });
}

/* Scrolls a box that scrolls, and not the page, to something in it. */
function reveal(node, box) {
  const inner = node.getBoundingClientRect(),
    outer = box.getBoundingClientRect();
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    box.scrollTop += inner.top - outer.top - outer.height / 3;
  if (inner.left < outer.left || inner.right > outer.right)
    box.scrollLeft += inner.left - outer.left - outer.width / 3;
}

/* Buttons, a slider and words for steps 0 to count; calls show(step). Gives {node, go}. */
function stepper(name, count, show) {
  let at = 0;
  const range = make("input", {
    type: "range",
    min: 0,
    max: count,
    step: 1,
    value: 0,
    "aria-label": name,
  });
  const where = make("span.soft.mono", {"aria-hidden": "true"});
  const go = (to) => {
    at = Math.max(0, Math.min(count, to));
    range.value = at;
    range.setAttribute("aria-valuetext", "step " + at + " of " + count);
    where.textContent = at + " / " + count;
    buttons[0].disabled = buttons[1].disabled = at === 0;
    buttons[2].disabled = buttons[3].disabled = at === count;
    show(at);
  };
  const button = (text, label, to) =>
    make("button", {type: "button", "aria-label": label, onclick: () => go(to())}, text);
  const buttons = [
    button("|\u25C0", "First step", () => 0),
    button("\u25C0 Back", "One step back", () => at - 1),
    button("Next \u25B6", "Next step", () => at + 1),
    button("\u25B6|", "Last step", () => count),
  ];
  range.addEventListener("input", () => go(Number(range.value)));
  return {
    node: make(
      "div.stepper",
      {role: "group", "aria-label": name},
      buttons[0],
      buttons[1],
      range,
      buttons[2],
      buttons[3],
      where,
    ),
    go,
    at: () => at,
  };
}

function choice(label, options, value, change) {
  const select = make(
    "select",
    null,
    options.map(([key, text]) => make("option", {value: key}, text)),
  );
  select.value = value;
  select.addEventListener("change", () => change(select.value));
  return make("label", null, label + " ", select);
}
