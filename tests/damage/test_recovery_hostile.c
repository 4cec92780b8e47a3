/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records whose checksums are right and that say what cannot be, each behind a file that is sound:
 * the walk ends there, and keeps what it has. And walks for which there is no memory.
 */
#include <criterion/criterion.h>
#include <lamella/writer.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "damage/unfinished/recovery_walk.h"
#include "file/read/footer.h"
#include "file/unfinished_sample.h"
#include "meta/compact.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

enum { RECORDS = 30, GROUP_ROWS = 10, GROUPS = 3, FILE_ID = 7, LIMIT = 1 << 20 };

static lam_file_sample make_sample(void) {
    lam_random random = lam_random_start(lam_test_seed(11));
    lam_file_sample sample;
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = GROUP_ROWS;
    options.page_index = LAM_SWITCH_OFF;
    options.auto_bloom_filters = true;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_file_sample_init(&sample,
                         lam_test_schema("message m { required int64 a; optional binary s; }"),
                         RECORDS, 70, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

/* What a walk came to. */
typedef struct walked {
    lam_status status;
    bool has_meta;
    uint64_t stopped_at;
    uint64_t last_footer;  /* that describes what is before it; 0 for none */
    lam_recovery recovery; /* if has_meta */
} walked;

static walked walk_bytes(lam_bytes bytes, uint64_t memory_limit, const lam_allocator *allocator,
                         lam_error *error) {
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_recovery_walk_options options = {.allocator = allocator, .memory_limit = memory_limit};
    lam_recovery_walk walk;
    lam_meta_file meta;
    walked result = {.recovery = lam_recovery_default()};
    lam_recovery_walk_init(&walk, &input, &options);
    result.status = lam_recovery_walk_run(&walk, error);
    result.has_meta = walk.has_meta;
    result.stopped_at = walk.stopped_at;
    result.last_footer = walk.last_footer;
    if (result.status == LAM_STATUS_OK && walk.has_meta)
        result.status = lam_recovery_walk_decide(&walk, &meta, &result.recovery, error);
    lam_recovery_walk_finish(&walk);
    return result;
}

static walked walk_heap(lam_bytes bytes, uint64_t memory_limit) {
    lam_allocator heap = lam_allocator_default();
    lam_error error = lam_error_none();
    walked result = walk_bytes(bytes, memory_limit, &heap, &error);
    cr_assert_eq(result.status, LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(error.status, LAM_STATUS_OK, "what ends a walk stays behind: %s", error.message);
    return result;
}

static lam_buffer new_buffer(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

static void append(lam_buffer *out, lam_bytes bytes) {
    cr_assert_eq(lam_buffer_append(out, bytes.data, bytes.size, NULL), LAM_STATUS_OK);
}

/* Appends a record of the sample's log. */
static void add_record(lam_buffer *out, lam_recovery_kind kind, uint64_t sequence, uint64_t synced,
                       lam_bytes body) {
    lam_recovery_header header = {.kind = kind, .sequence = sequence, .synced = synced};
    memset(header.file_id, FILE_ID, sizeof header.file_id);
    cr_assert_eq(lam_recovery_record_write(&header, body, out, NULL), LAM_STATUS_OK);
}

#define BYTES(literal)                                                                             \
    { (const uint8_t *)(literal), sizeof(literal) - 1 }

Test(recovery_hostile, a_record_that_cannot_be_ends_the_walk_before_it) {
    static const struct {
        lam_recovery_kind kind;
        uint64_t sequence, synced;
        lam_bytes body;
        const char *what;
    } rows[] = {
        {LAM_RECOVERY_ROW_GROUP, GROUPS, 0, BYTES(""), "nothing"},
        {LAM_RECOVERY_ROW_GROUP, GROUPS, 0, BYTES("\x19\x0C\x16\x02"), "an unfinished struct"},
        {LAM_RECOVERY_ROW_GROUP, GROUPS, 0, BYTES("\x19\x0C\x00"), "fields are missing"},
        {LAM_RECOVERY_ROW_GROUP, GROUPS, 0, BYTES("\x1E\x00"), "a type that is not"},
        {LAM_RECOVERY_ROW_GROUP, GROUPS + 1, 0, BYTES("\x19\x0C\x16\x00\x16\x00\x00"), "a gap"},
        {LAM_RECOVERY_ROW_GROUP, GROUPS, UINT64_MAX, BYTES("\x19\x0C\x16\x00\x16\x00\x00"),
         "durable bytes that are not there"},
        {LAM_RECOVERY_FIRST, 0, 0, BYTES("\x00"), "a second beginning"},
        {LAM_RECOVERY_FIRST, GROUPS, 0, BYTES(""), "no metadata"},
        {LAM_RECOVERY_FIRST, GROUPS, 0, BYTES("\x1E\x00"), "metadata that do not parse"},
        {LAM_RECOVERY_FOOTER, GROUPS, 0, BYTES(""), "no size of a footer"},
        {LAM_RECOVERY_FOOTER, GROUPS, 0, BYTES("\x10\0\0"), "less than a size"},
        {LAM_RECOVERY_FOOTER, GROUPS, 0, BYTES("\x10\0\0\0\0"), "a size and a part of a checksum"},
    };
    lam_file_sample sample = make_sample();
    lam_unfinished_sample log;
    lam_unfinished_plan plan = {.file_id = FILE_ID};
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), &plan);
    size_t sound = log.bytes.size;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        log.bytes.size = sound;
        add_record(&log.bytes, rows[i].kind, rows[i].sequence, rows[i].synced, rows[i].body);
        walked result = walk_heap(lam_buffer_bytes(&log.bytes), LIMIT);
        cr_expect(result.has_meta);
        cr_expect_eq(result.stopped_at, sound, "%s: %d", rows[i].what, (int)result.stopped_at);
        cr_expect_eq(result.recovery.row_groups, GROUPS, "%s", rows[i].what);
        cr_expect_eq(result.recovery.rows, RECORDS, "%s", rows[i].what);
        cr_expect_eq(result.recovery.lost_row_groups, 0, "%s", rows[i].what);
    }
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

/* A file of one record behind the magic, whose body is made of `meta`. */
static lam_buffer file_of_first(const lam_meta_file *meta) {
    lam_buffer body = new_buffer(), bytes = new_buffer();
    cr_assert_eq(lam_meta_write_file(meta, &body, NULL), LAM_STATUS_OK);
    append(&bytes, (lam_bytes){(const uint8_t *)"PAR1", 4});
    add_record(&bytes, LAM_RECOVERY_FIRST, 0, 0, lam_buffer_bytes(&body));
    lam_buffer_finish(&body);
    return bytes;
}

Test(recovery_hostile, the_first_record_must_describe_one_row_group_of_a_schema) {
    enum { FIELDS = 300 };
    static lam_meta_schema_element elements[FIELDS];
    lam_meta_column column = {.num_values = 5};
    lam_meta_column_chunk chunk = {.meta_data = &column};
    lam_meta_row_group groups[2] = {{.columns = {&chunk, 1}, .num_rows = 5}};
    const uint32_t has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN;
    static const struct {
        uint32_t children, fields, groups;
        uint64_t memory_limit;
        bool is_taken;
    } rows[] = {
        {1, 2, 1, LIMIT, true},  /* its pages are missing: one row group is lost */
        {2, 2, 1, LIMIT, false}, /* no tree */
        {1, 2, 2, LIMIT, false}, /* two at once */
        {FIELDS - 1, FIELDS, 1, FIELDS * 512 - 1, false}, /* more fields than memory */
        {FIELDS - 1, FIELDS, 1, LIMIT, true},
    };
    groups[1] = groups[0];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t f = 0; f < FIELDS; f++)
            elements[f] = (lam_meta_schema_element){
                .has = LAM_META_SCHEMA_ELEMENT_HAS_TYPE, .name = BYTES("a"), .type = 1};
        elements[0].has = has;
        elements[0].num_children = (int32_t)rows[i].children;
        lam_meta_file meta = {.version = 2,
                              .schema = {elements, rows[i].fields},
                              .row_groups = {groups, rows[i].groups}};
        lam_buffer bytes = file_of_first(&meta);
        walked result = walk_heap(lam_buffer_bytes(&bytes), rows[i].memory_limit);
        cr_expect_eq(result.has_meta, rows[i].is_taken, "row %zu", i);
        cr_expect_eq(result.recovery.row_groups, 0, "row %zu", i);
        cr_expect_eq(result.recovery.lost_row_groups, rows[i].is_taken ? 1 : 0, "row %zu", i);
        cr_expect_eq(result.recovery.lost_rows, rows[i].is_taken ? 5 : 0, "row %zu", i);
        cr_expect(!result.recovery.is_complete || !rows[i].is_taken, "row %zu", i);
        lam_buffer_finish(&bytes);
    }
}

