/* SPDX-License-Identifier: Apache-2.0 */
/* The codec of lib/meta against Apache Thrift's c_glib: equal bytes and equal trees. */
#include "judge.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "meta/any_message.h"
#include "meta/meta_tree.h"
#include "support/shared.h"

/* What both sides made of one message. */
typedef struct verdict {
    size_t size;    /* of the message in the bytes given */
    bool canonical; /* writing it again gives the same bytes */
} verdict;

/*
 * Reads a message from the front of `bytes` and writes it; c_glib does the same. Both must write
 * the same bytes, and these must read back as the same tree. `*ret_any` lives in `arena`.
 */
static verdict judge(lam_judge_message kind, lam_bytes bytes, lam_arena *arena,
                     lam_test_any *ret_any, const char *place) {
    const lam_test_message *message = &lam_test_messages[kind];
    lam_error error = lam_error_none();
    verdict result = {0, false};
    cr_assert_eq(message->read(bytes, arena, ret_any, &result.size, &error), LAM_STATUS_OK,
                 "%s: %s", place, error.message);
    cr_assert(result.size > 0, "%s: %s goes on behind the bytes", place, message->table->name);
    lam_buffer out;
    lam_buffer_init(&out, &arena->allocator);
    cr_assert_eq(message->write(ret_any, &out, NULL), LAM_STATUS_OK);

    uint8_t *judged;
    size_t judged_size;
    char *words = NULL;
    cr_assert(lam_judge_reencode(kind, bytes.data, result.size, &judged, &judged_size, &words),
              "%s: c_glib: %s", place, words);
    cr_assert(judged_size == out.size && memcmp(judged, out.data, out.size) == 0,
              "%s: c_glib writes another %s", place, message->table->name);
    result.canonical = out.size == result.size && memcmp(out.data, bytes.data, out.size) == 0;

    lam_test_any back;
    size_t size;
    cr_assert_eq(message->read((lam_bytes){judged, judged_size}, arena, &back, &size, NULL),
                 LAM_STATUS_OK);
    cr_assert(lam_meta_tree_equals(message->table, ret_any, &back), "%s: %s", place,
              message->table->name);
    lam_judge_free(judged);
    lam_buffer_finish(&out);
    return result;
}

/* --- Random messages ------------------------------------------------------------------------ */

static void judge_random(lam_judge_message kind, uint64_t seed) {
    const lam_test_message *message = &lam_test_messages[kind];
    lam_allocator heap = lam_allocator_default();
    lam_random random = lam_random_start(seed);
    lam_arena arena;
    lam_arena_init(&arena, &heap, 0);
    lam_test_any tree;
    lam_test_message_random(&random, message, seed % 25 == 0 ? 9 : 2, &arena, &tree);
    lam_buffer out;
    lam_buffer_init(&out, &heap);
    cr_assert_eq(message->write(&tree, &out, NULL), LAM_STATUS_OK);
    char place[64];
    snprintf(place, sizeof place, "seed %" PRIu64, seed);
    lam_test_any back;
    verdict result = judge(kind, lam_buffer_bytes(&out), &arena, &back, place);
    cr_assert(result.canonical, "%s", place);
    cr_assert_eq(result.size, out.size, "%s", place);
    cr_assert(lam_meta_tree_equals(message->table, &tree, &back), "%s", place);
    lam_buffer_finish(&out);
    lam_arena_finish(&arena);
}

Test(judge, random_footers_are_the_same_to_both) {
    uint64_t seed = lam_test_seed(1000);
    for (uint64_t i = 0; i < 2500; i++)
        judge_random(LAM_JUDGE_FILE, seed + i);
}

Test(judge, random_messages_of_other_kinds_are_the_same_to_both) {
    uint64_t seed = lam_test_seed(5000);
    for (int kind = LAM_JUDGE_PAGE_HEADER; kind < LAM_TEST_MESSAGES; kind++) {
        for (uint64_t i = 0; i < 1000; i++)
            judge_random((lam_judge_message)kind, seed + i);
    }
}

Test(judge, what_it_does_not_understand_it_says_in_words) {
    uint8_t *judged = NULL;
    size_t size = 99;
    char *words = NULL;
    cr_assert_not(lam_judge_reencode(LAM_JUDGE_PAGE_HEADER, (const uint8_t *)"\x15\x00\x15", 3,
                                     &judged, &size, &words));
    cr_assert_not_null(words);
    cr_assert_null(judged);
    cr_assert_eq(size, 99);
    lam_judge_free(words);
}

/* --- Real files ----------------------------------------------------------------------------- */

/* What was judged, by kind, and how much of it was canonical. */
typedef struct tally {
    size_t judged[LAM_TEST_MESSAGES];
    size_t canonical[LAM_TEST_MESSAGES];
} tally;

/* One real file. */
typedef struct subject {
    lam_bytes bytes;
    const char *name;
    lam_arena arena;
    tally *tally;
} subject;

static verdict judge_at(subject *file, lam_judge_message kind, uint64_t offset, uint64_t size,
                        lam_test_any *ret_any) {
    cr_assert(offset <= file->bytes.size, "%s", file->name);
    if (size > file->bytes.size - offset)
        size = file->bytes.size - offset;
    lam_bytes bytes = {file->bytes.data + offset, (size_t)size};
    verdict result = judge(kind, bytes, &file->arena, ret_any, file->name);
    file->tally->judged[kind]++;
    file->tally->canonical[kind] += result.canonical;
    return result;
}

