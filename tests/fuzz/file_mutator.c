/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes Parquet files so that they get past the door: the length of the footer is right, a
 * page that is changed has a right CRC and size again, and the chunks behind it are where the
 * footer says. What is changed: any bytes, bytes of the footer, one of its fields, one field of a
 * page header, the counts of a V2 one, or bytes of a page, compressed ones too. (any_file.h)
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "chunk/page_walk.h"
#include "codec/codec.h"
#include "fuzz/harness.h"
#include "fuzz/meta_change.h"
#include "meta/compact.h"

enum { MAGIC = 4, TAIL = 8, BUDGET = 16 << 20, PAGE_MAX = 64 << 10, GROWTH = 64 };

/* A file taken apart. */
typedef struct draft {
    lam_allocator allocator;
    lam_arena arena;
    lam_random random;
    lam_meta_file meta;
    lam_bytes body; /* all before the footer */
    lam_buffer out;
} draft;

/* One page of it. */
typedef struct page {
    lam_meta_column *column;
    lam_meta_page_header header;
    lam_bytes body;
    uint64_t offset;
} page;

/* A length and a magic at the end, whatever was there. */
static size_t repair_tail(uint8_t *data, size_t size, size_t footer) {
    if (size < MAGIC + TAIL)
        return size;
    if (footer > size - MAGIC - TAIL)
        footer = size - MAGIC - TAIL;
    lam_store_le32(data + size - TAIL, (uint32_t)footer);
    memcpy(data + size - MAGIC, "PAR1", MAGIC);
    return size;
}

static size_t footer_size(const uint8_t *data, size_t size) {
    if (size < MAGIC + TAIL)
        return 0;
    size_t footer = lam_load_le32(data + size - TAIL);
    return footer <= size - MAGIC - TAIL ? footer : 0;
}

static lam_meta_column *any_column(draft *d) {
    const lam_meta_row_group_list *groups = &d->meta.row_groups;
    if (groups->count == 0)
        return NULL;
    const lam_meta_row_group *group = &groups->items[lam_random_below(&d->random, groups->count)];
    if (group->columns.count == 0)
        return NULL;
    size_t at = (size_t)lam_random_below(&d->random, group->columns.count);
    return (lam_meta_column *)group->columns.items[at].meta_data;
}

/* Copies what the walk lends. */
static bool keep_page(draft *d, lam_page_walk *walk, page *p) {
    lam_bytes body;
    lam_buffer header;
    size_t size;
    char *copy = NULL;
    lam_buffer_init(&header, &d->allocator);
    bool kept = lam_meta_write_page_header(&p->header, &header, NULL) == LAM_STATUS_OK &&
                lam_arena_copy(&d->arena, header.data, header.size, &copy, NULL) == LAM_STATUS_OK;
    lam_bytes bytes = {(uint8_t *)copy, header.size};
    kept = kept &&
           lam_meta_read_page_header(bytes, &d->arena, &p->header, &size, NULL) == LAM_STATUS_OK &&
           size > 0 && lam_page_walk_body(walk, &body, NULL) == LAM_STATUS_OK &&
           lam_arena_copy(&d->arena, body.data, body.size, &copy, NULL) == LAM_STATUS_OK;
    if (kept)
        p->body = (lam_bytes){(uint8_t *)copy, body.size};
    lam_buffer_finish(&header);
    return kept;
}

static bool any_page(draft *d, page *p) {
    lam_chunk_range range;
    lam_page_walk walk;
    bool found = false;
    p->column = any_column(d);
    if (p->column == NULL ||
        lam_chunk_find(p->column, d->body.size, &range, NULL) != LAM_STATUS_OK || range.size == 0)
        return false;
    lam_input input = lam_input_memory(d->body.data, d->body.size);
    lam_page_walk_init(&walk, &input, range, &d->allocator);
    for (uint64_t left = lam_random_below(&d->random, 6);; left--) {
        if (lam_page_walk_at_end(&walk) ||
            lam_page_walk_next(&walk, &p->header, &p->offset, NULL) != LAM_STATUS_OK)
            break;
        if (left == 0 || walk.next >= range.offset + range.size) {
            found = keep_page(d, &walk, p);
            break;
        }
    }
    lam_page_walk_finish(&walk);
    return found;
}

