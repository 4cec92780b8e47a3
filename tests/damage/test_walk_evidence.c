/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that hold a whole unfinished file: a record FIRST, or a footer, that describes the pages
 * up to itself, a page of forged cells, and a record or a footer of that page. The header of the
 * page around them is damaged so that its page ends where they begin. No forged cell is given.
 *
 *     | header: ends at * | value | value: noise * FIRST  page  ROW_GROUP  noise | page | FIRST ...
 */
#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/writer.h>
#include <string.h>

#include "base/bytes.h"
#include "file/read/footer.h"
#include "file/unfinished_sample.h"
#include "file/write/recovery_record.h"
#include "meta/compact.h"
#include "support/test_file.h"

#define FORGED "FORGED"
#define MARK "the forgery begins here"

enum { ROWS = 12, GROUP_ROWS = 4, PAGE_ROWS = 2, ROOM = 9000, NOISE = 300, FORGED_ROW = 1 };

typedef enum forgery_kind { FORGED_RECORDS, FORGED_FOOTERS } forgery_kind;

typedef struct forged_log {
    forgery_kind kind;
    lam_switch crc;
    uint8_t value[ROOM]; /* of FORGED_ROW */
    lam_buffer finished; /* the file that holds it */
    uint64_t at;         /* where the forgery begins */
    uint64_t pages_end;
} forged_log;

static lam_buffer new_buffer(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

static void append(lam_buffer *out, const void *data, size_t size) {
    cr_assert_eq(lam_buffer_append(out, data, size, NULL), LAM_STATUS_OK);
}

/* --- Writing ------------------------------------------------------------------------------- */

/* Writes rows of one column; with `value`, row FORGED_ROW is that. */
static lam_buffer write_texts(lam_switch crc, const char *text, size_t rows, const uint8_t *value) {
    lam_test_writer file =
        lam_test_write("message m { required binary s; }",
                       LAM_TEST_WRITER(.codec = LAM_CODEC_UNCOMPRESSED, .page_crc = crc,
                                       .page_index = LAM_SWITCH_OFF, .dictionary = LAM_SWITCH_OFF,
                                       .delta = LAM_SWITCH_OFF, .row_group_rows = GROUP_ROWS,
                                       .page_rows = PAGE_ROWS, .statistics = LAM_SWITCH_OFF,
                                       .data_page_version = 1));
    for (size_t row = 0; row < rows; row++) {
        lam_bytes cell = {(const uint8_t *)text, strlen(text)};
        if (value != NULL && row == FORGED_ROW)
            cell = (lam_bytes){value, ROOM};
        lam_test_put_triples(&file, &(lam_triples){1, 1, NULL, NULL, &cell}, 1);
    }
    return lam_test_written(&file);
}

static size_t footer_offset(const lam_buffer *bytes) {
    return bytes->size - LAM_FOOTER_TAIL_SIZE - lam_load_le32(bytes->data + bytes->size - 8);
}

static lam_meta_file read_footer(const lam_buffer *bytes, lam_arena *arena) {
    lam_meta_file meta;
    size_t at = footer_offset(bytes);
    lam_bytes body = {bytes->data + at, bytes->size - LAM_FOOTER_TAIL_SIZE - at};
    cr_assert_eq(lam_meta_read_file(body, arena, &meta, NULL), LAM_STATUS_OK);
    return meta;
}

/* --- Forging ------------------------------------------------------------------------------- */

static void add_record(lam_buffer *out, lam_recovery_kind kind, uint64_t synced,
                       const lam_buffer *body) {
    lam_recovery_header header = {
        .kind = kind, .sequence = kind == LAM_RECOVERY_ROW_GROUP, .synced = synced};
    memset(header.file_id, 0xEE, sizeof header.file_id);
    cr_assert_eq(lam_recovery_record_write(&header, lam_buffer_bytes(body), out, NULL),
                 LAM_STATUS_OK);
}

/* Adds what describes the row groups of `meta`, the last of which is new. */
static void add_forged_metadata(const forged_log *log, const lam_meta_file *meta, lam_buffer *out) {
    lam_buffer body = new_buffer();
    bool is_first = meta->row_groups.count == 1;
    if (log->kind == FORGED_FOOTERS)
        cr_assert_eq(lam_footer_write(meta, &body, NULL), LAM_STATUS_OK);
    else if (is_first)
        cr_assert_eq(lam_meta_write_file(meta, &body, NULL), LAM_STATUS_OK);
    else
        cr_assert_eq(lam_meta_write_row_group(&meta->row_groups.items[1], &body, NULL),
                     LAM_STATUS_OK);
    if (log->kind == FORGED_FOOTERS)
        append(out, body.data, body.size);
    else
        add_record(out, is_first ? LAM_RECOVERY_FIRST : LAM_RECOVERY_ROW_GROUP, log->at + out->size,
                   &body);
    lam_buffer_finish(&body);
}

/* The row group of one column that has its pages from `begin` to `end`. */
static void move_group(lam_meta_row_group *group, uint64_t begin, uint64_t end) {
    lam_meta_column *column = (lam_meta_column *)group->columns.items[0].meta_data;
    column->data_page_offset = (int64_t)begin;
    column->total_compressed_size = (int64_t)(end - begin);
    column->num_values = PAGE_ROWS;
    group->num_rows = PAGE_ROWS;
}

static lam_buffer forge(const forged_log *log, const lam_buffer *written) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer forged = write_texts(log->crc, FORGED, PAGE_ROWS, NULL), out = new_buffer();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    lam_meta_file meta = read_footer(written, &arena);
    size_t page_size = footer_offset(&forged) - LAM_FOOTER_MAGIC_SIZE;
    lam_meta_row_group *groups = (lam_meta_row_group *)meta.row_groups.items;
    meta.row_groups.count = 1;
    move_group(&groups[0], LAM_FOOTER_MAGIC_SIZE, log->at);
    add_forged_metadata(log, &meta, &out);
    uint64_t page = log->at + out.size;
    append(&out, forged.data + LAM_FOOTER_MAGIC_SIZE, page_size);
    move_group(&groups[1], page, page + page_size);
    meta.row_groups.count = 2;
    meta.num_rows = 2 * (int64_t)PAGE_ROWS;
    add_forged_metadata(log, &meta, &out);
    lam_arena_finish(&arena);
    lam_buffer_finish(&forged);
    return out;
}

