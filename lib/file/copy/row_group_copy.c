/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes row groups made of another file's chunks, after those of a writer. Takes the file's
 * footer, which may state anything, and for each leaf of the writer whether its chunk is copied,
 * gets another codec, or is encoded from triples; writes
 *
 *     pages of all chunks   Bloom filters   (at the end of the file: page indexes)
 *
 * The invariant: all chunks to copy have been found and checked before any chunk is written, so
 * that a refused row group leaves the writer usable. Sorting columns are stated up to the first
 * missing column. (parquet.thrift, RowGroup)
 */
#include "file/copy/row_group_copy.h"

#include "base/error.h"
#include "base/thread/stop.h"
#include "file/copy/chunk_copy.h"
#include "file/copy/kept_order.h"
#include "file/read/file_reader.h"
#include "file/write/chunk_meta_write.h"
#include "meta/compact.h"
#include "schema/logical_type.h"

/* One row group that is composed. */
typedef struct group_copy {
    lam_chunk_copy chunk;
    const lam_chunk_job *jobs;  /* by leaf of the writer; NULL: all are copied, in their order */
    const lam_chunk_work *work; /* NULL: all chunks are copied */
    bool keeps_damage;          /* chunks are copied whatever their page headers are */
    lam_arena arena;            /* what the original states about the row group */
    lam_chunk_source *sources;  /* by leaf of the writer, if its chunk is copied */
    lam_bytes *blooms;          /* likewise, if it is encoded */
} group_copy;

void lam_writer_set_copy(lam_writer *writer, lam_copy_bytes *copy, void *state) {
    writer->copy = copy;
    writer->copy_state = state;
}

void lam_writer_release_output(lam_writer *writer) {
    memset(&writer->output, 0, sizeof writer->output);
}

/* --- Schemas ------------------------------------------------------------------------------- */

static bool same_field_name(const lam_field *a, const lam_field *b) {
    return a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
}

/* Says what differs between two fields, names and children aside; NULL when they are equal. */
static const char *difference(const lam_field *a, const lam_field *b) {
    if (a->physical_type != b->physical_type || a->type_length != b->type_length)
        return "another type";
    if (a->repetition != b->repetition)
        return "another repetition";
    if (!lam_logical_type_equals(&a->logical_type, &b->logical_type))
        return "another logical type";
    return NULL;
}

/* Names the first child that only the larger of two groups has. */
static lam_status fail_by_child(const lam_field *own, const lam_field *other, const char *where,
                                lam_error *error) {
    char path[128];
    size_t i = 0;
    bool is_ours = own->child_count > other->child_count;
    while (i < own->child_count && i < other->child_count &&
           same_field_name(lam_field_child(own, i), lam_field_child(other, i)))
        i++;
    lam_field_path(lam_field_child(is_ours ? own : other, i), path, sizeof path);
    LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' is %s in the %s", path,
             is_ours ? "missing" : "only", where);
}

/*
 * Compares the trees field by field in preorder, which determines them together with the numbers of
 * children. The name of the message and field ids do not matter to the pages.
 */
lam_status lam_writer_check_schemas(const lam_schema *own, const lam_schema *other,
                                    const char *where, lam_error *error) {
    char path[128];
    for (size_t i = 0; i < own->field_count && i < other->field_count; i++) {
        const lam_field *field = &own->fields[i], *theirs = &other->fields[i];
        const char *what =
            i == 0 || same_field_name(field, theirs) ? difference(field, theirs) : "another name";
        lam_field_path(field, path, sizeof path);
        if (what != NULL)
            LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' has %s in the %s ('%.60s')", path, what,
                     where, theirs->name);
        if (field->child_count != theirs->child_count)
            return fail_by_child(field, theirs, where, error);
    }
    return LAM_STATUS_OK;
}

/* --- Row groups ---------------------------------------------------------------------------- */

static lam_chunk_job job_of(const group_copy *copy, size_t leaf_index) {
    const lam_chunk_job same = {LAM_CHUNK_COPIED, leaf_index};
    return copy->jobs == NULL ? same : copy->jobs[leaf_index];
}

/* Finds all chunks that are copied, before anything of the row group is written. */
static lam_status find_sources(group_copy *copy, lam_error *error) {
    size_t leaves = copy->chunk.writer->schema->leaf_count;
    lam_arena_reset(&copy->arena);
    LAM_TRY(LAM_ARENA_ARRAY(&copy->arena, leaves, &copy->sources, error));
    LAM_TRY(LAM_ARENA_ARRAY(&copy->arena, leaves, &copy->blooms, error));
    for (size_t i = 0; i < leaves; i++) {
        copy->blooms[i] = (lam_bytes){NULL, 0};
        if (job_of(copy, i).manner != LAM_CHUNK_ENCODED)
            LAM_TRY(lam_chunk_copy_find(&copy->chunk, job_of(copy, i).source,
                                        lam_leaf_at(copy->chunk.writer->schema, i), &copy->arena,
                                        &copy->sources[i], error));
    }
    return LAM_STATUS_OK;
}

