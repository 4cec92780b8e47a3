/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Journals: whatever is read of one keeps the promises of triples, is the same from an input that
 * lends and from one that does not, and survives the way through a frame.
 *
 *     manner (1 byte, odd: checksums and sequences are made right), rows that each file has (1),
 *     journal
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/error.h"
#include "file/write/triple_batch.h"
#include "fuzz/harness.h"
#include "log/journal/journal_replay.h"
#include "schema/tree.h"

/* What was seen of a journal. */
typedef struct sight {
    lam_status status;
    lam_journal_end end;
    uint64_t hash;
    size_t batches;
} sight;

/* Makes all checksums right, so that what follows them is reached. */
static void mend(uint8_t *bytes, size_t size) {
    if (size < LAM_JOURNAL_HEAD_SIZE)
        return;
    uint64_t sequence = bytes[8];
    uint32_t seed = lam_journal_seed(bytes + 8);
    lam_journal_head_write(bytes + 8, bytes);
    for (size_t at = LAM_JOURNAL_HEAD_SIZE; size - at >= LAM_JOURNAL_HEADER_SIZE;) {
        size_t left = size - at - LAM_JOURNAL_HEADER_SIZE;
        size_t body = lam_load_le32(bytes + at + 4) < left ? lam_load_le32(bytes + at + 4) : left;
        lam_store_le32(bytes + at + 4, (uint32_t)body);
        lam_store_le64(bytes + at + 8, sequence++);
        lam_store_le32(bytes + at,
                       lam_crc32(seed, bytes + at + 4, LAM_JOURNAL_HEADER_SIZE - 4 + body));
        at += LAM_JOURNAL_HEADER_SIZE + body;
    }
}

static uint64_t hash_levels(uint64_t hash, const uint8_t *levels, uint8_t otherwise, size_t count) {
    for (size_t i = 0; levels != NULL && i < count; i++)
        hash = lam_fuzz_hash(hash, &levels[i], 1);
    /* Levels that are left out hash alike, however many they are. */
    return levels == NULL ? lam_fuzz_hash(hash, &otherwise, 1) : hash;
}

static uint64_t hash_columns(uint64_t hash, const lam_schema *schema, const lam_triples *columns,
                             size_t record_count) {
    for (size_t i = 0; i < schema->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(schema, i);
        const lam_triples *column = &columns[i];
        lam_value_layout layout = {(lam_physical_type)leaf->physical_type, leaf->type_length};
        LAM_FUZZ_OK(lam_triples_check(lam_kernels_get(), leaf, column, record_count, &fault));
        bool repeats = column->count > record_count;
        bool has_nulls = column->count > column->value_count;
        hash = hash_levels(hash, repeats ? column->repetition : NULL, 0, column->count);
        hash = hash_levels(hash, has_nulls ? column->definition : NULL, leaf->max_definition,
                           column->count);
        hash = lam_fuzz_hash_values(hash, layout, column->values, column->value_count);
    }
    return hash;
}

/* What is written of columns that were read has their hash. */
static void rewrite(const lam_schema *schema, const lam_triples *columns, size_t record_count,
                    uint64_t hash) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_journal_stream stream = {0};
    lam_journal_rows rows = {.record_count = (uint32_t)record_count};
    lam_triples *again;
    lam_bytes bytes;
    lam_buffer out;
    lam_arena arena;
    lam_buffer_init(&out, &allocator);
    lam_arena_init(&arena, &allocator, 0);
    LAM_FUZZ_OK(lam_journal_rows_write(&stream, schema, &rows, columns, &out, &fault));
    lam_bytes body = {out.data + LAM_JOURNAL_HEADER_SIZE, out.size - LAM_JOURNAL_HEADER_SIZE};
    LAM_FUZZ_OK(lam_journal_rows_read(body, &rows, &bytes, &fault));
    LAM_FUZZ_OK(lam_journal_columns_read(lam_kernels_get(), schema, bytes, record_count, &arena,
                                         &again, &fault));
    LAM_FUZZ_EXPECT(hash_columns(0, schema, again, record_count) == hash);
    lam_arena_finish(&arena);
    lam_buffer_finish(&out);
}