/* The numbers of a changed file may be anything, so that sums wrap around. */
static int64_t sum(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void shift(int64_t *offset, uint64_t from, int64_t by) {
    if (*offset > (int64_t)from)
        *offset = sum(*offset, by);
}

/* The file with a page in place of `old_size` bytes; the footer follows. */
static bool replace_page(draft *d, const page *p, size_t old_size) {
    size_t before = d->out.size;
    const uint8_t *rest = d->body.data + p->offset + old_size;
    if (lam_buffer_append(&d->out, d->body.data, p->offset, NULL) != LAM_STATUS_OK ||
        lam_meta_write_page_header(&p->header, &d->out, NULL) != LAM_STATUS_OK ||
        lam_buffer_append(&d->out, p->body.data, p->body.size, NULL) != LAM_STATUS_OK)
        return false;
    int64_t growth = (int64_t)(d->out.size - before - p->offset) - (int64_t)old_size;
    if (lam_buffer_append(&d->out, rest, d->body.size - p->offset - old_size, NULL) !=
        LAM_STATUS_OK)
        return false;
    p->column->total_compressed_size = sum(p->column->total_compressed_size, growth);
    for (uint32_t g = 0; g < d->meta.row_groups.count; g++) {
        const lam_meta_column_chunk_list *chunks = &d->meta.row_groups.items[g].columns;
        for (uint32_t c = 0; c < chunks->count; c++) {
            lam_meta_column *column = (lam_meta_column *)chunks->items[c].meta_data;
            if (column == NULL)
                continue;
            shift(&column->data_page_offset, p->offset, growth);
            shift(&column->dictionary_page_offset, p->offset, growth);
            shift(&column->index_page_offset, p->offset, growth);
            shift(&column->bloom_filter_offset, p->offset, growth);
        }
    }
    return true;
}

static void take_body(page *p, uint8_t *bytes, size_t size, size_t uncompressed) {
    p->body = (lam_bytes){bytes, size};
    p->header.compressed_page_size = (int32_t)size;
    p->header.uncompressed_page_size = (int32_t)uncompressed;
}

/* Changes what is inside of the compression; false when it cannot be opened. */
static bool change_inside(draft *d, page *p) {
    lam_codec codec = (lam_codec)(p->column->codec + 1);
    size_t size = (size_t)p->header.uncompressed_page_size;
    lam_codec_context *codecs;
    uint8_t *bytes;
    char *copy;
    if (p->column->codec < 0 || p->column->codec > 7 || p->header.uncompressed_page_size < 0 ||
        size > PAGE_MAX || lam_codec_check_read(codec, NULL) != LAM_STATUS_OK ||
        lam_codec_check_write(codec, 0, NULL) != LAM_STATUS_OK ||
        lam_arena_bytes(&d->arena, size + GROWTH, &bytes, NULL) != LAM_STATUS_OK ||
        lam_codec_context_create(&d->allocator, &codecs, NULL) != LAM_STATUS_OK)
        return false;
    lam_buffer packed;
    lam_buffer_init(&packed, &d->allocator);
    bool changed = lam_codec_decompress(codecs, codec, p->body, bytes, size, NULL) == LAM_STATUS_OK;
    if (changed) {
        lam_bytes in = {bytes, LLVMFuzzerMutate(bytes, size, size + GROWTH)};
        changed = lam_codec_compress(codecs, codec, 0, in, &packed, NULL) == LAM_STATUS_OK &&
                  lam_arena_copy(&d->arena, packed.data, packed.size, &copy, NULL) == LAM_STATUS_OK;
        if (changed)
            take_body(p, (uint8_t *)copy, packed.size, in.size);
    }
    lam_buffer_finish(&packed);
    lam_codec_context_destroy(codecs);
    return changed;
}

static void change_outside(draft *d, page *p) {
    uint8_t *bytes;
    if (lam_arena_bytes(&d->arena, p->body.size + GROWTH, &bytes, NULL) != LAM_STATUS_OK)
        return;
    if (p->body.size > 0)
        memcpy(bytes, p->body.data, p->body.size);
    size_t size = LLVMFuzzerMutate(bytes, p->body.size, p->body.size + GROWTH);
    int64_t growth = (int64_t)size - (int64_t)p->body.size;
    take_body(p, bytes, size, (size_t)sum(p->header.uncompressed_page_size, growth));
}

/* Counts of a V2 header as writers err in them: none, those of triples, any. */
static bool change_counts(draft *d, page *p) {
    lam_meta_data_page_header_v2 *v2 =
        (lam_meta_data_page_header_v2 *)p->header.data_page_header_v2;
    if (v2 == NULL)
        return false;
    const int32_t counts[] = {0, v2->num_values, v2->num_nulls, v2->num_rows + 1,
                              (int32_t)lam_random_next(&d->random)};
    v2->num_rows = counts[lam_random_below(&d->random, 5)];
    v2->num_nulls = counts[lam_random_below(&d->random, 5)];
    return true;
}

static bool change_page(draft *d) {
    page p;
    if (!any_page(d, &p))
        return false;
    lam_buffer header;
    lam_buffer_init(&header, &d->allocator);
    bool written = lam_meta_write_page_header(&p.header, &header, NULL) == LAM_STATUS_OK;
    size_t old_size = header.size + p.body.size;
    lam_buffer_finish(&header);
    /* A header that another writer wrote in more bytes stays out of this. */
    if (!written || p.offset + old_size > d->body.size)
        return false;
    switch (lam_random_below(&d->random, 4)) {
    case 0:
        lam_fuzz_meta_change(&lam_meta_page_header_table, &p.header, &d->arena, &d->random);
        break;
    case 1:
        if (change_counts(d, &p))
            break;
        /* fall through */
    case 2:
        if (p.header.data_page_header_v2 == NULL && change_inside(d, &p))
            break;
        /* fall through */
    default:
        change_outside(d, &p);
    }
    p.header.crc = (int32_t)lam_crc32(0, p.body.data, p.body.size);
    return replace_page(d, &p, old_size);
}

static size_t rebuild(draft *d, uint8_t *data, size_t max_size) {
    bool whole;
    if (lam_random_chance(&d->random, 60)) {
        whole = change_page(d);
    } else {
        lam_fuzz_meta_change(&lam_meta_file_table, &d->meta, &d->arena, &d->random);
        whole = lam_buffer_append(&d->out, d->body.data, d->body.size, NULL) == LAM_STATUS_OK;
    }
    size_t body = d->out.size;
    whole = whole && lam_meta_write_file(&d->meta, &d->out, NULL) == LAM_STATUS_OK;
    if (!whole || d->out.size + TAIL > max_size)
        return 0;
    memcpy(data, d->out.data, d->out.size);
    return repair_tail(data, d->out.size + TAIL, d->out.size - body);
}

/* 0 when the file cannot be taken apart, or not be put together again. */
static size_t change_structure(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    draft d = {.allocator = lam_fuzz_allocator(), .random = lam_random_start(seed)};
    size_t footer = footer_size(data, size), changed = 0;
    if (footer == 0)
        return 0;
    d.body = (lam_bytes){data, size - TAIL - footer};
    lam_bytes bytes = {data + d.body.size, footer};
    lam_arena_init(&d.arena, &d.allocator, BUDGET);
    lam_buffer_init(&d.out, &d.allocator);
    if (lam_meta_read_file(bytes, &d.arena, &d.meta, NULL) == LAM_STATUS_OK)
        changed = rebuild(&d, data, max_size);
    lam_buffer_finish(&d.out);
    lam_arena_finish(&d.arena);
    return changed;
}

/* Any bytes of the footer, which may grow. */
static size_t change_footer(uint8_t *data, size_t size, size_t max_size) {
    size_t footer = footer_size(data, size);
    if (footer == 0 || max_size < size)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t before = size - TAIL - footer;
    footer = LLVMFuzzerMutate(data + before, footer, max_size - before - TAIL);
    return repair_tail(data, before + footer + TAIL, footer);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    size_t footer = footer_size(data, size), changed;
    switch (seed % 8) {
    case 0:
        size = LLVMFuzzerMutate(data, size, max_size);
        return seed % 16 < 8 ? size : repair_tail(data, size, footer);
    case 1:
        return change_footer(data, size, max_size);
    case 2:
        if (size >= MAGIC) /* how it is read */
            LLVMFuzzerMutate(data, MAGIC, MAGIC);
        return size;
    default:
        changed = change_structure(data, size, max_size, seed / 8);
        return changed > 0 ? changed : change_footer(data, size, max_size);
    }
}
