/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a VARIANT: takes calls for single values, and gives its metadata and its bytes. It notes
 * the nodes of a value (variant_encoder.h), with each field's name as its index among the names
 * that this value uses:
 *
 *     names of the table, by number      0 id   1 tags   2 name   3 zip
 *     used, in order of first use        name, id       (in the nodes: name 0, name 1; ranks 1, 0)
 *
 * Consecutive values tend to use the same names in the same order, so the order and the metadata of
 * one serve the next: only the list `used` is compared. The invariant: a call that fails leaves the
 * value as it was before the call, except finish, which always starts a new one.
 */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/options.h"
#include "variant/value/variant_builder.h"
#include "variant/value/variant_decimal.h"
#include "variant/value/variant_encoder.h"
#include "variant/value/variant_layout.h"
#include "variant/value/variant_name_order.h"
#include "variant/value/variant_names.h"
#include "variant/value/variant_scalar.h"
#include "variant/value/variant_validate.h"

/* A flag above the number of any name: variant_names.c stops at a quarter of 2^32. */
static const uint32_t VARIANT_IN_ARRAY = UINT32_C(1) << 31;

/*
 * The builder's own table is emptied between values when it has grown beyond these: values with
 * names that never return, as ids used for keys, must not fill the memory.
 */
enum { NAMES_KEPT = 1 << 16, NAME_BYTES_KEPT = 4 << 20 };

typedef LAM_LIST(uint32_t) variant_numbers;

struct lam_variant_builder {
    lam_allocator allocator;
    lam_variant_encoder encoder;
    lam_variant_name_table table;
    lam_variant_name_order order; /* of the names of the table */
    bool last_wins;               /* a repeated field replaces the one before */
    uint32_t *last_fields; /* per open container: the number of the last field's name, or NO_NAME;
                              of an array the name of its own field or 0, plus VARIANT_IN_ARRAY */
    uint32_t field;        /* index in `used` of the name of the next value, or NO_NAME */

    variant_numbers positions; /* per name of the table: its index in `used`, plus 1 + base */
    uint32_t position_base;    /* that base: entries of `positions` up to here are stale */
    variant_numbers used;      /* numbers of names, in order of first use in this value */
    variant_numbers sorted;    /* the list `used` that the next three were made for */
    variant_numbers ranks;     /* by index in `used` */
    variant_numbers ids; /* numbers of the names of a value in their order, and room to sort */
    lam_buffer metadata;
    bool is_ranked;   /* the four above are complete */
    lam_buffer value; /* bytes of the last finished value, which the caller borrows */
};

/*
 * Buffers are initialized before anything can fail, so that destroy works on a half-made builder.
 */
lam_status lam_variant_builder_create(const lam_variant_builder_options *options,
                                      const lam_allocator *allocator,
                                      lam_variant_builder **ret_builder, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_variant_builder_options chosen;
    LAM_TRY(LAM_OPTIONS_READ(lam_variant_builder_options, options, &chosen, error));
    lam_variant_builder *builder;
    LAM_TRY(LAM_NEW(&own, &builder, error));
    builder->allocator = own;
    builder->last_wins = chosen.last_wins;
    builder->field = LAM_VARIANT_NO_NAME;
    lam_variant_encoder_init(&builder->encoder, &own);
    lam_variant_name_table_init(&builder->table, &own);
    lam_variant_name_order_init(&builder->order, &own);
    variant_numbers *lists[] = {&builder->positions, &builder->used, &builder->sorted,
                                &builder->ranks, &builder->ids};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        LAM_LIST_INIT(lists[i], &own);
    lam_buffer_init(&builder->metadata, &own);
    lam_buffer_init(&builder->value, &own);
    lam_status status = LAM_ARRAY(&own, LAM_VARIANT_DEPTH_MAX, &builder->last_fields, error);
    if (status != LAM_STATUS_OK) {
        lam_variant_builder_destroy(builder);
        return status;
    }
    *ret_builder = builder;
    return LAM_STATUS_OK;
}

