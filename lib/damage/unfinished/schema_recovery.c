/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a footer for pages without one: the pages of a walk become chunks of row groups, by a
 * schema.
 *
 * The recovery never guesses. The division of the pages into chunks is the only one possible, the
 * codec the only one that fits, or both are those of a finished file; sizes and counts are those of
 * page headers. Statistics are not made. Row groups end before the first page whose checksum is
 * wrong. In a row group that is cut, missing chunks have no metadata. (parquet.thrift,
 * ColumnMetaData)
 */
#include "damage/unfinished/schema_recovery.h"

#include <lamella/format.h>

#include "base/error.h"
#include "damage/unfinished/page_probe.h"
#include "file/read/file_reader.h"
#include "meta/meta_schema.h"
#include "schema/tree.h"

enum { KINDS_KEPT = 16 }; /* of leaves; the rows of a page as each of them are remembered */

/* Rows of a page, as those of a kind of leaf. */
typedef struct counted_page {
    size_t kind; /* 0 until they are counted */
    lam_page_fit fit;
} counted_page;

typedef struct schema_recovery {
    lam_recovery_walk *walk;
    const lam_schema *schema;
    const lam_reader *like; /* or NULL */
    const lam_walked_page *pages;
    size_t page_count;       /* before the first damaged one */
    const lam_codec *codecs; /* by leaf */
    lam_page_probe probe;
    const size_t *kinds; /* by leaf, from 1 on: those with one kind read pages alike */
    size_t kind_count;
    counted_page *counted; /* for each page, one for each kind, or KINDS_KEPT */
    lam_buffer starts;     /* as lam_page_division_find gives them */
    lam_buffer cut;        /* likewise */
} schema_recovery;

/* Takes the codec of a leaf's first chunk in `like`, if that says it. */
static lam_status take_codec(const lam_reader *like, size_t leaf_index, lam_codec *codec,
                             lam_error *error) {
    lam_column_chunk_info info = lam_column_chunk_info_default();
    lam_error failure = lam_error_none();
    lam_status status = lam_reader_column_chunk(like, 0, leaf_index, &info, &failure);
    if (status == LAM_STATUS_OK && info.codec != LAM_CODEC_DEFAULT)
        *codec = info.codec;
    if (status == LAM_STATUS_NOMEM && error != NULL)
        *error = failure;
    return status == LAM_STATUS_NOMEM ? status : LAM_STATUS_OK;
}

/*
 * Finds the codec of each leaf's chunks: that of the first row group of `like`, or `common`. An
 * unknown number fails when pages are read.
 */
static lam_status find_codecs(schema_recovery *recovery, lam_codec common, lam_error *error) {
    size_t leaves = recovery->schema->leaf_count;
    lam_codec *codecs;
    LAM_TRY(LAM_ARENA_ARRAY(&recovery->walk->arena, leaves, &codecs, error));
    for (size_t i = 0; i < leaves; i++) {
        codecs[i] = common;
        if (recovery->like != NULL)
            LAM_TRY(take_codec(recovery->like, i, &codecs[i], error));
    }
    recovery->codecs = codecs;
    return LAM_STATUS_OK;
}

static bool is_same_kind(const schema_recovery *recovery, size_t a, size_t b) {
    const lam_field *x = lam_leaf_at(recovery->schema, a), *y = lam_leaf_at(recovery->schema, b);
    return recovery->codecs[a] == recovery->codecs[b] && x->type_length == y->type_length &&
           x->max_repetition == y->max_repetition && x->max_definition == y->max_definition &&
           x->physical_type == y->physical_type;
}

/*
 * Numbers the kinds of leaves: a page has the same rows for leaves of one kind. After KINDS_KEPT
 * kinds, each leaf is one of its own, so that a schema of any size is numbered soon.
 */
static lam_status find_kinds(schema_recovery *recovery, lam_error *error) {
    size_t leaves = recovery->schema->leaf_count;
    size_t firsts[KINDS_KEPT]; /* the first leaf of each kind */
    size_t *kinds;
    LAM_TRY(LAM_ARENA_ARRAY(&recovery->walk->arena, leaves, &kinds, error));
    for (size_t i = 0; i < leaves; i++) {
        size_t known = recovery->kind_count < KINDS_KEPT ? recovery->kind_count : KINDS_KEPT;
        size_t kind = 0;
        while (kind < known && !is_same_kind(recovery, firsts[kind], i))
            kind++;
        if (kind == known) {
            kind = recovery->kind_count++;
            if (kind < KINDS_KEPT)
                firsts[kind] = i;
        }
        kinds[i] = kind + 1;
    }
    recovery->kinds = kinds;
    return LAM_STATUS_OK;
}