/* The leaf of the writer that a leaf of the original becomes; -1 when it becomes none. */
static int32_t target_of(const group_copy *copy, int32_t source) {
    size_t leaves = copy->chunk.writer->schema->leaf_count;
    for (size_t i = 0; i < leaves; i++)
        if (source >= 0 && job_of(copy, i).source == (size_t)source)
            return (int32_t)i;
    return -1;
}

/* The leaf of the writer by which rows stay sorted; -1 if they do not. */
static int32_t sorting_of(const group_copy *copy, const lam_meta_sorting_column *column) {
    int32_t target = target_of(copy, column->column_idx);
    if (target < 0)
        return -1;
    const lam_field *leaf = lam_leaf_at(copy->chunk.reader->schema, (size_t)column->column_idx);
    const lam_field *own = lam_leaf_at(copy->chunk.writer->schema, (size_t)target);
    return lam_kept_order_sorts(leaf, own, copy->chunk.faults) ? target : -1;
}

/* Rows that are sorted by some columns are sorted by the first of them, and by those before. */
static lam_status copy_sorting(const group_copy *copy, lam_arena *arena, lam_meta_row_group *group,
                               lam_error *error) {
    lam_meta_sorting_column_list old = group->sorting_columns;
    uint32_t kept = 0;
    if ((group->has & LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS) == 0)
        return LAM_STATUS_OK;
    lam_meta_sorting_column *columns;
    LAM_TRY(LAM_ARENA_ARRAY(arena, old.count, &columns, error));
    while (kept < old.count && sorting_of(copy, &old.items[kept]) >= 0) {
        columns[kept] = old.items[kept];
        columns[kept].column_idx = sorting_of(copy, &old.items[kept]);
        kept++;
    }
    if (kept == 0)
        group->has &= ~(uint32_t)LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS;
    group->sorting_columns.items = columns;
    group->sorting_columns.count = kept;
    return LAM_STATUS_OK;
}

/* Adds two sizes of the original's footer, which may state anything. */
static int64_t add_chunk_size(int64_t a, int64_t b) {
    return b < 0 || a > INT64_MAX - b ? a : a + b;
}

/* Encodes a chunk from the caller's triples, and writes it. */
static lam_status encode_chunk(group_copy *copy, size_t leaf_index, lam_arena *arena,
                               lam_meta_column *column, lam_meta_column_chunk *chunk,
                               lam_error *error) {
    lam_writer *writer = copy->chunk.writer;
    LAM_TRY(copy->work->encode(copy->work->state, leaf_index, error));
    *chunk = (lam_meta_column_chunk){.meta_data = column};
    return lam_row_group_writer_put_chunk(&writer->row_group, leaf_index, &writer->output,
                                          &writer->offset, arena, column, chunk,
                                          &copy->blooms[leaf_index], error);
}

static lam_status compose_chunk(group_copy *copy, size_t leaf_index, lam_arena *arena,
                                lam_meta_column *column, lam_meta_column_chunk *chunk,
                                lam_error *error) {
    const lam_chunk_source *source = &copy->sources[leaf_index];
    const lam_field *leaf = lam_leaf_at(copy->chunk.writer->schema, leaf_index);
    lam_chunk_manner manner = job_of(copy, leaf_index).manner;
    if (manner == LAM_CHUNK_ENCODED)
        return encode_chunk(copy, leaf_index, arena, column, chunk, error);
    if (manner == LAM_CHUNK_COPIED)
        LAM_TRY(lam_chunk_copy_pages(&copy->chunk, source, arena, column, chunk, error));
    else
        LAM_TRY(lam_chunk_copy_recompress(&copy->chunk, source, arena, column, chunk, error));
    /* Elements and keys may have other names than in the file, whose own path may be wrong. */
    return copy->keeps_damage ? LAM_STATUS_OK
                              : lam_chunk_meta_path(leaf, arena, &column->path_in_schema, error);
}

static lam_status compose_bloom(group_copy *copy, size_t leaf_index, lam_meta_column *column,
                                lam_error *error) {
    lam_writer *writer = copy->chunk.writer;
    if (job_of(copy, leaf_index).manner != LAM_CHUNK_ENCODED)
        return lam_chunk_copy_bloom(&copy->chunk, &copy->sources[leaf_index], column, error);
    return lam_row_group_writer_put_bloom(&writer->row_group, leaf_index, copy->blooms[leaf_index],
                                          &writer->output, &writer->offset, column, error);
}

