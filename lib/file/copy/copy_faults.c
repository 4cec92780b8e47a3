/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out whether a column chunk has a fault of its writer, when the writer's name only says that
 * it may. Takes a chunk, and the faults that go with the name, and gives OK when the pages mean the
 * same under any name.
 *
 *     compression of V2     the headers of all pages: none is a V2 page that denies its compression
 *     levels of lists       all levels: none is an element that does not exist
 *     values of deltas      none that may go on from page to page
 *     names of VARIANTs     all metadata: sorted if they claim to be
 *
 * The invariant: no chunk passes that a reader without the name would read otherwise. Faults of
 * statistics, indexes and filters are not searched for here, as a copy leaves those out; nor are
 * sizes, which a copy measures. (meta/known_faults.h; FileMetaData.created_by)
 */
#include "file/copy/copy_faults.h"

#include <string.h>

#include "base/error.h"
#include "file/read/file_reader.h"
#include "file/write/chunk_measure.h"
#include "meta/known_faults.h"
#include "schema/leaf_error.h"
#include "variant/value/variant_validate.h"

enum { COPY_FAULT_TRIPLES = 4096 /* at once */ };

/* The faults that are searched for here. */
static const uint32_t COPY_FAULTS = LAM_FAULT_V2_COMPRESSION | LAM_FAULT_ARRAY_LEVELS |
                                    LAM_FAULT_SORTED_VARIANTS | LAM_FAULT_SEQUEL_PAGES;

/* One chunk, and the fault that was found in it. */
typedef struct copy_fault_search {
    const lam_reader *reader;
    const lam_meta_column *column;
    const lam_field *leaf;
    size_t row_group;
    size_t leaf_index;
    const char *found; /* or NULL */
} copy_fault_search;

/* A V2 page that says it is not compressed. (DataPageHeaderV2.is_compressed) */
static lam_status search_headers(copy_fault_search *search, lam_error *error) {
    const lam_reader *reader = search->reader;
    lam_chunk_range range;
    lam_chunk_measure measure;
    LAM_TRY(lam_chunk_find(search->column, reader->footer.offset, &range, error));
    LAM_TRY(lam_chunk_measure_pages(reader, search->column, range, &measure, error));
    if (measure.denies_compression)
        search->found = "V2 pages that deny that they are compressed";
    return LAM_STATUS_OK;
}

/* Counts the triples without those of elements that do not exist, which reading leaves out. */
static lam_status search_levels(copy_fault_search *search, lam_column_cursor *cursor,
                                lam_error *error) {
    uint8_t repetition[COPY_FAULT_TRIPLES], definition[COPY_FAULT_TRIPLES];
    lam_batch batch;
    int64_t count = 0;
    do {
        LAM_TRY(lam_column_cursor_read_levels(cursor, COPY_FAULT_TRIPLES, UINT64_MAX, repetition,
                                              definition, &batch, error));
        /* unreachable: no values are decoded, and no offset index counts the rows of pages */
        LAM_TRY(lam_column_cursor_skip_values(cursor, batch.value_count, error));
        count += (int64_t)batch.count;
    } while (batch.count > 0);
    if (count != search->column->num_values)
        search->found = "lists with elements that do not exist";
    return LAM_STATUS_OK;
}

/* True when names that claim to be sorted are not, or cannot be read. */
static bool lies_about_order(lam_bytes metadata) {
    lam_variant_names_view names;
    if (metadata.size == 0 || !lam_variant_says_sorted(metadata))
        return false;
    return lam_variant_validate_names(metadata, LAM_VARIANT_ACCEPT_ANY_NAMES, &names, NULL) !=
               LAM_STATUS_OK ||
           !names.is_sorted;
}