Test(recovery_hostile, a_row_group_before_any_schema_says_nothing) {
    lam_buffer bytes = new_buffer();
    append(&bytes, (lam_bytes){(const uint8_t *)"PAR1", 4});
    add_record(&bytes, LAM_RECOVERY_ROW_GROUP, 0, 0,
               (lam_bytes)BYTES("\x19\x0C\x16\x00\x16\x00\x00"));
    walked result = walk_heap(lam_buffer_bytes(&bytes), LIMIT);
    cr_expect_not(result.has_meta);
    cr_expect_eq(result.stopped_at, 4);
    lam_buffer_finish(&bytes);
}

/* --- Announced footers ----------------------------------------------------------------------- */

/* Records of older writers announce a footer by its size alone. */
Test(recovery_hostile, a_footer_that_is_announced_is_passed_by_its_size) {
    lam_file_sample sample = make_sample();
    lam_unfinished_sample log;
    lam_unfinished_plan plan = {.file_id = FILE_ID};
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), &plan);
    lam_bytes finished = lam_buffer_bytes(&sample.bytes);
    size_t sound = log.bytes.size;
    uint32_t size = lam_load_le32(finished.data + finished.size - 8) + 8;
    for (int32_t delta = -1; delta <= 1; delta++) {
        uint8_t body[4];
        uint32_t stated = size + (uint32_t)delta;
        log.bytes.size = sound;
        lam_store_le32(body, stated);
        add_record(&log.bytes, LAM_RECOVERY_FOOTER, GROUPS, 0, (lam_bytes){body, sizeof body});
        size_t footer = log.bytes.size;
        append(&log.bytes, (lam_bytes){finished.data + finished.size - size, size});
        walked result = walk_heap(lam_buffer_bytes(&log.bytes), LIMIT);
        cr_expect_eq(result.stopped_at, delta > 0 ? sound : footer + stated, "%d: %d", (int)delta,
                     (int)result.stopped_at);
        cr_expect_eq(result.recovery.row_groups, GROUPS);
    }
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

