/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that this page can answer: some about the file, made and answered from its data, and
 * those of docs/levels.md, on the paper's Document. An answer shows when it is opened.
 */
views.push({
  id: "exercises",
  title: "Exercises",
  render(model, box) {
    const leaf = model.example;
    const own = leaf && leaf.triples.length ? ownQuestions(model, leaf).filter(Boolean) : [];
    add(box, [
      make("p", null, "Write down your answer first, then open the one below the question."),
      own.length
        ? [
            make("h3", null, "On ", make("code", null, leaf.path), " of this file"),
            make("ol", null, own.map(questionItem)),
          ]
        : null,
      make("h3", null, "On the Document of the Dremel paper"),
      make("ol", null, documentQuestions().map(questionItem)),
    ]);
  },
});

function questionItem([question, answer, lead]) {
  return make(
    "li.exercise",
    null,
    make("div", null, question),
    make("details", null, make("summary", null, "Answer"), make("div", null, answer)),
    lead ? make("p", null, lead) : null,
  );
}

const viewLink = (address, text) => make("a", {href: "#" + address}, text);

function ownQuestions(model, leaf) {
  return [
    questionOfRecord(model, leaf),
    questionOfMeaning(model, leaf),
    questionOfSchema(leaf),
    questionOfPair(leaf),
    questionOfArrow(model, leaf),
    questionOfBytes(model, leaf),
  ];
}

/* A record is given, its triples are wanted: the first that gives several and is short enough to read. */
function questionOfRecord(model, leaf) {
  const of = (i) => leaf.triples.filter((t) => t.record === i);
  const texts = model.records.map((record, i) => writeJson(model.data.records[i], 1));
  const isShort = (i) => model.data.records[i] && texts[i].length < 2000;
  let at = texts.findIndex((text, i) => of(i).length > 1 && isShort(i));
  if (at < 0) at = texts.findIndex((text, i) => of(i).length > 0 && isShort(i));
  if (at < 0) return null;
  const {r_words: r, d_words: d} = leaf.levels;
  return [
    [
      "This is record " + model.records[at].number + ". Which triples does it give in this column?",
      make("pre.card.scroll.tall", {tabindex: 0}, texts[at]),
    ],
    [
      make(
        "div.scroll",
        null,
        table(
          null,
          [["r"], ["d"], "value", "because"],
          of(at).map((t) =>
            make(
              "tr",
              null,
              make("td.n", null, t.r),
              make("td.n", null, t.d),
              make("td.v", null, show(t.value)),
              make("td", null, r && d ? r[t.r] + "; " + d[t.d] : ""),
            ),
          ),
        ),
      ),
      make(
        "p",
        null,
        viewLink("records/" + leaf.index + "/" + of(at)[0].index, "Records and columns"),
        " shows them side by side; ",
        viewLink("shred", "Shredding"),
        " how each is written.",
      ),
    ],
  ];
}

/* A level is given, what it says is wanted: the lowest below the highest that these records have. */
function questionOfMeaning(model, leaf) {
  if (!leaf.levels.d_words || leaf.maxD === 0) return null;
  const found = leaf.triples.find((t) => t.isNull);
  const d = found ? found.d : leaf.maxD - 1;
  return [
    "A triple of this column has d = " + d + ". Is there a value? If not, what is missing?",
    [
      make(
        "p",
        null,
        "There is none, since the highest d is " +
          leaf.maxD +
          ". It says: " +
          leaf.levels.d_words[d] +
          ".",
      ),
      make(
        "p",
        null,
        found
          ? [
              "Record ",
              viewLink(
                "records/" + leaf.index + "/" + found.index,
                number(model.recordNumber(found)),
              ),
              " has such a triple; ",
            ]
          : "",
        viewLink("nulls", "What is missing"),
        " has all levels of all columns.",
      ),
    ],
  ];
}

/*
 * One field of the path is made required: which highest levels remain? Of what is inside of a
 * VARIANT the format says what is required.
 */
