/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides rows among files: takes batches of rows, and writes files of the caller's, each with the
 * rows of one folder, in their order:
 *
 *     rows --route by a--> folders a=1, a=2 --route by b--> a=1/b=x, ... --split--> 0, 1, 2, ...
 *
 * The invariant: few files are open at a time, and their row groups hold no more memory than the
 * rewrite may; beyond that the largest row group ends. The first folders are written as their rows
 * come. Rows of all others are sorted by the partitions first, so that they come folder by folder,
 * and each folder has one file, however many there are.
 */
#include "rewrite/rows/rewrite_divide.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "dataset/partition/route.h"
#include "file/write/triple_batch.h"
#include "rewrite/rows/rewrite_file.h"
#include "rewrite/sort/sort_keys.h"
#include "rewrite/sort/sorter.h"

enum { DIVIDE_FILES = 32 /* open at a time */ };

/* A folder that has rows. */
typedef struct divided_folder {
    char *path;           /* owned */
    uint64_t next_number; /* of its files */
    size_t open;          /* number of its open file; SIZE_MAX: none */
} divided_folder;

typedef struct divided_file {
    lam_rewrite_file file;
    size_t folder;
    uint64_t rows;
    uint64_t last_use;
} divided_file;

/* One partition: rows by the value of one leaf. */
typedef struct divide_level {
    lam_partition *partition;
    lam_route *route;
} divide_level;

struct lam_row_divider {
    lam_rewrite *rewrite;
    divide_level *levels; /* by partition */
    size_t level_count;
    LAM_LIST(divided_folder) folders;
    lam_hash_index folders_by_path;
    divided_file files[DIVIDE_FILES];
    uint64_t uses;
    lam_sorter *others;   /* rows of folders that have no file; NULL: none */
    bool is_sorted;       /* rows come folder by folder */
    lam_buffer path;      /* of the current folder */
    uint64_t rows;        /* that came before the current ones */
    lam_triples *columns; /* by leaf of the files */
    lam_triples *rest;    /* likewise */
};

/* --- Life ---------------------------------------------------------------------------------- */

/* All partitions are among the leaves of rows. */
static lam_status start_level(lam_row_divider *divider, size_t index, lam_error *error) {
    const lam_rewrite *rewrite = divider->rewrite;
    divide_level *level = &divider->levels[index];
    size_t leaf = 0, wanted = rewrite->partitions.items[index];
    while (rewrite->row_leaves.items[leaf] != wanted)
        leaf++;
    LAM_TRY(lam_partition_of_leaf(lam_leaf_at(rewrite->row_schema, leaf), NULL, &rewrite->allocator,
                                  &level->partition, error));
    level->partition->holds_values = true;
    return lam_route_create(rewrite->row_schema, level->partition, &rewrite->allocator,
                            &level->route, error);
}

lam_status lam_row_divider_create(lam_rewrite *rewrite, lam_row_divider **ret_divider,
                                  lam_error *error) {
    lam_status status;
    const lam_allocator *allocator = &rewrite->allocator;
    size_t leaves = rewrite->file_schema->leaf_count;
    lam_row_divider *divider;
    LAM_TRY(LAM_NEW(allocator, &divider, error));
    divider->rewrite = rewrite;
    LAM_LIST_INIT(&divider->folders, allocator);
    lam_hash_index_init(&divider->folders_by_path, allocator);
    lam_buffer_init(&divider->path, allocator);
    LAM_TRY_OUT(LAM_ARRAY(allocator, leaves, &divider->columns, error));
    LAM_TRY_OUT(LAM_ARRAY(allocator, leaves, &divider->rest, error));
    size_t levels = rewrite->partitions.count;
    LAM_TRY_OUT(LAM_ARRAY(allocator, levels + 1, &divider->levels, error));
    divider->level_count = levels;
    for (size_t i = 0; i < levels; i++)
        LAM_TRY_OUT(start_level(divider, i, error));
    *ret_divider = divider;
    return LAM_STATUS_OK;
out:
    lam_row_divider_destroy(divider);
    return status;
}

