/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proves that two runs of bytes are a well-formed VARIANT.
 *
 * Takes metadata and a value from anywhere, and gives OK, or a status with the offset of the first
 * problem. The walk keeps a stack of fixed size, so hostile nesting cannot exhaust the memory or
 * the C stack. The invariant that bounds its time: the children of a container together take no
 * more bytes than the container has. Without that, offsets that share bytes could make many values
 * of a few bytes: 20 levels of arrays whose two elements are the same bytes are a million values.
 * (VariantEncoding.md, "Metadata encoding", "Value encoding")
 */
#include "variant/value/variant_validate.h"

#include "base/error.h"
#include "base/utf8.h"
#include "variant/value/variant_decimal.h"

/* CORRUPT with an offset from the front of the run that is checked, metadata or value. */
static lam_status corrupt_at(uint64_t offset, const char *problem, lam_error *error) {
    (void)lam_error_set(error, LAM_ERROR_CODE_VARIANT_BYTES, "variant: %s", problem);
    lam_error_at_offset(error, offset);
    return LAM_STATUS_CORRUPT;
}

static bool is_utf8(lam_bytes text) {
    return lam_utf8_prefix(text.data, text.size) == text.size;
}

/* --- Metadata ------------------------------------------------------------------------------- */

/* Checks one name; the names before it are fine. Returns the problem, or NULL. */
static const char *variant_validate_check_name(const lam_variant_names_view *names, size_t id,
                                               lam_bytes *ret_name) {
    if (!lam_variant_name_at(names, id, ret_name))
        return "offsets of names that fall, or lie outside";
    /* All names together are UTF-8: each is, too, unless a character crosses its first byte. */
    if (ret_name->size > 0 && (ret_name->data[0] & 0xC0) == 0x80)
        return "a name that is not UTF-8";
    return NULL;
}

/*
 * Checks every name, and their order if the metadata claims one. A claim only promises a faster
 * search: with LAM_VARIANT_ACCEPT_ANY_NAMES a false one is dropped, and the names are searched as
 * those of metadata without the claim.
 */
static lam_status check_each_name(lam_variant_names_view *names, unsigned accept,
                                  lam_error *error) {
    lam_bytes name = {NULL, 0}, before;
    for (size_t id = 0; id < names->count; id++) {
        before = name;
        const char *problem = variant_validate_check_name(names, id, &name);
        bool rises = id == 0 || !names->is_sorted || lam_variant_compare_names(before, name) < 0;
        if (problem == NULL && !rises && (accept & LAM_VARIANT_ACCEPT_ANY_NAMES) == 0)
            problem = "names that are not sorted and unique, although the metadata says so";
        if (problem != NULL)
            return corrupt_at(1 + (uint64_t)(id + 1) * names->width, problem, error);
        names->is_sorted &= rises;
    }
    return LAM_STATUS_OK;
}

/*
 * UTF-8 is checked over all names at once, which is far faster than name by name;
 * variant_validate_check_name then only makes sure that no character crosses the end of a name.
 */
lam_status lam_variant_validate_names(lam_bytes metadata, unsigned accept,
                                      lam_variant_names_view *ret_names, lam_error *error) {
    lam_variant_names_view names;
    const char *problem = lam_variant_open_names(metadata, &names);
    if (problem != NULL && metadata.size > 0 && (metadata.data[0] & 15) != LAM_VARIANT_VERSION)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_VARIANT, "variant: %s", problem);
    if (problem != NULL)
        return corrupt_at(0, problem, error);
    uint64_t start = (uint64_t)(names.bytes - metadata.data);
    if (lam_variant_number(names.offsets, 0, names.width) != 0)
        return corrupt_at(1 + names.width, "names that do not begin at offset 0", error);
    if (lam_variant_number(names.offsets, names.count, names.width) != names.size)
        return corrupt_at(start, "names that do not end where the metadata does", error);
    lam_bytes all = {names.bytes, names.size};
    if (!is_utf8(all))
        return corrupt_at(start + lam_utf8_prefix(all.data, all.size), "a name that is not UTF-8",
                          error);
    LAM_TRY(check_each_name(&names, accept, error));
    *ret_names = names;
    return LAM_STATUS_OK;
}

/* --- Values --------------------------------------------------------------------------------- */

/* A container that is being walked. It is opened again at each step: its bytes are enough. */
typedef struct variant_validate_frame {
    const uint8_t *value;
    size_t size;
    uint32_t next;         /* index of the child to check next */
    uint32_t taken;        /* bytes of the children before it */
    uint32_t before_start; /* offsets of the last one of these, among the values */
    uint32_t before_end;
} variant_validate_frame;