/* The number of kinds that are remembered of each page. */
static size_t kinds_kept(const schema_recovery *recovery) {
    return recovery->kind_count < KINDS_KEPT ? recovery->kind_count : KINDS_KEPT;
}

/* Counts each page once for each kind of leaf that it is tried as. */
static lam_status count_page(void *state, size_t leaf_index, size_t page, lam_page_fit *ret_fit,
                             lam_error *error) {
    schema_recovery *recovery = state;
    size_t kind = recovery->kinds[leaf_index], kept = kinds_kept(recovery);
    counted_page *counted = &recovery->counted[page * kept + kind % kept];
    if (counted->kind != kind) {
        LAM_TRY(lam_page_probe_rows(&recovery->probe, &recovery->pages[page],
                                    lam_leaf_at(recovery->schema, leaf_index),
                                    recovery->codecs[leaf_index], &counted->fit, error));
        counted->kind = kind;
    }
    *ret_fit = counted->fit;
    return LAM_STATUS_OK;
}

/* The rows that all row groups of a file have but the last one; 0 when they differ. */
static uint64_t usual_rows(const lam_reader *like) {
    const lam_meta_row_group_view_list *groups =
        like != NULL ? &like->footer.meta.row_groups : &(lam_meta_row_group_view_list){NULL, 0};
    if (groups->count < 2)
        return 0;
    for (uint32_t i = 1; i + 1 < groups->count; i++)
        if (groups->items[i].num_rows != groups->items[0].num_rows)
            return 0;
    return groups->items[groups->count - 1].num_rows <= groups->items[0].num_rows
               ? (uint64_t)groups->items[0].num_rows
               : 0;
}

/* --- Metadata ------------------------------------------------------------------------------ */

/* Lists the encodings of the pages of a chunk, each once, and that of levels. */
static lam_status list_encodings(const schema_recovery *recovery, const lam_field *leaf,
                                 size_t first, size_t end, lam_meta_column *column,
                                 lam_error *error) {
    bool there[LAM_ENCODING_ALP + 1] = {false};
    int32_t *items;
    LAM_TRY(LAM_ARENA_ARRAY(&recovery->walk->arena, LAM_ENCODING_ALP + 1, &items, error));
    there[LAM_ENCODING_RLE] = leaf->max_definition > 0;
    for (size_t i = first; i < end; i++)
        if (recovery->pages[i].encoding >= 0 && recovery->pages[i].encoding <= LAM_ENCODING_ALP)
            there[recovery->pages[i].encoding] = true;
    for (int32_t encoding = 0; encoding <= LAM_ENCODING_ALP; encoding++)
        if (there[encoding])
            items[column->encodings.count++] = encoding;
    column->encodings.items = items;
    return LAM_STATUS_OK;
}

/* Fills path_in_schema: the names from below the root to the leaf. */
static lam_status list_names(const schema_recovery *recovery, const lam_field *leaf,
                             lam_meta_bytes_list *ret_path, lam_error *error) {
    lam_bytes *names;
    LAM_TRY(LAM_ARENA_ARRAY(&recovery->walk->arena, leaf->depth, &names, error));
    const lam_field *field = leaf;
    for (size_t i = leaf->depth; i > 0; i--) {
        names[i - 1] = (lam_bytes){(const uint8_t *)field->name, field->name_size};
        field = lam_parent_of(field);
    }
    *ret_path = (lam_meta_bytes_list){names, leaf->depth};
    return LAM_STATUS_OK;
}