static lam_status see(lam_journal_reader *reader, sight *s, lam_error *error) {
    lam_journal_batch batch;
    lam_triples *columns;
    bool found = true;
    while (found) {
        LAM_TRY(lam_journal_reader_next(reader, &batch, &found, error));
        if (!found)
            break;
        s->batches++;
        LAM_TRY(lam_journal_reader_columns(reader, &columns, error));
        uint64_t hash = hash_columns(0, batch.file->schema, columns, batch.record_count);
        if (s->batches <= 4)
            rewrite(batch.file->schema, columns, batch.record_count, hash);
        s->hash = lam_fuzz_hash(s->hash, &hash, sizeof hash);
    }
    return LAM_STATUS_OK;
}

static sight see_all(const lam_input *input) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_error error = lam_error_none();
    lam_journal_reader *reader;
    sight s = {.status = lam_journal_reader_open(input, &allocator, &reader, &error)};
    if (!lam_fuzz_judge(s.status, &error, LAM_FUZZ_OF_FILE))
        return s;
    s.status = see(reader, &s, &error);
    (void)lam_fuzz_judge(s.status, &error, LAM_FUZZ_OF_FILE);
    s.end = lam_journal_reader_end(reader);
    LAM_FUZZ_EXPECT((s.status == LAM_STATUS_OK) == (s.end.kind != LAM_JOURNAL_END_NOT_REACHED));
    LAM_FUZZ_EXPECT(s.status != LAM_STATUS_OK || s.end.offset + s.end.left == input->size);
    lam_journal_reader_close(reader);
    return s;
}

typedef struct replay {
    const lam_input *input;
    uint64_t row_count; /* that each file has */
    uint64_t next_row;
} replay;

static lam_status take_rows(void *state, const lam_journal_batch *batch, const lam_triples *columns,
                            lam_error *error) {
    (void)error;
    replay *r = state;
    LAM_FUZZ_EXPECT(batch->first_row == r->next_row && batch->record_count > 0);
    (void)hash_columns(0, batch->file->schema, columns, batch->record_count);
    r->next_row += batch->record_count;
    return LAM_STATUS_OK;
}

static lam_status replay_file(void *state, const lam_journal_file_info *file, lam_error *error) {
    (void)error;
    replay *r = state;
    lam_allocator allocator = lam_fuzz_allocator();
    lam_error failure = lam_error_none();
    lam_journal_replayed replayed;
    r->next_row = r->row_count;
    if (lam_fuzz_judge(lam_journal_replay(r->input, file->id, r->row_count, &allocator, take_rows,
                                          r, &replayed, &failure),
                       &failure, LAM_FUZZ_OF_FILE))
        LAM_FUZZ_EXPECT(r->next_row == r->row_count + replayed.row_count);
    return LAM_STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    bool mended = lam_fuzz_number(&input, 1) % 2 == 1;
    replay r = {.row_count = lam_fuzz_number(&input, 1)};
    lam_allocator allocator = lam_fuzz_allocator();
    lam_error error = lam_error_none();
    lam_bytes bytes;
    uint8_t *block = lam_fuzz_rest(&input, &bytes);
    if (mended)
        mend(block, bytes.size);
    lam_input lending = lam_input_memory(block, bytes.size), copying = lending;
    copying.borrow = NULL;
    sight a = see_all(&lending), b = see_all(&copying);
    LAM_FUZZ_EXPECT(a.status == b.status && a.hash == b.hash && a.batches == b.batches);
    LAM_FUZZ_EXPECT(a.end.kind == b.end.kind && a.end.offset == b.end.offset);
    r.input = &lending;
    (void)lam_fuzz_judge(
        lam_journal_list_files(&lending, &allocator, replay_file, &r, NULL, &error), &error,
        LAM_FUZZ_OF_FILE);
    free(block);
    lam_fuzz_expect_no_leak();
    return 0;
}
