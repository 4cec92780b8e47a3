/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies the choices that a caller makes for single columns before the first record: an encoding,
 * a Bloom filter, a sorting column. Takes a path, and gives the choice to the chunk writer of every
 * leaf at or below it.
 *
 * The invariant: a choice is checked against all leaves before the first of them is changed, so
 * that INVALID and NOT_FOUND leave the writer as it was. A failure after that (NOMEM) may leave
 * some leaves changed and others not, and therefore poisons the writer. Sorting columns need no
 * undoing: they concern one leaf.
 */
#include "base/error.h"
#include "encoding/encoding.h"
#include "file/write/file_writer.h"

/* --- Encodings ----------------------------------------------------------------------------- */

/*
 * INVALID for the first leaf at or below the field whose type the encoding cannot hold. The
 * deprecated encodings are read but never written. (Encodings.md, the table of supported types)
 */
lam_status lam_column_check_encoding(const lam_field *field, lam_encoding encoding,
                                     lam_error *error) {
    if (encoding == LAM_ENCODING_PLAIN_DICTIONARY || encoding == LAM_ENCODING_BIT_PACKED)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s is deprecated and not written",
                 lam_encoding_name(encoding));
    for (size_t i = 0; i < field->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(field->schema, field->first_leaf + i);
        lam_physical_type type = (lam_physical_type)leaf->physical_type;
        /* A dictionary of two booleans is legal, but larger than the booleans themselves. */
        bool no_gain = encoding == LAM_ENCODING_RLE_DICTIONARY && type == LAM_PHYSICAL_BOOLEAN;
        if (no_gain || !lam_encoding_takes(encoding, type))
            LAM_FAIL(error, LAM_STATUS_INVALID, "field '%.100s' of type %s cannot be in %s",
                     leaf->name, lam_encoding_type_name(type), lam_encoding_name(encoding));
    }
    return LAM_STATUS_OK;
}

/* A group means all leaves below it, so the encoding must suit each of their types. */
lam_status lam_writer_set_encoding(lam_writer *writer, const char *path, lam_encoding encoding,
                                   lam_error *error) {
    const lam_field *field;
    LAM_TRY(lam_writer_check_choice(writer, "encodings", path, &field, error));
    LAM_TRY(lam_column_check_encoding(field, encoding, error));
    lam_error failure = lam_error_none();
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < field->leaf_count && status == LAM_STATUS_OK; i++)
        status = lam_row_group_writer_set_encoding(lam_writer_row_group(writer),
                                                   field->first_leaf + i, encoding, &failure);
    return lam_writer_poison(writer, status, &failure, error);
}

/* --- Bloom filters ------------------------------------------------------------------------- */

/* The false positive probability if the caller states none. */
static const double DEFAULT_FPP = 0.01;

/*
 * Requests a filter for every leaf at or below a field; `is_guess` lets the chunk writer drop those
 * that turn out to be of no use.
 */
static lam_status set_bloom_filters(lam_row_group_writer *writer, const lam_field *field,
                                    double fpp, uint64_t distinct_count, bool is_guess,
                                    lam_error *error) {
    for (size_t i = 0; i < field->leaf_count; i++)
        LAM_TRY(lam_row_group_writer_set_bloom(writer, field->first_leaf + i, fpp, distinct_count,
                                               is_guess, error));
    return LAM_STATUS_OK;
}

lam_status lam_column_check_bloom(const lam_field *field, double fpp, lam_error *error) {
    /* Written so that NaN is refused, too. */
    if (!(fpp >= 0 && fpp < 1))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the false positive probability of a Bloom filter is %g, not between 0 and 1",
                 fpp);
    for (size_t i = 0; i < field->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(field->schema, field->first_leaf + i);
        if (leaf->physical_type == LAM_PHYSICAL_BOOLEAN)
            LAM_FAIL(error, LAM_STATUS_INVALID,
                     "field '%.100s' is BOOLEAN, which has no use for a Bloom filter", leaf->name);
    }
    return LAM_STATUS_OK;
}

