/* SPDX-License-Identifier: Apache-2.0 */
/* Records for journals, and a storage of one file in memory whose calls may fail. */
#include "log/journal_sample.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "base/error.h"
#include "file/file_sample.h"
#include "file/write/triple_batch.h"
#include "reference/record_tree.h"
#include "schema/tree.h"

/* --- A storage ----------------------------------------------------------------------------- */

static lam_status count_call(lam_journal_store *store, lam_error *error) {
    if (++store->calls == store->fail_at)
        LAM_FAIL(error, store->fails_full ? LAM_ERROR_CODE_DISK_FULL : LAM_ERROR_CODE_FILE_WRITE,
                 "call %zu fails", store->calls);
    return LAM_STATUS_OK;
}

static lam_status store_append(void *state, const void *data, size_t size, lam_error *error) {
    lam_journal_store *store = state;
    cr_assert(store->open);
    store->appends++;
    lam_status status = count_call(store, error);
    cr_assert_eq(
        lam_buffer_append(&store->bytes, data, status == LAM_STATUS_OK ? size : size / 2, NULL),
        LAM_STATUS_OK);
    return status;
}

static lam_status store_sync(void *state, lam_error *error) {
    lam_journal_store *store = state;
    cr_assert(store->open);
    store->syncs++;
    return count_call(store, error);
}

static lam_status store_truncate(void *state, uint64_t size, lam_error *error) {
    lam_journal_store *store = state;
    cr_assert(store->open);
    cr_assert_leq(size, store->bytes.size);
    store->truncates++;
    LAM_TRY(count_call(store, error));
    store->bytes.size = (size_t)size;
    return LAM_STATUS_OK;
}

static void store_close(void *state) {
    lam_journal_store *store = state;
    cr_assert(store->open);
    store->open = false;
}

static lam_status store_create(void *state, const char *path, lam_storage_file *ret_file,
                               lam_error *error) {
    lam_journal_store *store = state;
    lam_allocator allocator = lam_allocator_default();
    cr_assert(!store->exists);
    LAM_TRY(count_call(store, error));
    if (store->bytes.data != NULL)
        lam_buffer_finish(&store->bytes);
    lam_buffer_init(&store->bytes, &allocator);
    snprintf(store->path, sizeof store->path, "%s", path);
    store->exists = store->open = true;
    lam_storage_file file = {store, store_append, NULL, store_sync, store_truncate, store_close};
    *ret_file = file;
    return LAM_STATUS_OK;
}

static lam_status store_remove(void *state, const char *path, lam_error *error) {
    lam_journal_store *store = state;
    cr_assert(store->exists);
    cr_assert_str_eq(path, store->path);
    LAM_TRY(count_call(store, error));
    store->removes++;
    store->exists = false;
    return LAM_STATUS_OK;
}

static lam_status store_sync_folder(void *state, const char *path, lam_error *error) {
    lam_journal_store *store = state;
    store->folder_syncs++;
    snprintf(store->folder, sizeof store->folder, "%s", path);
    return count_call(store, error);
}

lam_storage lam_journal_store_storage(lam_journal_store *store) {
    lam_storage storage = {.state = store,
                           .create = store_create,
                           .remove = store_remove,
                           .sync_folder = store_sync_folder};
    return storage;
}

lam_input lam_journal_store_input(const lam_journal_store *store) {
    return lam_input_memory(store->bytes.data, store->bytes.size);
}

void lam_journal_store_free(lam_journal_store *store) {
    cr_assert(!store->open);
    if (store->bytes.data != NULL)
        lam_buffer_finish(&store->bytes);
}

/* --- Records ------------------------------------------------------------------------------- */

const uint8_t lam_journal_sample_id[LAM_JOURNAL_ID_SIZE] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                            8, 9, 10, 11, 12, 13, 14, 15};

