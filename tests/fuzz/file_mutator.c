/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes Parquet files so that they get past the door: a file is taken apart, changed in a few
 * places, and put together again, with offsets, sizes, checksums and the length of the footer that
 * fit, but for a few that do not (file_draft.h). What is changed: fields of the footer, of page
 * headers, page indexes and Bloom filters; levels, indexes and values of pages (page_change.h);
 * which pages, chunks and row groups there are and in what order, those of another file too; the
 * codec of a chunk; the writer. The rest of the time it is any bytes, of the file or of its footer.
 * (any_file.h)
 *
 * With LAM_FUZZ_BYTES in the environment only bytes are changed, to see what structure is worth.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "fuzz/file_draft.h"
#include "fuzz/harness.h"
#include "fuzz/meta_change.h"
#include "fuzz/page_change.h"

/* Files with faults that readers know by their writers, and those without. (known_faults.c) */
static const char *const writers[] = {
    "parquet-mr",
    "parquet-mr version 1.2.8",
    "parquet-mr version 1.8.1 (build 4aba4da)",
    "parquet-mr version 1.10.0",
    "parquet-mr version 1.12.3",
    "parquet-cpp version 1.2.0",
    "parquet-cpp version 1.5.1-SNAPSHOT",
    "parquet-cpp-arrow version 3.0.0",
    "parquet-cpp-arrow version 6.0.1",
    "parquet-cpp-arrow version 11.0.0",
    "parquet-rs version 5.1.0",
    "parquet-rs version 13.0.0",
    "impala version 2.9.0",
    "Polars",
    "lamella version 0.2.0 (build 0.2.0)",
    "",
};

enum { WRITERS = sizeof writers / sizeof writers[0] };

/* --- Any of them --------------------------------------------------------------------------- */

static lam_fuzz_group *any_group(lam_fuzz_draft *draft, lam_random *random) {
    return draft->group_count == 0 ? NULL
                                   : &draft->groups[lam_random_below(random, draft->group_count)];
}

static lam_fuzz_chunk *any_chunk_of(lam_fuzz_group *group, lam_random *random) {
    if (group == NULL || group->chunk_count == 0)
        return NULL;
    lam_fuzz_chunk *chunk = &group->chunks[lam_random_below(random, group->chunk_count)];
    return chunk->chunk.meta_data == NULL ? NULL : chunk;
}

static lam_fuzz_chunk *any_chunk(lam_fuzz_draft *draft, lam_random *random) {
    return any_chunk_of(any_group(draft, random), random);
}

static lam_fuzz_page *any_page(lam_fuzz_chunk *chunk, lam_random *random) {
    return chunk == NULL || chunk->page_count == 0
               ? NULL
               : &chunk->pages[lam_random_below(random, chunk->page_count)];
}

/* The maxima of a leaf: those of the path that leads to it. */
static void find_levels(const lam_meta_file *meta, const lam_meta_column *column,
                        lam_fuzz_page_kind *kind) {
    uint32_t depth = 0, end = meta->schema.count;
    for (uint32_t i = 1; i < end && depth < column->path_in_schema.count;) {
        const lam_meta_schema_element *element = &meta->schema.items[i];
        const lam_bytes *name = &column->path_in_schema.items[depth];
        if (element->name.size == name->size && name->size > 0 &&
            memcmp(element->name.data, name->data, name->size) == 0) {
            kind->max_repetition += element->repetition_type == LAM_REPETITION_REPEATED;
            kind->max_definition += element->repetition_type != LAM_REPETITION_REQUIRED;
            depth++;
            i++;
            continue;
        }
        /* Over the field and all below it. */
        for (int64_t left = 1; left > 0 && i < end; i++)
            left += (int64_t)meta->schema.items[i].num_children - 1;
    }
}

static lam_fuzz_page_kind kind_of(const lam_fuzz_draft *draft, const lam_fuzz_chunk *chunk) {
    lam_fuzz_page_kind kind = {.codec = chunk->column.codec, .type = chunk->column.type};
    find_levels(&draft->meta, &chunk->column, &kind);
    return kind;
}

/* --- Changes of one file ------------------------------------------------------------------- */

static void change_page(lam_fuzz_draft *draft, lam_random *random) {
    lam_fuzz_chunk *chunk = any_chunk(draft, random);
    lam_fuzz_page *page = any_page(chunk, random);
    if (page == NULL)
        return;
    lam_fuzz_page_kind kind = kind_of(draft, chunk);
    (void)lam_fuzz_page_change(draft, page, &kind, random);
}

static void change_header(lam_fuzz_draft *draft, lam_random *random) {
    lam_fuzz_page *page = any_page(any_chunk(draft, random), random);
    if (page != NULL)
        lam_fuzz_meta_change(&lam_meta_page_header_table, &page->header, &draft->arena, random);
}