/* The state of one validation. */
typedef struct validation_walk {
    const lam_variant_names_view *names;
    const uint8_t *first; /* first byte of the entire value, from which offsets of errors count */
    unsigned accept;      /* LAM_VARIANT_ACCEPT_.. */
    lam_variant_traits met;
    size_t depth;
    variant_validate_frame frames[LAM_VARIANT_DEPTH_MAX];
} validation_walk;

static lam_status corrupt_value(const validation_walk *walk, const uint8_t *at, const char *problem,
                                lam_error *error) {
    return corrupt_at((uint64_t)(at - walk->first), problem, error);
}

/*
 * Checks the scale and the number of digits: 9, 18 and 38 by kind. Some writers chose the kind by
 * the bytes of the number and so put 10 digits into decimal4; that is accepted on request. More
 * than 38 digits are never accepted.
 */
static lam_status variant_validate_check_decimal(validation_walk *walk, lam_bytes value,
                                                 lam_error *error) {
    lam_variant_scalar scalar;
    lam_variant_load_scalar(value, &scalar); /* measuring has found its bytes before */
    if (scalar.as.decimal.scale > LAM_VARIANT_SCALE_MAX)
        return corrupt_value(walk, value.data, "a decimal of more than 38 digits after the point",
                             error);
    lam_variant_kind least =
        lam_decimal_kind(lam_wide_digits(lam_decimal_magnitude(&scalar.as.decimal)));
    bool wide = (walk->accept & LAM_VARIANT_ACCEPT_WIDE_DECIMALS) != 0;
    if (least == LAM_VARIANT_UNKNOWN || (least > scalar.kind && !wide))
        return corrupt_value(walk, value.data, "a decimal of more digits than its type may have",
                             error);
    if (least > scalar.kind)
        walk->met.accepted |= LAM_VARIANT_ACCEPT_WIDE_DECIMALS;
    return LAM_STATUS_OK;
}

/*
 * Checks a value that is neither object nor array; `value` is exactly its bytes. Beyond its size,
 * only decimals and strings can be wrong.
 */
static lam_status check_scalar(validation_walk *walk, lam_bytes value, lam_error *error) {
    unsigned type = value.data[0] >> 2;
    size_t head = 1;
    if ((value.data[0] & 3) == LAM_VARIANT_BASIC_PRIMITIVE) {
        if (type >= LAM_VARIANT_TYPE_COUNT)
            LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_VARIANT,
                     "variant: a value of the unknown type %u", type);
        unsigned kind = lam_variant_types[type].kind;
        if (kind >= LAM_VARIANT_DECIMAL4 && kind <= LAM_VARIANT_DECIMAL16)
            return variant_validate_check_decimal(walk, value, error);
        if (kind != LAM_VARIANT_STRING)
            return LAM_STATUS_OK;
        head = 5;
    }
    lam_bytes text = {value.data + head, value.size - head};
    size_t good = lam_utf8_prefix(text.data, text.size);
    if (good < text.size)
        return corrupt_value(walk, text.data + good, "a string that is not UTF-8", error);
    return LAM_STATUS_OK;
}

/*
 * Checks that the id of a field is in the dictionary, and that its name is after that of the field
 * before. With sorted names the ids decide, and no name is read.
 */
static lam_status check_name_order(validation_walk *walk, const lam_variant_container *object,
                                   uint32_t index, lam_error *error) {
    const uint8_t *at = object->ids + (size_t)index * object->id_width;
    uint32_t id = lam_variant_id_at(object, index), id_before;
    if (id >= walk->names->count)
        return corrupt_value(walk, at, "a field id that the metadata does not have", error);
    if (index == 0)
        return LAM_STATUS_OK;
    id_before = lam_variant_id_at(object, index - 1);
    bool rises = id_before < id;
    if (!walk->names->is_sorted) {
        lam_bytes name, before;
        rises = lam_variant_name_at(walk->names, id, &name) &&
                lam_variant_name_at(walk->names, id_before, &before) &&
                lam_variant_compare_names(before, name) < 0;
    }
    if (!rises && (walk->accept & LAM_VARIANT_ACCEPT_ANY_ORDER) != 0)
        walk->met.accepted |= LAM_VARIANT_ACCEPT_ANY_ORDER;
    else if (!rises)
        return corrupt_value(walk, at, "fields that are not in the order of their names, or twice",
                             error);
    return LAM_STATUS_OK;
}

