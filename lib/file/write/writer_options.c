/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the options of a writer and turns them into the options of column chunks. Takes the
 * caller's struct, in which 0 means a default, and gives lam_chunk_options, in which every number
 * is set.
 *
 * Ranges are checked here once, so that the chunk writers need not expect overflow: sizes of pages
 * and dictionaries are always far below what the i32 of page headers holds, and a row group's bytes
 * below a quarter of a size_t. The compatibility preset becomes switches here: no code below knows
 * presets.
 */
#include "file/write/writer_options.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/options.h"
#include "schema/text.h"
#include "schema/tree.h"

/* 0 is always allowed: it requests the default. */
static lam_status writer_options_check_number(uint64_t number, uint64_t most, const char *name,
                                              lam_error *error) {
    if (number > most)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s is %" PRIu64 ", not between 1 and %" PRIu64, name,
                 number, most);
    return LAM_STATUS_OK;
}

lam_status lam_writer_options_check(const lam_writer_options *options, lam_codec codec,
                                    lam_error *error) {
    if (options->data_page_version < 0 || options->data_page_version > 2)
        LAM_FAIL(error, LAM_STATUS_INVALID, "data page version %" PRId32 " is neither 1 nor 2",
                 options->data_page_version);
    /* Enumerations come from C callers and may hold any number. */
    if ((int)codec < 0 || codec > LAM_CODEC_LZ4_RAW)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown codec %d", (int)codec);
    if ((int)options->compat < 0 || options->compat > LAM_COMPAT_NEWEST)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown compat preset %d", (int)options->compat);
    LAM_TRY(writer_options_check_number(options->row_group_bytes, SIZE_MAX / 4, "row_group_bytes",
                                        error));
    LAM_TRY(
        writer_options_check_number(options->row_group_rows, INT64_MAX, "row_group_rows", error));
    LAM_TRY(writer_options_check_number(options->page_bytes, INT32_MAX / 2, "page_bytes", error));
    LAM_TRY(writer_options_check_number(options->page_rows, INT32_MAX, "page_rows", error));
    LAM_TRY(lam_switch_check(options->dictionary, "dictionary", error));
    LAM_TRY(lam_switch_check(options->delta, "delta", error));
    LAM_TRY(lam_switch_check(options->page_crc, "page_crc", error));
    LAM_TRY(lam_switch_check(options->statistics, "statistics", error));
    LAM_TRY(lam_switch_check(options->page_index, "page_index", error));
    LAM_TRY(
        writer_options_check_number(options->memory_limit, SIZE_MAX / 2, "memory_limit", error));
    LAM_TRY(writer_options_check_number(options->dictionary_bytes, INT32_MAX / 2,
                                        "dictionary_bytes", error));
    return lam_codec_check_write(codec, options->codec_level, error);
}

/* The path of a field for a message, cut if it is long. */
static lam_shown writer_options_path_of(const lam_field *field) {
    char path[256];
    size_t size = lam_field_path(field, path, sizeof path);
    return lam_show(path, size < sizeof path ? size : sizeof path - 1);
}

/*
 * Refuses types that current readers do not know, unless `compat` says that only the newest ones
 * will read the file; and VECTOR, which has no form to be written in.
 */
lam_status lam_writer_options_check_schema(const lam_writer_options *options,
                                           const lam_schema *schema, lam_error *error) {
    for (size_t i = 0; i < schema->field_count; i++) {
        const lam_field *field = &schema->fields[i];
        if (field->repetition == LAM_REPETITION_VECTOR)
            LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_VECTOR,
                     "field %s is a VECTOR, which is not written",
                     writer_options_path_of(field).text);
        if (field->logical_type.kind == LAM_LOGICAL_TIMESTAMP &&
            field->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY &&
            options->compat != LAM_COMPAT_NEWEST)
            LAM_FAIL(error, LAM_STATUS_INVALID,
                     "field %s is a TIMESTAMP on fixed_len_byte_array(12), which only the newest "
                     "readers know: it needs LAM_COMPAT_NEWEST (--compat newest)",
                     writer_options_path_of(field).text);
    }
    return LAM_STATUS_OK;
}

lam_compat lam_writer_compat_of(const lam_schema *schema) {
    const lam_writer_options options = {.compat = LAM_COMPAT_DEFAULT};
    bool is_common = lam_writer_options_check_schema(&options, schema, NULL) == LAM_STATUS_OK;
    return is_common ? LAM_COMPAT_DEFAULT : LAM_COMPAT_NEWEST;
}

/* The lesser of a number, 0 being `otherwise`, and a share of a bound, `least` at least. */
static uint64_t fit(uint64_t number, uint64_t otherwise, uint64_t share, uint64_t least) {
    number = lam_writer_or_default(number, otherwise);
    share = share > least ? share : least;
    return number < share ? number : share;
}

/*
 * A buffer that grows is counted twice while it moves, and a page exists as values, encoded and
 * compressed: the shares leave room for that, and for others that draw on the bound.
 */
void lam_writer_options_fit(lam_writer_options *options, uint64_t bound) {
    enum { GROUP_LEAST = 64 << 10, PAGE_LEAST = 4 << 10 };
    if (bound == 0)
        return;
    options->row_group_bytes =
        fit(options->row_group_bytes, LAM_ROW_GROUP_BYTES, bound / 8, GROUP_LEAST);
    options->page_bytes = fit(options->page_bytes, LAM_PAGE_BYTES, bound / 32, PAGE_LEAST);
    options->dictionary_bytes =
        fit(options->dictionary_bytes, LAM_PAGE_BYTES, bound / 32, PAGE_LEAST);
}

lam_chunk_options lam_writer_chunk_options(const lam_writer_options *options, lam_codec codec) {
    lam_chunk_options chunk = {0};
    chunk.codec = codec;
    chunk.codec_level = options->codec_level;
    /* The first version is the default: every reader has it. */
    chunk.page_version = options->data_page_version != 0 ? options->data_page_version : 1;
    chunk.page_bytes = lam_writer_or_default(options->page_bytes, LAM_PAGE_BYTES);
    chunk.page_rows = lam_writer_or_default(options->page_rows, 20000);
    chunk.dictionary_bytes = lam_writer_or_default(options->dictionary_bytes, LAM_PAGE_BYTES);
    chunk.use_dictionary = lam_switch_is_on(options->dictionary);
    /*
     * MODERN readers know delta encodings and BYTE_STREAM_SPLIT of FLOAT and DOUBLE; NEWEST ones
     * also know BYTE_STREAM_SPLIT of other types, and ALP.
     */
    chunk.use_deltas = lam_switch_is_on(options->delta) && options->compat != LAM_COMPAT_MAX;
    chunk.use_streams = options->compat != LAM_COMPAT_MAX;
    chunk.use_wide_streams = options->compat == LAM_COMPAT_NEWEST;
    chunk.use_alp = options->compat == LAM_COMPAT_NEWEST;
    chunk.crc = lam_switch_is_on(options->page_crc);
    chunk.no_statistics = !lam_switch_is_on(options->statistics);
    chunk.no_page_index = !lam_switch_is_on(options->page_index);
    /* Levels and values are counted if any metadata state the counts. */
    chunk.summarises = !chunk.no_statistics || !chunk.no_page_index;
    chunk.float_total_order = options->float_total_order;
    chunk.int96_order = options->int96_order;
    chunk.stop = options->stop;
    return chunk;
}