void lam_variant_builder_destroy(lam_variant_builder *builder) {
    if (builder == NULL)
        return;
    lam_allocator allocator = builder->allocator;
    variant_numbers *lists[] = {&builder->positions, &builder->used, &builder->sorted,
                                &builder->ranks, &builder->ids};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        LAM_LIST_FINISH(lists[i]);
    lam_buffer_finish(&builder->metadata);
    lam_buffer_finish(&builder->value);
    lam_variant_encoder_finish(&builder->encoder);
    lam_variant_name_table_finish(&builder->table);
    lam_variant_name_order_finish(&builder->order);
    lam_free(&allocator, builder->last_fields,
             builder->last_fields == NULL ? 0 : LAM_VARIANT_DEPTH_MAX * sizeof(uint32_t));
    lam_free(&allocator, builder, sizeof *builder);
}

/*
 * Makes the entries of all names stale by raising the base above them, instead of clearing the
 * array: a value costs time for the names it uses, not for the names in the table.
 */
static void forget_used(lam_variant_builder *builder) {
    size_t used = builder->used.count;
    if (builder->position_base > UINT32_MAX / 2) {
        memset(builder->positions.items, 0, builder->positions.count * sizeof(uint32_t));
        builder->position_base = 0;
    } else {
        builder->position_base += (uint32_t)used;
    }
    builder->used.count = 0;
}

lam_status lam_variant_builder_reserve(lam_variant_builder *builder, size_t nodes,
                                       lam_error *error) {
    return lam_variant_encoder_reserve(&builder->encoder, nodes, error);
}

/* The table of names stays for the next value, unless it is beyond the limits above. */
void lam_variant_builder_clear(lam_variant_builder *builder) {
    lam_variant_encoder_clear(&builder->encoder);
    forget_used(builder);
    builder->field = LAM_VARIANT_NO_NAME;
    if (builder->table.names.count > NAMES_KEPT || builder->table.byte_count > NAME_BYTES_KEPT) {
        lam_variant_name_table_clear(&builder->table);
        lam_variant_name_order_clear(&builder->order);
        builder->positions.count = 0;
        builder->position_base = 0;
        builder->is_ranked = false;
    }
}

/* --- Values --------------------------------------------------------------------------------- */

/* The innermost open container, or NULL. */
static const lam_variant_node *open_node(const lam_variant_builder *builder) {
    const lam_variant_encoder *encoder = &builder->encoder;
    return encoder->open.count == 0 ? NULL : &encoder->nodes[LAM_LIST_LAST(&encoder->open)];
}

/* Whether the innermost open container is an object. */
static bool in_object(const lam_variant_builder *builder) {
    size_t depth = builder->encoder.open.count;
    uint32_t last = depth == 0 ? VARIANT_IN_ARRAY : builder->last_fields[depth - 1];
    return last < VARIANT_IN_ARRAY || last == LAM_VARIANT_NO_NAME;
}

/*
 * Checks that a value may come now: as the only one at the top, in an array, or after the name of a
 * field in an object. STATE otherwise.
 */
static lam_status variant_check_value(const lam_variant_builder *builder, lam_error *error) {
    if (builder->field != LAM_VARIANT_NO_NAME) /* only an object accepts a field */
        return LAM_STATUS_OK;
    if (builder->encoder.open.count == 0 && builder->encoder.count > 0)
        LAM_FAIL(error, LAM_STATUS_STATE, "variant: a second value before finish");
    if (in_object(builder))
        LAM_FAIL(error, LAM_STATUS_STATE, "variant: a value in an object, without a field");
    return LAM_STATUS_OK;
}

/* Gives the index of a name among those that this value uses, and enters it at its first use. */
static lam_status use_name(lam_variant_builder *builder, uint32_t number, uint32_t *ret_position,
                           lam_error *error) {
    variant_numbers *positions = &builder->positions, *used = &builder->used;
    if (positions->count <= number) {
        size_t missing = (size_t)number + 1 - positions->count;
        LAM_TRY(LAM_LIST_RESERVE(positions, missing, error));
        memset(positions->items + positions->count, 0, missing * sizeof(uint32_t));
        positions->count += missing;
    }
    uint32_t *position = &positions->items[number];
    if (*position <= builder->position_base) { /* stale, or never used: entries count from 1 */
        LAM_TRY(LAM_LIST_RESERVE(used, 1, error));
        used->items[used->count++] = number;
        *position = builder->position_base + (uint32_t)used->count;
    }
    *ret_position = *position - builder->position_base - 1;
    return LAM_STATUS_OK;
}