/* Pushes a container on the stack, which has room. */
static void variant_validate_push(validation_walk *walk, lam_bytes value) {
    variant_validate_frame *top = &walk->frames[walk->depth++];
    walk->met.depth = walk->depth > walk->met.depth ? walk->depth : walk->met.depth;
    top->value = value.data;
    top->size = value.size;
    top->next = 0;
    top->taken = 0;
    top->before_start = 0;
    top->before_end = 0;
}

/* Pushes a container that is inside another. */
static lam_status variant_validate_enter(validation_walk *walk, lam_bytes value, lam_error *error) {
    if (walk->depth == LAM_VARIANT_DEPTH_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_LIMIT, "variant: nested deeper than %d",
                 LAM_VARIANT_DEPTH_MAX);
    variant_validate_push(walk, value);
    return LAM_STATUS_OK;
}

/*
 * Counts the bytes of a child. False if it shares bytes with the child listed before it, or if the
 * children so far take more bytes than there are, so that some two of them must share. Children in
 * any order, and gaps between them, are fine.
 */
static bool variant_validate_take_bytes(variant_validate_frame *top,
                                        const lam_variant_container *container, lam_bytes child) {
    uint32_t start = (uint32_t)(child.data - container->values);
    uint32_t end = start + (uint32_t)child.size;
    if (child.size > container->values_size - top->taken ||
        (start < top->before_end && end > top->before_start))
        return false;
    top->taken += (uint32_t)child.size;
    top->before_start = start;
    top->before_end = end;
    return true;
}

/*
 * Checks the children of the innermost container until one is a container itself, which is then
 * entered, or until the last, which pops it.
 */
static lam_status variant_validate_step(validation_walk *walk, lam_error *error) {
    variant_validate_frame *top = &walk->frames[walk->depth - 1];
    lam_bytes value = {top->value, top->size}, child;
    lam_variant_container container;
    (void)lam_variant_open_container(value, &container); /* measuring has opened it before */
    while (top->next < container.count) {
        uint32_t index = top->next++;
        if (container.id_width > 0)
            LAM_TRY(check_name_order(walk, &container, index, error));
        const char *problem = lam_variant_child(&container, index, &child);
        if (problem != NULL)
            return corrupt_value(walk, container.offsets + (size_t)index * container.offset_width,
                                 problem, error);
        if (!variant_validate_take_bytes(top, &container, child))
            return corrupt_value(walk, top->value, "values that overlap in their object or array",
                                 error);
        if (lam_variant_is_container(child))
            return variant_validate_enter(walk, child, error);
        LAM_TRY(check_scalar(walk, child, error));
    }
    walk->depth--;
    return LAM_STATUS_OK;
}

/* The value must fill its run: any copy would lose the bytes after it. */
static lam_status walk_value(validation_walk *walk, lam_bytes value, lam_error *error) {
    size_t size;
    const char *problem = lam_variant_measure(value, &size);
    if (problem != NULL)
        return corrupt_at(0, problem, error);
    if (size < value.size)
        return corrupt_at(size, "bytes after the value", error);
    if (lam_variant_is_container(value))
        variant_validate_push(walk, value);
    else
        LAM_TRY(check_scalar(walk, value, error));
    while (walk->depth > 0)
        LAM_TRY(variant_validate_step(walk, error));
    return LAM_STATUS_OK;
}

/*
 * The walk takes about 32 KiB of stack, which is why its members are set one by one and the frames
 * are not cleared.
 */
lam_status lam_variant_validate_value(const lam_variant_names_view *names, lam_bytes value,
                                      unsigned accept, lam_variant_traits *ret_traits,
                                      lam_error *error) {
    validation_walk walk;
    walk.names = names;
    walk.first = value.data;
    walk.accept = accept;
    walk.met = (lam_variant_traits){0, 0};
    walk.depth = 0;
    lam_status status = walk_value(&walk, value, error);
    if (ret_traits != NULL)
        *ret_traits = walk.met;
    return status;
}

lam_status lam_variant_validate(lam_variant variant, unsigned accept, lam_error *error) {
    const unsigned known = LAM_VARIANT_ACCEPT_WIDE_DECIMALS | LAM_VARIANT_ACCEPT_ANY_ORDER |
                           LAM_VARIANT_ACCEPT_ANY_NAMES;
    lam_variant_names_view names;
    if ((accept & ~known) != 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "variant: unknown set of faults to accept, %u", accept);
    LAM_TRY(lam_variant_validate_names(variant.metadata, accept, &names, error));
    return lam_variant_validate_value(&names, variant.value, accept, NULL, error);
}