/* Counts of a V2 header as writers err in them: none, those of triples, any. */
static void change_counts(lam_fuzz_draft *draft, lam_random *random) {
    lam_fuzz_page *page = any_page(any_chunk(draft, random), random);
    if (page == NULL || page->header.data_page_header_v2 == NULL)
        return;
    lam_meta_data_page_header_v2 *v2 =
        (lam_meta_data_page_header_v2 *)page->header.data_page_header_v2;
    const int32_t counts[] = {0, v2->num_values, v2->num_nulls, v2->num_rows + (v2->num_rows < 99),
                              (int32_t)lam_random_next(random)};
    v2->num_rows = counts[lam_random_below(random, 5)];
    v2->num_nulls = counts[lam_random_below(random, 5)];
}

static void change_index(lam_fuzz_draft *draft, lam_random *random) {
    lam_fuzz_chunk *chunk = any_chunk(draft, random);
    if (chunk == NULL)
        return;
    if (chunk->has_bloom && lam_random_chance(random, 30))
        lam_fuzz_meta_change(&lam_meta_bloom_filter_header_table, &chunk->bloom, &draft->arena,
                             random);
    else if (chunk->has_column_index && lam_random_chance(random, 60))
        lam_fuzz_meta_change(&lam_meta_column_index_table, &chunk->column_index, &draft->arena,
                             random);
    else if (chunk->has_offset_index)
        lam_fuzz_meta_change(&lam_meta_offset_index_table, &chunk->offset_index, &draft->arena,
                             random);
}

/* The list of row groups of the footer is made anew; they are changed where they are. */
static void change_footer_field(lam_fuzz_draft *draft, lam_random *random) {
    lam_fuzz_group *group = any_group(draft, random);
    lam_fuzz_chunk *chunk = any_chunk_of(group, random);
    lam_meta_row_group_list none = {NULL, 0};
    switch (lam_random_below(random, 4)) {
    case 0:
        if (chunk != NULL) {
            chunk->chunk.meta_data = &chunk->column;
            lam_fuzz_meta_change(&lam_meta_column_chunk_table, &chunk->chunk, &draft->arena,
                                 random);
        }
        break;
    case 1:
        if (group != NULL) {
            group->group.columns = (lam_meta_column_chunk_list){NULL, 0};
            lam_fuzz_meta_change(&lam_meta_row_group_table, &group->group, &draft->arena, random);
        }
        break;
    default:
        draft->meta.row_groups = none;
        lam_fuzz_meta_change(&lam_meta_file_table, &draft->meta, &draft->arena, random);
    }
}

static void change_writer(lam_fuzz_draft *draft, lam_random *random) {
    const char *writer = writers[lam_random_below(random, WRITERS)];
    draft->meta.created_by = (lam_bytes){(const uint8_t *)writer, strlen(writer)};
    draft->meta.has |= LAM_META_FILE_HAS_CREATED_BY;
}

static void change_codec(lam_fuzz_draft *draft, lam_random *random) {
    lam_fuzz_chunk *chunk = any_chunk(draft, random);
    int32_t codec = (int32_t)lam_random_below(random, 8);
    if (chunk == NULL)
        return;
    lam_fuzz_page_kind kind = kind_of(draft, chunk);
    for (size_t i = 0; i < chunk->page_count; i++)
        if (!lam_fuzz_page_recompress(draft, &chunk->pages[i], &kind, codec) && i == 0)
            return;
    chunk->column.codec = codec;
}

/* --- Pages, chunks and row groups elsewhere ------------------------------------------------ */

static void insert_page(lam_fuzz_chunk *chunk, size_t at, const lam_fuzz_page *page) {
    lam_fuzz_page copy = *page;
    if (chunk->page_count == LAM_FUZZ_PAGES_MOST)
        return;
    memmove(chunk->pages + at + 1, chunk->pages + at,
            (chunk->page_count - at) * sizeof chunk->pages[0]);
    chunk->pages[at] = copy;
    chunk->page_count++;
}

static void remove_page(lam_fuzz_chunk *chunk, size_t at) {
    chunk->page_count--;
    memmove(chunk->pages + at, chunk->pages + at + 1,
            (chunk->page_count - at) * sizeof chunk->pages[0]);
}