/*
 * The name that the values at this depth belong to, as the key for a guess: that of the field
 * before, through any arrays around them; 0 at the top. It may be the wrong name, which only costs
 * a lookup.
 */
static uint32_t field_around(const lam_variant_builder *builder, size_t depth) {
    uint32_t last = depth == 0 ? LAM_VARIANT_NO_NAME : builder->last_fields[depth - 1];
    return last == LAM_VARIANT_NO_NAME ? 0 : last & ~VARIANT_IN_ARRAY;
}

/*
 * The slot of the guess for the next name: as the name after the last one in this object, or as the
 * first name in an object of this field. The table has a name at least.
 */
static uint32_t *guess_of(lam_variant_builder *builder) {
    lam_variant_name_table *table = &builder->table;
    size_t depth = builder->encoder.open.count - 1;
    uint32_t last = builder->last_fields[depth];
    if (last != LAM_VARIANT_NO_NAME)
        return &table->names.items[last].behind;
    return &table->names.items[field_around(builder, depth)].first;
}

/*
 * Compares with the guess first. A right guess costs one comparison of bytes and no hash; a wrong
 * one is corrected for the next value.
 */
lam_status lam_variant_builder_field(lam_variant_builder *builder, const char *name, size_t size,
                                     lam_error *error) {
    lam_variant_name_table *table = &builder->table;
    uint32_t position;
    if (!in_object(builder))
        LAM_FAIL(error, LAM_STATUS_STATE, "variant: a field outside of an object");
    if (builder->field != LAM_VARIANT_NO_NAME)
        LAM_FAIL(error, LAM_STATUS_STATE, "variant: a field after a field without a value");
    uint32_t number = table->names.count == 0 ? LAM_VARIANT_NO_NAME : *guess_of(builder);
    if (number >= table->names.count ||
        !lam_variant_name_is(&table->names.items[number], name, size)) {
        LAM_TRY(lam_variant_name_intern(table, name, size, &number, error));
        *guess_of(builder) = number; /* the table may have moved */
    }
    LAM_TRY(use_name(builder, number, &position, error));
    builder->last_fields[builder->encoder.open.count - 1] = number;
    builder->field = position;
    return LAM_STATUS_OK;
}

/*
 * Opens a container as the next value. An array remembers the field that it belongs to, so that
 * objects inside it find their first name: {"tags": [{"k": 1}, {"k": 2}]}.
 */
static lam_status begin(lam_variant_builder *builder, lam_variant_node_kind kind,
                        lam_error *error) {
    LAM_TRY(variant_check_value(builder, error));
    LAM_TRY(lam_variant_encoder_begin(&builder->encoder, kind, builder->field, error));
    builder->last_fields[builder->encoder.open.count - 1] =
        kind == LAM_VARIANT_NODE_OBJECT
            ? LAM_VARIANT_NO_NAME
            : VARIANT_IN_ARRAY | field_around(builder, builder->encoder.open.count - 1);
    builder->field = LAM_VARIANT_NO_NAME;
    return LAM_STATUS_OK;
}

/* Closes a container of this kind; the calls must be balanced. */
static lam_status end(lam_variant_builder *builder, lam_variant_node_kind kind, lam_error *error) {
    const lam_variant_node *open = open_node(builder);
    if (open == NULL || open->kind != kind)
        LAM_FAIL(error, LAM_STATUS_STATE, "variant: no %s is open that could end",
                 kind == LAM_VARIANT_NODE_OBJECT ? "object" : "array");
    if (builder->field != LAM_VARIANT_NO_NAME)
        LAM_FAIL(error, LAM_STATUS_STATE, "variant: an object ends after a field without a value");
    lam_variant_encoder_end(&builder->encoder);
    return LAM_STATUS_OK;
}