/* Describes one chunk, and gives its rows as far as its pages have them; -1 if unknown. */
static lam_status describe_chunk(schema_recovery *recovery, size_t leaf_index, size_t first,
                                 size_t end, lam_meta_column *column, uint64_t *ret_rows,
                                 lam_error *error) {
    const lam_field *leaf = lam_leaf_at(recovery->schema, leaf_index);
    *ret_rows = 0;
    column->type = leaf->physical_type;
    column->codec = (int32_t)recovery->codecs[leaf_index] - 1;
    column->data_page_offset = -1;
    for (size_t i = first; i < end; i++) {
        const lam_walked_page *page = &recovery->pages[i];
        lam_page_fit fit = {true, true, (uint64_t)page->value_count};
        column->total_compressed_size += (int64_t)page->header_size + page->compressed_size;
        column->total_uncompressed_size += (int64_t)page->header_size + page->uncompressed_size;
        if (page->type == LAM_PAGE_DICTIONARY) {
            column->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
            column->dictionary_page_offset = (int64_t)page->offset;
            continue;
        }
        if (column->data_page_offset < 0)
            column->data_page_offset = (int64_t)page->offset;
        column->num_values += page->value_count;
        if (leaf->max_repetition > 0)
            LAM_TRY(count_page(recovery, leaf_index, i, &fit, error));
        *ret_rows += fit.rows;
    }
    LAM_TRY(list_names(recovery, leaf, &column->path_in_schema, error));
    return list_encodings(recovery, leaf, first, end, column, error);
}

/*
 * Describes the row group whose first pages begin at `starts`, or as many of its chunks as are
 * there. The first one has all of its rows, as far as anybody knows.
 */
static lam_status describe_group(schema_recovery *recovery, const size_t *starts, size_t there,
                                 size_t ordinal, lam_meta_row_group *group, lam_error *error) {
    size_t leaves = recovery->schema->leaf_count;
    lam_arena *arena = &recovery->walk->arena;
    uint64_t rows, group_rows = 0;
    lam_meta_column_chunk *chunks;
    LAM_TRY(LAM_ARENA_ARRAY(arena, leaves, &chunks, error));
    lam_meta_column *columns;
    LAM_TRY(LAM_ARENA_ARRAY(arena, leaves, &columns, error));
    for (size_t i = 0; i < there; i++) {
        LAM_TRY(describe_chunk(recovery, i, starts[i], starts[i + 1], &columns[i], &rows, error));
        group_rows = i == 0 ? rows : group_rows;
        chunks[i].meta_data = &columns[i];
        group->total_byte_size += columns[i].total_uncompressed_size;
        group->total_compressed_size += columns[i].total_compressed_size;
    }
    group->columns = (lam_meta_column_chunk_list){chunks, (uint32_t)leaves};
    group->num_rows = (int64_t)group_rows;
    group->has = LAM_META_ROW_GROUP_HAS_FILE_OFFSET | LAM_META_ROW_GROUP_HAS_TOTAL_COMPRESSED_SIZE;
    group->file_offset = (int64_t)recovery->pages[starts[0]].offset;
    if (ordinal <= INT16_MAX) {
        group->has |= LAM_META_ROW_GROUP_HAS_ORDINAL;
        group->ordinal = (int16_t)ordinal;
    }
    return LAM_STATUS_OK;
}

/* Makes the footer of the row groups that the division found. */
static lam_status describe_file(schema_recovery *recovery, lam_meta_file *ret_meta,
                                lam_recovery *counts, lam_error *error) {
    const size_t *starts = (const size_t *)(const void *)recovery->starts.data;
    size_t leaves = recovery->schema->leaf_count;
    size_t whole = (recovery->starts.size / sizeof *starts - 1) / leaves;
    size_t cut_chunks = recovery->cut.size > 0 ? recovery->cut.size / sizeof *starts - 1 : 0;
    size_t count = whole + (cut_chunks > 0);
    lam_meta_file meta = {.version = 2};
    lam_meta_row_group *groups;
    LAM_TRY(LAM_ARENA_ARRAY(&recovery->walk->arena, count, &groups, error));
    for (size_t g = 0; g < count; g++) {
        const size_t *chunks = starts + g * leaves;
        if (g == whole)
            chunks = (const size_t *)(const void *)recovery->cut.data;
        LAM_TRY(describe_group(recovery, chunks, g == whole ? cut_chunks : leaves, g, &groups[g],
                               error));
        meta.num_rows += groups[g].num_rows;
        counts->bytes += (uint64_t)groups[g].total_compressed_size;
    }
    meta.row_groups = (lam_meta_row_group_list){groups, (uint32_t)count};
    LAM_TRY(lam_meta_schema_export(recovery->schema, &recovery->walk->arena, &meta.schema, error));
    recovery->walk->cut_chunks = cut_chunks;
    counts->is_cut = cut_chunks > 0;
    counts->row_groups = count;
    counts->rows = (uint64_t)meta.num_rows;
    *ret_meta = meta;
    return LAM_STATUS_OK;
}

/* --- Recovering ---------------------------------------------------------------------------- */