/* Values of a dictionary come with the same address: each run of them is checked once. */
static lam_status search_names(copy_fault_search *search, lam_column_cursor *cursor,
                               lam_error *error) {
    const uint8_t *before = NULL;
    lam_triples triples;
    do {
        LAM_TRY(lam_column_cursor_read(cursor, COPY_FAULT_TRIPLES, &triples, error));
        for (size_t i = 0; i < triples.value_count && search->found == NULL; i++) {
            lam_bytes metadata = lam_triples_value(&triples, search->leaf, i).bytes;
            if (metadata.data != before && lies_about_order(metadata))
                search->found = "names of VARIANTs that are not sorted, although they claim it";
            before = metadata.data;
        }
        before = NULL; /* memory of this batch serves the next one */
    } while (triples.count > 0 && search->found == NULL);
    return LAM_STATUS_OK;
}

/*
 * `metadata` of a VARIANT is its one child that holds names; the leaf is in a VARIANT, at any
 * depth. (VariantEncoding.md, "Metadata")
 */
static bool has_variant_names(const lam_field *leaf) {
    static const char name[] = "metadata";
    return lam_parent_of(leaf)->logical_type.kind == LAM_LOGICAL_VARIANT &&
           leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY && leaf->name_size == sizeof name - 1 &&
           memcmp(leaf->name, name, sizeof name - 1) == 0;
}

/* Reads the entire chunk, for one of the two faults that only its contents show. */
static lam_status search_content(copy_fault_search *search, uint32_t fault, lam_error *error) {
    lam_column_cursor *cursor;
    LAM_TRY(lam_reader_open_cursor(search->reader, search->row_group, search->leaf_index, &cursor,
                                   error));
    lam_status status = fault == LAM_FAULT_ARRAY_LEVELS ? search_levels(search, cursor, error)
                                                        : search_names(search, cursor, error);
    lam_column_cursor_destroy(cursor);
    return status;
}

static lam_status search_faults(copy_fault_search *search, uint32_t faults, lam_error *error) {
    if (search->column->num_values == 0)
        return LAM_STATUS_OK;
    if ((faults & LAM_FAULT_SEQUEL_PAGES) != 0 && lam_known_faults_may_have_sequels(search->column))
        search->found = "byte arrays that may go on from page to page";
    if ((faults & LAM_FAULT_V2_COMPRESSION) != 0 && search->column->codec != 0)
        LAM_TRY(search_headers(search, error));
    if ((faults & LAM_FAULT_ARRAY_LEVELS) != 0 && search->found == NULL)
        LAM_TRY(search_content(search, LAM_FAULT_ARRAY_LEVELS, error));
    if ((faults & LAM_FAULT_SORTED_VARIANTS) != 0 && search->found == NULL &&
        has_variant_names(search->leaf))
        LAM_TRY(search_content(search, LAM_FAULT_SORTED_VARIANTS, error));
    return LAM_STATUS_OK;
}

lam_status lam_copy_check_faults(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                 uint32_t faults, lam_error *error) {
    copy_fault_search search = {.reader = reader, .row_group = row_group, .leaf_index = leaf_index};
    lam_meta_column_chunk chunk;
    lam_chunk_room room;
    if ((faults & COPY_FAULTS) == 0)
        return LAM_STATUS_OK;
    search.leaf = lam_schema_leaf(reader->schema, leaf_index);
    lam_arena arena = lam_reader_chunk_arena_in(reader, &room);
    lam_status status =
        lam_reader_find_column(reader, row_group, leaf_index, &arena, &chunk, error);
    if (status == LAM_STATUS_OK) {
        search.column = chunk.meta_data;
        status = search_faults(&search, lam_known_faults_of_leaf(faults, search.leaf), error);
    }
    lam_arena_finish(&arena);
    if (status == LAM_STATUS_OK && search.found != NULL)
        status = lam_error_set(error, LAM_STATUS_UNSUPPORTED,
                               "%s, which readers know by the name %.60s: write the rows anew, as "
                               "import does",
                               search.found, reader->created_by);
    if (status != LAM_STATUS_OK)
        lam_error_at_leaf(error, row_group, search.leaf);
    return status;
}
