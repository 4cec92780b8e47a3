/* SPDX-License-Identifier: Apache-2.0 */
/* The glossary, at one word if it was asked for. Links that leave the page are followed by nobody but the reader. */
views.push({
  id: "words",
  title: "Glossary",
  render(model, box, parameters) {
    const entries = glossary.map(([word, meaning, file, section], i) => {
      const isWanted = parameters[0] === String(i);
      return [
        make(isWanted ? "dt.on" : "dt", null, word),
        make(
          "dd",
          null,
          meaning + " ",
          make(
            "a",
            {
              href:
                "https://github.com/apache/parquet-format/blob/master/" +
                file +
                (section ? "#" + section : ""),
              rel: "noreferrer noopener",
              target: "_blank",
            },
            file,
          ),
        ),
      ];
    });
    add(box, [
      make(
        "p",
        null,
        "The words of this page, in the order in which one needs them, and the sections of the format's specification that define them. Words with a dotted line on other views lead here; point at one to read its meaning on the spot.",
      ),
      make("dl.words-list", null, entries),
    ]);
    const wanted = box.querySelector("dt.on");
    if (wanted) wanted.scrollIntoView({block: "center"});
  },
});