/* Appends a footer, with the record that states its size, and its checksum if asked. */
static size_t add_footer(lam_buffer *bytes, const lam_meta_file *meta, uint64_t sequence,
                         bool has_crc) {
    lam_buffer footer = new_buffer();
    uint8_t stated[8];
    cr_assert_eq(lam_footer_write(meta, &footer, NULL), LAM_STATUS_OK);
    lam_store_le32(stated, (uint32_t)footer.size);
    lam_store_le32(stated + 4, lam_crc32(0, footer.data, footer.size - 8));
    add_record(bytes, LAM_RECOVERY_FOOTER, sequence, 0, (lam_bytes){stated, has_crc ? 8 : 4});
    size_t start = bytes->size;
    append(bytes, lam_buffer_bytes(&footer));
    lam_buffer_finish(&footer);
    return start;
}

Test(recovery_hostile, a_footer_behind_records_is_believed_only_if_it_adds_nothing) {
    lam_file_sample sample = make_sample();
    lam_unfinished_sample log;
    lam_unfinished_plan plan = {.file_id = FILE_ID};
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), &plan);
    lam_allocator heap = lam_allocator_default();
    lam_input input = lam_input_memory(log.bytes.data, log.bytes.size);
    lam_recovery_walk_options options = {.allocator = &heap, .memory_limit = LIMIT};
    lam_recovery_walk walk;
    lam_recovery recovery;
    lam_meta_file meta;
    lam_buffer bytes = new_buffer();
    lam_meta_row_group more[GROUPS + 1];
    options.verify_from = UINT64_MAX;
    lam_recovery_walk_init(&walk, &input, &options);
    cr_assert_eq(lam_recovery_walk_run(&walk, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_recovery_walk_decide(&walk, &meta, &recovery, NULL), LAM_STATUS_OK);
    memcpy(more, meta.row_groups.items, GROUPS * sizeof *more);
    more[GROUPS] = more[0];
    for (int change = 0; change < 5; change++) {
        for (int has_crc = 0; has_crc < 2; has_crc++) {
            lam_meta_file changed = meta;
            lam_buffer_clear(&bytes);
            append(&bytes, lam_buffer_bytes(&log.bytes));
            if (change == 1)
                changed.schema.count--;
            else if (change == 2)
                changed.row_groups.count--;
            else if (change == 4)
                changed.row_groups = (lam_meta_row_group_list){more, GROUPS + 1};
            else if (change == 3) /* pages of a row group that has no record */
                append(&bytes, (lam_bytes){log.bytes.data + log.starts[0],
                                           (size_t)meta.row_groups.items[0].total_compressed_size});
            size_t footer = add_footer(&bytes, &changed, GROUPS, has_crc != 0);
            walked result = walk_heap(lam_buffer_bytes(&bytes), LIMIT);
            cr_expect_eq(result.last_footer, change == 0 ? footer : 0, "change %d", change);
            cr_expect_eq(result.recovery.row_groups, GROUPS, "change %d", change);
            cr_expect_eq(result.stopped_at, bytes.size, "change %d", change);
        }
    }
    lam_recovery_walk_finish(&walk);
    lam_buffer_finish(&bytes);
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

/* Opens a walk over the sample's bytes, and gives the metadata of all that it has. */
static lam_meta_file walk_log(lam_recovery_walk *walk, const lam_unfinished_sample *log,
                              lam_input *input, const lam_allocator *heap) {
    lam_recovery_walk_options options = {.allocator = heap, .memory_limit = LIMIT};
    lam_recovery recovery;
    lam_meta_file meta;
    options.verify_from = UINT64_MAX;
    *input = lam_input_memory(log->bytes.data, log->bytes.size);
    lam_recovery_walk_init(walk, input, &options);
    cr_assert_eq(lam_recovery_walk_run(walk, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_recovery_walk_decide(walk, &meta, &recovery, NULL), LAM_STATUS_OK);
    cr_assert_eq(meta.row_groups.count, GROUPS);
    return meta;
}

/* Without records a footer is all there is: one that forgets row groups is not of this file. */
Test(recovery_hostile, a_footer_with_fewer_row_groups_than_the_one_before_ends_the_walk) {
    lam_file_sample sample = make_sample();
    lam_unfinished_sample log;
    lam_unfinished_plan plan = {.footer_every = 1, .without_first = true};
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), &plan);
    lam_allocator heap = lam_allocator_default();
    lam_input input;
    lam_recovery_walk walk;
    lam_meta_file meta = walk_log(&walk, &log, &input, &heap);
    for (uint32_t count = GROUPS - 1; count <= GROUPS; count++) {
        lam_buffer bytes = new_buffer();
        append(&bytes, lam_buffer_bytes(&log.bytes));
        meta.row_groups.count = count;
        cr_assert_eq(lam_footer_write(&meta, &bytes, NULL), LAM_STATUS_OK);
        walked result = walk_heap(lam_buffer_bytes(&bytes), LIMIT);
        cr_expect_eq(result.stopped_at, count < GROUPS ? log.bytes.size : bytes.size);
        cr_expect_eq(result.recovery.row_groups, GROUPS);
        lam_buffer_finish(&bytes);
    }
    lam_recovery_walk_finish(&walk);
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

/* Appending to a finished file begins with its row groups, and one more. */
Test(recovery_hostile, a_file_is_not_continued_by_the_record_of_another) {
    lam_file_sample sample = make_sample();
    lam_unfinished_sample log;
    lam_unfinished_plan plan = {.file_id = FILE_ID, .is_finished = true};
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), &plan);
    lam_allocator heap = lam_allocator_default();
    lam_input input;
    lam_recovery_walk walk;
    lam_meta_file meta = walk_log(&walk, &log, &input, &heap);
    for (int is_other = 0; is_other < 2; is_other++) {
        lam_meta_row_group groups[GROUPS + 1];
        lam_buffer body = new_buffer(), bytes = new_buffer();
        append(&bytes, lam_buffer_bytes(&log.bytes));
        memcpy(groups, meta.row_groups.items, GROUPS * sizeof groups[0]);
        groups[GROUPS] = groups[0]; /* whose pages are not there */
        groups[0].num_rows += is_other;
        lam_meta_file next = meta;
        next.row_groups = (lam_meta_row_group_list){groups, GROUPS + 1};
        cr_assert_eq(lam_meta_write_file(&next, &body, NULL), LAM_STATUS_OK);
        add_record(&bytes, LAM_RECOVERY_FIRST, 0, 0, lam_buffer_bytes(&body));
        walked result = walk_heap(lam_buffer_bytes(&bytes), LIMIT);
        cr_expect_eq(result.stopped_at, is_other ? log.bytes.size : bytes.size);
        cr_expect_eq(result.recovery.row_groups, GROUPS);
        cr_expect_eq(result.recovery.lost_row_groups, is_other ? 0 : 1);
        lam_buffer_finish(&body);
        lam_buffer_finish(&bytes);
    }
    lam_recovery_walk_finish(&walk);
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

