#include "arrow/instant_unit.h"

#include "arrow/leaf_instant.h"
#include "base/error.h"
#include "file/file_reader.h"
#include "scan/trusted_metadata.h"

enum {
    CHUNKS_MOST = 4,         /* whose dictionaries are looked at */
    INSTANT_UNIT_BLOCK = 512 /* values that are looked at together */
};

/* What is known of a column so far. */
typedef struct column_units {
    const lam_reader *reader;
    const lam_field *leaf;
    lam_instant_load load;
    lam_arrow_unit unit; /* the finest that holds it all, from that of the field on */
} column_units;

/* Whether a failure is one of the machine, and not of the file. */
static bool instant_unit_is_grave(lam_status status) {
    return status == LAM_STATUS_IO || status == LAM_STATUS_NOMEM;
}

/* Coarsens the unit until it counts the value; one that no unit counts asks for the coarsest. */
static void hold(column_units *column, const uint8_t *value) {
    lam_instant instant;
    int64_t count;
    bool exact, loads = column->load(value, &instant);
    while (column->unit > LAM_ARROW_SECOND &&
           !(loads && lam_instant_count(instant, column->unit, &count, &exact)))
        column->unit--;
}

/* The same of values that most likely are held already. */
static void hold_block(column_units *column, const uint8_t *values, size_t count) {
    int64_t slots[INSTANT_UNIT_BLOCK];
    lam_leaf_conversion conversion = {0};
    lam_leaf_instant_init(&conversion, column->leaf, column->unit);
    conversion.cuts = true;
    if (conversion.convert(&conversion, values, count, slots, NULL) == LAM_STATUS_OK)
        return;
    for (size_t i = 0; i < count; i++)
        hold(column, values + i * LAM_INSTANT_SIZE);
}

/* --- Statistics ---------------------------------------------------------------------------- */

/* The bounds of a chunk; `ret_known` when they say of all its values. */
static lam_status hold_bounds(column_units *column, size_t row_group, bool *ret_known,
                              lam_error *error) {
    const lam_trusted_metadata_kinds nothing_more = {false, false, NULL};
    lam_trusted_metadata index;
    lam_arena unused; /* the statistics came with the footer */
    lam_error cause = lam_error_none();
    *ret_known = false;
    lam_arena_init(&unused, &column->reader->allocator, 0);
    lam_status status = lam_trusted_metadata_read(
        column->reader, row_group, column->leaf->first_leaf, nothing_more, &unused, &index, &cause);
    lam_arena_finish(&unused);
    if (instant_unit_is_grave(status))
        LAM_FAIL(error, lam_error_kind(&cause), "%s", cause.message);
    if (status != LAM_STATUS_OK)
        return LAM_STATUS_OK;
    lam_filter_facts facts = lam_trusted_metadata_facts(&index);
    *ret_known = facts.has_bounds || lam_filter_facts_all_null(&facts);
    if (facts.has_bounds) {
        hold(column, facts.min.data);
        hold(column, facts.max.data);
    }
    return LAM_STATUS_OK;
}

/* --- Dictionary pages ---------------------------------------------------------------------- */

static bool has_dictionary(const column_units *column, size_t row_group) {
    const lam_meta_column *meta;
    if (lam_reader_find_column(column->reader, row_group, column->leaf->first_leaf, &meta, NULL) !=
        LAM_STATUS_OK)
        return false;
    for (uint32_t i = 0; i < meta->encodings.count; i++)
        if (meta->encodings.items[i] == LAM_ENCODING_PLAIN_DICTIONARY ||
            meta->encodings.items[i] == LAM_ENCODING_RLE_DICTIONARY)
            return true;
    return false;
}

static lam_status hold_dictionary(column_units *column, size_t row_group, lam_error *error) {
    lam_chunk_reader *chunk = NULL;
    lam_error cause = lam_error_none();
    lam_status status =
        lam_reader_open_chunk(column->reader, row_group, column->leaf->first_leaf, &chunk, &cause);
    if (status == LAM_STATUS_OK) {
        status = lam_chunk_reader_load_dictionary(chunk, &cause);
        const lam_dictionary *dictionary =
            status == LAM_STATUS_OK ? lam_chunk_reader_dictionary(chunk) : NULL;
        size_t count = dictionary != NULL ? dictionary->count : 0;
        for (size_t at = 0, some; at < count; at += some) {
            const uint8_t *values = dictionary->values;
            some = count - at < INSTANT_UNIT_BLOCK ? count - at : INSTANT_UNIT_BLOCK;
            hold_block(column, values + at * LAM_INSTANT_SIZE, some);
        }
        lam_chunk_reader_destroy(chunk);
    }
    if (instant_unit_is_grave(status))
        LAM_FAIL(error, lam_error_kind(&cause), "%s", cause.message);
    return LAM_STATUS_OK;
}

/* --- Choice -------------------------------------------------------------------------------- */

static lam_status find_unit(column_units *column, bool may_read, lam_error *error) {
    size_t groups = lam_reader_row_group_count(column->reader), chunks_read = 0;
    for (size_t i = 0; i < groups; i++) {
        bool known;
        LAM_TRY(hold_bounds(column, i, &known, error));
        if (known || !may_read || chunks_read == CHUNKS_MOST || !has_dictionary(column, i))
            continue;
        LAM_TRY(hold_dictionary(column, i, error));
        chunks_read++;
    }
    return LAM_STATUS_OK;
}

typedef struct unit_chooser {
    const lam_reader *reader;
    lam_time_unit requested;
    bool is_original;
    lam_error *error;
} unit_chooser;

static lam_status instant_unit_choose(const unit_chooser *chooser, lam_arrow_node *node,
                                      lam_arrow_field *field) {
    lam_instant_load load =
        node->shape == LAM_ARROW_NODE_VALUE ? lam_instant_load_of(node->leaf) : NULL;
    if (load != NULL && field->type.kind == LAM_ARROW_TIMESTAMP) {
        column_units column = {chooser->reader, node->leaf, load, field->type.unit};
        if (chooser->requested == 0)
            LAM_TRY(find_unit(&column, !chooser->is_original, chooser->error));
        else
            column.unit = (lam_arrow_unit)chooser->requested; /* the numbers of both are the same */
        field->type.unit = column.unit;
        node->cuts_instants = chooser->requested != 0;
    }
    for (size_t i = 0; i < node->child_count; i++)
        LAM_TRY(instant_unit_choose(chooser, &node->children[i], &field->children[i]));
    return LAM_STATUS_OK;
}

lam_status lam_instant_unit_choose(lam_arrow_plan *plan, const lam_reader *reader,
                                   lam_time_unit requested, bool is_original, lam_error *error) {
    const unit_chooser chooser = {reader, requested, is_original, error};
    if ((int)requested < 0 || (int)requested > LAM_TIME_UNIT_NANOS)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown unit of time %d", (int)requested);
    return instant_unit_choose(&chooser, &plan->root, &plan->schema);
}
