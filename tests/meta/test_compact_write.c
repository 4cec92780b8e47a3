/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the compact protocol by their bytes, and random ones that read back equal. */
#include "meta/compact.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "meta/any_message.h"
#include "meta/meta_tree.h"
#include "support/failing_alloc.h"

enum { LAM_TEST_ROOM = 256 }; /* bytes that a buffer has, of which some are left */

static lam_bytes text(const char *string) {
    return (lam_bytes){(const uint8_t *)string, strlen(string)};
}

static lam_buffer empty_buffer(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

#define EXPECT_BYTES(buffer, golden)                                                               \
    do {                                                                                           \
        cr_assert_eq((buffer).size, sizeof(golden) - 1);                                           \
        cr_assert_eq(memcmp((buffer).data, golden, (buffer).size), 0);                             \
    } while (0)

Test(compact_write, a_page_header_is_these_bytes) {
    lam_meta_data_page_header page = {
        .num_values = 10,
        .definition_level_encoding = 3,
        .repetition_level_encoding = 3,
    };
    lam_meta_page_header header = {
        .uncompressed_page_size = 100,
        .compressed_page_size = 50,
        .data_page_header = &page,
    };
    lam_buffer out = empty_buffer();
    cr_assert_eq(lam_meta_write_page_header(&header, &out, NULL), LAM_STATUS_OK);
    EXPECT_BYTES(out, "\x15\x00\x15\xC8\x01\x15\x64\x2C\x15\x14\x15\x00\x15\x06\x15\x06\x00\x00");
    lam_buffer_finish(&out);
}

Test(compact_write, a_footer_is_these_bytes) {
    lam_meta_logical_type logical = {
        .kind = LAM_META_LOGICAL_INTEGER,
        .value = {.integer = {.bit_width = 8, .is_signed = true}},
    };
    lam_meta_schema_element elements[] = {
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN, .name = text("m"), .num_children = 1},
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_TYPE | LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE,
         .type = 1,
         .name = text("a"),
         .logical_type = &logical},
    };
    lam_meta_file file = {.version = 1, .schema = {elements, 2}};
    lam_buffer out = empty_buffer();
    cr_assert_eq(lam_meta_write_file(&file, &out, NULL), LAM_STATUS_OK);
    EXPECT_BYTES(out, "\x15\x02\x19\x2C\x48\x01m\x15\x02\x00"
                      "\x15\x02\x25\x00\x18\x01"
                      "a\x6C\xAC\x13\x08\x11\x00\x00\x00"
                      "\x16\x00\x19\x0C\x00");
    lam_buffer_finish(&out);
}

Test(compact_write, a_column_index_is_these_bytes) {
    bool null_pages[] = {true, false};
    lam_bytes bounds[] = {{NULL, 0}, text("x")};
    int64_t nan_counts[] = {-1, 300};
    lam_meta_column_index index = {
        .has = LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS,
        .null_pages = {null_pages, 2},
        .min_values = {bounds, 2},
        .max_values = {bounds, 2},
        .boundary_order = LAM_META_BOUNDARY_ASCENDING,
        .nan_counts = {nan_counts, 2},
    };
    lam_buffer out = empty_buffer();
    cr_assert_eq(lam_meta_write_column_index(&index, &out, NULL), LAM_STATUS_OK);
    EXPECT_BYTES(out, "\x19\x21\x01\x02\x19\x28\x00\x01x\x19\x28\x00\x01x\x15\x02\x49\x26\x01\xD8"
                      "\x04\x00");
    lam_buffer_finish(&out);
}