/*
 * Before the first record of a row group a footer is the best that is known, also without a
 * checksum: it may give a schema of no row groups.
 */
Test(recovery_hostile, a_footer_before_the_first_row_group_is_believed) {
    lam_meta_schema_element elements[2] = {
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN, .num_children = 1, .name = BYTES("m")},
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_TYPE, .type = 1, .name = BYTES("a")}};
    lam_meta_file meta = {.version = 2, .schema = {elements, 2}};
    lam_buffer bytes = new_buffer();
    append(&bytes, (lam_bytes){(const uint8_t *)"PAR1", 4});
    size_t footer = add_footer(&bytes, &meta, 0, false);
    walked result = walk_heap(lam_buffer_bytes(&bytes), LIMIT);
    cr_expect(result.has_meta);
    cr_expect_eq(result.last_footer, footer);
    cr_expect_eq(result.recovery.row_groups, 0);
    cr_expect(result.recovery.is_complete);
    lam_buffer_finish(&bytes);
}

/* --- Many ------------------------------------------------------------------------------------ */

/* Ordinals have 16 bits: the row groups behind them have none. */
Test(recovery_hostile, more_row_groups_than_ordinals_are_kept_without_them) {
    enum { MANY = INT16_MAX + 3 };
    lam_allocator heap = lam_allocator_default();
    lam_meta_schema_element root = {.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN,
                                    .name = BYTES("m")};
    lam_meta_row_group group = {.num_rows = 1, .has = LAM_META_ROW_GROUP_HAS_ORDINAL};
    lam_meta_file meta = {.version = 2, .schema = {&root, 1}, .row_groups = {&group, 1}};
    lam_buffer bytes = file_of_first(&meta), body = new_buffer();
    cr_assert_eq(lam_meta_write_row_group(&group, &body, NULL), LAM_STATUS_OK);
    for (uint64_t i = 1; i < MANY; i++)
        add_record(&bytes, LAM_RECOVERY_ROW_GROUP, i, 0, lam_buffer_bytes(&body));
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_recovery_walk_options options = {.allocator = &heap, .memory_limit = 1 << 28};
    lam_recovery_walk walk;
    lam_recovery recovery;
    lam_recovery_walk_init(&walk, &input, &options);
    cr_assert_eq(lam_recovery_walk_run(&walk, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_recovery_walk_decide(&walk, &meta, &recovery, NULL), LAM_STATUS_OK);
    cr_assert_eq(recovery.row_groups, MANY);
    for (size_t i = 0; i < MANY; i++) {
        bool has = (meta.row_groups.items[i].has & LAM_META_ROW_GROUP_HAS_ORDINAL) != 0;
        cr_assert_eq(has, i <= INT16_MAX, "%zu", i);
        cr_assert(!has || meta.row_groups.items[i].ordinal == (int16_t)i, "%zu", i);
    }
    lam_recovery_walk_finish(&walk);
    lam_buffer_finish(&body);
    lam_buffer_finish(&bytes);
}

/* --- Memory ---------------------------------------------------------------------------------- */

Test(recovery_hostile, a_walk_without_memory_says_so_and_leaks_nothing) {
    static const lam_unfinished_plan plans[] = {
        {.file_id = FILE_ID},
        {.file_id = FILE_ID, .footer_every = 1, .is_finished = true},
        {.footer_every = 1, .without_first = true}};
    lam_file_sample sample = make_sample();
    for (size_t i = 0; i < 3; i++) {
        lam_unfinished_sample log;
        lam_status status = LAM_STATUS_NOMEM;
        size_t failures = 0;
        lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), &plans[i]);
        for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
            lam_failing_alloc counter = {.fail_at = fail_at};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_error error = lam_error_none();
            walked result = walk_bytes(lam_buffer_bytes(&log.bytes), LIMIT, &allocator,
                                       fail_at % 2 == 0 ? NULL : &error);
            status = result.status;
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu", fail_at);
            cr_assert(fail_at % 2 == 0 || error.status == status);
            cr_assert(status != LAM_STATUS_OK || result.recovery.row_groups == GROUPS);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
            failures += status != LAM_STATUS_OK;
        }
        cr_assert_gt(failures, 10);
        lam_unfinished_sample_finish(&log);
    }
    lam_file_sample_finish(&sample);
}

