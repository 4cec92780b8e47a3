/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In: a file of any kind, read by its footer, or, of a log that was killed, by its records. Out:
 * the same file, or what was made of it, as a whole one:
 *
 *     magic | chunks of the row groups (| record of the group) | Bloom filters | page indexes |
 *     footer | its length | magic
 *
 * What lies between chunks is lost. Pages end where a header cannot be read; the bytes behind them
 * stay as the rest of the chunk.
 */
#include "fuzz/file_draft.h"

#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "file/write/recovery_record.h"
#include "fuzz/harness.h"
#include "meta/compact.h"

enum { BUDGET = 24 << 20 };

/* --- Apart --------------------------------------------------------------------------------- */

/* Bytes of the file; empty where they lie outside of it. */
static lam_bytes range_of(lam_bytes file, int64_t offset, int64_t size) {
    lam_bytes range = {NULL, 0};
    if (offset >= 0 && size > 0 && (uint64_t)offset < file.size) {
        uint64_t room = file.size - (uint64_t)offset;
        range.data = file.data + offset;
        range.size = (uint64_t)size < room ? (size_t)size : (size_t)room;
    }
    return range;
}

static lam_bytes behind(lam_bytes bytes, size_t size) {
    return (lam_bytes){bytes.data + size, bytes.size - size};
}

static void read_pages(lam_fuzz_draft *draft, lam_fuzz_chunk *chunk, lam_bytes rest) {
    while (rest.size > 0 && chunk->page_count < LAM_FUZZ_PAGES_MOST) {
        lam_fuzz_page *page = &chunk->pages[chunk->page_count];
        size_t size = 0;
        if (lam_meta_read_page_header(rest, &draft->arena, &page->header, &size, NULL) !=
                LAM_STATUS_OK ||
            size == 0 || page->header.compressed_page_size < 0 ||
            (size_t)page->header.compressed_page_size > rest.size - size)
            break;
        page->body = (lam_bytes){rest.data + size, (size_t)page->header.compressed_page_size};
        rest = behind(rest, size + page->body.size);
        chunk->page_count++;
    }
    chunk->rest = rest;
}