/* Lists the encodings that the chunks of each leaf have in `like`, as bits. */
static lam_status list_like_encodings(const schema_recovery *recovery, uint32_t **ret_encodings,
                                      lam_error *error) {
    size_t leaves = recovery->schema->leaf_count;
    uint32_t *encodings;
    LAM_TRY(LAM_ARENA_ARRAY(&recovery->walk->arena, leaves, &encodings, error));
    for (size_t i = 0; i < leaves * lam_reader_row_group_count(recovery->like); i++) {
        lam_column_chunk_info info = lam_column_chunk_info_default();
        LAM_TRY(lam_reader_column_chunk(recovery->like, i / leaves, i % leaves, &info, error));
        encodings[i % leaves] |= info.encodings;
    }
    *ret_encodings = encodings;
    return LAM_STATUS_OK;
}

/* The pages that are in the row groups that were found. */
static size_t count_divided(const lam_buffer *starts, const lam_buffer *cut) {
    const lam_buffer *last = cut->size > 0 ? cut : starts;
    const size_t *items = (const size_t *)(const void *)last->data;
    return last->size > 0 ? items[last->size / sizeof *items - 1] : 0;
}

/*
 * Divides the pages once more, with the encodings that `like` has, if that finds more. It is no
 * failure if that does not, either.
 */
static lam_status divide_as_like(schema_recovery *recovery, lam_page_division *division,
                                 bool *ret_found, lam_error *error) {
    lam_status status;
    uint32_t *encodings = NULL;
    lam_error failure = lam_error_none();
    lam_buffer starts, cut;
    *ret_found = false;
    lam_buffer_init(&starts, recovery->walk->options.allocator);
    lam_buffer_init(&cut, recovery->walk->options.allocator);
    status = list_like_encodings(recovery, &encodings, &failure);
    division->encodings = encodings;
    if (status == LAM_STATUS_OK)
        status = lam_page_division_find(division, &starts, &cut, &failure);
    if (status == LAM_STATUS_OK &&
        count_divided(&starts, &cut) > count_divided(&recovery->starts, &recovery->cut)) {
        const lam_buffer strict_starts = recovery->starts, strict_cut = recovery->cut;
        recovery->starts = starts;
        recovery->cut = cut;
        starts = strict_starts;
        cut = strict_cut;
        *ret_found = true;
    }
    lam_buffer_finish(&starts);
    lam_buffer_finish(&cut);
    if (status == LAM_STATUS_IO || status == LAM_STATUS_NOMEM) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    return LAM_STATUS_OK;
}

static lam_status try_division(schema_recovery *recovery, const lam_page_division *division,
                               bool keeps_cut, lam_error *error) {
    lam_buffer_clear(&recovery->starts);
    lam_buffer_clear(&recovery->cut);
    return lam_page_division_find(division, &recovery->starts, keeps_cut ? &recovery->cut : NULL,
                                  error);
}

/*
 * Divides the pages, or, to keep a row group that is cut, as many as can be divided: the page that
 * ends a divisible prefix is damaged. A schema without a complete row group does not count.
 */
static lam_status divide_most(schema_recovery *recovery, lam_page_division *division,
                              bool keeps_cut, lam_error *error) {
    size_t good = 0, bad = division->page_count;
    bool is_last;
    lam_status status = try_division(recovery, division, keeps_cut, error);
    if (!keeps_cut || status != LAM_STATUS_CORRUPT)
        return status;
    division->is_closed = false;
    do { /* the last time with `good` pages */
        lam_error failure = lam_error_none();
        is_last = bad - good <= 1;
        division->page_count = is_last ? good : good + (bad - good) / 2;
        status = try_division(recovery, division, true, &failure);
        if (status != LAM_STATUS_OK && status != LAM_STATUS_CORRUPT) {
            *error = failure;
            return status;
        }
        if (status == LAM_STATUS_OK) {
            good = division->page_count;
        } else {
            bad = division->page_count;
            lam_buffer_clear(&recovery->starts);
        }
    } while (!is_last);
    if (recovery->starts.size > sizeof(size_t))
        return LAM_STATUS_OK;
    lam_buffer_clear(&recovery->starts);
    lam_buffer_clear(&recovery->cut);
    return LAM_STATUS_CORRUPT;
}

/* True when no damage of pages explains why they cannot be divided. */
static bool all_match_checksums(const lam_recovery_walk *walk) {
    return !walk->lacks_crc && !walk->options.repair->found_damage;
}