/* A limit ends a walk with a failure, or before what is above it; never with other rows. */
Test(recovery_hostile, a_walk_keeps_within_every_limit_of_memory) {
    lam_file_sample sample = make_sample();
    lam_unfinished_sample log;
    lam_unfinished_plan plan = {.file_id = FILE_ID, .footer_every = 1};
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), &plan);
    lam_allocator heap = lam_allocator_default();
    size_t limited = 0, whole = 0;
    for (uint64_t limit = 64; limit < 1 << 15; limit += 64) {
        lam_error error = lam_error_none();
        walked result = walk_bytes(lam_buffer_bytes(&log.bytes), limit, &heap, &error);
        cr_assert(result.status == LAM_STATUS_OK || result.status == LAM_STATUS_LIMIT, "%d: %s",
                  (int)limit, error.message);
        cr_assert_eq(error.status, result.status);
        limited += result.status != LAM_STATUS_OK;
        whole += result.status == LAM_STATUS_OK && result.recovery.row_groups == GROUPS;
    }
    cr_assert_gt(limited, 10);
    cr_assert_gt(whole, 10);
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

Test(recovery_hostile, a_first_record_without_its_pages_and_without_memory_fails_cleanly) {
    lam_meta_schema_element elements[2] = {
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN, .num_children = 1, .name = BYTES("m")},
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_TYPE, .type = 1, .name = BYTES("a")}};
    lam_meta_column column = {.num_values = 5};
    lam_meta_column_chunk chunk = {.meta_data = &column};
    lam_meta_row_group group = {.columns = {&chunk, 1}, .num_rows = 5};
    lam_meta_file meta = {.version = 2, .schema = {elements, 2}, .row_groups = {&group, 1}};
    lam_buffer bytes = file_of_first(&meta);
    lam_status status = LAM_STATUS_NOMEM;
    size_t failures = 0;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        walked result = walk_bytes(lam_buffer_bytes(&bytes), LIMIT, &allocator, NULL);
        status = result.status;
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(result.recovery.lost_row_groups, status == LAM_STATUS_OK ? 1 : 0);
        cr_assert_eq(counter.live_bytes, 0);
        failures += status != LAM_STATUS_OK;
    }
    cr_assert_gt(failures, 5);
    lam_buffer_finish(&bytes);
}

