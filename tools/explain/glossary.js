/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of this page and of the format, and where the specification has them. term() makes any of
 * them a link to its entry, with the meaning as a tooltip.
 */
const glossary = [
  ["record, row", "One entry of a file, with all of its fields.", "README.md", "glossary"],
  [
    "column",
    "All values of one leaf, from record to record, with two levels beside each.",
    "README.md",
    "glossary",
  ],
  [
    "schema",
    "The tree of fields that all records of a file have.",
    "LogicalTypes.md",
    "nested-types",
  ],
  [
    "field, group, leaf",
    "A group holds other fields; a leaf holds values, and is a column of the file.",
    "README.md",
    "nested-encoding",
  ],
  [
    "required, optional, repeated",
    "A required field is there once, an optional one once or not at all, a repeated one any number of times.",
    "README.md",
    "nested-encoding",
  ],
  [
    "path",
    "The fields from the record down to one of them: Name.Language.Code is Code in Language in Name.",
    "README.md",
    "nested-encoding",
  ],
  [
    "triple",
    "One entry of a column: a repetition level, a definition level and, unless it is a null, a value.",
    "README.md",
    "nested-encoding",
  ],
  [
    "repetition level",
    "r: what a triple begins. 0 is a new record; 1 another element of the outermost repeated field of the path, in the same record; 2 another element of the second one, in the same element of the first; and so on.",
    "README.md",
    "nested-encoding",
  ],
  [
    "definition level",
    "d: how much of the path is there. It counts the fields of the path that could be missing and are there; required fields do not count.",
    "README.md",
    "nested-encoding",
  ],
  [
    "highest level, max r, max d",
    "The highest levels that a triple of a column can have: max r is the number of repeated fields on the path, max d the number of those that are optional or repeated.",
    "README.md",
    "nested-encoding",
  ],
  [
    "null",
    "A triple whose definition level is below the highest of its column; it has no value.",
    "README.md",
    "nulls",
  ],
  [
    "shredding, assembly",
    "From records to triples, and from triples back to records.",
    "README.md",
    "nested-encoding",
  ],
  [
    "event",
    "A step through a record: begin, open a group, put a value, close a group, end.",
    "README.md",
    "nested-encoding",
  ],
  [
    "automaton, state",
    "The plan of assembly: a state for each column, and arrows that say which column comes next. (The Dremel paper, section 4.3)",
    "README.md",
    "nested-encoding",
  ],
  ["row group", "Some records, whose columns lie together in the file.", "README.md", "glossary"],
  [
    "column chunk",
    "The values of one column in one row group: pages, one behind the other.",
    "README.md",
    "column-chunks",
  ],
  [
    "page",
    "A header and a body; the smallest unit that is compressed and encoded.",
    "README.md",
    "data-pages",
  ],
  [
    "header",
    "What stands before a page: its type and size, how many triples it has, and its encodings.",
    "README.md",
    "data-pages",
  ],
  ["encoding", "How values, or levels, become bytes.", "Encodings.md", ""],
  [
    "dictionary page",
    "The distinct values of a chunk, once each; its data pages have indexes into it.",
    "Encodings.md",
    "DICTIONARY",
  ],
  [
    "run, RLE, bit-packed run",
    "Equal levels or indexes in a row are stored once, with their count (RLE); others as packed bits, in groups of eight.",
    "Encodings.md",
    "RLE",
  ],
  ["PLAIN", "Values as they are.", "Encodings.md", "PLAIN"],
  [
    "DELTA_BINARY_PACKED, miniblock",
    "Integers as differences, in blocks of miniblocks; each miniblock packs its own in as few bits as they need.",
    "Encodings.md",
    "DELTAENC",
  ],
  ["DELTA_LENGTH_BYTE_ARRAY", "All lengths, then all bytes.", "Encodings.md", "DELTALENGTH"],
  [
    "DELTA_BYTE_ARRAY",
    "What byte arrays share with the one before, and the rest of each.",
    "Encodings.md",
    "DELTASTRING",
  ],
  [
    "BYTE_STREAM_SPLIT",
    "The bytes of numbers, sorted by their place in the number.",
    "Encodings.md",
    "BYTESTREAMSPLIT",
  ],
  [
    "RLE_DICTIONARY",
    "Indexes into the dictionary page instead of values; the indexes are runs.",
    "Encodings.md",
    "DICTIONARY",
  ],
  [
    "ALP",
    "Decimal floating-point numbers as integers, packed; those that do not fit beside them.",
    "Encodings.md",
    "ALP",
  ],
  ["codec", "How the body of a page is compressed.", "Compression.md", ""],
  [
    "footer",
    "What the file says of itself, at its end: schema, row groups, chunks.",
    "README.md",
    "metadata",
  ],
  [
    "Thrift, compact protocol",
    "How headers and the footer are written: fields by number, each with its type and its value.",
    "README.md",
    "metadata",
  ],
  ["magic", "PAR1, the four letters at both ends of a file.", "README.md", "file-format"],
  [
    "statistics",
    "Bounds and counts of a chunk or page, by which readers skip it.",
    "README.md",
    "metadata",
  ],
  ["page index", "Bounds and places of all pages of a chunk, apart from them.", "PageIndex.md", ""],
  [
    "Bloom filter",
    "Bits that say of a value that it is surely not in a chunk, or perhaps.",
    "BloomFilter.md",
    "",
  ],
  ["VARIANT", "A value of any kind, with its own kind beside it.", "VariantEncoding.md", ""],
  [
    "value, typed_value",
    "The two columns of a VARIANT, of each of its shredded fields and of the elements of its shredded arrays: what has the type of the column, and the rest.",
    "VariantShredding.md",
    "value-shredding",
  ],
  [
    "LIST, MAP",
    "Groups of three levels, so that a list may be null, be empty, or hold nulls.",
    "LogicalTypes.md",
    "lists",
  ],
];

/* Where the entry of a word is in the glossary. */
function wordIndex(word) {
  const at = glossary.findIndex(([words]) => words.split(", ").includes(word));
  if (at < 0) throw new Error("the glossary has no " + word);
  return at;
}

function term(word, text) {
  const at = wordIndex(word);
  return make(
    "a.term",
    {href: "#words/" + at, title: glossary[at][1]},
    text === undefined ? word : text,
  );
}