/* A page comes, goes, or takes the place of another; it may be one of another file. */
static void move_pages(lam_fuzz_draft *draft, lam_fuzz_draft *from, lam_random *random) {
    lam_fuzz_chunk *chunk = any_chunk(draft, random), *source = chunk;
    if (from != draft || lam_random_chance(random, 50))
        source = any_chunk(from, random);
    lam_fuzz_page *page = any_page(source, random);
    if (chunk == NULL || page == NULL)
        return;
    size_t at = (size_t)lam_random_below(random, chunk->page_count + 1);
    switch (lam_random_below(random, 3)) {
    case 0:
        insert_page(chunk, at, page);
        break;
    case 1:
        if (at < chunk->page_count)
            chunk->pages[at] = *page;
        break;
    default:
        if (at < chunk->page_count)
            remove_page(chunk, at);
    }
    /* With as many triples as there are now, most of the time. */
    if (!lam_random_chance(random, 60))
        return;
    chunk->column.num_values = 0;
    for (size_t i = 0; i < chunk->page_count; i++) {
        const lam_meta_page_header *header = &chunk->pages[i].header;
        if (header->type == LAM_PAGE_DATA && header->data_page_header != NULL)
            chunk->column.num_values += header->data_page_header->num_values;
        if (header->type == LAM_PAGE_DATA_V2 && header->data_page_header_v2 != NULL)
            chunk->column.num_values += header->data_page_header_v2->num_values;
    }
}

/* A chunk takes the place of another, under the name and the type of either. */
static void move_chunks(lam_fuzz_draft *draft, lam_fuzz_draft *from, lam_random *random) {
    lam_fuzz_chunk *chunk = any_chunk(draft, random), *source = any_chunk(from, random);
    if (chunk == NULL || source == NULL || chunk == source)
        return;
    lam_meta_column column = chunk->column;
    *chunk = *source;
    if (lam_random_chance(random, 80))
        chunk->column.path_in_schema = column.path_in_schema;
    if (lam_random_chance(random, 50))
        chunk->column.type = column.type;
}

static void drop_chunk(lam_fuzz_draft *draft, lam_random *random) {
    lam_fuzz_group *group = any_group(draft, random);
    if (group == NULL || group->chunk_count == 0)
        return;
    size_t at = (size_t)lam_random_below(random, group->chunk_count);
    group->chunk_count--;
    memmove(group->chunks + at, group->chunks + at + 1,
            (group->chunk_count - at) * sizeof group->chunks[0]);
}

/* A row group comes once more, or goes, or stands elsewhere. */
static void move_groups(lam_fuzz_draft *draft, lam_fuzz_draft *from, lam_random *random) {
    lam_fuzz_group *source = any_group(from, random);
    if (source == NULL)
        return;
    if (draft->group_count < LAM_FUZZ_GROUPS_MOST && lam_random_chance(random, 50)) {
        lam_fuzz_group copy = *source;
        void *chunks;
        if (lam_arena_array(&draft->arena, copy.chunk_count, sizeof *copy.chunks, &chunks, NULL) !=
            LAM_STATUS_OK)
            return;
        memcpy(chunks, copy.chunks, copy.chunk_count * sizeof *copy.chunks);
        copy.chunks = chunks;
        draft->meta.num_rows =
            (int64_t)((uint64_t)draft->meta.num_rows + (uint64_t)copy.group.num_rows);
        draft->groups[draft->group_count++] = copy;
    } else if (draft->group_count > 1) {
        lam_fuzz_group *one = any_group(draft, random);
        lam_fuzz_group last = draft->groups[draft->group_count - 1];
        draft->groups[draft->group_count - 1] = *one;
        *one = last;
        if (lam_random_chance(random, 50))
            draft->meta.num_rows =
                (int64_t)((uint64_t)draft->meta.num_rows -
                          (uint64_t)draft->groups[--draft->group_count].group.num_rows);
    }
}

/* The schema, the texts or the writer of another file. */
static void move_metadata(lam_fuzz_draft *draft, const lam_fuzz_draft *from, lam_random *random) {
    switch (lam_random_below(random, 3)) {
    case 0:
        draft->meta.schema = from->meta.schema;
        draft->meta.column_orders = from->meta.column_orders;
        break;
    case 1:
        draft->meta.key_value_metadata = from->meta.key_value_metadata;
        draft->meta.has |= LAM_META_FILE_HAS_KEY_VALUE_METADATA;
        break;
    default:
        change_writer(draft, random);
    }
}

static void move_any(lam_fuzz_draft *draft, lam_fuzz_draft *from, lam_random *random) {
    switch (lam_random_below(random, 8)) {
    case 0:
    case 1:
    case 2:
        move_pages(draft, from, random);
        break;
    case 3:
    case 4:
        move_chunks(draft, from, random);
        break;
    case 5:
        drop_chunk(draft, random);
        break;
    case 6:
        move_groups(draft, from, random);
        break;
    default:
        move_metadata(draft, from, random);
    }
}