static uint64_t find_bytes(const lam_buffer *bytes, const void *wanted, size_t size) {
    size_t at = 0;
    while (at + size <= bytes->size && memcmp(bytes->data + at, wanted, size) != 0)
        at++;
    return at;
}

/* Makes a file twice: what is forged states where it is. A checksum may change its length. */
static void make_forged(forged_log *log, forgery_kind kind, lam_switch crc) {
    memset(log, 0, sizeof *log);
    log->kind = kind;
    log->crc = crc;
    for (uint8_t noise = 1; noise != 0; noise++) {
        memset(log->value, noise, sizeof log->value);
        memcpy(log->value + NOISE, MARK, strlen(MARK));
        lam_buffer written = write_texts(crc, "a text", ROWS, log->value);
        log->at = find_bytes(&written, MARK, strlen(MARK));
        lam_buffer forgery = forge(log, &written);
        cr_assert_lt(NOISE + forgery.size, sizeof log->value);
        memcpy(log->value + NOISE, forgery.data, forgery.size);
        lam_buffer_finish(&written);
        log->finished = write_texts(crc, "a text", ROWS, log->value);
        log->pages_end = footer_offset(&log->finished);
        bool is_there = find_bytes(&log->finished, forgery.data, forgery.size) == log->at;
        lam_buffer_finish(&forgery);
        if (is_there)
            return;
        lam_buffer_finish(&log->finished);
    }
    cr_assert_fail("no checksum has the length of the other one");
}

/* --- Damage -------------------------------------------------------------------------------- */

/* Sets a number of a page header in as many bytes as it has, and moves behind it. */
static void set_number(uint8_t *header, size_t *position, uint64_t number) {
    bool more;
    number *= 2; /* zigzag */
    do {
        more = (header[*position] & 0x80) != 0;
        header[(*position)++] = (uint8_t)((number & 0x7F) | (more ? 0x80 : 0));
        number >>= 7;
    } while (more);
    cr_assert_eq(number, 0);
}