void lam_row_divider_destroy(lam_row_divider *divider) {
    const lam_allocator allocator = divider->rewrite->allocator;
    size_t leaves = divider->rewrite->file_schema->leaf_count;
    lam_sorter_destroy(divider->others);
    for (size_t i = 0; i < DIVIDE_FILES; i++)
        lam_rewrite_file_close(&divider->files[i].file);
    for (size_t i = 0; i < divider->folders.count; i++)
        lam_free(&allocator, divider->folders.items[i].path,
                 strlen(divider->folders.items[i].path) + 1);
    for (size_t i = 0; i < divider->level_count; i++) {
        lam_route_destroy(divider->levels[i].route);
        lam_partition_destroy(divider->levels[i].partition);
    }
    if (divider->levels != NULL)
        lam_free(&allocator, divider->levels, (divider->level_count + 1) * sizeof(divide_level));
    lam_free(&allocator, divider->columns, leaves * sizeof(lam_triples));
    lam_free(&allocator, divider->rest, leaves * sizeof(lam_triples));
    LAM_LIST_FINISH(&divider->folders);
    lam_hash_index_finish(&divider->folders_by_path);
    lam_buffer_finish(&divider->path);
    lam_free(&allocator, divider, sizeof *divider);
}

/* --- Folders ------------------------------------------------------------------------------- */

/* The folder of a path, which is added when it is new. */
static lam_status find_folder(lam_row_divider *divider, const char *path, size_t *ret_index,
                              lam_error *error) {
    lam_hash_index *index = &divider->folders_by_path;
    uint32_t hash = lam_hash_index_hash(index, path, strlen(path)), found;
    void *memory;
    LAM_HASH_INDEX_FIND(index, hash, found, strcmp(divider->folders.items[found].path, path) == 0);
    if (found != LAM_HASH_INDEX_NONE) {
        *ret_index = found;
        return LAM_STATUS_OK;
    }
    /* unreachable: in a test, as the paths of 2^32 folders take more than 64 GiB */
    if (divider->folders.count >= UINT32_MAX - 1)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "too many partitions");
    LAM_TRY(LAM_LIST_RESERVE(&divider->folders, 1, error));
    LAM_TRY(lam_hash_index_reserve(index, error));
    LAM_TRY(lam_alloc(&divider->rewrite->allocator, strlen(path) + 1, &memory, error));
    memcpy(memory, path, strlen(path) + 1);
    divided_folder folder = {memory, 0, SIZE_MAX};
    *ret_index = divider->folders.count;
    lam_hash_index_put(index, hash, (uint32_t)*ret_index);
    return LAM_LIST_ADD(&divider->folders, &folder, error);
}

/* --- Files --------------------------------------------------------------------------------- */

static lam_status finish_file(lam_row_divider *divider, divided_file *file, lam_error *error) {
    divider->folders.items[file->folder].open = SIZE_MAX;
    return lam_rewrite_file_finish(divider->rewrite, &file->file, error);
}

/* A free slot, if need be that of the least recently used file. */
static lam_status take_slot(lam_row_divider *divider, size_t *ret_index, lam_error *error) {
    size_t oldest = 0;
    for (size_t i = 0; i < DIVIDE_FILES; i++) {
        if (divider->files[i].file.writer == NULL) {
            *ret_index = i;
            return LAM_STATUS_OK;
        }
        if (divider->files[i].last_use < divider->files[oldest].last_use)
            oldest = i;
    }
    *ret_index = oldest;
    return finish_file(divider, &divider->files[oldest], error);
}

/* The open file of a folder. */
static lam_status find_open_file(lam_row_divider *divider, size_t folder_index,
                                 divided_file **ret_file, lam_error *error) {
    divided_folder *folder = &divider->folders.items[folder_index];
    size_t index = folder->open;
    if (index == SIZE_MAX) {
        LAM_TRY(take_slot(divider, &index, error));
        divided_file *file = &divider->files[index];
        LAM_TRY(lam_rewrite_file_open(divider->rewrite, folder->path, folder->next_number,
                                      &file->file, error));
        folder->next_number++;
        folder->open = index;
        file->folder = folder_index;
        file->rows = 0;
    }
    *ret_file = &divider->files[index];
    (*ret_file)->last_use = ++divider->uses;
    return LAM_STATUS_OK;
}

