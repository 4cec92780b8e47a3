/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the faults of writers, by application and version, and the sound writers of metadata that
 * are in doubt. Each row names where the fault is reported and fixed; its comment adds what the
 * writer does, as far as `text`, which people read, does not say.
 *
 * A row may be too wide, but never too narrow. Faults that this library survives without knowing
 * the writer have no row: bytes after the values of a page, V2 pages that miscount their rows, NaN
 * as a bound, unsigned numbers whose bounds are in signed order (the minimum is then above the
 * maximum, or the order is the same), offsets of dictionary pages that are left out.
 * (FileMetaData.created_by)
 */
#include "meta/fault_table.h"

/* Rows by application: {application, first version, first version without, faults, text}. */
static const lam_known_fault TABLE[] = {
    /*
     * The writer keeps references to the minimum and maximum, whose buffers it then fills with
     * other values. Cloudera fixed its 1.5.0 in CDH 5.5.
     */
    {"parquet-mr",
     {0, 0, 0},
     {1, 8, 0},
     LAM_FAULT_BYTE_BOUNDS,
     "bounds of byte arrays may be any values: they are not used (PARQUET-251)"},
    /*
     * The fields min and max are found by signed comparison, whatever the type. Only those of
     * signed numbers are ever used here; PARQUET-1025 added min_value and max_value.
     */
    {"parquet-mr",
     {0, 0, 0},
     {1, 10, 0},
     LAM_FAULT_OLD_BOUNDS,
     "the deprecated min and max of unsigned types are in signed order: they are not used "
     "(PARQUET-686, PARQUET-1025)"},
    /*
     * chunk/read/page_walk.c extends a chunk by the size of that header, whoever wrote it, if its
     * last page passes the end.
     */
    {"parquet-mr",
     {0, 0, 0},
     {1, 2, 9},
     LAM_FAULT_CHUNK_SIZES,
     "total_compressed_size leaves out the header of the dictionary page: chunks continue past "
     "their stated end (PARQUET-816)"},
    /* The first value of a page may begin as the last one of the page before does. */
    {"parquet-mr",
     {0, 0, 0},
     {1, 8, 0},
     LAM_FAULT_SEQUEL_PAGES,
     "pages of DELTA_BYTE_ARRAY go on from the page before: they are read one after another "
     "(PARQUET-246)"},
    {"parquet-cpp",
     {0, 0, 0},
     {1, 3, 0},
     LAM_FAULT_BYTE_BOUNDS | LAM_FAULT_UNSIGNED_BOUNDS,
     "bounds of byte arrays and unsigned integers are in signed order: they are not used "
     "(PARQUET-686, PARQUET-1025)"},
    /*
     * Up to 3.0, Arrow calls itself "parquet-cpp version 1.5.1-SNAPSHOT", then parquet-cpp-arrow.
     */
    {"parquet-cpp",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_BYTE_DECIMALS,
     "bounds of DECIMALs in byte arrays are in the order of signed bytes: they are not used "
     "(PARQUET-1655, PARQUET-2003)"},
    {"parquet-cpp-arrow",
     {0, 0, 0},
     {4, 0, 0},
     LAM_FAULT_BYTE_DECIMALS,
     "bounds of DECIMALs in byte arrays are in the order of signed bytes: they are not used "
     "(PARQUET-1655, PARQUET-2003)"},
    {"parquet-cpp",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_V2_COMPRESSION,
     "V2 data pages say that they are not compressed but are: the codec is trusted (ARROW-10353, "
     "ARROW-17100)"},
    /*
     * Both rows: of dictionary arrays of byte arrays, which a file does not distinguish from
     * others.
     */
    {"parquet-cpp",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_NULL_COUNTS,
     "null_count of byte arrays may be 0 where there are nulls: it is not used (ARROW-12513)"},
    {"parquet-cpp-arrow",
     {0, 0, 0},
     {6, 0, 0},
     LAM_FAULT_NULL_COUNTS,
     "null_count of byte arrays may be 0 where there are nulls: it is not used (ARROW-12513)"},
    {"parquet-cpp-arrow",
     {6, 0, 0},
     {11, 0, 0},
     LAM_FAULT_TEXT_BOUNDS,
     "bounds of byte arrays may be those of the first values only: they are not used "
     "(apache/arrow#15042)"},
    /* "z" sorts before "aa", because it is shorter. */
    {"parquet-rs",
     {0, 0, 0},
     {5, 2, 0},
     LAM_FAULT_BYTE_BOUNDS,
     "bounds of byte arrays are in the order of their lengths: they are not used "
     "(apache/arrow-rs#641)"},
    {"parquet-rs",
     {0, 0, 0},
     {13, 0, 0},
     LAM_FAULT_BYTE_DECIMALS,
     "bounds of DECIMALs in byte arrays are in unsigned order: they are not used "
     "(apache/arrow-rs#1532)"},
    {"parquet-rs",
     {0, 0, 0},
     {41, 0, 0},
     LAM_FAULT_LIST_PAGES,
     "pages of lists begin inside of records, in spite of an offset index: it is not used "
     "(apache/arrow-rs#3680)"},
    /*
     * As parquet-mr, and the bytes of all pages before precede the page's own. Concerns columns
     * from Arrow arrays.
     */
    {"parquet-rs",
     {20, 0, 0},
     {31, 0, 0},
     LAM_FAULT_SEQUEL_PAGES,
     "pages of DELTA_BYTE_ARRAY and DELTA_LENGTH_BYTE_ARRAY repeat the bytes of the pages before: "
     "they are read one after another (apache/arrow-rs#3408)"},
    /* Concerns values of different lengths, and all that come from Arrow arrays. */
    {"parquet-rs",
     {13, 0, 0},
     {0, 0, 0},
     LAM_FAULT_TEXT_DECIMALS,
     "bounds of DECIMALs in BYTE_ARRAY are not in their order: they are not used "
     "(apache/arrow-rs#10860, apache/arrow-rs#11073)"},
    /*
     * The archived project, not parquet-go/parquet-go, which continues it. Upper bounds are cut to
     * 16 bytes. The last version raises them, and takes the bounds of the chunk from its last page.
     */
    {"github.com/segmentio/parquet-go",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_BYTE_BOUNDS | LAM_FAULT_UPPER_BOUNDS,
     "upper bounds of byte arrays are cut and not raised, or the bounds are those of the last "
     "page: they are not used (segmentio/parquet-go#495)"},
    /* Bytes that cannot be raised, 16 of 0xFF, are cut all the same. */
    {"github.com/parquet-go/parquet-go",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_UPPER_BOUNDS,
     "upper bounds of byte arrays in the column index may be cut and not raised: they are not used "
     "(segmentio/parquet-go#495)"},
    /* Mended after 0.32.0. */
    {"github.com/parquet-go/parquet-go",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_BYTE_DECIMALS,
     "bounds of DECIMALs in byte arrays are in unsigned order: they are not used "
     "(parquet-go/parquet-go#595)"},
    /*
     * Sizes in the offset index leave out the page header, so that pages are not contiguous.
     * Version 1.6.2 counts no nulls if there is a dictionary, and else one too few in some pages.
     */
    {"parquet-go",
     {0, 0, 0},
     {2, 0, 0},
     LAM_FAULT_OFFSET_INDEX | LAM_FAULT_ALL_NULL_COUNTS,
     "sizes of pages in the offset index leave out their headers, and null_count some nulls: they "
     "are not used (xitongsys/parquet-go#547)"},
    /*
     * Arrow for Go has the same name. Its statistics pass a bitmap over the values that has a bit
     * for each list that is null or empty, too, so that bits and values part; seen in 12 to 18.8.
     * Pages that are left without values are null pages.
     */
    {"parquet-go",
     {2, 0, 0},
     {0, 0, 0},
     LAM_FAULT_LIST_BOUNDS | LAM_FAULT_LIST_NULL_COUNTS,
     "bounds and null_pages of leaves in lists leave values out where lists are null or empty: "
     "they "
     "are not used (kin of PARQUET-1471)"},
    {"parquet-go",
     {2, 0, 0},
     {18, 1, 0},
     LAM_FAULT_UNSIGNED_BOUNDS,
     "bounds of unsigned integers are those of no value: they are not used (apache/arrow-go#209)"},
    {"parquet-go",
     {18, 0, 0},
     {18, 8, 0},
     LAM_FAULT_LIST_PAGES,
     "pages of lists begin inside records, in spite of an offset index: it is not used "
     "(apache/arrow-go#883, apache/arrow-go#1075)"},
    /* Adaptive filters are freed before they are written. */
    {"parquet-go",
     {18, 0, 0},
     {18, 5, 0},
     LAM_FAULT_BLOOM_FILTERS,
     "Bloom filters may lack values: they are not used (apache/arrow-go#525)"},
    /* Strings are in the order of the machine's culture, UUIDs in the byte order of a .NET Guid. */
    {"Parquet.Net",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_TEXT_BOUNDS | LAM_FAULT_UUID_BOUNDS,
     "bounds of strings are in an order of a language and those of UUIDs in another byte order: "
     "they are not used (aloneguid/parquet-dotnet#148, aloneguid/parquet-dotnet#758)"},
    /*
     * Both rows: Polars states no version. Bounds of pages are right, but merged in unsigned order.
     */
    {"Polars",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_ALL_NULL_COUNTS,
     "null_count is multiplied by the number of pages in some versions: it is not used "
     "(pola-rs/polars#29321)"},
    {"Polars",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_BYTE_DECIMALS | LAM_FAULT_FLOAT16_BOUNDS,
     "bounds of DECIMALs in byte arrays and of FLOAT16 leave values out in some versions: they are "
     "not used (pola-rs/polars#25965, pola-rs/polars#29347)"},
    {"ClickHouse",
     {0, 0, 0},
     {25, 8, 0},
     LAM_FAULT_BYTE_DECIMALS | LAM_FAULT_NUMBER_DECIMALS,
     "bounds of DECIMALs are in unsigned order: they are not used (ClickHouse/ClickHouse#83754)"},
    /* hyparquet-writer, which states no version. */
    {"hyparquet",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_BYTE_BOUNDS | LAM_FAULT_NUMBER_DECIMALS | LAM_FAULT_NULL_COUNTS |
         LAM_FAULT_LIST_PAGES,
     "upper bounds of byte arrays are cut and not raised, bounds of DECIMALs are not scaled, "
     "null_count counts nulls of JSON, and pages of lists begin inside of records, in some "
     "versions: "
     "none is used (hyparam/hyparquet-writer#31, hyparam/hyparquet-writer#38, "
     "hyparam/hyparquet-writer#45)"},
    {"flow-php parquet",
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_TEXT_BOUNDS,
     "bounds of byte arrays have their length before them in some versions: they are not used "
     "(flow-php/flow#2247)"},
    /*
     * A list of fixed size writes as many elements even if it is null: chunk/read/ghost_levels.h
     * drops them. 2.0 still does so.
     */
    {"DuckDB",
     {0, 10, 0},
     {0, 0, 0},
     LAM_FAULT_ARRAY_LEVELS,
     "an ARRAY that is null has levels of elements that do not exist: these are ignored "
     "(duckdb/duckdb#24731)"},
    /*
     * Nulls of a STRUCT that is null in a list are counted twice, so that all values may seem to be
     * null. The meaning of null_count in lists is under discussion.
     */
    {"DuckDB",
     {1, 5, 0},
     {2, 0, 0},
     LAM_FAULT_LIST_NULL_COUNTS,
     "null_count in lists counts some nulls twice: it is not used (apache/parquet-format#476)"},
    {"DuckDB",
     {1, 4, 0},
     {1, 5, 5},
     LAM_FAULT_SORTED_VARIANTS,
     "metadata of VARIANTs claim sorted names and may not be: names are searched one by one "
     "(duckdb/duckdb#23591)"},
    /*
     * Lengths differ, so that neither the order of bytes nor that of signed bytes is the order of
     * the numbers, and a wrong minimum need not be above the maximum. In FIXED_LEN_BYTE_ARRAY it
     * is, unless all numbers have one sign, and then the order of bytes is right.
     */
    {NULL,
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_TEXT_DECIMALS,
     "bounds of DECIMALs in BYTE_ARRAY are in another order than the numbers in files of many "
     "writers: they are used only from those that are known to be right (PARQUET-1655, "
     "apache/arrow-rs#11073, parquet-go/parquet-go#595)"},
    /* The code that orders the bounds does not know what the application puts into the values. */
    {NULL,
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_INT96_BOUNDS,
     "bounds of INT96 may leave out times whose nanoseconds are outside of their day: they are "
     "used only from writers that are known to look (apache/arrow#48246, "
     "facebookincubator/velox#16324)"},
    /*
     * The crate takes a page of as many nulls as rows for one without values, and so does all that
     * is made with it, under many names.
     */
    {NULL,
     {0, 0, 0},
     {0, 0, 0},
     LAM_FAULT_LIST_NULL_PAGES,
     "pages of lists that have values may be null pages in a column index: null_pages of lists are "
     "used only from writers that are known to be right (apache/arrow-rs#1935)"},
};