lam_status lam_writer_set_bloom_filter(lam_writer *writer, const char *path, double fpp,
                                       uint64_t distinct_count, lam_error *error) {
    const lam_field *field;
    LAM_TRY(lam_writer_check_choice(writer, "Bloom filters", path, &field, error));
    LAM_TRY(lam_column_check_bloom(field, fpp, error));
    lam_error failure = lam_error_none();
    lam_status status =
        set_bloom_filters(lam_writer_row_group(writer), field, fpp > 0 ? fpp : DEFAULT_FPP,
                          distinct_count, false, &failure);
    return lam_writer_poison(writer, status, &failure, error);
}

/*
 * Whether the values of a leaf may identify something, so that filters by equality are likely:
 * texts, bytes, UUIDs, and integers without a unit. Measures, dates, decimals and flags are left
 * out.
 */
static bool may_be_ids(const lam_field *leaf) {
    switch (leaf->logical_type.kind) {
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_UUID:
    case LAM_LOGICAL_INTEGER:
        return true;
    case LAM_LOGICAL_NONE:
        return leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY ||
               leaf->physical_type == LAM_PHYSICAL_INT32 ||
               leaf->physical_type == LAM_PHYSICAL_INT64;
    default:
        return false;
    }
}

/* With option auto_bloom_filters: a distinct count of 0 sizes each filter by its chunk. */
lam_status lam_row_group_writer_guess_blooms(lam_row_group_writer *writer, lam_error *error) {
    for (size_t i = 0; i < writer->schema->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(writer->schema, i);
        if (may_be_ids(leaf))
            LAM_TRY(set_bloom_filters(writer, leaf, DEFAULT_FPP, 0, true, error));
    }
    return LAM_STATUS_OK;
}

/* --- Sorting columns ----------------------------------------------------------------------- */

/* Whether the leaf is among the sorting columns added so far; there are few, so a scan will do. */
static bool column_choice_is_sorted_by(const lam_row_sorting *sorting, const lam_field *leaf) {
    for (size_t i = 0; i < sorting->stated.count; i++)
        if (sorting->stated.items[i].column_idx == (int32_t)leaf->first_leaf)
            return true;
    return false;
}

/*
 * parquet.thrift, SortingColumn: a column is stated by the index of its leaf and orders rows, so it
 * needs one value or null per row, and an order of its values.
 */
static lam_status check_sorting_column(const lam_field *field, const lam_row_sorting *sorting,
                                       lam_value_order order, lam_error *error) {
    if (field->max_repetition > 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "rows cannot be sorted by '%.100s', which is repeated",
                 field->name);
    if (order.comparison == LAM_COMPARISON_UNDEFINED)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "rows cannot be sorted by '%.100s', whose type has no order", field->name);
    if (column_choice_is_sorted_by(sorting, field))
        LAM_FAIL(error, LAM_STATUS_INVALID, "rows are already sorted by '%.100s'", field->name);
    return LAM_STATUS_OK;
}

lam_status lam_writer_add_sorting_column(lam_writer *writer, const char *path, bool descending,
                                         bool nulls_first, lam_error *error) {
    const lam_field *field;
    lam_row_group_writer *group = lam_writer_row_group(writer);
    LAM_TRY(lam_writer_check_choice(writer, "sorting columns", path, &field, error));
    if (field->physical_type == LAM_PHYSICAL_GROUP)
        LAM_FAIL(error, LAM_STATUS_INVALID, "rows cannot be sorted by the group '%.100s'",
                 field->name);
    /* The order in which this writer bounds the column: options such as int96_order decide it. */
    lam_value_order order =
        lam_value_order_of_rows(field, lam_chunk_column_order(field, &group->options));
    LAM_TRY(check_sorting_column(field, &group->sorting, order, error));
    return lam_row_sorting_add(&group->sorting, field, order, descending, nulls_first, error);
}