/* Ends row groups, the largest first, until all together keep within the limit. */
static lam_status keep_memory(lam_row_divider *divider, lam_error *error) {
    for (;;) {
        uint64_t sum = 0, most = 0;
        size_t largest = 0;
        for (size_t i = 0; i < DIVIDE_FILES; i++) {
            lam_writer *writer = divider->files[i].file.writer;
            uint64_t bytes = writer != NULL ? lam_writer_row_group_bytes(writer) : 0;
            sum += bytes;
            largest = bytes > most ? i : largest;
            most = bytes > most ? bytes : most;
        }
        if (sum <= divider->rewrite->memory_limit / 2)
            return LAM_STATUS_OK;
        LAM_TRY(lam_writer_end_row_group(divider->files[largest].file.writer, error));
    }
}

static bool is_full(const lam_rewrite *rewrite, const divided_file *file) {
    const lam_writer *writer = file->file.writer;
    return (rewrite->split_rows != 0 && file->rows >= rewrite->split_rows) ||
           (rewrite->split_bytes != 0 &&
            lam_writer_bytes_written(writer) + lam_writer_buffered_bytes(writer) >=
                rewrite->split_bytes);
}

static bool has_slot(const lam_row_divider *divider) {
    for (size_t i = 0; i < DIVIDE_FILES; i++)
        if (divider->files[i].file.writer == NULL)
            return true;
    return false;
}

/* Keeps rows for later, in the order of their partitions. */
static lam_status put_off(lam_row_divider *divider, const lam_triples *columns, size_t rows,
                          lam_error *error) {
    lam_rewrite *rewrite = divider->rewrite;
    lam_rewrite_key keys[LAM_SORT_KEYS_MAX];
    if (divider->others == NULL) {
        for (size_t i = 0; i < divider->level_count; i++)
            keys[i] = (lam_rewrite_key){rewrite->partitions.items[i], false, true};
        LAM_TRY(lam_sorter_create(rewrite, keys, divider->level_count, rewrite->memory_limit / 2,
                                  &divider->others, error));
    }
    lam_row_sink sink = lam_sorter_sink(divider->others);
    return lam_row_sink_take(&sink, columns, rows, error);
}