static void read_indexes(lam_fuzz_draft *draft, lam_fuzz_chunk *chunk, lam_bytes file) {
    size_t size = 0;
    lam_bytes bytes =
        range_of(file, chunk->chunk.offset_index_offset, chunk->chunk.offset_index_length);
    if (bytes.size > 0 && lam_meta_read_offset_index(bytes, &draft->arena, &chunk->offset_index,
                                                     &size, NULL) == LAM_STATUS_OK)
        chunk->has_offset_index = size > 0;
    size = 0;
    bytes = range_of(file, chunk->chunk.column_index_offset, chunk->chunk.column_index_length);
    if (bytes.size > 0 && lam_meta_read_column_index(bytes, &draft->arena, &chunk->column_index,
                                                     &size, NULL) == LAM_STATUS_OK)
        chunk->has_column_index = size > 0;
    size = 0;
    bytes = (chunk->column.has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0
                ? range_of(file, chunk->column.bloom_filter_offset, INT32_MAX)
                : (lam_bytes){NULL, 0};
    if (bytes.size > 0 && lam_meta_read_bloom_filter_header(bytes, &draft->arena, &chunk->bloom,
                                                            &size, NULL) == LAM_STATUS_OK)
        chunk->has_bloom = size > 0;
    if (chunk->has_bloom)
        chunk->bitset = range_of(behind(bytes, size), 0, chunk->bloom.num_bytes);
}

static bool read_group(lam_fuzz_draft *draft, const lam_meta_row_group *group, lam_bytes file) {
    lam_fuzz_group *to = &draft->groups[draft->group_count];
    void *chunks;
    if (lam_arena_array(&draft->arena, group->columns.count, sizeof(lam_fuzz_chunk), &chunks,
                        NULL) != LAM_STATUS_OK)
        return false;
    *to = (lam_fuzz_group){*group, chunks, group->columns.count};
    for (size_t i = 0; i < to->chunk_count; i++) {
        lam_fuzz_chunk *chunk = &to->chunks[i];
        memset(chunk, 0, sizeof *chunk);
        chunk->chunk = group->columns.items[i];
        if (chunk->chunk.meta_data == NULL)
            continue;
        chunk->column = *chunk->chunk.meta_data;
        int64_t begin = chunk->column.data_page_offset;
        if ((chunk->column.has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0 &&
            chunk->column.dictionary_page_offset > 0 &&
            chunk->column.dictionary_page_offset < begin)
            begin = chunk->column.dictionary_page_offset;
        read_pages(draft, chunk, range_of(file, begin, chunk->column.total_compressed_size));
        read_indexes(draft, chunk, file);
    }
    draft->group_count++;
    return true;
}

/* The metadata of a log's records: those of the first one, and the row groups of all others. */
static bool read_records(lam_fuzz_draft *draft, lam_bytes file) {
    const size_t most = LAM_RECOVERY_HEADER_SIZE + LAM_RECOVERY_CRC_SIZE;
    bool found = false;
    for (size_t at = 0; file.size >= most && at <= file.size - most; at++) {
        lam_recovery_header header;
        if (file.data[at] != 'P' || !lam_recovery_header_read(file.data + at, &header) ||
            header.size > file.size - at - most)
            continue;
        lam_bytes body = {file.data + at + LAM_RECOVERY_HEADER_SIZE, header.size};
        lam_meta_row_group group;
        size_t size = 0;
        if (header.kind == LAM_RECOVERY_FIRST && !found &&
            lam_meta_read_file(body, &draft->arena, &draft->meta, NULL) == LAM_STATUS_OK) {
            found = true;
            for (uint32_t i = 0;
                 i < draft->meta.row_groups.count && draft->group_count < LAM_FUZZ_GROUPS_MOST; i++)
                (void)read_group(draft, &draft->meta.row_groups.items[i], file);
        } else if (header.kind == LAM_RECOVERY_ROW_GROUP && found &&
                   draft->group_count < LAM_FUZZ_GROUPS_MOST &&
                   lam_meta_read_row_group(body, &draft->arena, &group, &size, NULL) ==
                       LAM_STATUS_OK &&
                   size > 0) {
            (void)read_group(draft, &group, file);
        }
        at += LAM_RECOVERY_HEADER_SIZE + header.size;
    }
    return found;
}

bool lam_fuzz_draft_open(lam_fuzz_draft *draft, lam_bytes file) {
    draft->allocator = lam_fuzz_allocator();
    draft->group_count = 0;
    lam_arena_init(&draft->arena, &draft->allocator, BUDGET);
    if (file.size < LAM_FUZZ_MAGIC_SIZE + LAM_FUZZ_TAIL_SIZE)
        return false;
    memcpy(draft->magic, file.data, LAM_FUZZ_MAGIC_SIZE);
    size_t footer = lam_load_le32(file.data + file.size - LAM_FUZZ_TAIL_SIZE);
    if (footer > file.size - LAM_FUZZ_MAGIC_SIZE - LAM_FUZZ_TAIL_SIZE)
        return read_records(draft, file);
    lam_bytes body = {file.data, file.size - LAM_FUZZ_TAIL_SIZE - footer};
    lam_bytes bytes = {file.data + body.size, footer};
    if (footer == 0 ||
        lam_meta_read_file(bytes, &draft->arena, &draft->meta, NULL) != LAM_STATUS_OK)
        return read_records(draft, file);
    for (uint32_t i = 0;
         i < draft->meta.row_groups.count && draft->group_count < LAM_FUZZ_GROUPS_MOST; i++)
        if (!read_group(draft, &draft->meta.row_groups.items[i], body))
            return false;
    return true;
}

void lam_fuzz_draft_finish(lam_fuzz_draft *draft) {
    lam_arena_finish(&draft->arena);
}

/* --- Together ------------------------------------------------------------------------------ */

typedef struct composer {
    lam_fuzz_draft *draft;
    const lam_fuzz_assembly *assembly;
    lam_random *random;
    lam_buffer *out;
    bool is_whole; /* memory was enough so far */
} composer;

static void put(composer *c, lam_bytes bytes) {
    c->is_whole =
        c->is_whole && lam_buffer_append(c->out, bytes.data, bytes.size, NULL) == LAM_STATUS_OK;
}

static void keep(composer *c, lam_status status) {
    c->is_whole = c->is_whole && status == LAM_STATUS_OK;
}

/* Whether a number that follows is made right. */
static bool follows(composer *c) {
    return !lam_random_chance(c->random, c->assembly->false_in_100);
}

static void set_offset(composer *c, int64_t *offset, size_t value) {
    if (follows(c))
        *offset = (int64_t)value;
}

/* Places of the data pages in the file, for the offset index. */
static void locate_pages(lam_fuzz_draft *draft, lam_fuzz_chunk *chunk,
                         const lam_meta_page_location *found, size_t count) {
    lam_meta_page_location_list *list = &chunk->offset_index.page_locations;
    void *items;
    if (!chunk->has_offset_index || count == 0 || list->count == 0 ||
        lam_arena_array(&draft->arena, count, sizeof *found, &items, NULL) != LAM_STATUS_OK)
        return;
    lam_meta_page_location *to = items;
    for (size_t i = 0; i < count; i++) {
        to[i] = list->items[i < list->count ? i : list->count - 1];
        to[i].offset = found[i].offset;
        to[i].compressed_page_size = found[i].compressed_page_size;
    }
    *list = (lam_meta_page_location_list){to, (uint32_t)count};
}

static void put_page(composer *c, lam_fuzz_page *page) {
    if (follows(c))
        page->header.compressed_page_size = (int32_t)page->body.size;
    if ((page->header.has & LAM_META_PAGE_HEADER_HAS_CRC) != 0 && follows(c))
        page->header.crc = (int32_t)lam_crc32(0, page->body.data, page->body.size);
    keep(c, lam_meta_write_page_header(&page->header, c->out, NULL));
    put(c, page->body);
}

static void put_chunk(composer *c, lam_fuzz_chunk *chunk) {
    lam_meta_page_location found[LAM_FUZZ_PAGES_MOST];
    lam_meta_column *column = &chunk->column;
    size_t begin = c->out->size, count = 0;
    int64_t uncompressed = 0;
    bool has_data = false;
    if (chunk->chunk.meta_data == NULL)
        return;
    for (size_t i = 0; i < chunk->page_count; i++) {
        lam_fuzz_page *page = &chunk->pages[i];
        size_t at = c->out->size;
        bool is_dictionary = page->header.type == LAM_PAGE_DICTIONARY;
        put_page(c, page);
        uncompressed += (int64_t)(c->out->size - at - page->body.size);
        uncompressed = (int64_t)((uint64_t)uncompressed +
                                 (uint64_t)(int64_t)page->header.uncompressed_page_size);
        if (is_dictionary && (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0)
            set_offset(c, &column->dictionary_page_offset, at);
        if (!is_dictionary && !has_data)
            set_offset(c, &column->data_page_offset, at);
        has_data = has_data || !is_dictionary;
        if (!is_dictionary)
            found[count++] = (lam_meta_page_location){
                .compressed_page_size = (int32_t)(c->out->size - at), .offset = (int64_t)at};
    }
    if (chunk->page_count == 0)
        set_offset(c, &column->data_page_offset, begin);
    put(c, chunk->rest);
    set_offset(c, &column->total_compressed_size, c->out->size - begin);
    if (follows(c))
        column->total_uncompressed_size = (int64_t)((uint64_t)uncompressed + chunk->rest.size);
    if (follows(c))
        locate_pages(c->draft, chunk, found, count);
}

static void put_bloom(composer *c, lam_fuzz_chunk *chunk) {
    size_t begin = c->out->size;
    if (!chunk->has_bloom)
        return;
    if (follows(c))
        chunk->bloom.num_bytes = (int32_t)chunk->bitset.size;
    keep(c, lam_meta_write_bloom_filter_header(&chunk->bloom, c->out, NULL));
    put(c, chunk->bitset);
    set_offset(c, &chunk->column.bloom_filter_offset, begin);
    if (follows(c))
        chunk->column.bloom_filter_length = (int32_t)(c->out->size - begin);
}

static void put_indexes(composer *c, lam_fuzz_chunk *chunk) {
    size_t begin = c->out->size;
    if (chunk->has_column_index) {
        keep(c, lam_meta_write_column_index(&chunk->column_index, c->out, NULL));
        set_offset(c, &chunk->chunk.column_index_offset, begin);
        if (follows(c))
            chunk->chunk.column_index_length = (int32_t)(c->out->size - begin);
    }
    begin = c->out->size;
    if (chunk->has_offset_index) {
        keep(c, lam_meta_write_offset_index(&chunk->offset_index, c->out, NULL));
        set_offset(c, &chunk->chunk.offset_index_offset, begin);
        if (follows(c))
            chunk->chunk.offset_index_length = (int32_t)(c->out->size - begin);
    }
}

/* The row group as its chunks are now. */
static void compose_group(composer *c, lam_fuzz_group *group) {
    void *items;
    if (lam_arena_array(&c->draft->arena, group->chunk_count, sizeof(lam_meta_column_chunk), &items,
                        NULL) != LAM_STATUS_OK) {
        c->is_whole = false;
        return;
    }
    lam_meta_column_chunk *chunks = items;
    for (size_t i = 0; i < group->chunk_count; i++) {
        chunks[i] = group->chunks[i].chunk;
        if (chunks[i].meta_data != NULL)
            chunks[i].meta_data = &group->chunks[i].column;
    }
    group->group.columns = (lam_meta_column_chunk_list){chunks, (uint32_t)group->chunk_count};
}

static void compose_groups(composer *c, size_t count) {
    void *items;
    lam_meta_row_group_list *list = &c->draft->meta.row_groups;
    if (lam_arena_array(&c->draft->arena, count, sizeof(lam_meta_row_group), &items, NULL) !=
        LAM_STATUS_OK) {
        c->is_whole = false;
        return;
    }
    lam_meta_row_group *groups = items;
    for (size_t i = 0; i < count; i++) {
        compose_group(c, &c->draft->groups[i]);
        groups[i] = c->draft->groups[i].group;
    }
    *list = (lam_meta_row_group_list){groups, (uint32_t)count};
}

/* The record behind a row group; those of the groups so far, if it is the first. */
static void put_record(composer *c, size_t group) {
    lam_recovery_header header = {.kind = group == 0 ? LAM_RECOVERY_FIRST : LAM_RECOVERY_ROW_GROUP,
                                  .sequence = group,
                                  .synced = c->out->size,
                                  .file_id = "an id of a file"};
    lam_buffer body;
    lam_buffer_init(&body, &c->draft->allocator);
    if (group == 0) {
        compose_groups(c, 1);
        keep(c, lam_meta_write_file(&c->draft->meta, &body, NULL));
    } else {
        compose_group(c, &c->draft->groups[group]);
        keep(c, lam_meta_write_row_group(&c->draft->groups[group].group, &body, NULL));
    }
    if (c->is_whole)
        keep(c, lam_recovery_record_write(&header, lam_buffer_bytes(&body), c->out, NULL));
    lam_buffer_finish(&body);
}

static void put_groups(composer *c) {
    lam_fuzz_draft *draft = c->draft;
    for (size_t g = 0; g < draft->group_count && c->is_whole; g++) {
        lam_fuzz_group *group = &draft->groups[g];
        size_t begin = c->out->size;
        for (size_t i = 0; i < group->chunk_count; i++)
            put_chunk(c, &group->chunks[i]);
        set_offset(c, &group->group.file_offset, begin);
        set_offset(c, &group->group.total_compressed_size, c->out->size - begin);
        if (c->assembly->has_records)
            put_record(c, g);
    }
}

bool lam_fuzz_draft_write(lam_fuzz_draft *draft, const lam_fuzz_assembly *assembly,
                          lam_random *random, lam_buffer *out) {
    composer c = {draft, assembly, random, out, true};
    uint8_t length[4];
    put(&c, (lam_bytes){draft->magic, LAM_FUZZ_MAGIC_SIZE});
    put_groups(&c);
    if (!assembly->has_footer)
        return c.is_whole;
    for (size_t g = 0; g < draft->group_count; g++)
        for (size_t i = 0; i < draft->groups[g].chunk_count; i++)
            put_bloom(&c, &draft->groups[g].chunks[i]);
    for (size_t g = 0; g < draft->group_count; g++)
        for (size_t i = 0; i < draft->groups[g].chunk_count; i++)
            put_indexes(&c, &draft->groups[g].chunks[i]);
    compose_groups(&c, draft->group_count);
    size_t begin = out->size;
    keep(&c, lam_meta_write_file(&draft->meta, out, NULL));
    lam_store_le32(length, (uint32_t)(out->size - begin));
    put(&c, (lam_bytes){length, sizeof length});
    put(&c, (lam_bytes){(const uint8_t *)"PAR1", LAM_FUZZ_MAGIC_SIZE});
    return c.is_whole;
}