/* Where the pages of a chunk begin; one without data pages may state 0 for them. */
static uint64_t first_page(const lam_meta_column *column) {
    int64_t data = column->data_page_offset;
    int64_t dictionary = column->dictionary_page_offset;
    return (uint64_t)(dictionary > 0 && (data == 0 || dictionary < data) ? dictionary : data);
}

/* The headers of all pages of a column chunk. */
static void judge_pages(subject *file, const lam_meta_column *column) {
    uint64_t at = first_page(column);
    uint64_t end = at + (uint64_t)column->total_compressed_size;
    while (at < end && end <= file->bytes.size) {
        lam_test_any any;
        at += judge_at(file, LAM_JUDGE_PAGE_HEADER, at, UINT64_MAX, &any).size;
        cr_assert(any.page_header.compressed_page_size >= 0, "%s", file->name);
        at += (uint64_t)any.page_header.compressed_page_size;
        lam_arena_reset(&file->arena);
    }
}

static void judge_chunk(subject *file, const lam_meta_column_chunk *chunk) {
    lam_test_any any;
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) != 0)
        judge_at(file, LAM_JUDGE_OFFSET_INDEX, (uint64_t)chunk->offset_index_offset,
                 (uint64_t)chunk->offset_index_length, &any);
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) != 0)
        judge_at(file, LAM_JUDGE_COLUMN_INDEX, (uint64_t)chunk->column_index_offset,
                 (uint64_t)chunk->column_index_length, &any);
    if (chunk->meta_data == NULL || (chunk->has & LAM_META_COLUMN_CHUNK_HAS_FILE_PATH) != 0)
        return;
    if ((chunk->meta_data->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0)
        judge_at(file, LAM_JUDGE_BLOOM_FILTER_HEADER,
                 (uint64_t)chunk->meta_data->bloom_filter_offset, UINT64_MAX, &any);
    judge_pages(file, chunk->meta_data);
}

static void judge_chunks(subject *file, const lam_meta_file *footer) {
    for (uint32_t g = 0; g < footer->row_groups.count; g++) {
        const lam_meta_column_chunk_list *columns = &footer->row_groups.items[g].columns;
        for (uint32_t c = 0; c < columns->count; c++)
            judge_chunk(file, &columns->items[c]);
    }
}

static void judge_footer(subject *file) {
    size_t size = file->bytes.size;
    size_t footer_size = lam_load_le32(file->bytes.data + size - 8);
    cr_assert(footer_size <= size - 12, "%s", file->name);
    uint64_t start = size - 8 - footer_size;
    lam_test_any any;
    if (memcmp(file->bytes.data + size - 4, "PARE", 4) == 0) {
        judge_at(file, LAM_JUDGE_FILE_CRYPTO, start, footer_size, &any);
        return;
    }
    judge_at(file, LAM_JUDGE_FILE, start, footer_size, &any);
    if (any.file.encryption_algorithm != NULL)
        return;
    /* Pages have an arena of their own, which is emptied while the footer stays. */
    subject pages = *file;
    lam_arena_init(&pages.arena, &file->arena.allocator, 0);
    judge_chunks(&pages, &any.file);
    lam_arena_finish(&pages.arena);
}

static void judge_file(void *state, const char *path) {
    size_t size;
    char *bytes = lam_test_read_file(path, &size);
    cr_assert_not_null(bytes, "%s", path);
    const char *magic = size < 12 ? "" : bytes + size - 4;
    if (strncmp(magic, "PAR1", 4) == 0 || strncmp(magic, "PARE", 4) == 0) {
        lam_allocator heap = lam_allocator_default();
        subject file = {.bytes = {(const uint8_t *)bytes, size}, .name = path, .tally = state};
        lam_arena_init(&file.arena, &heap, 0);
        judge_footer(&file);
        lam_arena_finish(&file.arena);
    }
    free(bytes);
}

Test(judge, real_files_are_the_same_to_both) {
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("parquet-testing is not there");
    static const char *const FOLDERS[] = {"parquet-testing/data",
                                          "parquet-testing/shredded_variant"};
    tally total = {{0}, {0}};
    for (size_t i = 0; i < sizeof FOLDERS / sizeof FOLDERS[0]; i++)
        lam_test_each_file(lam_test_shared(FOLDERS[i]), judge_file, &total);
    for (size_t i = 0; i < LAM_TEST_MESSAGES; i++)
        fprintf(stderr, "%s: %zu of %zu are canonical\n", lam_test_messages[i].table->name,
                total.canonical[i], total.judged[i]);
    cr_assert(total.judged[LAM_JUDGE_FILE_CRYPTO] > 0);
    cr_assert(total.judged[LAM_JUDGE_FILE] > 50);
    cr_assert(total.judged[LAM_JUDGE_PAGE_HEADER] > 500);
    cr_assert(total.canonical[LAM_JUDGE_FILE] > total.judged[LAM_JUDGE_FILE] / 2);
}