lam_status lam_variant_builder_begin_object(lam_variant_builder *builder, lam_error *error) {
    return begin(builder, LAM_VARIANT_NODE_OBJECT, error);
}

lam_status lam_variant_builder_end_object(lam_variant_builder *builder, lam_error *error) {
    return end(builder, LAM_VARIANT_NODE_OBJECT, error);
}

lam_status lam_variant_builder_begin_array(lam_variant_builder *builder, lam_error *error) {
    return begin(builder, LAM_VARIANT_NODE_ARRAY, error);
}

lam_status lam_variant_builder_end_array(lam_variant_builder *builder, lam_error *error) {
    return end(builder, LAM_VARIANT_NODE_ARRAY, error);
}

/* Adds the bytes of the source from `start` on as a value, and removes them if that fails. */
static lam_status variant_add_bytes(lam_variant_builder *builder, size_t start, lam_error *error) {
    lam_variant_encoder *encoder = &builder->encoder;
    lam_status status = lam_variant_encoder_add(encoder, builder->field, start,
                                                encoder->source.size - start, error);
    if (status != LAM_STATUS_OK) {
        encoder->source.size = start;
        return status;
    }
    builder->field = LAM_VARIANT_NO_NAME;
    return LAM_STATUS_OK;
}

lam_status lam_variant_builder_put(lam_variant_builder *builder, const lam_variant_scalar *scalar,
                                   lam_error *error) {
    size_t start = builder->encoder.source.size;
    LAM_TRY(variant_check_value(builder, error));
    LAM_TRY(lam_variant_scalar_write(&builder->encoder.source, scalar, error));
    return variant_add_bytes(builder, start, error);
}

lam_status lam_variant_builder_put_decimal(lam_variant_builder *builder, lam_decimal value,
                                           lam_error *error) {
    lam_variant_scalar scalar = {LAM_VARIANT_DECIMAL16, {.decimal = value}};
    /* Too many digits stay DECIMAL16, which put refuses with the reason. */
    lam_variant_kind least = lam_decimal_kind(lam_wide_digits(lam_decimal_magnitude(&value)));
    if (least != LAM_VARIANT_UNKNOWN)
        scalar.kind = least;
    return lam_variant_builder_put(builder, &scalar, error);
}

lam_status lam_variant_builder_put_text(lam_variant_builder *builder, lam_bytes text,
                                        lam_error *error) {
    size_t start = builder->encoder.source.size;
    LAM_TRY(variant_check_value(builder, error));
    LAM_TRY(lam_variant_text_write(&builder->encoder.source, text, error));
    return variant_add_bytes(builder, start, error);
}

/* --- Copies --------------------------------------------------------------------------------- */

/* A container of the original that is being copied, and the index of its next child. */
typedef struct copied {
    lam_bytes value;
    uint32_t next;
} copied;

/*
 * Copies a scalar, which may come now. Its bytes do not depend on metadata and are taken as they
 * are.
 */
static lam_status copy_scalar(lam_variant_builder *builder, lam_bytes value, lam_error *error) {
    size_t start = builder->encoder.source.size;
    LAM_TRY(lam_buffer_append(&builder->encoder.source, value.data, value.size, error));
    return variant_add_bytes(builder, start, error);
}

/* Opens a container of the kind of the original. */
static lam_status begin_copy(lam_variant_builder *builder, lam_bytes value, lam_error *error) {
    return begin(builder,
                 lam_variant_is_object(value) ? LAM_VARIANT_NODE_OBJECT : LAM_VARIANT_NODE_ARRAY,
                 error);
}

/*
 * Copies the next child of the innermost container, with its name as a name of this builder. A
 * child that is a container is opened and given in `*ret_inside` for the caller to go into;
 * otherwise that is empty.
 */