/*
 * If pages that match their checksums cannot be divided to their end, a header counts wrongly, and
 * it may be any of the last row group. Of that, complete chunks stay, if at least two agree in
 * their rows.
 */
static void drop_unconfirmed(schema_recovery *recovery) {
    size_t least = 4 * sizeof(size_t); /* two complete chunks, the open one, and the end */
    if (recovery->cut.size >= least)
        recovery->cut.size -= sizeof(size_t);
    else
        lam_buffer_clear(&recovery->cut);
}

/* Divides the pages that precede the first damaged one. */
static lam_status divide(schema_recovery *recovery, bool is_closed, bool keeps_cut,
                         bool *ret_follows_like, lam_error *error) {
    lam_page_division division = {recovery->pages,
                                  recovery->page_count,
                                  recovery->schema,
                                  usual_rows(recovery->like),
                                  is_closed,
                                  count_page,
                                  recovery,
                                  recovery->walk->options.allocator,
                                  NULL,
                                  recovery->walk->options.stop};
    lam_error failure = lam_error_none();
    lam_codec common = LAM_CODEC_UNCOMPRESSED;
    if (recovery->like == NULL || recovery->like->footer.meta.row_groups.count == 0)
        LAM_TRY(lam_page_probe_codec(&recovery->probe, recovery->pages, recovery->page_count,
                                     &common, error));
    LAM_TRY(find_codecs(recovery, common, error));
    LAM_TRY(find_kinds(recovery, error));
    LAM_TRY(LAM_ARENA_ARRAY(&recovery->walk->arena, recovery->page_count * kinds_kept(recovery) + 1,
                            &recovery->counted, error));
    lam_status status = divide_most(recovery, &division, keeps_cut, &failure);
    if (keeps_cut && recovery->like != NULL &&
        (status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT) &&
        count_divided(&recovery->starts, &recovery->cut) < division.page_count)
        LAM_TRY(divide_as_like(recovery, &division, ret_follows_like, error));
    if (division.page_count < recovery->page_count && all_match_checksums(recovery->walk))
        drop_unconfirmed(recovery);
    if (*ret_follows_like)
        return LAM_STATUS_OK;
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
    return status;
}

/* `like` must have the schema, if both are given. */
static lam_status choose_schema(const lam_recover_options *options, const lam_schema **ret_schema,
                                lam_error *error) {
    *ret_schema = options->schema != NULL ? options->schema : lam_reader_schema(options->like);
    if (options->schema != NULL && options->like != NULL &&
        !lam_schema_equals(options->schema, lam_reader_schema(options->like)))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "option `like` has another schema than option `schema`");
    return LAM_STATUS_OK;
}

lam_status lam_schema_recovery(lam_recovery_walk *walk, const lam_recover_options *options,
                               lam_meta_file *ret_meta, lam_recovery *ret_recovery,
                               lam_error *error) {
    lam_status status;
    lam_recovery counts = lam_recovery_default();
    schema_recovery recovery = {.walk = walk, .like = options->like};
    size_t all = walk->pages.count;
    recovery.pages = walk->pages.items;
    while (recovery.page_count < all && recovery.pages[recovery.page_count].is_sound)
        recovery.page_count++;
    LAM_TRY(choose_schema(options, &recovery.schema, error));
    lam_buffer_init(&recovery.starts, walk->options.allocator);
    lam_buffer_init(&recovery.cut, walk->options.allocator);
    const lam_item_repair *repair = walk->options.repair;
    LAM_TRY_OUT(lam_page_probe_init(
        &recovery.probe, walk->items.window.input, repair != NULL ? &repair->patched : NULL,
        walk->options.memory_limit, walk->options.stop, walk->options.allocator, error));
    LAM_TRY_OUT(divide(&recovery, recovery.page_count == all && walk->ended_in_metadata,
                       options->keeps_cut, &counts.follows_like, error));
    LAM_TRY_OUT(describe_file(&recovery, ret_meta, &counts, error));
    counts.lost_bytes = walk->items.window.end - walk->claimed_bytes - counts.bytes;
    counts.is_complete = counts.lost_bytes == 0 && !counts.is_cut;
    *ret_recovery = counts;
out:
    lam_page_probe_finish(&recovery.probe);
    lam_buffer_finish(&recovery.starts);
    lam_buffer_finish(&recovery.cut);
    return status;
}
