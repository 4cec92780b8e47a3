/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the footer's claims about the file itself: version, number of rows, created_by, key-value
 * metadata, and, if the caller supplies a judge, that another Thrift reader finds the same in the
 * same bytes.
 *
 * Takes the footer as this library read it. No check here needs a schema, except for the known
 * faults of writers, which are looked up by created_by and concern single columns. (parquet.thrift,
 * FileMetaData)
 */
#include "check/footer/check_footer.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/wrap.h"
#include "check/footer/check_key_values.h"
#include "meta/compact.h"
#include "meta/known_faults.h"
#include "schema/text.h"

enum { JUDGED_MOST = 16 << 20 }; /* bytes of a footer that a judge gets to read */

/* --- Texts --------------------------------------------------------------------------------- */

/* memchr must not be called with NULL, not even for 0 bytes. */
static bool holds_nul(lam_bytes text) {
    return text.size > 0 && memchr(text.data, 0, text.size) != NULL;
}

/*
 * Expects "<application> version <version>", as in `parquet-mr version 1.8.0 (build 0fda28a)`, with
 * at least one byte on either side of the word. Readers parse it to work around known faults.
 * (parquet.thrift, FileMetaData.created_by)
 */
static lam_status check_created_by(lam_checker *checker) {
    static const char word[] = " version ";
    const lam_meta_file_view *meta = &checker->footer.meta;
    lam_bytes by = meta->created_by;
    if ((meta->has & LAM_META_FILE_HAS_CREATED_BY) == 0)
        return lam_check_report(checker, LAM_RULE_CREATED_BY, lam_check_nowhere(),
                                "the file does not name its writer");
    LAM_TRY(lam_check_text(checker, by, "created_by", lam_check_nowhere()));
    for (size_t i = 1; i + sizeof word <= by.size; i++)
        if (memcmp(by.data + i, word, sizeof word - 1) == 0)
            return LAM_STATUS_OK;
    return lam_check_report(checker, LAM_RULE_CREATED_BY, lam_check_nowhere(),
                            "created_by is %s, without a version",
                            lam_show((const char *)by.data, by.size).text);
}

/*
 * Reports each row of the table that applies to the writer and to something in this file, with the
 * first column concerned.
 */
lam_status lam_check_known_faults(lam_checker *checker) {
    const lam_meta_file_view *meta = &checker->footer.meta;
    for (size_t i = 0; i < lam_known_fault_count(); i++) {
        const lam_known_fault *fault = lam_known_fault_at(i);
        lam_error failure = lam_error_none();
        size_t leaf = 0;
        bool found;
        if (!lam_known_fault_applies(fault, meta->created_by))
            continue;
        lam_status status = lam_known_fault_find(fault, meta, checker->schema,
                                                 &checker->group_arena, &found, &leaf, &failure);
        if (status != LAM_STATUS_OK)
            return lam_check_report_failure(checker, LAM_RULE_FOOTER, lam_check_nowhere(), status,
                                            &failure);
        if (!found)
            continue;
        lam_check_location location = lam_check_nowhere();
        location.column = (int32_t)leaf;
        LAM_TRY(lam_check_report(checker, LAM_RULE_KNOWN_FAULT, location, "%s", fault->text));
    }
    return LAM_STATUS_OK;
}

/* --- Numbers ------------------------------------------------------------------------------- */

/*
 * Sums modulo 2^64: negative counts of a hostile footer may wrap around, but never overflow; each
 * is reported by itself with its row group.
 */
LAM_WRAPS static lam_status check_footer_rows(lam_checker *checker) {
    const lam_meta_file_view *meta = &checker->footer.meta;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < meta->row_groups.count; i++)
        rows += (uint64_t)meta->row_groups.items[i].num_rows;
    if ((uint64_t)meta->num_rows == rows)
        return LAM_STATUS_OK;
    return lam_check_report(checker, LAM_RULE_FILE_ROWS, lam_check_nowhere(),
                            "the footer claims %" PRId64 " rows, but its row groups have %" PRId64,
                            meta->num_rows, (int64_t)rows);
}

/* --- Another opinion ----------------------------------------------------------------------- */

/* True if some key or value holds a NUL. */
static bool metadata_holds_nul(const lam_meta_key_value_list *key_values) {
    bool found = false;
    for (uint32_t i = 0; i < key_values->count; i++)
        found |= holds_nul(key_values->items[i].key) || holds_nul(key_values->items[i].value);
    return found;
}