function questionOfSchema(leaf) {
  let field = variantAround(leaf.field) || leaf.field;
  while (field.parent && field.repetition === "required") field = field.parent;
  if (!field.parent) return null;
  const repeats = field.repetition === "repeated" ? 1 : 0;
  return [
    [
      make("code", null, field.path),
      " is " + field.repetition + ". Were it required, which highest levels would the column have?",
    ],
    [
      make(
        "p",
        null,
        (repeats
          ? "max r " + (leaf.maxR - 1) + " instead of " + leaf.maxR
          : "max r " + leaf.maxR + " as before") +
          ", max d " +
          (leaf.maxD - 1) +
          " instead of " +
          leaf.maxD +
          ": a required field adds nothing.",
      ),
      make("p", null, viewLink("schema/" + leaf.index, "Schema"), " has the sum, field by field."),
    ],
  ];
}

function questionOfPair(leaf) {
  if (!leaf.maxR) return null;
  let field = leaf.field;
  while (field.max_repetition !== 1 || field.repetition !== "repeated") field = field.parent;
  return [
    "Why does no triple of this column have r = 1 together with d = " +
      (field.max_definition - 1) +
      "?",
    [
      make(
        "p",
        null,
        "r = 1 begins another element of ",
        make("code", null, field.path),
        ". So that is there, and d is " + field.max_definition + " or more.",
      ),
      make(
        "p",
        null,
        viewLink("schema/" + leaf.index, "Schema"),
        " has the pairs that can be, and how many of each these records have.",
      ),
    ],
  ];
}

/* The automaton stands on the column: where does the highest level that may come next lead? */
function questionOfArrow(model, leaf) {
  const automaton = model.data.automaton;
  const state = automaton ? automaton.leaves.indexOf(leaf.path) : -1;
  if (state < 0) return null;
  const edge = automaton.edges.find((e) => e.from === state && e.r.includes(leaf.maxR));
  if (!edge) return null;
  const next = automaton.leaves[edge.to];
  return [
    "Records are put together again, and a triple of this column was read. The next triple of the column has r = " +
      leaf.maxR +
      ". Which column is read next?",
    [
      make(
        "p",
        null,
        next ? make("code", null, next) : "None: the record ends",
        ": " + (edge.words || [])[edge.r.indexOf(leaf.maxR)] + ".",
      ),
      make("p", null, viewLink("assembly", "Assembly"), " has all arrows, and steps through them."),
    ],
  ];
}

/* The bytes of a run of levels are given, the levels are wanted. */
function questionOfBytes(model, leaf) {
  const page = leaf.triples[0].pageRange;
  const runs = page
    ? descendants(page).filter(
        (r) => /^(rle|bit_packed)_run$/.test(r.kind) && /_levels$/.test(r.parent.kind),
      )
    : [];
  const isShown = (r) =>
    r.length <= 12 &&
    (r.kind === "bit_packed_run"
      ? r.inside.some((g) => g.kind === "packed_group" && g.value)
      : r.inside.some((v) => v.kind === "run_value" && v.value !== undefined));
  const run = runs.find((r) => r.kind === "bit_packed_run" && isShown(r)) || runs.find(isShown);
  if (!run) return null;
  const bytes = allHex(run, 16);
  const which = run.parent.kind === "repetition_levels" ? "repetition" : "definition";
  const width = Math.ceil(Math.log2((which === "repetition" ? leaf.maxR : leaf.maxD) + 1));
  const header = run.inside.find((r) => r.kind === "run_header");
  const packed = run.inside.filter((r) => r.kind === "packed_group" && r.value);
  const headerNumber = header ? parseInt(hexOf(header).slice(0, 2), 16) : 0;
  return [
    [
      "The page of this column has these bytes among its " +
        which +
        " levels, of " +
        plural(width, "bit") +
        " each: ",
      make("code", null, bytes),
      ". Which levels are they?",
    ],
    [
      run.kind === "bit_packed_run"
        ? [
            make(
              "p",
              null,
              "The header ",
              make("code", null, hexOf(header)),
              " is odd, so the levels are packed; without its lowest bit it counts groups of eight. Then " +
                plural(width, "bit") +
                " for each level, from the lowest bit of each byte on, which is the right end:",
            ),
            packed.map((group) =>
              make(
                "p",
                null,
                make("code", null, hexOf(group)),
                " is in bits ",
                make("code", null, byteBits(group)),
                ", cut into levels ",
                make("code", null, levelBits(group)),
                ", which are ",
                make("code", null, group.value),
              ),
            ),
            packed.some((group) => group.count < 8)
              ? make(
                  "p.soft",
                  null,
                  "The last group is padded with zeros to eight levels: the header of the page says how many triples there are.",
                )
              : null,
          ]
        : make(
            "p",
            null,
            "The header ",
            make("code", null, header ? hexOf(header) : ""),
            " is even, so one level is repeated; " +
              (headerNumber < 128 ? "half of it is " : "without its lowest bit it counts ") +
              run.count +
              ". The level follows: ",
            make("code", null, run.inside.find((r) => r.kind === "run_value").value),
            ".",
          ),
      make(
        "p",
        null,
        viewLink("page/" + model.pages.indexOf(page), "Inside a page"),
        " has all of its bytes.",
      ),
    ],
  ];
}

