/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes some rows of a file's column in every encoding and codec, and estimates from them how
 * large the column would be in each way, the smallest first. The bytes are always those of pages
 * that the library's writer makes from the column's own levels and values; only their number is
 * extrapolated. The sample is the same on every run:
 *
 *     rows of the file   |...=====......=====......=====......=====...|
 *     shredded into          1st half   2nd half   1st half   2nd half
 *
 * Data pages grow with the values. A dictionary does not: how it grows is estimated from the
 * entries of the first half, and of both halves. (Encodings.md, "Dictionary Encoding")
 */
#define _POSIX_C_SOURCE 200809L
#include "size_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { RECORDS_AT_ONCE = 64, DICTIONARY_MOST = 1 << 20 /* PLAIN bytes, as the writer has it */ };

/* --- The sample ---------------------------------------------------------------------------- */

/* The column alone: a schema of the groups above its leaf, and the triples of the sample. */
typedef struct size_sample {
    lam_schema *schema;
    const lam_field **fields; /* of that schema, by depth */
    lam_shredder *halves[2];
    lam_record_sink sink; /* of the half that is filled */
} size_sample;

/* Groups and leaf without names, logical types and ids: they do not change the bytes of pages. */
static lam_status build_schema(const lam_field *leaf, lam_schema **ret_schema, lam_error *error) {
    const lam_field *path[256];
    lam_schema_builder *builder;
    size_t depth = 0;
    lam_field_options options = {.type_length = 0};
    lam_physical_type type = lam_field_physical_type(leaf);
    if (type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        options.type_length = lam_field_type_length(leaf);
    for (const lam_field *field = leaf; lam_field_parent(field) != NULL && depth < 256;
         field = lam_field_parent(field))
        path[depth++] = field;
    lam_status status = lam_schema_builder_create("sample", tool_allocator(), &builder, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = depth; i-- > 1 && status == LAM_STATUS_OK;)
        status = lam_schema_builder_begin_group(builder, "f", lam_field_repetition(path[i]), NULL,
                                                error);
    if (status == LAM_STATUS_OK)
        status = lam_schema_builder_add_leaf(builder, "f", lam_field_repetition(leaf), type,
                                             &options, error);
    for (size_t i = 1; i < depth && status == LAM_STATUS_OK; i++)
        status = lam_schema_builder_end_group(builder, error);
    if (status == LAM_STATUS_OK)
        status = lam_schema_builder_finish(builder, ret_schema, error);
    lam_schema_builder_destroy(builder);
    return status;
}

static lam_status sample_begin(void *state, lam_error *error) {
    const size_sample *sample = state;
    return lam_begin(&sample->sink, error);
}

static lam_status sample_open(void *state, const lam_field *group, lam_error *error) {
    const size_sample *sample = state;
    return lam_open(&sample->sink, sample->fields[lam_field_depth(group)], error);
}

static lam_status sample_put(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    const size_sample *sample = state;
    return sample->sink.put(sample->sink.state, sample->fields[lam_field_depth(leaf)], value,
                            error);
}

static lam_status sample_close(void *state, const lam_field *group, lam_error *error) {
    const size_sample *sample = state;
    return lam_close(&sample->sink, sample->fields[lam_field_depth(group)], error);
}

static lam_status sample_end(void *state, lam_error *error) {
    const size_sample *sample = state;
    return lam_end(&sample->sink, error);
}

static void free_sample(size_sample *sample) {
    lam_shredder_destroy(sample->halves[0]);
    lam_shredder_destroy(sample->halves[1]);
    lam_schema_destroy(sample->schema);
    free(sample->fields);
}

static lam_status make_sample(const lam_field *leaf, size_sample *sample, lam_error *error) {
    lam_status status = build_schema(leaf, &sample->schema, error);
    if (status != LAM_STATUS_OK)
        return status;
    sample->fields = tool_allocate(lam_field_depth(leaf) + 1, sizeof *sample->fields);
    for (const lam_field *field = lam_schema_leaf(sample->schema, 0); field != NULL;
         field = lam_field_parent(field))
        sample->fields[lam_field_depth(field)] = field;
    for (size_t i = 0; i < 2 && status == LAM_STATUS_OK; i++)
        status = lam_shredder_create(sample->schema, tool_allocator(), &sample->halves[i], error);
    return status;
}

/* Reads the rows of one place into a half. */
static lam_status read_place(lam_record_reader *records, size_sample *sample, size_t half,
                             uint64_t most_rows, size_t most_bytes, uint64_t *ret_rows,
                             lam_error *error) {
    lam_shredder *shredder = sample->halves[half];
    size_t before = lam_shredder_byte_count(shredder);
    uint64_t got = RECORDS_AT_ONCE;
    lam_record_sink sink = {sample,       sample_begin, sample_open, sample_put,
                            sample_close, sample_end,   NULL};
    sample->sink = lam_shredder_sink(shredder);
    for (*ret_rows = 0; got > 0 && *ret_rows < most_rows; *ret_rows += got) {
        uint64_t left = most_rows - *ret_rows;
        if (lam_shredder_byte_count(shredder) - before >= most_bytes)
            break;
        lam_status status = lam_record_reader_read(
            records, &sink, left < RECORDS_AT_ONCE ? left : RECORDS_AT_ONCE, &got, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    return LAM_STATUS_OK;
}

/* Where rows are read: one half of the sample, then the other, and so on. */
typedef struct size_plan {
    size_t reads;       /* 2 at least, so that there are two halves */
    uint64_t rows;      /* of each */
    bool is_contiguous; /* each begins where the last one ends */
    bool at_groups;     /* each begins with a row group */
} size_plan;

/*
 * Row groups cost nothing to skip, and pages their headers; but if values repeat, all pages in
 * between have to be read to count rows.
 */
static size_plan make_plan(const lam_reader *reader, const lam_field *leaf) {
    size_t groups = lam_reader_row_group_count(reader);
    uint64_t all = lam_reader_row_count(reader), most = SIZE_PLACES * SIZE_ROWS_OF_PLACE;
    size_plan plan = {SIZE_PLACES, SIZE_ROWS_OF_PLACE, false, groups >= SIZE_PLACES};
    if (all <= most || (lam_field_max_repetition(leaf) > 0 && groups == 1)) {
        uint64_t rows = all < most ? all : most;
        plan = (size_plan){2, rows - rows / 2, true, false};
    } else if (lam_field_max_repetition(leaf) > 0 && groups < SIZE_PLACES) {
        plan = (size_plan){groups, most / groups, false, true};
    }
    return plan;
}

/* The first row of read `i`. */
static uint64_t read_first(const lam_reader *reader, const size_plan *plan, size_t i) {
    size_t groups = lam_reader_row_group_count(reader);
    uint64_t share = lam_reader_row_count(reader) / plan->reads, first = 0;
    if (!plan->at_groups) {
        first = share * i + share / 2;
        return first < plan->rows / 2 ? 0 : first - plan->rows / 2;
    }
    for (size_t group = 0; group < groups * i / plan->reads; group++) {
        lam_row_group_info info = lam_row_group_info_default();
        if (lam_reader_row_group(reader, group, &info, NULL) == LAM_STATUS_OK)
            first += info.row_count;
    }
    return first;
}

static lam_status read_sample(const lam_reader *reader, size_t leaf, uint64_t most_bytes,
                              size_sample *sample, size_trial *trial, lam_error *error) {
    const lam_schema *schema = lam_reader_schema(reader);
    lam_record_reader *records;
    uint64_t at = 0, got = 0;
    size_plan plan = make_plan(reader, lam_schema_leaf(schema, leaf));
    bool *leaves = tool_allocate(lam_schema_leaf_count(schema), sizeof *leaves);
    leaves[leaf] = true;
    lam_status status = lam_record_reader_open(reader, leaves, &records, error);
    free(leaves);
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = 0; i < plan.reads && status == LAM_STATUS_OK; i++) {
        uint64_t first = plan.is_contiguous ? at : read_first(reader, &plan, i);
        first = first < at ? at : first;
        status = lam_record_reader_skip(records, first - at, &got, error);
        if (status == LAM_STATUS_OK)
            status = read_place(records, sample, i % 2, plan.rows,
                                (size_t)(most_bytes / plan.reads), &got, error);
        at = first + got;
        trial->rows += got;
    }
    trial->places = plan.is_contiguous ? 1 : plan.reads;
    lam_record_reader_close(records);
    return status;
}

/* --- Writing ------------------------------------------------------------------------------- */

/* The pages of one trial. */
typedef struct size_pages {
    double entries; /* of the dictionary */
    double plain;   /* its bytes before compression */
    double dictionary;
    double data;
} size_pages;

static lam_status add_pages(const lam_reader *reader, size_t group, size_pages *pages,
                            lam_error *error) {
    lam_page_list *list = NULL;
    lam_page_info page = lam_page_info_default();
    bool more = true;
    lam_status status = lam_page_list_open(reader, group, 0, &list, error);
    while (status == LAM_STATUS_OK && more) {
        status = lam_page_list_next(list, &page, &more, error);
        if (status != LAM_STATUS_OK || !more)
            break;
        double size = (double)page.header_size + (double)page.compressed_size;
        if (page.type == LAM_PAGE_DICTIONARY) {
            pages->entries += page.value_count;
            pages->plain += page.uncompressed_size;
            pages->dictionary += size;
        } else {
            pages->data += size;
        }
    }
    lam_page_list_close(list);
    return status;
}

/* The pages of a file in memory. */
static lam_status measure(const lam_output *file, lam_encoding encoding, size_pages *ret_pages,
                          bool *ret_is_usable, lam_error *error) {
    lam_bytes bytes = lam_output_memory_bytes(file);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_reader *reader;
    size_pages pages = {0};
    lam_reader_options options = tool_reader_options();
    lam_status status = lam_reader_open(&input, &options, &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = 0; i < lam_reader_row_group_count(reader) && status == LAM_STATUS_OK; i++)
        status = add_pages(reader, i, &pages, error);
    lam_reader_close(reader);
    *ret_pages = pages;
    *ret_is_usable = (pages.dictionary > 0) == (encoding == LAM_ENCODING_RLE_DICTIONARY);
    return status;
}

/*
 * Writes the first `halves` halves, in chunks that are not larger than those of the column. Not
 * usable: the writer has no such way.
 */
static lam_status write_sample(const size_sample *sample, const size_column *column, size_t halves,
                               const size_way *way, size_pages *ret_pages, bool *ret_is_usable,
                               lam_error *error) {
    lam_output file;
    lam_writer *writer = NULL;
    lam_writer_options options = tool_writer_options();
    char *path = tool_path_of(lam_schema_leaf(sample->schema, 0));
    options.codec = way->codec;
    options.statistics = LAM_SWITCH_OFF;
    options.page_index = LAM_SWITCH_OFF;
    options.compat = LAM_COMPAT_NEWEST;
    options.row_group_rows = column->rows_of_chunk;
    *ret_is_usable = false;
    lam_status status = lam_output_memory(tool_allocator(), &file, error);
    if (status != LAM_STATUS_OK) {
        free(path);
        return status;
    }
    lam_output borrowed = file;
    borrowed.close = NULL;
    status = lam_writer_open(sample->schema, &borrowed, &options, &writer, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_set_encoding(writer, path, way->encoding, error);
    bool is_refused = status == LAM_STATUS_INVALID || status == LAM_STATUS_UNSUPPORTED;
    for (size_t i = 0; i < halves && status == LAM_STATUS_OK; i++) {
        lam_triples triples = lam_shredder_triples(sample->halves[i], 0);
        status = lam_writer_write_triples(writer, &triples,
                                          lam_shredder_record_count(sample->halves[i]), error);
    }
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    if (status == LAM_STATUS_OK)
        status = measure(&file, way->encoding, ret_pages, ret_is_usable, error);
    lam_writer_close(writer);
    lam_output_close(&file);
    free(path);
    return is_refused ? LAM_STATUS_OK : status;
}

/* --- Extrapolating ------------------------------------------------------------------------- */

static double bits_of(double entries) {
    double bits = 0;
    while (entries > 1) {
        entries /= 2;
        bits++;
    }
    return bits;
}

static double triples_of(const size_sample *sample, size_t halves) {
    double count = (double)lam_shredder_triples(sample->halves[0], 0).count;
    return halves == 1 ? count : count + (double)lam_shredder_triples(sample->halves[1], 0).count;
}

/*
 * Bytes of all chunks, if their dictionaries fit. Entries grow with a power of the number of
 * values, which two samples determine: 0 if all entries have been seen, 1 if each is new.
 */
static bool extrapolate_dictionary(const size_sample *sample, const size_column *column,
                                   const size_way *way, const size_pages *whole, double *ret_bytes,
                                   lam_error *error) {
    size_pages half = {0};
    bool is_usable;
    double chunks = column->chunks > 0 ? (double)column->chunks : 1;
    double in_chunk = (double)column->triples / chunks;
    double both = triples_of(sample, 2), one = triples_of(sample, 1);
    double growth = 1;
    if (both < in_chunk && one < both && one > 0) {
        if (write_sample(sample, column, 1, way, &half, &is_usable, error) != LAM_STATUS_OK ||
            !is_usable)
            return false;
        if (half.entries > 0)
            growth = pow(in_chunk / both, log(whole->entries / half.entries) / log(both / one));
    } else if (both >= in_chunk) {
        *ret_bytes = (whole->dictionary + whole->data) * (double)column->triples / both;
        return true; /* the sample has chunks of this size */
    }
    double entries = whole->entries * growth;
    if (whole->plain * growth > DICTIONARY_MOST)
        return false;
    double wider = bits_of(whole->entries) > 0 ? bits_of(entries) / bits_of(whole->entries) : 1;
    *ret_bytes = chunks * whole->dictionary * growth +
                 whole->data * (wider > 1 ? wider : 1) * (double)column->triples / both;
    return true;
}

static lam_status try_way(const size_sample *sample, const size_column *column, size_way way,
                          size_trial *trial, lam_error *error) {
    size_pages pages;
    bool is_usable;
    lam_status status = write_sample(sample, column, 2, &way, &pages, &is_usable, error);
    if (status != LAM_STATUS_OK || !is_usable)
        return status;
    double triples = triples_of(sample, 2);
    way.bytes = triples > 0 ? pages.data * (double)column->triples / triples : 0;
    if (way.encoding == LAM_ENCODING_RLE_DICTIONARY &&
        !extrapolate_dictionary(sample, column, &way, &pages, &way.bytes, error))
        return error->status == LAM_STATUS_NOMEM ? LAM_STATUS_NOMEM : LAM_STATUS_OK;
    size_t at = trial->count;
    for (; at > 0 && trial->ways[at - 1].bytes > way.bytes; at--)
        trial->ways[at] = trial->ways[at - 1];
    trial->ways[at] = way;
    trial->count++;
    return LAM_STATUS_OK;
}

/* Whether the readers that are written for know the encoding of such values. */
static bool is_known_to(lam_compat compat, lam_encoding encoding, const lam_field *leaf) {
    lam_physical_type type = lam_field_physical_type(leaf);
    bool is_real = type == LAM_PHYSICAL_FLOAT || type == LAM_PHYSICAL_DOUBLE;
    if (encoding == LAM_ENCODING_ALP)
        return compat == LAM_COMPAT_NEWEST;
    if (encoding == LAM_ENCODING_BYTE_STREAM_SPLIT && !is_real)
        return compat == LAM_COMPAT_NEWEST;
    return compat != LAM_COMPAT_MAX || encoding == LAM_ENCODING_PLAIN ||
           encoding == LAM_ENCODING_RLE_DICTIONARY;
}

static lam_status try_all(const size_sample *sample, const size_column *column, size_trial *trial,
                          lam_error *error) {
    static const lam_encoding encodings[] = {
        LAM_ENCODING_PLAIN,
        LAM_ENCODING_RLE_DICTIONARY,
        LAM_ENCODING_RLE,
        LAM_ENCODING_DELTA_BINARY_PACKED,
        LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
        LAM_ENCODING_DELTA_BYTE_ARRAY,
        LAM_ENCODING_BYTE_STREAM_SPLIT,
        LAM_ENCODING_ALP,
    };
    const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD,
                                column->codec};
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++)
        for (size_t j = 0; j < 4 && status == LAM_STATUS_OK; j++) {
            if (!is_known_to(column->compat, encodings[i], lam_schema_leaf(sample->schema, 0)))
                break;
            size_way way = {encodings[i], codecs[j], 0};
            bool is_known = j < 3 || (codecs[j] != LAM_CODEC_DEFAULT &&
                                      codecs[j] > LAM_CODEC_SNAPPY && codecs[j] != LAM_CODEC_ZSTD);
            if (is_known && lam_codec_is_writable(way.codec))
                status = try_way(sample, column, way, trial, error);
        }
    return status;
}

lam_status size_try(const lam_reader *reader, const size_column *column, uint64_t most_bytes,
                    size_trial *ret_trial, lam_error *error) {
    size_sample sample = {0};
    size_trial trial = {0};
    lam_status status =
        make_sample(lam_schema_leaf(lam_reader_schema(reader), column->leaf), &sample, error);
    if (status == LAM_STATUS_OK)
        status = read_sample(reader, column->leaf, most_bytes, &sample, &trial, error);
    if (status == LAM_STATUS_OK)
        status = try_all(&sample, column, &trial, error);
    free_sample(&sample);
    if (status == LAM_STATUS_OK)
        *ret_trial = trial;
    return status;
}

const size_way *size_find_way(const size_trial *trial, lam_encoding encoding, lam_codec codec) {
    for (size_t i = 0; i < trial->count; i++)
        if (trial->ways[i].encoding == encoding && trial->ways[i].codec == codec)
            return &trial->ways[i];
    return NULL;
}