static lam_status copy_child(lam_variant_builder *builder, const lam_variant_names_view *names,
                             copied *top, lam_bytes *ret_inside, bool *ret_ended,
                             lam_error *error) {
    lam_variant_container container;
    lam_bytes child, name;
    (void)lam_variant_open_container(top->value, &container); /* it is valid */
    ret_inside->size = 0;
    *ret_ended = top->next == container.count;
    if (*ret_ended) {
        lam_variant_encoder_end(&builder->encoder);
        return LAM_STATUS_OK;
    }
    (void)lam_variant_child(&container, top->next, &child);
    if (container.id_width > 0) {
        if (!lam_variant_name_at(names, lam_variant_id_at(&container, top->next), &name))
            LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_METADATA,
                     "variant: offsets of names that fall, or lie outside");
        LAM_TRY(lam_variant_builder_field(builder, (const char *)name.data, name.size, error));
    }
    top->next++;
    if (!lam_variant_is_container(child))
        return copy_scalar(builder, child, error);
    *ret_inside = child;
    return begin_copy(builder, child, error);
}

/* Goes through the original with a stack of fixed size: validation has bounded the depth. */
static lam_status copy_container(lam_variant_builder *builder, const lam_variant_names_view *names,
                                 lam_bytes value, lam_error *error) {
    copied stack[LAM_VARIANT_DEPTH_MAX];
    size_t depth = 0;
    LAM_TRY(begin_copy(builder, value, error));
    stack[depth++] = (copied){value, 0};
    while (depth > 0) {
        lam_bytes inside;
        bool ended;
        LAM_TRY(copy_child(builder, names, &stack[depth - 1], &inside, &ended, error));
        depth -= ended;
        if (inside.size > 0)
            stack[depth++] = (copied){inside, 0};
    }
    return LAM_STATUS_OK;
}

/* The state of a builder, to return to when a copy fails halfway. */
typedef struct variant_mark {
    size_t nodes;
    size_t depth;
    size_t bytes;
    size_t used;
    uint32_t field;
} variant_mark;

/*
 * Removes all that was added since the mark: nodes, bytes, and names, which become unused. The
 * names stay in the table, where they are harmless.
 */
static void go_back(lam_variant_builder *builder, const variant_mark *to) {
    lam_variant_encoder *encoder = &builder->encoder;
    /* The copy counted as one child of the container that was open. */
    if (to->nodes < encoder->count && to->depth > 0)
        encoder->nodes[encoder->open.items[to->depth - 1]].count--;
    encoder->count = to->nodes;
    encoder->open.count = to->depth;
    encoder->source.size = to->bytes;
    for (size_t i = to->used; i < builder->used.count; i++)
        builder->positions.items[builder->used.items[i]] = 0;
    builder->used.count = to->used;
    builder->field = to->field;
}

/*
 * The value is proved well formed first, with the names that it uses compared by their bytes; names
 * that it does not use are not validated. A name that is not UTF-8 shows up when it is interned,
 * and is the fault of the bytes, not of the caller.
 */
lam_status lam_variant_builder_copy(lam_variant_builder *builder, lam_variant variant,
                                    lam_error *error) {
    lam_variant_names_view names;
    const char *problem = lam_variant_open_names(variant.metadata, &names);
    LAM_TRY(variant_check_value(builder, error));
    if (problem != NULL)
        LAM_FAIL(error, lam_variant_names_code(variant.metadata), "variant: %s", problem);
    names.is_sorted = false; /* fields are then compared by name: the claim is not trusted */
    LAM_TRY(lam_variant_validate_value(&names, variant.value, 0, NULL, error));
    const variant_mark before = {builder->encoder.count, builder->encoder.open.count,
                                 builder->encoder.source.size, builder->used.count, builder->field};
    lam_status status = lam_variant_is_container(variant.value)
                            ? copy_container(builder, &names, variant.value, error)
                            : copy_scalar(builder, variant.value, error);
    if (status == LAM_STATUS_OK)
        return status;
    go_back(builder, &before);
    if (status == LAM_STATUS_INVALID)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_METADATA, "variant: a name that is not UTF-8");
    return status;
}

/* --- The builder ---------------------------------------------------------------------------- */