/* Writes rows to the files of a folder. */
static lam_status write_to_folder(lam_row_divider *divider, const char *path,
                                  const lam_triples *columns, size_t rows, lam_error *error) {
    const lam_rewrite *rewrite = divider->rewrite;
    size_t leaves = rewrite->file_schema->leaf_count, folder;
    divided_file *file;
    LAM_TRY(find_folder(divider, path, &folder, error));
    if (!divider->is_sorted && divider->folders.items[folder].open == SIZE_MAX &&
        !has_slot(divider))
        return put_off(divider, columns, rows, error);
    for (size_t i = 0; i < leaves; i++)
        divider->rest[i] = columns[rewrite->file_leaves.items[i]];
    while (rows > 0) {
        LAM_TRY(find_open_file(divider, folder, &file, error));
        uint64_t room = rewrite->split_rows != 0 ? rewrite->split_rows - file->rows : UINT64_MAX;
        size_t now = room < rows ? (size_t)room : rows;
        for (size_t i = 0; i < leaves; i++)
            divider->columns[i] =
                now == rows
                    ? divider->rest[i]
                    : lam_triples_take(lam_kernels_get(), lam_leaf_at(rewrite->file_schema, i),
                                       &divider->rest[i], now);
        LAM_TRY(lam_writer_write_checked(file->file.writer, divider->columns, now, error));
        file->rows += now;
        rows -= now;
        if (is_full(rewrite, file))
            LAM_TRY(finish_file(divider, file, error));
    }
    return keep_memory(divider, error);
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* Routes rows by the partitions from `level` on; the path so far has no NUL. */
static lam_status divide_rows(lam_row_divider *divider, size_t level, const lam_triples *columns,
                              size_t rows, lam_error *error) {
    size_t before = divider->path.size;
    if (level == divider->level_count) {
        LAM_TRY(lam_buffer_append_byte(&divider->path, '\0', error));
        lam_status status =
            write_to_folder(divider, (const char *)divider->path.data, columns, rows, error);
        divider->path.size = before;
        return status;
    }
    lam_route *route = divider->levels[level].route;
    LAM_TRY(lam_route_split(route, columns, rows, error));
    for (size_t i = 0; i < lam_route_count(route); i++) {
        lam_route_group group = lam_route_at(route, i);
        if (before > 0)
            LAM_TRY(lam_buffer_append_byte(&divider->path, '/', error));
        LAM_TRY(lam_buffer_append(&divider->path, group.folder, group.folder_size, error));
        LAM_TRY(divide_rows(divider, level + 1, group.columns, group.record_count, error));
        divider->path.size = before;
    }
    return LAM_STATUS_OK;
}

/*
 * Finds the first row whose value of a partition cannot name a folder, and says why; false when all
 * can.
 */
static bool find_unnamed(lam_row_divider *divider, const lam_partition *partition,
                         const lam_triples *column, size_t *ret_row, lam_error *cause) {
    size_t values = 0;
    for (size_t row = 0; row < column->count; row++) {
        bool is_null = column->definition != NULL
                           ? column->definition[row] < partition->leaf->max_definition
                           : column->value_count == 0;
        if (is_null)
            continue;
        lam_value value = lam_triples_value(column, partition->leaf, values++);
        lam_buffer_clear(&divider->path);
        *ret_row = row;
        if (lam_partition_folder(partition, &value, &divider->path, cause) ==
            LAM_STATUS_UNSUPPORTED)
            return true;
    }
    return false;
}

/* Names the row of a value that no folder can hold, if that was the failure. */
static void name_row(lam_row_divider *divider, const lam_triples *columns, lam_error *error) {
    for (size_t i = 0; i < divider->level_count; i++) {
        const lam_partition *partition = divider->levels[i].partition;
        lam_error cause = lam_error_none();
        size_t row;
        if (!find_unnamed(divider, partition, &columns[partition->leaf->first_leaf], &row, &cause))
            continue;
        lam_error_set(error, LAM_STATUS_UNSUPPORTED,
                      "row %" PRIu64 ": %s: leave the row out, or divide by another column",
                      divider->rows + row, cause.message);
        return;
    }
}

static lam_status divider_take(void *state, const lam_triples *columns, size_t rows,
                               lam_error *error) {
    lam_row_divider *divider = state;
    lam_buffer_clear(&divider->path);
    lam_status status = divide_rows(divider, 0, columns, rows, error);
    if (status == LAM_STATUS_UNSUPPORTED && error != NULL)
        name_row(divider, columns, error);
    divider->rows += rows;
    return status;
}

lam_row_sink lam_row_divider_sink(lam_row_divider *divider) {
    lam_row_sink sink = {divider, divider_take};
    return sink;
}

static lam_status finish_files(lam_row_divider *divider, lam_error *error) {
    for (size_t i = 0; i < DIVIDE_FILES; i++)
        if (divider->files[i].file.writer != NULL)
            LAM_TRY(finish_file(divider, &divider->files[i], error));
    return LAM_STATUS_OK;
}

lam_status lam_row_divider_finish(lam_row_divider *divider, lam_error *error) {
    divided_file *file;
    size_t folder;
    if (divider->folders.count == 0 && divider->level_count == 0) {
        LAM_TRY(find_folder(divider, "", &folder, error));
        LAM_TRY(find_open_file(divider, folder, &file, error));
    }
    LAM_TRY(finish_files(divider, error));
    if (divider->others == NULL)
        return LAM_STATUS_OK;
    lam_row_sink sink = lam_row_divider_sink(divider);
    divider->is_sorted = true;
    LAM_TRY(lam_sorter_give(divider->others, &sink, error));
    return finish_files(divider, error);
}
