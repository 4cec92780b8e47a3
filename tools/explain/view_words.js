/* SPDX-License-Identifier: Apache-2.0 */
/* The glossary. The links lead out of the page; nothing follows them but the reader. */
views.push({
  id: "words",
  title: "Glossary",
  render(model, box) {
    add(box, [
      make(
        "p",
        null,
        "The words of this page, and the sections of the format's specification that define them.",
      ),
      make(
        "dl.words-list",
        null,
        glossary.map(([word, meaning, file, section]) => [
          make("dt", null, word),
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
        ]),
      ),
    ]);
  },
});