static const lam_sound_writer SOUND[] = {
    /* stats/value_order.c, compare_decimals; stats/chunk_summary.c, note_times */
    {"lamella",
     {0, 0, 0},
     LAM_FAULT_TEXT_DECIMALS | LAM_FAULT_INT96_BOUNDS | LAM_FAULT_LIST_NULL_PAGES},
    /* PrimitiveComparator.BINARY_AS_SIGNED_INTEGER_COMPARATOR, since PARQUET-1025 */
    {"parquet-mr", {1, 10, 0}, LAM_FAULT_TEXT_DECIMALS},
    /* BinaryLikeComparer<T, true> of cpp/src/parquet/statistics.cc, since PARQUET-1655 */
    {"parquet-cpp-arrow", {4, 0, 0}, LAM_FAULT_TEXT_DECIMALS},
    /* Both count the values of the page. */
    {"parquet-mr", {1, 11, 0}, LAM_FAULT_LIST_NULL_PAGES},
    {"parquet-cpp-arrow", {13, 0, 0}, LAM_FAULT_LIST_NULL_PAGES},
};

const lam_known_fault *lam_fault_table(size_t *ret_count) {
    *ret_count = sizeof TABLE / sizeof TABLE[0];
    return TABLE;
}

const lam_sound_writer *lam_sound_writers(size_t *ret_count) {
    *ret_count = sizeof SOUND / sizeof SOUND[0];
    return SOUND;
}