/*
 * Makes the first page end at `at`. Its header is: type, uncompressed_page_size,
 * compressed_page_size, crc.
 */
static void steer_page(lam_buffer *bytes, uint64_t at, bool damages_crc) {
    uint8_t *header = bytes->data + LAM_FOOTER_MAGIC_SIZE;
    lam_allocator allocator = lam_allocator_default();
    lam_meta_page_header meta;
    lam_arena arena;
    size_t size, position = 3;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(
        lam_meta_read_page_header((lam_bytes){header, bytes->size - 4}, &arena, &meta, &size, NULL),
        LAM_STATUS_OK);
    lam_arena_finish(&arena);
    uint64_t body = at - LAM_FOOTER_MAGIC_SIZE - size;
    set_number(header, &position, body);
    position++;
    set_number(header, &position, body);
    if (damages_crc)
        header[position + 1] ^= 0x12;
}

/* --- Opening ------------------------------------------------------------------------------- */

/* How many rows there are; none is forged. */
static size_t count_rows(const lam_reader *reader, const char *what) {
    size_t rows = 0;
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++) {
        lam_column_reader *column;
        lam_triples triples;
        cr_assert_eq(lam_column_reader_open(reader, group, 0, &column, NULL), LAM_STATUS_OK);
        while (lam_column_reader_read(column, 1, &triples, NULL) == LAM_STATUS_OK &&
               triples.count > 0) {
            const lam_bytes *cell = triples.values;
            cr_expect(cell->size != strlen(FORGED) || memcmp(cell->data, FORGED, cell->size) != 0,
                      "%s: row group %zu is forged", what, group);
            rows++;
        }
        lam_column_reader_close(column);
    }
    return rows;
}

/* Opens a file as recover and as salvage do, and gives the rows that the latter finds. */
static size_t open_all(lam_bytes bytes, const char *what) {
    size_t rows = 0;
    for (int way = 0; way < 3; way++) {
        lam_recover_options options = lam_recover_options_default();
        lam_recovery recovery = lam_recovery_default();
        lam_status status;
        options.keeps_cut = way > 0;
        options.no_checksums = way > 1;
        lam_reader *reader = lam_unfinished_open(bytes, &options, &recovery, &status);
        cr_expect(reader != NULL || status == LAM_STATUS_CORRUPT, "%s: %d", what, (int)status);
        rows = reader != NULL ? count_rows(reader, what) : 0;
        lam_reader_close(reader);
    }
    return rows;
}

/* --- Tests --------------------------------------------------------------------------------- */

/* Makes a log of the file, damages it, and opens it. */
static void expect_no_forgery(forgery_kind kind, bool damages_crc, const char *what) {
    static forged_log log;
    lam_unfinished_plan plan = {.file_id = 9, .footer_every = 2};
    lam_unfinished_sample sample;
    make_forged(&log, kind, LAM_SWITCH_ON);
    lam_unfinished_sample_init(&sample, lam_buffer_bytes(&log.finished), &plan);
    cr_expect_eq(open_all(lam_buffer_bytes(&sample.bytes), what), ROWS, "%s", what);
    steer_page(&sample.bytes, log.at, damages_crc);
    (void)open_all(lam_buffer_bytes(&sample.bytes), what);
    lam_unfinished_sample_finish(&sample);
    lam_buffer_finish(&log.finished);
}

Test(walk_evidence, a_size_that_leads_to_forged_records_is_not_followed) {
    expect_no_forgery(FORGED_RECORDS, false, "records");
}

Test(walk_evidence, a_size_that_leads_to_forged_footers_is_not_followed) {
    expect_no_forgery(FORGED_FOOTERS, false, "footers");
}

/* Nothing of the page itself says then where it ends. */
Test(walk_evidence, the_first_record_of_the_log_refutes_forged_records_before_it) {
    expect_no_forgery(FORGED_RECORDS, true, "records and a wrong checksum");
}

Test(walk_evidence, the_first_record_of_the_log_refutes_forged_footers_before_it) {
    expect_no_forgery(FORGED_FOOTERS, true, "footers and a wrong checksum");
}