void lam_journal_sample_init(lam_journal_sample *sample, lam_schema *schema, size_t record_count,
                             unsigned presence, lam_random *random) {
    lam_allocator allocator = lam_allocator_default();
    sample->schema = schema;
    sample->record_count = record_count;
    lam_arena_init(&sample->arena, &allocator, 0);
    cr_assert_eq(lam_shredder_create(schema, NULL, &sample->shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(sample->shredder);
    for (size_t i = 0; i < record_count; i++) {
        lam_tree_item record = lam_tree_random(random, schema, presence, &sample->arena);
        cr_assert_eq(lam_tree_drive(schema, &record, &sink, NULL, false, NULL), LAM_STATUS_OK);
    }
}

void lam_journal_sample_free(lam_journal_sample *sample) {
    lam_shredder_destroy(sample->shredder);
    lam_schema_destroy(sample->schema);
    lam_arena_finish(&sample->arena);
}

lam_triples *lam_journal_sample_columns(lam_journal_sample *sample, size_t first, size_t count) {
    const lam_schema *schema = sample->schema;
    const lam_kernels *kernels = lam_kernels_get();
    lam_triples *columns = lam_tree_alloc(&sample->arena, schema->leaf_count, sizeof *columns);
    for (size_t i = 0; i < schema->leaf_count; i++) {
        lam_triples rest = lam_shredder_triples(sample->shredder, i);
        (void)lam_triples_take(kernels, lam_leaf_at(schema, i), &rest, first);
        columns[i] = lam_triples_take(kernels, lam_leaf_at(schema, i), &rest, count);
    }
    return columns;
}

static bool same_levels(const uint8_t *a, const uint8_t *b, uint8_t otherwise, size_t count) {
    for (size_t i = 0; i < count; i++)
        if ((a != NULL ? a[i] : otherwise) != (b != NULL ? b[i] : otherwise))
            return false;
    return true;
}

static bool same_column(const lam_field *leaf, const lam_triples *a, const lam_triples *b) {
    if (a->count != b->count || a->value_count != b->value_count ||
        !same_levels(a->repetition, b->repetition, 0, a->count) ||
        !same_levels(a->definition, b->definition, leaf->max_definition, a->count))
        return false;
    if (leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY)
        return a->value_count == 0 ||
               memcmp(a->values, b->values, a->value_count * lam_element_size(leaf)) == 0;
    const lam_bytes *first = a->values, *second = b->values;
    for (size_t i = 0; i < a->value_count; i++)
        if (first[i].size != second[i].size ||
            (first[i].size > 0 && memcmp(first[i].data, second[i].data, first[i].size) != 0))
            return false;
    return true;
}

bool lam_journal_sample_equals(lam_journal_sample *sample, size_t first, size_t count,
                               const lam_triples *columns) {
    const lam_triples *expected = lam_journal_sample_columns(sample, first, count);
    for (size_t i = 0; i < sample->schema->leaf_count; i++)
        if (!same_column(lam_leaf_at(sample->schema, i), &expected[i], &columns[i]))
            return false;
    return true;
}

lam_status lam_journal_sample_add(lam_journal_sample *sample, lam_journal_writer *writer,
                                  uint32_t file, size_t first, size_t count, lam_error *error) {
    return lam_journal_writer_add_rows(
        writer, file, first, first, lam_journal_sample_columns(sample, first, count), count, error);
}

/* --- Journals ------------------------------------------------------------------------------ */

const char *lam_journal_mixed_path(size_t file) {
    static const char *const paths[] = {"x=1/a.parquet", "x=2/b.parquet", "c.parquet"};
    return paths[file];
}

/* Batches of all files in any order; each file's rows are consecutive. */
void lam_journal_mixed_init(lam_journal_mixed *j, lam_random *random, size_t depth_max) {
    lam_storage storage = lam_journal_store_storage(&j->store);
    lam_journal_writer *writer;
    uint32_t numbers[LAM_JOURNAL_MIXED_FILES], schema;
    size_t next[LAM_JOURNAL_MIXED_FILES] = {0};
    cr_assert_eq(
        lam_journal_writer_create(&storage, "j", NULL, lam_journal_sample_id, NULL, &writer, NULL),
        LAM_STATUS_OK);
    j->file_count = 1 + (size_t)lam_random_below(random, LAM_JOURNAL_MIXED_FILES);
    for (size_t i = 0; i < j->file_count; i++) {
        lam_schema *tree = depth_max > 0 ? lam_tree_random_schema(random, depth_max)
                                         : lam_test_schema("message m { optional binary s; }");
        lam_journal_sample_init(&j->samples[i], tree, 20 + (size_t)lam_random_below(random, 20), 70,
                                random);
        memset(j->ids[i], (int)(0xA0 + i), LAM_JOURNAL_ID_SIZE);
        cr_assert_eq(lam_journal_writer_add_schema(writer, tree, NULL, &schema, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_journal_writer_add_file(writer, schema, j->ids[i],
                                                 lam_journal_mixed_path(i), &numbers[i], NULL),
                     LAM_STATUS_OK);
    }
    while (j->batch_count < LAM_JOURNAL_MIXED_BATCHES &&
           (j->batch_count < 4 || !lam_random_chance(random, 3))) {
        size_t file = (size_t)lam_random_below(random, j->file_count);
        size_t left = j->samples[file].record_count - next[file];
        size_t count = (size_t)lam_random_below(random, (left < 5 ? left : 5) + 1);
        cr_assert_eq(lam_journal_sample_add(&j->samples[file], writer, numbers[file], next[file],
                                            count, NULL),
                     LAM_STATUS_OK);
        if (count == 0)
            continue;
        j->batches[j->batch_count].file = file;
        j->batches[j->batch_count].first = next[file];
        j->batches[j->batch_count].count = count;
        j->batches[j->batch_count++].end = (size_t)lam_journal_writer_byte_count(writer);
        next[file] += count;
    }
    cr_assert_eq(lam_journal_writer_flush(writer, NULL), LAM_STATUS_OK);
    lam_journal_writer_close(writer);
}

void lam_journal_mixed_finish(lam_journal_mixed *j) {
    for (size_t i = 0; i < j->file_count; i++)
        lam_journal_sample_free(&j->samples[i]);
    lam_journal_store_free(&j->store);
}

const uint8_t lam_journal_single_id[LAM_JOURNAL_ID_SIZE] = {'i', 'd'};

void lam_journal_single_init(lam_journal_single *s, size_t record_count, const uint8_t *log_id) {
    lam_random random = lam_random_start(lam_test_seed(31));
    lam_storage storage = lam_journal_store_storage(&s->store);
    uint32_t schema;
    lam_journal_sample_init(&s->sample,
                            lam_test_schema("message m { required int64 t; repeated binary s; }"),
                            record_count, 60, &random);
    cr_assert_eq(lam_journal_writer_create(&storage, "j", NULL, log_id, NULL, &s->writer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_add_schema(s->writer, s->sample.schema, NULL, &schema, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(
        lam_journal_writer_add_file(s->writer, schema, lam_journal_single_id, "f", &s->file, NULL),
        LAM_STATUS_OK);
}

/* Adds records; the number of bytes of the journal then. */
size_t lam_journal_single_add(lam_journal_single *s, size_t first, size_t count) {
    cr_assert_eq(lam_journal_sample_add(&s->sample, s->writer, s->file, first, count, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_flush(s->writer, NULL), LAM_STATUS_OK);
    return s->store.bytes.size;
}

void lam_journal_single_finish(lam_journal_single *s) {
    lam_journal_writer_close(s->writer);
    lam_journal_sample_free(&s->sample);
    lam_journal_store_free(&s->store);
}