static void change_any(lam_fuzz_draft *draft, lam_random *random) {
    switch (lam_random_below(random, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        change_page(draft, random);
        break;
    case 5:
    case 6:
        change_header(draft, random);
        break;
    case 7:
        change_counts(draft, random);
        break;
    case 8:
        change_index(draft, random);
        break;
    case 9:
        change_codec(draft, random);
        break;
    case 10:
        change_writer(draft, random);
        break;
    case 11:
    case 12:
        move_any(draft, draft, random);
        break;
    default:
        change_footer_field(draft, random);
    }
}

/* --- Files --------------------------------------------------------------------------------- */

/* The file in `out`, which has `max_size` bytes; 0 when it does not fit. */
static size_t assemble(lam_fuzz_draft *draft, lam_random *random, uint8_t *out, size_t max_size) {
    lam_fuzz_assembly assembly = {.has_footer = true,
                                  .false_in_100 = lam_random_chance(random, 15) ? 10 : 0};
    lam_buffer bytes;
    size_t size = 0;
#ifdef LAM_FUZZ_UNFINISHED
    assembly.has_records = lam_random_chance(random, 80);
    assembly.has_footer = lam_random_chance(random, 20);
#endif
    lam_buffer_init(&bytes, &draft->allocator);
    if (lam_fuzz_draft_write(draft, &assembly, random, &bytes) && bytes.size <= max_size) {
        size = bytes.size;
        memcpy(out, bytes.data, size);
    }
    lam_buffer_finish(&bytes);
    return size;
}

/* 0 when the file cannot be taken apart, or not be put together again. */
static size_t change_structure(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    lam_fuzz_draft draft;
    lam_random random = lam_random_start(seed);
    size_t changed = 0;
    if (lam_fuzz_draft_open(&draft, (lam_bytes){data, size})) {
        for (uint64_t left = 1 + lam_random_below(&random, 3); left > 0; left--)
            change_any(&draft, &random);
        changed = assemble(&draft, &random, data, max_size);
    }
    lam_fuzz_draft_finish(&draft);
    return changed;
}

static size_t footer_size(const uint8_t *data, size_t size) {
    if (size < LAM_FUZZ_MAGIC_SIZE + LAM_FUZZ_TAIL_SIZE)
        return 0;
    size_t footer = lam_load_le32(data + size - LAM_FUZZ_TAIL_SIZE);
    return footer <= size - LAM_FUZZ_MAGIC_SIZE - LAM_FUZZ_TAIL_SIZE ? footer : 0;
}

/* Any bytes of the footer, which may grow. */
static size_t change_footer(uint8_t *data, size_t size, size_t max_size) {
    size_t footer = footer_size(data, size);
    if (footer == 0 || max_size < size)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t before = size - LAM_FUZZ_TAIL_SIZE - footer;
    footer = LLVMFuzzerMutate(data + before, footer, max_size - before - LAM_FUZZ_TAIL_SIZE);
    lam_store_le32(data + before + footer, (uint32_t)footer);
    memcpy(data + before + footer + 4, "PAR1", LAM_FUZZ_MAGIC_SIZE);
    return before + footer + LAM_FUZZ_TAIL_SIZE;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    if (getenv("LAM_FUZZ_BYTES") != NULL)
        return LLVMFuzzerMutate(data, size, max_size);
    switch (seed % 16) {
    case 0:
        return LLVMFuzzerMutate(data, size, max_size);
    case 1:
    case 2:
        return change_footer(data, size, max_size);
    case 3:
    case 4:
        if (size >= LAM_FUZZ_MAGIC_SIZE) /* how it is read */
            LLVMFuzzerMutate(data, LAM_FUZZ_MAGIC_SIZE, LAM_FUZZ_MAGIC_SIZE);
        return size;
    default:
        break;
    }
    size_t changed = change_structure(data, size, max_size, seed / 16);
    return changed > 0 ? changed : change_footer(data, size, max_size);
}

/* Something of the second file in the first one. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out_size, unsigned seed) {
    lam_fuzz_draft draft, from;
    lam_random random = lam_random_start(seed);
    size_t crossed = 0;
    if (getenv("LAM_FUZZ_BYTES") != NULL)
        return 0;
    bool is_open = lam_fuzz_draft_open(&draft, (lam_bytes){data1, size1});
    bool is_other_open = lam_fuzz_draft_open(&from, (lam_bytes){data2, size2});
    if (is_open && is_other_open) {
        for (uint64_t left = 1 + lam_random_below(&random, 2); left > 0; left--)
            move_any(&draft, &from, &random);
        crossed = assemble(&draft, &random, out, max_out_size);
    }
    lam_fuzz_draft_finish(&draft);
    lam_fuzz_draft_finish(&from);
    return crossed;
}