/* Replaces a list by others, followed by room for `spare` more. */
static lam_status set_numbers(variant_numbers *list, const variant_numbers *numbers, size_t spare,
                              lam_error *error) {
    list->count = 0;
    LAM_TRY(LAM_LIST_RESERVE(list, numbers->count + spare, error));
    return LAM_LIST_APPEND(list, numbers->items, numbers->count, error);
}

/*
 * Sorts the used names and gives each its rank. `numbers` holds the used ones in any order, and
 * ends up sorted.
 */
static lam_status rank_names(lam_variant_builder *builder, uint32_t *numbers, uint32_t *spare,
                             lam_error *error) {
    size_t count = builder->used.count;
    uint32_t *ranks = builder->ranks.items;
    const uint32_t *positions = builder->positions.items;
    LAM_TRY(lam_variant_name_order_sort(&builder->order, &builder->table, numbers, count, spare,
                                        error));
    for (size_t i = 0; i < count; i++)
        ranks[positions[numbers[i]] - builder->position_base - 1] = (uint32_t)i;
    return LAM_STATUS_OK;
}

/*
 * Makes ranks and metadata for the names that this value uses; has no effect if the last value used
 * the same names in the same order.
 */
static lam_status name_value(lam_variant_builder *builder, lam_error *error) {
    size_t count = builder->used.count;
    if (builder->is_ranked && builder->sorted.count == count &&
        (count == 0 ||
         memcmp(builder->sorted.items, builder->used.items, count * sizeof(uint32_t)) == 0))
        return LAM_STATUS_OK;
    builder->is_ranked = false;
    LAM_TRY(set_numbers(&builder->sorted, &builder->used, 0, error));
    LAM_TRY(set_numbers(&builder->ids, &builder->used, count, error)); /* the room is for sorting */
    LAM_TRY(LAM_LIST_RESERVE(&builder->ranks, count, error));
    uint32_t *ids = builder->ids.items;
    if (count > 0)
        LAM_TRY(rank_names(builder, ids, ids + count, error));
    lam_buffer_clear(&builder->metadata);
    LAM_TRY(lam_variant_names_write(&builder->table, ids, count, true, &builder->metadata, error));
    builder->is_ranked = true;
    return LAM_STATUS_OK;
}

/*
 * Reports which name came twice: its node holds its index in `used` still, as encoding stopped
 * before ids replaced the names of this object.
 */
static lam_status refuse_twin(const lam_variant_builder *builder, uint32_t node, lam_error *error) {
    uint32_t position = builder->encoder.nodes[node].name;
    const lam_variant_name *name = &builder->table.names.items[builder->used.items[position]];
    LAM_FAIL(error, LAM_STATUS_INVALID, "the name \"%.*s\" appears twice in its object",
             (int)(name->size < 80 ? name->size : 80), (const char *)name->data);
}

/* The rank of a name is its id. */
static lam_status variant_finish(lam_variant_builder *builder, lam_variant *ret_variant,
                                 lam_error *error) {
    if (builder->encoder.count == 0 || builder->encoder.open.count > 0)
        LAM_FAIL(error, LAM_STATUS_STATE, "variant: finished before it is whole");
    LAM_TRY(name_value(builder, error));
    lam_variant_naming naming = {builder->ranks.items, NULL, false, builder->last_wins};
    uint32_t twice = UINT32_MAX;
    lam_buffer_clear(&builder->value);
    lam_status status = lam_variant_encoder_write(
        &builder->encoder, &naming, builder->encoder.source.data, &builder->value, &twice, error);
    if (status == LAM_STATUS_INVALID)
        return refuse_twin(builder, twice, error);
    LAM_TRY(status);
    ret_variant->metadata = lam_buffer_bytes(&builder->metadata);
    ret_variant->value = lam_buffer_bytes(&builder->value);
    return LAM_STATUS_OK;
}

lam_status lam_variant_builder_finish(lam_variant_builder *builder, lam_variant *ret_variant,
                                      lam_error *error) {
    lam_status status = variant_finish(builder, ret_variant, error);
    lam_variant_builder_clear(builder);
    return status;
}