/*
 * Whether any text of the footer holds a NUL. Another reader may keep texts as strings that a NUL
 * ends; it would lose what follows the NUL and disagree without reason.
 */
static bool texts_hold_nul(const lam_meta_file *meta) {
    bool found = holds_nul(meta->created_by);
    found |= metadata_holds_nul(&meta->key_value_metadata);
    for (uint32_t i = 0; i < meta->schema.count; i++)
        found |= holds_nul(meta->schema.items[i].name);
    for (uint32_t i = 0; i < meta->row_groups.count; i++) {
        const lam_meta_column_chunk_list *columns = &meta->row_groups.items[i].columns;
        for (uint32_t c = 0; c < columns->count; c++) {
            const lam_meta_column *column = columns->items[c].meta_data;
            found |= holds_nul(columns->items[c].file_path) ||
                     (column != NULL && metadata_holds_nul(&column->key_value_metadata));
            for (uint32_t p = 0; column != NULL && p < column->path_in_schema.count; p++)
                found |= holds_nul(column->path_in_schema.items[p]);
        }
    }
    return found;
}

/* Notes why the judge is not asked. */
static lam_status leave_unjudged(lam_checker *checker, const char *reason) {
    return lam_check_report(checker, LAM_RULE_UNSUPPORTED, lam_check_nowhere(),
                            "Apache Thrift does not check the footer: %s", reason);
}

/*
 * Lets the judge compare the footer's bytes with those that this library writes from what it has
 * read. A field that one of the two does not know, or reads differently, shows as a difference.
 * Footers that are too large, or that the judge would misread, are not given to it: a note.
 */
static lam_status judge_whole(lam_checker *checker, const lam_meta_file *whole) {
    const lam_footer_view *footer = &checker->footer;
    char message[256] = "";
    lam_status status;
    lam_verdict verdict;
    lam_buffer rewritten;
    if (texts_hold_nul(whole))
        return leave_unjudged(checker, "a text in it holds a NUL");
    lam_buffer_init(&rewritten, &checker->allocator);
    LAM_TRY_OUT(lam_meta_write_file(whole, &rewritten, checker->error));
    verdict = checker->judge(checker->judge_state, footer->meta.bytes, lam_buffer_bytes(&rewritten),
                             message, sizeof message);
    if (verdict != LAM_VERDICT_AGREES)
        status = lam_check_report(checker,
                                  verdict == LAM_VERDICT_NONE ? LAM_RULE_FOOTER_UNJUDGED
                                                              : LAM_RULE_FOOTER_THRIFT,
                                  lam_check_at(lam_check_nowhere(), footer->offset), "%s",
                                  message[0] == '\0' ? "no message was given" : message);
out:
    lam_buffer_finish(&rewritten);
    return status;
}

/* Decodes the complete footer, which the walkers of this folder never need at once. */
static lam_status run_judge(lam_checker *checker) {
    lam_meta_file whole;
    lam_arena arena;
    if (checker->judge == NULL)
        return LAM_STATUS_OK;
    if (checker->footer.size > JUDGED_MOST)
        return leave_unjudged(checker, "it is above 16 MiB");
    lam_arena_init(&arena, &checker->allocator, (size_t)checker->memory_limit);
    lam_status status =
        lam_meta_read_file(checker->footer.meta.bytes, &arena, &whole, checker->error);
    if (status == LAM_STATUS_OK)
        status = judge_whole(checker, &whole);
    else if (status == LAM_STATUS_LIMIT)
        status = leave_unjudged(checker, "its structs are above the memory limit");
    lam_arena_finish(&arena);
    return status;
}

/* The order of findings is that of the members in parquet.thrift where possible. */
lam_status lam_check_footer(lam_checker *checker) {
    const lam_meta_file_view *meta = &checker->footer.meta;
    LAM_TRY(run_judge(checker));
    if (meta->version != 1 && meta->version != 2)
        LAM_TRY(lam_check_report(checker, LAM_RULE_FILE_VERSION, lam_check_nowhere(),
                                 "the version is %" PRId32, meta->version));
    LAM_TRY(check_created_by(checker));
    LAM_TRY(lam_check_key_values(checker, &meta->key_value_metadata, lam_check_nowhere()));
    if (meta->encryption_algorithm != NULL)
        LAM_TRY(lam_check_report(checker, LAM_RULE_ENCRYPTED, lam_check_nowhere(),
                                 "the file is encrypted with a footer in plain text, whose "
                                 "signature is not verified"));
    return check_footer_rows(checker);
}
