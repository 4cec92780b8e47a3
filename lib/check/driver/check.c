/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a check: finds the footer, reads it, and lets the walkers go through the file
 * in its logical order: footer, schema, row groups with their column chunks, and finally the ranges
 * of bytes that all of these have claimed.
 *
 *   PAR1 | pages, indexes, filters ... | footer | length (4 bytes) | PAR1
 *
 * A file of which nothing could be checked always gets at least one error, so that "no errors"
 * means that something was read. (README.md of the format, "File format")
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/options.h"
#include "check/driver/check_row_group.h"
#include "check/footer/check_footer.h"
#include "check/footer/check_ranges.h"
#include "check/footer/check_schema.h"
#include "file/read/memory_limit.h"
#include "meta/meta_schema.h"

/*
 * Checks both magics and the length of the footer. `*ret_sound` says that a footer may be where it
 * should be. A wrong magic at the beginning does not keep readers from the footer and is only
 * reported. (README.md of the format, "File format"; Encryption.md, section 5, for PARE)
 */
static lam_status check_ends(lam_checker *checker, bool *ret_sound) {
    enum { SMALLEST_FILE = LAM_FOOTER_MAGIC_SIZE + LAM_FOOTER_TAIL_SIZE };
    const lam_input *input = checker->input;
    uint8_t head[LAM_FOOTER_MAGIC_SIZE], tail[LAM_FOOTER_TAIL_SIZE];
    lam_check_location nowhere = lam_check_nowhere();
    *ret_sound = false;
    if (input->size < SMALLEST_FILE)
        return lam_check_report(checker, LAM_RULE_FILE_MAGIC, nowhere,
                                "%" PRIu64 " bytes are too few to be a Parquet file", input->size);
    LAM_TRY(input->read_at(input->state, 0, sizeof head, head, checker->error));
    LAM_TRY(
        input->read_at(input->state, input->size - sizeof tail, sizeof tail, tail, checker->error));
    if (memcmp(tail + 4, "PARE", 4) == 0)
        return lam_check_report(checker, LAM_RULE_ENCRYPTED,
                                lam_check_at(nowhere, input->size - sizeof tail),
                                "the footer is encrypted, and nothing can be checked");
    if (memcmp(tail + 4, LAM_FOOTER_MAGIC, LAM_FOOTER_MAGIC_SIZE) != 0)
        return lam_check_report(
            checker, LAM_RULE_FILE_MAGIC, lam_check_at(nowhere, input->size - 4),
            "the file does not end with PAR1: it is not a Parquet file, or is truncated");
    if (memcmp(head, LAM_FOOTER_MAGIC, LAM_FOOTER_MAGIC_SIZE) != 0)
        LAM_TRY(lam_check_report(checker, LAM_RULE_FILE_MAGIC, lam_check_at(nowhere, 0),
                                 "the file does not begin with PAR1"));
    /*
     * The length and the last magic are the tail; the footer must fit between it and the first
     * magic.
     */
    uint32_t length = lam_load_le32(tail);
    if (length > input->size - SMALLEST_FILE)
        return lam_check_report(
            checker, LAM_RULE_FOOTER_LENGTH, lam_check_at(nowhere, input->size - sizeof tail),
            "the footer claims %" PRIu32 " bytes in a file of %" PRIu64, length, input->size);
    *ret_sound = true;
    return LAM_STATUS_OK;
}

/* Allocates the tables by field and by leaf, once for all row groups. */
static lam_status prepare_digests(lam_checker *checker) {
    size_t count = checker->schema->field_count;
    LAM_TRY(LAM_ARRAY(&checker->allocator, count, &checker->digests, checker->error));
    LAM_TRY(LAM_ARRAY(&checker->allocator, checker->schema->leaf_count, &checker->sound,
                      checker->error));
    for (size_t i = 0; i < count; i++)
        checker->digests[i].row_group = SIZE_MAX;
    return LAM_STATUS_OK;
}

/*
 * Each step needs the one before: no footer, no schema; no schema, no columns. A step that fails
 * has reported why, and the check ends without failure.
 */