/* Bytes in bits, the highest first, as numbers are written. */
function byteBits(range) {
  return hexOf(range)
    .split(" ")
    .map((hex) => parseInt(hex, 16).toString(2).padStart(8, "0"))
    .join(" ");
}

/* The levels of a packed group in bits, the first level first, each with its highest bit first. */
function levelBits(group) {
  const bits = bitText(group);
  return Array.from({length: group.count}, (_, i) => {
    const [begin, end] = bitsOf(group, group.first + i);
    return [...bits.slice(begin, end + 1)].reverse().join("");
  }).join(" ");
}

/* The exercises of docs/levels.md, each with what lets the reader try it. */
function documentQuestions() {
  const one = tryLive(
    "Try records of your own on this schema",
    paper.schema,
    '{"DocId": 1}\n{"DocId": 2}\n',
    "live",
  );
  const strict = tryLive(
    "Try this schema",
    paper.schema.replace("optional binary Country", "required binary Country"),
    '{"DocId": 1, "Name": [{}]}\n',
    "schema/4",
  );
  const list = tryLive(
    "Try these lists",
    "message m {\n  repeated int32 n;\n}\n",
    '{"n": [1, 2, 3]}\n{"n": []}\n{"n": [4]}\n',
    "page",
  );
  return [
    [
      [
        "The column ",
        make("code", null, "Name.Url"),
        ' has the triples (0, 1, NULL), (1, 2, "u"), (0, 0, NULL): r, d and value. Write records that give these.',
      ],
      [
        make("pre.scroll", null, '{"DocId": 1, "Name": [{}, {"Url": "u"}]}\n{"DocId": 2}'),
        make(
          "p",
          null,
          "r = 0 begins a record, so there are two. In the first, d = 1 is a Name without Url; r = 1 is another Name, and d = 2 its Url. In the second, d = 0: no Name at all.",
        ),
      ],
      one,
    ],
    [
      "Make Country required. Which highest levels does it get, and which d says that a Name has no Language?",
      make(
        "p",
        null,
        "max r 2 and max d 2: Name and Language count, Country no longer does. d = 1: Name is there, Language is missing.",
      ),
      strict,
    ],
    [
      "Three lists, [1,2,3], [] and [4], in a column of one-bit levels: which bytes are its two runs of packed levels?",
      make(
        "p",
        null,
        "r is 0 1 1 0 0, and d is 1 1 1 0 1. From the lowest bit on, that is ",
        make("code", null, "06"),
        " and ",
        make("code", null, "17"),
        ", each behind the header ",
        make("code", null, "03"),
        ": packed, one group of eight.",
      ),
      list,
    ],
    [
      ["Why does no record give ", make("code", null, "Name.Url"), " the pair r = 1 and d = 0?"],
      make(
        "p",
        null,
        "r = 1 begins another Name, so a Name is there, and d is 1 or more. A file that says otherwise is damaged, and readers refuse it.",
      ),
    ],
  ];
}