/* Writes one row group that was checked, and describes it. */
static lam_status compose_group(group_copy *copy, lam_error *error) {
    lam_writer *writer = copy->chunk.writer;
    size_t leaves = writer->schema->leaf_count;
    lam_arena *arena = &writer->footer.scratch;
    lam_meta_row_group group = lam_meta_bare_row_group(
        lam_reader_row_group_view(copy->chunk.reader, copy->chunk.row_group));
    lam_arena_reset(arena);
    lam_meta_column_chunk *chunks;
    LAM_TRY(LAM_ARENA_ARRAY(arena, leaves, &chunks, error));
    lam_meta_column *columns;
    LAM_TRY(LAM_ARENA_ARRAY(arena, leaves, &columns, error));
    LAM_TRY(copy_sorting(copy, arena, &group, error));
    group.has &= LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS;
    group.has |= LAM_META_ROW_GROUP_HAS_FILE_OFFSET | LAM_META_ROW_GROUP_HAS_TOTAL_COMPRESSED_SIZE;
    group.file_offset = (int64_t)writer->offset;
    group.columns.items = chunks;
    group.columns.count = (uint32_t)leaves;
    group.total_byte_size = 0;
    group.total_compressed_size = 0;
    for (size_t i = 0; i < leaves; i++) {
        LAM_TRY(compose_chunk(copy, i, arena, &columns[i], &chunks[i], error));
        if (copy->work != NULL && copy->work->done != NULL)
            copy->work->done(copy->work->state, i);
        group.total_byte_size =
            add_chunk_size(group.total_byte_size, columns[i].total_uncompressed_size);
        group.total_compressed_size =
            add_chunk_size(group.total_compressed_size, columns[i].total_compressed_size);
    }
    for (size_t i = 0; i < leaves; i++)
        LAM_TRY(compose_bloom(copy, i, &columns[i], error));
    if (writer->footer.row_group_count <= INT16_MAX) {
        group.has |= LAM_META_ROW_GROUP_HAS_ORDINAL;
        group.ordinal = (int16_t)writer->footer.row_group_count;
    }
    return lam_writer_add_row_group(writer, &group, error);
}

/* A row group that is refused leaves the writer usable; one that failed half-written does not. */
static lam_status compose_groups(group_copy *copy, size_t first, size_t count, lam_error *error) {
    lam_writer *writer = copy->chunk.writer;
    for (size_t i = 0; i < count; i++) {
        lam_error failure = lam_error_none();
        copy->chunk.row_group = first + i;
        LAM_TRY(lam_stop_check(copy->chunk.reader->stop, error));
        LAM_TRY(find_sources(copy, error));
        LAM_TRY(lam_writer_poison(writer, compose_group(copy, &failure), &failure, error));
    }
    return LAM_STATUS_OK;
}

/* The common part of both calls: row groups of the file, in their order. */
static lam_status compose_range(group_copy *copy, lam_writer *writer, const lam_reader *reader,
                                size_t first, size_t count, lam_error *error) {
    LAM_TRY(lam_writer_end_row_group(writer, error));
    lam_chunk_copy_init(&copy->chunk, writer, reader);
    copy->chunk.keeps_damage = copy->keeps_damage;
    lam_arena_init(&copy->arena, &writer->allocator, (size_t)reader->memory_limit);
    lam_status status = compose_groups(copy, first, count, error);
    lam_chunk_copy_finish(&copy->chunk);
    lam_arena_finish(&copy->arena);
    return status;
}

lam_status lam_writer_compose_row_group(lam_writer *writer, const lam_reader *reader,
                                        size_t row_group, const lam_chunk_job *jobs,
                                        const lam_chunk_work *work, lam_error *error) {
    group_copy copy = {.jobs = jobs, .work = work};
    LAM_TRY(lam_writer_check_usable(writer, error));
    return compose_range(&copy, writer, reader, row_group, 1, error);
}

lam_status lam_writer_copy_range(lam_writer *writer, const lam_reader *reader, size_t first,
                                 size_t count, lam_error *error) {
    group_copy copy = {.jobs = NULL};
    return compose_range(&copy, writer, reader, first, count, error);
}

lam_status lam_writer_restore_row_groups(lam_writer *writer, const lam_reader *reader,
                                         lam_error *error) {
    group_copy copy = {.keeps_damage = true};
    LAM_TRY(lam_writer_check_usable(writer, error));
    return compose_range(&copy, writer, reader, 0, reader->footer.meta.row_groups.count, error);
}