static lam_status check_file(lam_checker *checker) {
    bool sound;
    lam_error failure = lam_error_none();
    LAM_TRY(check_ends(checker, &sound));
    if (!sound)
        return LAM_STATUS_OK;
    lam_status status =
        lam_footer_view_read(checker->input, &checker->arena, &checker->footer, &failure);
    if (status != LAM_STATUS_OK)
        return lam_check_report_failure(checker, LAM_RULE_FOOTER, lam_check_nowhere(), status,
                                        &failure);
    /*
     * The footer's own claims are checked first, so that they are reported even if the schema is no
     * tree.
     */
    LAM_TRY(lam_check_footer(checker));
    status = lam_meta_schema_import(&checker->footer.meta.schema, &checker->allocator,
                                    &checker->schema, &failure);
    LAM_TRY(lam_check_report_failure(checker, LAM_RULE_SCHEMA_TREE, lam_check_nowhere(), status,
                                     &failure));
    LAM_TRY(lam_check_schema(checker));
    checker->opened = checker->schema != NULL;
    /* Without a tree of fields, chunks cannot be assigned to columns. */
    if (!checker->opened)
        return LAM_STATUS_OK;
    LAM_TRY(lam_check_known_faults(checker));
    LAM_TRY(prepare_digests(checker));
    LAM_TRY(lam_codec_context_create(&checker->allocator, &checker->codecs, checker->error));
    LAM_TRY(lam_check_row_groups(checker));
    return lam_check_ranges(checker);
}

/*
 * Reports a file whose inside could not be checked at all, because it is encrypted, elsewhere, or
 * unknown to this build. A file without rows has no inside to check.
 */
static lam_status check_outcome(lam_checker *checker) {
    bool seen = checker->opened && (checker->read_any || !checker->holds_rows);
    if (seen || checker->totals.errors > 0)
        return LAM_STATUS_OK;
    return lam_check_report(checker, LAM_RULE_UNCHECKED, lam_check_nowhere(), "no %s was checked",
                            checker->opened ? "page of any column" : "row group, column or page");
}

/* Applies defaults and bounds. A limit above half of the address space could overflow sizes. */
static lam_status apply_check_options(lam_checker *checker, const lam_check_options *options,
                                      lam_error *error) {
    checker->memory_limit = lam_memory_limit_of_file(checker->input->size);
    checker->max_rows = UINT64_MAX;
    if (options->memory_limit > SIZE_MAX / 2)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a memory limit of %" PRIu64 " bytes",
                 options->memory_limit);
    if (options->memory_limit != 0)
        checker->memory_limit = options->memory_limit;
    checker->judge = options->judge;
    checker->judge_state = options->judge_state;
    checker->stop = options->stop;
    if (options->max_rows != 0)
        checker->max_rows = options->max_rows;
    return LAM_STATUS_OK;
}

lam_status lam_check(const lam_input *input, const lam_check_options *given,
                     lam_check_callback found, void *state, lam_check_totals *ret_totals,
                     lam_error *error) {
    lam_checker checker = {.kernels = lam_kernels_get(),
                           .input = input,
                           .found = found,
                           .state = state,
                           .error = error,
                           .bytes_left = input->size};
    lam_check_options options;
    LAM_TRY(LAM_OPTIONS_READ(lam_check_options, given, &options, error));
    LAM_TRY(apply_check_options(&checker, &options, error));
    if (ret_totals != NULL)
        LAM_TRY(LAM_INFO_CHECK(lam_check_totals, ret_totals, error));
    checker.allocator = lam_allocator_or_default(options.allocator);
    lam_arena_init(&checker.arena, &checker.allocator, (size_t)checker.memory_limit);
    lam_arena_init(&checker.group_arena, &checker.allocator, (size_t)checker.memory_limit);
    lam_buffer_init(&checker.ranges, &checker.allocator);
    lam_status status = check_file(&checker);
    if (status == LAM_STATUS_OK)
        status = check_outcome(&checker);
    if (status == LAM_STATUS_OK && ret_totals != NULL)
        status = LAM_INFO_WRITE(lam_check_totals, &checker.totals, ret_totals, error);
    /* The sizes of both tables come from the schema, which is destroyed after them. */
    if (checker.digests != NULL)
        lam_free(&checker.allocator, checker.digests,
                 checker.schema->field_count * sizeof(lam_level_digest));
    if (checker.sound != NULL)
        lam_free(&checker.allocator, checker.sound, checker.schema->leaf_count * sizeof(bool));
    lam_codec_context_destroy(checker.codecs);
    lam_schema_destroy(checker.schema);
    lam_buffer_finish(&checker.ranges);
    lam_arena_finish(&checker.arena);
    lam_arena_finish(&checker.group_arena);
    lam_footer_view_finish(&checker.footer, &checker.allocator);
    return status;
}