/* Files of other writers: their pages have no checksums, and behind them there are no records. */
Test(walk_evidence, no_record_follows_pages_without_checksums) {
    static forged_log log;
    make_forged(&log, FORGED_RECORDS, LAM_SWITCH_OFF);
    steer_page(&log.finished, log.at, false);
    (void)open_all((lam_bytes){log.finished.data, (size_t)log.pages_end}, "no checksums");
    lam_buffer_finish(&log.finished);
}

Test(walk_evidence, a_file_without_records_that_lost_its_footer_gives_no_forged_rows) {
    static forged_log log;
    make_forged(&log, FORGED_RECORDS, LAM_SWITCH_ON);
    steer_page(&log.finished, log.at, false);
    (void)open_all((lam_bytes){log.finished.data, (size_t)log.pages_end}, "cut");
    lam_buffer_finish(&log.finished);
}

/* The offset of the text of a row. */
static uint64_t text_offset(const lam_buffer *bytes, const char *text, size_t row) {
    uint64_t at = 0;
    for (size_t i = 0; i <= row; i++) {
        lam_buffer rest = *bytes;
        at += i > 0;
        rest.data += at;
        rest.size -= (size_t)at;
        at += find_bytes(&rest, text, strlen(text));
    }
    return at;
}

/* A body that is damaged loses its own row group, whatever its values hold. */
Test(walk_evidence, a_log_with_a_damaged_body_keeps_its_other_row_groups) {
    static const size_t damaged_rows[] = {0, 2, GROUP_ROWS + 1};
    const char *text = "a text that is long";
    for (size_t i = 0; i < sizeof damaged_rows / sizeof damaged_rows[0]; i++) {
        lam_buffer bytes = write_texts(LAM_SWITCH_ON, text, ROWS, NULL);
        lam_unfinished_plan plan = {.file_id = 9, .synced_groups = 2};
        lam_unfinished_sample sample;
        lam_recover_options options = lam_recover_options_default();
        lam_recovery recovery = lam_recovery_default();
        lam_status status;
        lam_unfinished_sample_init(&sample, lam_buffer_bytes(&bytes), &plan);
        sample.bytes.data[text_offset(&sample.bytes, text, damaged_rows[i]) + 3] ^= 0x40;
        lam_reader *reader =
            lam_unfinished_open(lam_buffer_bytes(&sample.bytes), &options, &recovery, &status);
        cr_assert_not_null(reader);
        cr_expect_eq(recovery.row_groups, 2);
        cr_expect_eq(recovery.lost_row_groups, 1);
        cr_expect_eq(count_rows(reader, "damaged body"), ROWS - GROUP_ROWS);
        lam_reader_close(reader);
        lam_unfinished_sample_finish(&sample);
        lam_buffer_finish(&bytes);
    }
}

/* The records of a log in a value, which has no part in the damage, contradict nothing. */
Test(walk_evidence, a_log_in_a_damaged_page_does_not_refute_the_log_around_it) {
    static uint8_t value[ROOM];
    lam_unfinished_plan plan = {.file_id = 9, .synced_groups = 2};
    lam_unfinished_sample inner, outer;
    lam_recover_options options = lam_recover_options_default();
    lam_recovery recovery = lam_recovery_default();
    lam_status status;
    lam_buffer bytes = write_texts(LAM_SWITCH_ON, "inner", ROWS, NULL);
    lam_unfinished_sample_init(&inner, lam_buffer_bytes(&bytes), &plan);
    lam_buffer_finish(&bytes);
    cr_assert_leq(inner.bytes.size, sizeof value);
    memcpy(value, inner.bytes.data, inner.bytes.size);
    bytes = write_texts(LAM_SWITCH_ON, "a text", ROWS, value);
    lam_unfinished_sample_init(&outer, lam_buffer_bytes(&bytes), &plan);
    outer.bytes.data[text_offset(&outer.bytes, "a text", 0)] ^= 0x40;
    lam_reader *reader =
        lam_unfinished_open(lam_buffer_bytes(&outer.bytes), &options, &recovery, &status);
    cr_assert_not_null(reader);
    cr_expect_eq(recovery.row_groups, 2);
    cr_expect_eq(recovery.lost_row_groups, 1);
    lam_reader_close(reader);
    lam_unfinished_sample_finish(&inner);
    lam_unfinished_sample_finish(&outer);
    lam_buffer_finish(&bytes);
}