/* Cut files that say nothing of their pages, with a schema, and with a file that is alike. */
Test(recovery_hostile, opening_with_a_schema_without_memory_says_so_and_leaks_nothing) {
    lam_file_sample sample = make_sample();
    lam_reader *like = lam_file_sample_open(&sample, NULL);
    for (int is_like = 0; is_like < 2; is_like++) {
        lam_status status = LAM_STATUS_NOMEM;
        size_t failures = 0;
        for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
            lam_failing_alloc counter = {.fail_at = fail_at};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_recover_options options = lam_recover_options_default();
            lam_recovery recovery;
            options.allocator = &allocator;
            options.schema = is_like ? NULL : sample.schema;
            options.like = is_like ? like : NULL;
            lam_reader *reader =
                lam_unfinished_open((lam_bytes){sample.bytes.data, sample.bytes.size - 9}, &options,
                                    &recovery, &status);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu: %d", fail_at,
                      (int)status);
            cr_assert(reader == NULL || recovery.rows == RECORDS);
            lam_reader_close(reader);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
            failures += status != LAM_STATUS_OK;
        }
        cr_assert_gt(failures, 20);
    }
    lam_reader_close(like);
    lam_file_sample_finish(&sample);
}

/* What is above a limit of memory is refused, or not known: never are there other rows. */
Test(recovery_hostile, opening_with_a_schema_keeps_within_every_limit_of_memory) {
    lam_file_sample sample = make_sample();
    lam_reader *like = lam_file_sample_open(&sample, NULL);
    for (int is_like = 0; is_like < 2; is_like++) {
        size_t refused = 0, whole = 0;
        for (uint64_t limit = 256; limit < 1 << 15; limit += 128) {
            lam_recover_options options = lam_recover_options_default();
            lam_recovery recovery;
            lam_status status;
            options.memory_limit = limit;
            options.schema = is_like ? NULL : sample.schema;
            options.like = is_like ? like : NULL;
            lam_reader *reader =
                lam_unfinished_open((lam_bytes){sample.bytes.data, sample.bytes.size - 9}, &options,
                                    &recovery, &status);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_LIMIT ||
                          status == LAM_STATUS_CORRUPT,
                      "%d: %d", (int)limit, (int)status);
            cr_assert(reader == NULL || recovery.rows <= RECORDS);
            refused += reader == NULL;
            whole += reader != NULL && recovery.rows == RECORDS;
            lam_reader_close(reader);
        }
        cr_assert_gt(refused, 5);
        cr_assert_gt(whole, 5);
    }
    lam_reader_close(like);
    lam_file_sample_finish(&sample);
}

