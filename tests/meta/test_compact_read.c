/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of the compact protocol are read as Thrift readers must: unknown fields, other types,
 * counts that lie, and every prefix.
 */
#include "meta/compact.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "meta/any_message.h"
#include "meta/meta_tree.h"
#include "support/failing_alloc.h"

static lam_arena arena;

static void open_arena(void) {
    lam_allocator heap = lam_allocator_default();
    lam_arena_init(&arena, &heap, 1 << 24);
}

static void close_arena(void) {
    lam_arena_finish(&arena);
}

TestSuite(compact_read, .init = open_arena, .fini = close_arena);

#define BYTES(literal) ((lam_bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

static lam_error expect_corrupt_header(lam_bytes bytes) {
    lam_error error = lam_error_none();
    lam_meta_page_header header = {.crc = 77};
    size_t size = 99;
    cr_assert_eq(lam_meta_read_page_header(bytes, &arena, &header, &size, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(header.crc, 77);
    cr_assert_eq(size, 99);
    return error;
}

static lam_meta_page_header expect_header(lam_bytes bytes) {
    lam_error error = lam_error_none();
    lam_meta_page_header header = {0};
    size_t size;
    cr_assert_eq(lam_meta_read_page_header(bytes, &arena, &header, &size, &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_assert_eq(size, bytes.size);
    return header;
}

/* The required fields of a page header: of an index page, which needs no more, and of a V2 page. */
#define TYPE_AND_SIZES "\x15\x02\x15\xC8\x01\x15\x64"
#define V2_AND_SIZES "\x15\x06\x15\xC8\x01\x15\x64"

Test(compact_read, what_follows_a_header_is_left) {
    lam_meta_page_header header;
    size_t size;
    lam_bytes bytes = BYTES(TYPE_AND_SIZES "\x15\x01\x00page");
    cr_assert_eq(lam_meta_read_page_header(bytes, &arena, &header, &size, NULL), LAM_STATUS_OK);
    cr_assert_eq(size, bytes.size - 4);
    cr_assert_eq(header.type, 1);
    cr_assert_eq(header.uncompressed_page_size, 100);
    cr_assert_eq(header.compressed_page_size, 50);
    cr_assert_eq(header.crc, -1);
    cr_assert((header.has & LAM_META_PAGE_HEADER_HAS_CRC) != 0);
    cr_assert_null(header.data_page_header);
}

Test(compact_read, a_v2_page_is_compressed_unless_it_says_no) {
    lam_meta_page_header header = expect_header(
        BYTES(V2_AND_SIZES "\x5C\x15\x02\x15\x04\x15\x06\x15\x08\x15\x0A\x15\x0C\x00\x00"));
    cr_assert_not_null(header.data_page_header_v2);
    cr_assert(header.data_page_header_v2->is_compressed);
    cr_assert_eq(header.data_page_header_v2->repetition_levels_byte_length, 6);
    header = expect_header(
        BYTES(V2_AND_SIZES "\x5C\x15\x02\x15\x04\x15\x06\x15\x08\x15\x0A\x15\x0C\x12\x00\x00"));
    cr_assert_not(header.data_page_header_v2->is_compressed);
}

Test(compact_read, fields_may_come_in_any_order_and_in_the_long_form) {
    lam_meta_page_header header =
        expect_header(BYTES("\x05\x06\x64\x05\x04\xC8\x01\x05\x02\x02\x00"));
    cr_assert_eq(header.type, 1);
    cr_assert_eq(header.compressed_page_size, 50);
}

Test(compact_read, fields_that_nobody_knows_are_passed_over) {
    lam_meta_page_header header = expect_header(
        BYTES(TYPE_AND_SIZES "\x15\x01" /* then 9, a struct; -1, a list; 100, a bool */
                             "\x5C\x18\x01x\x00\x09\x01\x25\x00\x00\x01\xC8\x01\x00"));
    cr_assert_eq(header.crc, -1);
}

Test(compact_read, a_field_that_is_there_twice_is_corrupt) {
    lam_error error = expect_corrupt_header(BYTES(TYPE_AND_SIZES "\x05\x06\x64\x00"));
    cr_assert_eq(error.offset, 7);
    cr_assert_str_eq(error.message, "PageHeader.compressed_page_size is there twice");
}

Test(compact_read, a_required_field_that_is_missing_is_corrupt) {
    lam_error error = expect_corrupt_header(BYTES("\x15\x00\x25\x00\x00"));
    cr_assert_str_eq(error.message,
                     "PageHeader.uncompressed_page_size is missing or of another type");
    cr_assert_eq(error.offset, 4);
}

Test(compact_read, a_field_of_another_type_is_a_stranger) {
    lam_error error = expect_corrupt_header(BYTES("\x16\x00\x15\x00\x15\x00\x00"));
    cr_assert_str_eq(error.message, "PageHeader.type is missing or of another type");
    lam_meta_page_header header = expect_header(BYTES(TYPE_AND_SIZES "\x19\x15\x02\x15\x00\x00"));
    cr_assert_eq(header.has & LAM_META_PAGE_HEADER_HAS_CRC, 0);
}

/* A struct of another type does not help, nor does one that is there as another Thrift type. */
Test(compact_read, a_page_header_without_the_struct_of_its_type_is_corrupt) {
    static const char v1[] = "\x2C\x15\x02\x15\x00\x15\x06\x15\x06\x00\x00";
    static const char no_struct[] = "\x25\x02\x00";
    for (char type = 0; type <= 5; type++) {
        char bytes[32] = {0x15, (char)(2 * type), 0x15, 0, 0x15, 0};
        bool needs = type == 0 || type == 2 || type == 3;
        memcpy(bytes + 6, v1, sizeof v1 - 1);
        lam_bytes with = {(const uint8_t *)bytes, 6 + sizeof v1 - 1};
        if (!needs || type == 0)
            expect_header(with);
        else
            cr_assert_eq(expect_corrupt_header(with).offset, 0);
        memcpy(bytes + 6, no_struct, sizeof no_struct - 1);
        lam_bytes without = {(const uint8_t *)bytes, 6 + sizeof no_struct - 1};
        if (!needs) {
            expect_header(without);
            continue;
        }
        lam_error error = expect_corrupt_header(without);
        cr_assert_eq(error.code, LAM_ERROR_CODE_PAGE_HEADER);
        cr_assert_eq(error.offset, 0);
    }
}

Test(compact_read, a_number_beyond_its_width_is_corrupt) {
    lam_error error = expect_corrupt_header(BYTES("\x15\x80\x80\x80\x80\x10\x00"));
    cr_assert_eq(error.offset, 1);
}

Test(compact_read, a_step_beyond_the_largest_field_id_is_corrupt) {
    lam_bytes bytes = BYTES(TYPE_AND_SIZES "\x05\xFE\xFF\x03\x02\x15\x02\x00");
    cr_assert_eq(expect_corrupt_header(bytes).offset, (int64_t)bytes.size - 3);
    expect_header(BYTES(TYPE_AND_SIZES "\x05\xFE\xFF\x03\x02\x00")); /* 32767 itself */
}

Test(compact_read, list_elements_of_another_type_are_corrupt) {
    lam_meta_offset_index index;
    size_t size;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_meta_read_offset_index(BYTES("\x19\x15\x02\x00\x00\x00"), &arena, &index,
                                            &size, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "the elements of page_locations have type 5, not 12");
    cr_assert_eq(error.offset, 1);
    cr_assert_eq(lam_meta_read_offset_index(BYTES("\x19\x05\x00"), &arena, &index, &size, NULL),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(lam_meta_read_offset_index(BYTES("\x19\x00\x00"), &arena, &index, &size, NULL),
                 LAM_STATUS_OK, "an empty list needs no type");
}

Test(compact_read, integers_in_lists_may_claim_another_width) {
    lam_meta_column_index index;
    size_t size;
    for (char type = 4; type <= 6; type++) { /* null_counts are of type 6 */
        char bytes[] = "\x19\x11\x02\x19\x18\x00\x19\x18\x00\x15\x00\x19\x10\xFE\xFF\x03\x00";
        bytes[12] = (char)(bytes[12] | type);
        cr_assert_eq(lam_meta_read_column_index(BYTES(bytes), &arena, &index, &size, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(index.null_counts.items[0], 32767);
    }
}

Test(compact_read, bools_in_lists_have_either_type) {
    lam_meta_column_index index;
    size_t size;
    for (char type = 1; type <= 2; type++) {
        char bytes[] = "\x19\x30\x01\x02\x00\x19\x08\x19\x08\x15\x00\x00";
        bytes[1] = (char)(bytes[1] | type);
        cr_assert_eq(lam_meta_read_column_index(BYTES(bytes), &arena, &index, &size, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(index.null_pages.count, 3);
        cr_assert(index.null_pages.items[0]);
        cr_assert_not(index.null_pages.items[1]);
        cr_assert_not(index.null_pages.items[2]);
    }
}

static lam_meta_bloom_filter_header expect_filter(lam_bytes bytes) {
    lam_meta_bloom_filter_header header;
    size_t size;
    cr_assert_eq(lam_meta_read_bloom_filter_header(bytes, &arena, &header, &size, NULL),
                 LAM_STATUS_OK);
    return header;
}

Test(compact_read, a_union_member_that_nobody_knows_is_kept_as_such) {
    lam_meta_bloom_filter_header header =
        expect_filter(BYTES("\x15\x40\x1C\x1C\x00\x00\x1C\x5C\x15\x00\x00\x00\x1C\x00\x00"));
    cr_assert_eq(header.num_bytes, 32);
    cr_assert_eq(header.algorithm.kind, LAM_META_BLOOM_FILTER_ALGORITHM_BLOCK);
    cr_assert_eq(header.hash.kind, LAM_META_UNION_UNRECOGNIZED);
    cr_assert_eq(header.compression.kind, LAM_META_UNION_EMPTY);
}

Test(compact_read, a_member_without_fields_may_grow_some) {
    lam_meta_bloom_filter_header header = expect_filter(
        BYTES("\x15\x40\x1C\x1C\x15\x02\x00\x00\x1C\x1C\x00\x00\x1C\x1C\x00\x00\x00"));
    cr_assert_eq(header.compression.kind, LAM_META_BLOOM_FILTER_COMPRESSION_UNCOMPRESSED);
}

Test(compact_read, a_union_with_two_members_is_corrupt) {
    lam_meta_file_crypto crypto;
    size_t size;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_meta_read_file_crypto(BYTES("\x1C\x1C\x00\x1C\x00\x00\x00"), &arena, &crypto,
                                           &size, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "EncryptionAlgorithm has more than one member");
    /* One that nobody knows counts, in front as behind. */
    cr_assert_eq(lam_meta_read_file_crypto(BYTES("\x1C\x9C\x00\x0C\x02\x00\x00\x00"), &arena,
                                           &crypto, &size, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(lam_meta_read_file_crypto(BYTES("\x1C\x1C\x00\x8C\x00\x00\x00"), &arena, &crypto,
                                           &size, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(error.offset, 3);
    cr_assert_eq(
        lam_meta_read_file_crypto(BYTES("\x1C\x15\x00\x00\x00"), &arena, &crypto, &size, &error),
        LAM_STATUS_OK, "a member of another type is a stranger");
    cr_assert_eq(crypto.encryption_algorithm.kind, LAM_META_UNION_UNRECOGNIZED);
}

Test(compact_read, numbers_of_enums_are_kept) {
    lam_meta_page_header header = expect_header(BYTES("\x15\xF6\x01\x15\x00\x15\x00\x00"));
    cr_assert_eq(header.type, 123);
}

Test(compact_read, a_count_beyond_the_bytes_reserves_nothing) {
    lam_meta_file file;
    lam_error error = lam_error_none();
    lam_bytes bytes = BYTES("\x15\x02\x19\xFC\xFF\xFF\xFF\xFF\x07\x00");
    cr_assert_eq(lam_meta_read_file(bytes, &arena, &file, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.offset, (int64_t)bytes.size);
    cr_assert_eq(arena.used, 0);
}

Test(compact_read, the_budget_of_the_arena_is_a_limit) {
    lam_allocator heap = lam_allocator_default();
    lam_arena small;
    lam_arena_init(&small, &heap, 1000);
    uint8_t bytes[1000];
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, "\x19\xFC\xC8\x01", 4);
    lam_meta_offset_index index;
    size_t size;
    lam_error error = lam_error_none();
    cr_assert_eq(
        lam_meta_read_offset_index((lam_bytes){bytes, sizeof bytes}, &small, &index, &size, &error),
        LAM_STATUS_LIMIT);
    lam_arena_finish(&small);
}

Test(compact_read, nothing_is_no_footer_and_a_header_that_goes_on) {
    lam_meta_file file;
    lam_meta_page_header header;
    size_t size = 99;
    cr_assert_eq(lam_meta_read_file((lam_bytes){NULL, 0}, &arena, &file, NULL), LAM_STATUS_CORRUPT);
    cr_assert_eq(lam_meta_read_page_header((lam_bytes){NULL, 0}, &arena, &header, &size, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(size, 0);
}

/* A random message; its bytes are in memory of exactly their size. */
static lam_bytes random_message(const lam_test_message *message, uint64_t seed) {
    lam_random random = lam_random_start(seed);
    lam_allocator heap = lam_allocator_default();
    lam_arena trees;
    lam_arena_init(&trees, &heap, 0);
    lam_buffer out;
    lam_buffer_init(&out, &heap);
    lam_test_any any;
    lam_test_message_random(&random, message, 2, &trees, &any);
    cr_assert_eq(message->write(&any, &out, NULL), LAM_STATUS_OK);
    uint8_t *exact = malloc(out.size);
    memcpy(exact, out.data, out.size);
    lam_bytes bytes = {exact, out.size};
    lam_buffer_finish(&out);
    lam_arena_finish(&trees);
    return bytes;
}

/* In memory that ends where the bytes do, so that reading beyond is seen. */
static lam_status read_cut(const lam_test_message *message, lam_bytes bytes, size_t size,
                           size_t *ret_size) {
    uint8_t *exact = malloc(size == 0 ? 1 : size);
    memcpy(exact, bytes.data, size);
    lam_test_any any;
    lam_error error = lam_error_none();
    lam_arena_reset(&arena);
    lam_status status = message->read((lam_bytes){exact, size}, &arena, &any, ret_size, &error);
    if (status != LAM_STATUS_OK)
        cr_assert(error.status == status && error.message[0] != '\0' &&
                  error.offset <= (int64_t)size);
    free(exact);
    return status;
}

Test(compact_read, every_prefix_of_a_message_is_unfinished) {
    uint64_t seed = lam_test_seed(7);
    for (size_t i = 0; i < LAM_TEST_MESSAGES; i++) {
        const lam_test_message *message = &lam_test_messages[i];
        for (uint64_t round = 0; round < 5; round++) {
            lam_bytes bytes = random_message(message, seed + round);
            for (size_t cut = 0; cut < bytes.size; cut++) {
                size_t size = 99;
                lam_status status = read_cut(message, bytes, cut, &size);
                if (i == 0)
                    cr_assert_eq(status, LAM_STATUS_CORRUPT, "seed %" PRIu64, seed + round);
                else
                    cr_assert(status == LAM_STATUS_OK && size == 0, "%s, seed %" PRIu64,
                              message->table->name, seed + round);
            }
            free((void *)bytes.data);
        }
    }
}

Test(compact_read, a_changed_byte_is_read_or_a_clean_error) {
    uint64_t seed = lam_test_seed(11);
    lam_random random = lam_random_start(seed);
    size_t good = 0;
    for (uint64_t round = 0; round < 1000; round++) {
        const lam_test_message *message = &lam_test_messages[round % 2 == 0 ? 0 : round / 2 % 6];
        lam_bytes bytes = random_message(message, seed + round);
        for (int i = 0; i < 100; i++) {
            uint8_t *place = (uint8_t *)bytes.data + lam_random_below(&random, bytes.size);
            uint8_t was = *place;
            *place = (uint8_t)lam_random_next(&random);
            size_t size;
            lam_status status = read_cut(message, bytes, bytes.size, &size);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT ||
                          status == LAM_STATUS_LIMIT,
                      "%s, seed %" PRIu64, message->table->name, seed);
            good += status == LAM_STATUS_OK;
            *place = was;
        }
        free((void *)bytes.data);
    }
    cr_assert(good > 1000 && good < 99000, "%zu", good);
}

Test(compact_read, no_memory_is_an_error_each_time) {
    const lam_test_message *message = &lam_test_messages[0];
    lam_bytes bytes = random_message(message, 3);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_arena failing;
        lam_arena_init(&failing, &allocator, 0);
        lam_test_any any;
        size_t size;
        status = message->read(bytes, &failing, &any, &size, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert(fail_at > 1 || status == LAM_STATUS_NOMEM);
        lam_arena_finish(&failing);
        cr_assert_eq(counter.live_bytes, 0);
    }
    free((void *)bytes.data);
}

/* --- Single messages ------------------------------------------------------------------------- */

#define ROW_GROUP "\x19\x0C\x16\x02\x16\x04\x00" /* no chunks, 1 byte, 2 rows */

Test(compact_read, a_row_group_is_read_or_unfinished_or_corrupt) {
    lam_bytes bytes = BYTES(ROW_GROUP);
    lam_meta_row_group group = {.num_rows = 4711};
    for (size_t cut = 0; cut <= bytes.size; cut++) {
        size_t size = 99;
        cr_assert_eq(
            lam_meta_read_row_group((lam_bytes){bytes.data, cut}, &arena, &group, &size, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(size, cut == bytes.size ? cut : 0);
        cr_assert_eq(group.num_rows, cut == bytes.size ? 2 : 4711);
    }
    size_t size = 99;
    lam_error error = lam_error_none();
    cr_assert_eq(
        lam_meta_read_row_group(BYTES("\x19\x0C\x16\x02\x00"), &arena, &group, &size, &error),
        LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FOOTER);
    cr_assert_eq(size, 99);
    cr_assert_eq(group.num_rows, 2);
}

Test(compact_read, a_struct_is_measured_without_being_known) {
    lam_bytes bytes = BYTES(ROW_GROUP "behind it");
    for (size_t cut = 0; cut <= bytes.size; cut++) {
        size_t size = 99;
        cr_assert_eq(lam_meta_measure((lam_bytes){cut == 0 ? NULL : bytes.data, cut}, &size, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(size, cut < sizeof ROW_GROUP - 1 ? 0 : sizeof ROW_GROUP - 1);
    }
    size_t size = 99;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_meta_measure(BYTES("\x15\x02\x1E\x00"), &size, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FOOTER);
    cr_assert_eq(error.offset, 2); /* type 14 */
    cr_assert_eq(size, 99);
}