Test(compact_write, a_long_list_has_its_count_behind_its_type) {
    lam_meta_page_location locations[15] = {{0}};
    lam_meta_offset_index index = {.page_locations = {locations, 15}};
    lam_buffer out = empty_buffer();
    cr_assert_eq(lam_meta_write_offset_index(&index, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(memcmp(out.data, "\x19\xFC\x0F\x16\x00\x15\x00\x16\x00\x00", 10), 0);
    out.size = 0;
    index.page_locations.count = 14;
    cr_assert_eq(lam_meta_write_offset_index(&index, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(memcmp(out.data, "\x19\xEC\x16\x00\x15\x00\x16\x00\x00", 9), 0);
    lam_buffer_finish(&out);
}

Test(compact_write, a_union_that_is_empty_or_not_known_is_written_empty) {
    lam_meta_file_crypto crypto = {.encryption_algorithm = {.kind = LAM_META_UNION_UNRECOGNIZED}};
    lam_buffer out = empty_buffer();
    cr_assert_eq(lam_meta_write_file_crypto(&crypto, &out, NULL), LAM_STATUS_OK);
    EXPECT_BYTES(out, "\x1C\x00\x00");
    crypto.encryption_algorithm.kind = 99;
    out.size = 0;
    cr_assert_eq(lam_meta_write_file_crypto(&crypto, &out, NULL), LAM_STATUS_OK);
    EXPECT_BYTES(out, "\x1C\x00\x00");
    lam_buffer_finish(&out);
}

Test(compact_write, what_is_too_long_for_the_protocol_is_invalid_and_leaves_the_buffer) {
    lam_buffer out = empty_buffer();
    cr_assert_eq(lam_buffer_append_byte(&out, 'x', NULL), LAM_STATUS_OK);
    lam_meta_key_value pair = {.key = {(const uint8_t *)"", (size_t)INT32_MAX + 1}};
    lam_meta_file file = {.has = LAM_META_FILE_HAS_KEY_VALUE_METADATA,
                          .key_value_metadata = {&pair, 1}};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_meta_write_file(&file, &out, &error), LAM_STATUS_INVALID);
    cr_assert_eq(out.size, 1);
    file.key_value_metadata.count = (uint32_t)INT32_MAX + 1;
    cr_assert_eq(lam_meta_write_file(&file, &out, &error), LAM_STATUS_INVALID);
    cr_assert_eq(out.size, 1);
    lam_buffer_finish(&out);
}

/* Writes a random struct with every number of allocations that works out. */
Test(compact_write, no_memory_is_an_error_each_time) {
    uint64_t seed = lam_test_seed(20250613);
    lam_random random = lam_random_start(seed);
    lam_allocator heap = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &heap, 0);
    lam_meta_file file;
    lam_meta_tree_random(&random, &lam_meta_file_table, 3, &arena, &file);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_buffer out;
        lam_buffer_init(&out, &allocator);
        status = lam_meta_write_file(&file, &out, NULL);
        cr_assert(status == LAM_STATUS_OK || (status == LAM_STATUS_NOMEM && out.size == 0));
        cr_assert(fail_at > 1 || status == LAM_STATUS_NOMEM);
        lam_buffer_finish(&out);
        cr_assert_eq(counter.live_bytes, 0);
    }
    lam_arena_finish(&arena);
}

static void round_trip(const lam_test_message *message, uint64_t seed) {
    lam_allocator heap = lam_allocator_default();
    lam_random random = lam_random_start(seed);
    lam_arena arena;
    lam_arena_init(&arena, &heap, 0);
    lam_buffer first = empty_buffer();
    lam_buffer second = empty_buffer();
    lam_test_any in;
    lam_test_any back;
    size_t size = 0;
    lam_error error = lam_error_none();
    lam_test_message_random(&random, message, seed % 25 == 0 ? 9 : 2, &arena, &in);
    cr_assert_eq(message->write(&in, &first, &error), LAM_STATUS_OK);
    cr_assert_eq(message->read(lam_buffer_bytes(&first), &arena, &back, &size, &error),
                 LAM_STATUS_OK, "%s, seed %" PRIu64 ": %s", message->table->name, seed,
                 error.message);
    cr_assert_eq(size, first.size, "%s, seed %" PRIu64, message->table->name, seed);
    cr_assert(lam_meta_tree_equals(message->table, &in, &back), "%s, seed %" PRIu64,
              message->table->name, seed);
    cr_assert_eq(message->write(&back, &second, &error), LAM_STATUS_OK);
    cr_assert(first.size == second.size && memcmp(first.data, second.data, size) == 0,
              "%s, seed %" PRIu64, message->table->name, seed);
    lam_buffer_finish(&first);
    lam_buffer_finish(&second);
    lam_arena_finish(&arena);
}

Test(compact_write, whatever_is_written_reads_back_equal) {
    uint64_t seed = lam_test_seed(1);
    for (size_t i = 0; i < LAM_TEST_MESSAGES; i++) {
        for (uint64_t round = 0; round < 2000; round++)
            round_trip(&lam_test_messages[i], seed + round);
    }
}

/* Wherever the buffer ends, the next bytes need more of it, and there is no more. */
Test(compact_write, a_buffer_that_cannot_grow_fails_at_every_byte) {
    static const int32_t encodings[] = {0, 3, 8};
    static const lam_bytes path = {(const uint8_t *)"abc", 3};
    lam_meta_column column = {.encodings = {encodings, 3}, .path_in_schema = {&path, 1}};
    lam_meta_column_chunk chunk = {.meta_data = &column};
    lam_meta_row_group group = {.columns = {&chunk, 1}};
    lam_buffer whole = empty_buffer();
    cr_assert_eq(lam_meta_write_row_group(&group, &whole, NULL), LAM_STATUS_OK);
    size_t failures = 0;
    for (size_t before = 0; before <= whole.size + LAM_TEST_ROOM; before++) {
        lam_failing_alloc counter = {.fail_at = 2};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_buffer out;
        lam_buffer_init(&out, &allocator);
        cr_assert_eq(lam_buffer_reserve(&out, LAM_TEST_ROOM, NULL), LAM_STATUS_OK);
        size_t start = out.size = before > out.capacity ? 0 : out.capacity - before;
        lam_status status = lam_meta_write_row_group(&group, &out, NULL);
        cr_assert_eq(status, before < whole.size ? LAM_STATUS_NOMEM : status);
        cr_assert_eq(out.size, start + (status == LAM_STATUS_OK ? whole.size : 0));
        failures += status != LAM_STATUS_OK;
        lam_buffer_finish(&out);
        cr_assert_eq(counter.live_bytes, 0);
    }
    cr_assert_geq(failures, whole.size);
    lam_buffer_finish(&whole);
}