/* The codec and the row groups of a file that is alike, and a schema that is another one's. */
Test(recovery_hostile, a_schema_beside_a_file_that_is_alike_must_be_its_schema) {
    lam_file_sample sample = make_sample();
    lam_reader *like = lam_file_sample_open(&sample, NULL);
    lam_schema *other = lam_test_schema("message m { required int64 a; required binary s; }");
    for (int is_same = 0; is_same < 2; is_same++) {
        lam_recover_options options = lam_recover_options_default();
        lam_recovery recovery;
        lam_status status;
        options.schema = is_same ? sample.schema : other;
        options.like = like;
        lam_reader *reader = lam_unfinished_open(
            (lam_bytes){sample.bytes.data, sample.bytes.size - 9}, &options, &recovery, &status);
        cr_assert_eq(status, is_same ? LAM_STATUS_OK : LAM_STATUS_INVALID);
        if (is_same)
            lam_unfinished_expect_records(&sample, reader, RECORDS);
        lam_reader_close(reader);
    }
    lam_schema_destroy(other);
    lam_reader_close(like);
    lam_file_sample_finish(&sample);
}

/* A file that is alike and has no row groups gives its schema, and the pages show the codec. */
Test(recovery_hostile, a_file_that_is_alike_may_be_empty) {
    lam_file_sample sample = make_sample();
    lam_recover_options options = lam_recover_options_default();
    lam_writer_options writing = lam_writer_options_default();
    lam_recovery recovery;
    lam_status status;
    lam_test_writer file = lam_test_write_as(sample.schema, &writing);
    lam_buffer trial = lam_test_written(&file);
    lam_reader *empty = lam_test_open(trial.data, trial.size, NULL);
    options.like = empty;
    lam_reader *reader = lam_unfinished_open((lam_bytes){sample.bytes.data, sample.bytes.size - 9},
                                             &options, &recovery, &status);
    cr_assert_eq(status, LAM_STATUS_OK);
    lam_unfinished_expect_records(&sample, reader, RECORDS);
    lam_reader_close(reader);
    lam_reader_close(empty);
    lam_buffer_finish(&trial);
    lam_file_sample_finish(&sample);
}
