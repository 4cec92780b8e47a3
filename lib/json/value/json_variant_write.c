/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints VARIANT values as JSON: takes the bytes of a value and its metadata, and gives text, with
 * a stack of open containers instead of recursion.
 *
 * The values are validated by the caller, for time: overlapping children of a hostile value could
 * print without end. Bounds are checked here even so, as nothing else keeps a read inside the
 * bytes. Members print in the order of the value, which is that of their names. Scalars print as
 * those of columns of the same meaning do (json_scalar.h). (VariantEncoding.md, "Value Data")
 *
 *     value     02 01 00 00 02 0C 05       object of one field, id 0; int8 5
 *     VALUE     {"a":5}
 *     TYPED     {"object":{"a":{"int8":5}}}
 */
#include "base/alloc.h"
#include "base/error.h"
#include "text/decimal_text.h"
#include "text/json_string.h"
#include "text/number_text.h"
#include "variant/value/variant_layout.h"
#include "json/parse/json_scalar.h"
#include "json/value/json_variant.h"

/* An open object or array. */
typedef struct json_variant_write_frame {
    const uint8_t *value; /* opened again for the children after one that is a container */
    uint32_t next;        /* index of the next child */
} json_variant_write_frame;

/* The walk over a value. */
typedef struct variant_printer {
    lam_buffer *text;
    lam_variant_names_view names; /* of the metadata */
    const uint8_t *end;           /* of the bytes of the entire value */
    bool typed;                   /* prints kinds */
    lam_json_binary binary;
    size_t depth;
    json_variant_write_frame frames[LAM_VARIANT_DEPTH_MAX];
} variant_printer;

/* The value has bytes that the specification does not allow. */
static lam_status json_variant_corrupt(const char *problem, lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_BYTES, "variant: %s", problem);
}

static lam_status put_text(lam_buffer *text, const char *word, lam_error *error) {
    return lam_buffer_append(text, word, strlen(word), error);
}

/* --- Scalars ---------------------------------------------------------------------------------- */

/*
 * Prints decimals of up to 64 bits as such, and wider ones by their 16 bytes, big-endian. A scale
 * above 38 would ask for that many zeros, so it is refused.
 */
static lam_status json_variant_write_decimal(lam_buffer *text, const lam_decimal *decimal,
                                             lam_error *error) {
    uint8_t bytes[16];
    int64_t narrow = (int64_t)decimal->low;
    if (decimal->scale > LAM_VARIANT_SCALE_MAX)
        return json_variant_corrupt("a decimal of more than 38 digits after the point", error);
    if (decimal->high == (narrow < 0 ? -1 : 0))
        return lam_decimal_print_int64(text, narrow, decimal->scale, error);
    /* Two words of 64 bits to 16 bytes, the highest first. */
    for (size_t i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)((uint64_t)decimal->high >> (56 - 8 * i));
        bytes[8 + i] = (uint8_t)(decimal->low >> (56 - 8 * i));
    }
    lam_bytes unscaled = {bytes, sizeof bytes};
    return lam_decimal_print_bytes(text, unscaled, decimal->scale, error);
}

/* The four kinds of timestamp: micros or nanos, in UTC or without time zone. */
static size_t put_timestamp(char *out, const lam_variant_scalar *scalar) {
    bool nanos = scalar->kind == LAM_VARIANT_TIMESTAMP_NANOS ||
                 scalar->kind == LAM_VARIANT_TIMESTAMP_NTZ_NANOS;
    bool utc = scalar->kind == LAM_VARIANT_TIMESTAMP || scalar->kind == LAM_VARIANT_TIMESTAMP_NANOS;
    return lam_json_put_timestamp(out, scalar->as.integer,
                                  nanos ? LAM_TIME_UNIT_NANOS : LAM_TIME_UNIT_MICROS, utc);
}

/* Short forms have their room reserved first; strings, bytes and decimals reserve their own. */
static lam_status write_scalar(const variant_printer *printer, const lam_variant_scalar *scalar,
                               lam_error *error) {
    lam_buffer *text = printer->text;
    LAM_TRY(lam_buffer_reserve(text, LAM_JSON_SCALAR_ROOM, error));
    char *out = (char *)text->data + text->size;
    switch (scalar->kind) {
    case LAM_VARIANT_NULL:
        return put_text(text, "null", error);
    case LAM_VARIANT_BOOLEAN:
        return put_text(text, scalar->as.boolean ? "true" : "false", error);
    case LAM_VARIANT_INT8:
    case LAM_VARIANT_INT16:
    case LAM_VARIANT_INT32:
    case LAM_VARIANT_INT64:
        text->size += lam_int64_print(scalar->as.integer, out);
        break;
    case LAM_VARIANT_FLOAT:
        text->size += lam_json_put_float(out, scalar->as.float32);
        break;
    case LAM_VARIANT_DOUBLE:
        text->size += lam_json_put_double(out, scalar->as.float64);
        break;
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        return json_variant_write_decimal(text, &scalar->as.decimal, error);
    case LAM_VARIANT_DATE:
        text->size += lam_json_put_date(out, (int32_t)scalar->as.integer);
        break;
    case LAM_VARIANT_TIME:
        text->size += lam_json_put_time(out, scalar->as.integer, LAM_TIME_UNIT_MICROS);
        break;
    case LAM_VARIANT_BINARY:
        return lam_json_bytes_write(text, scalar->as.bytes, printer->binary, false, error);
    case LAM_VARIANT_STRING:
        return lam_json_string_print(text, scalar->as.bytes.data, scalar->as.bytes.size, false,
                                     error);
    case LAM_VARIANT_UUID:
        text->size += lam_json_put_uuid(out, scalar->as.bytes.data);
        break;
    default: /* the four kinds of TIMESTAMP */
        text->size += put_timestamp(out, scalar);
    }
    return LAM_STATUS_OK;
}

/* --- The walk --------------------------------------------------------------------------------- */

/* Prints {"kind": before a value, in the form TYPED. */
static lam_status lead_kind(const variant_printer *printer, lam_bytes value, lam_error *error) {
    lam_variant variant = {{NULL, 0}, value};
    if (!printer->typed)
        return LAM_STATUS_OK;
    LAM_TRY(put_text(printer->text, "{\"", error));
    LAM_TRY(put_text(printer->text, lam_variant_kind_name(lam_variant_kind_of(variant)), error));
    return put_text(printer->text, "\":", error);
}

/* Prints the end that belongs to lead_kind's beginning. */
static lam_status trail_kind(const variant_printer *printer, lam_error *error) {
    return printer->typed ? lam_buffer_append_byte(printer->text, '}', error) : LAM_STATUS_OK;
}

/*
 * Prints the scalar that the bytes begin with, or the opening bracket of a container, and then
 * pushes a frame for its children. The bytes may go on after the value: children are not measured.
 */
static lam_status json_variant_write_value(variant_printer *printer, lam_bytes value,
                                           lam_error *error) {
    lam_variant variant = {{NULL, 0}, value};
    lam_variant_scalar scalar;
    LAM_TRY(lead_kind(printer, value, error));
    if (!lam_variant_is_container(value)) {
        LAM_TRY(lam_variant_get(variant, &scalar, error));
        LAM_TRY(write_scalar(printer, &scalar, error));
        return trail_kind(printer, error);
    }
    if (printer->depth == LAM_VARIANT_DEPTH_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_LIMIT, "variant: nested deeper than %d",
                 LAM_VARIANT_DEPTH_MAX);
    printer->frames[printer->depth++] = (json_variant_write_frame){value.data, 0};
    return lam_buffer_append_byte(printer->text, lam_variant_is_object(value) ? '{' : '[', error);
}

/* Prints the name of a field, which the metadata has by its id. */
static lam_status write_name(const variant_printer *printer, const lam_variant_container *object,
                             uint32_t index, lam_error *error) {
    lam_bytes name;
    if (!lam_variant_name_at(&printer->names, lam_variant_id_at(object, index), &name))
        return json_variant_corrupt("a field id that the metadata does not have", error);
    LAM_TRY(lam_json_string_print(printer->text, name.data, name.size, false, error));
    return lam_buffer_append_byte(printer->text, ':', error);
}

/*
 * Prints the children of the innermost container up to one that is a container itself, which has
 * pushed a frame then, or up to its end, where it pops its own. Arrays have no ids, so their
 * id_width is 0.
 */
static lam_status json_variant_write_children(variant_printer *printer, lam_error *error) {
    size_t depth = printer->depth;
    json_variant_write_frame *top = &printer->frames[depth - 1];
    lam_variant_container container;
    const lam_bytes value = {top->value, (size_t)(printer->end - top->value)};
    const char *problem = lam_variant_open_container(value, &container);
    if (problem != NULL)
        return json_variant_corrupt(problem, error);
    while (top->next < container.count && printer->depth == depth) {
        lam_bytes child = {NULL, 0};
        if (top->next > 0)
            LAM_TRY(lam_buffer_append_byte(printer->text, ',', error));
        if (container.id_width > 0)
            LAM_TRY(write_name(printer, &container, top->next, error));
        /*
         * `next` moves before the child prints, as the frame must be right when the walk comes back
         * to it.
         */
        problem = lam_variant_child_start(&container, top->next++, &child);
        if (problem != NULL)
            return json_variant_corrupt(problem, error);
        LAM_TRY(json_variant_write_value(printer, child, error));
    }
    if (printer->depth > depth)
        return LAM_STATUS_OK;
    printer->depth--;
    LAM_TRY(lam_buffer_append_byte(printer->text, container.id_width > 0 ? '}' : ']', error));
    return trail_kind(printer, error);
}

/* The stack is empty before the value and after it. */
lam_status lam_json_variant_write(lam_buffer *text, lam_variant variant, lam_json_variant form,
                                  lam_json_binary binary, lam_error *error) {
    variant_printer printer;
    const char *problem = lam_variant_open_names(variant.metadata, &printer.names);
    if (problem != NULL)
        return json_variant_corrupt(problem, error);
    printer.text = text;
    printer.end = variant.value.size > 0 ? variant.value.data + variant.value.size : NULL;
    printer.typed = form == LAM_JSON_VARIANT_TYPED;
    printer.binary = binary;
    printer.depth = 0;
    LAM_TRY(json_variant_write_value(&printer, variant.value, error));
    while (printer.depth > 0)
        LAM_TRY(json_variant_write_children(&printer, error));
    return LAM_STATUS_OK;
}

/*
 * Validates the value, but accepts forms that other writers are known to make and that print well:
 * decimals wider than their kind, and metadata whose names are not sorted although it says so.
 */
lam_status lam_json_print_variant(lam_variant variant, lam_json_variant form,
                                  lam_json_binary binary, lam_output *output, lam_error *error) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer text;
    if (form != LAM_JSON_VARIANT_VALUE && form != LAM_JSON_VARIANT_TYPED)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown JSON form %d of VARIANTs", (int)form);
    if ((unsigned)binary > LAM_JSON_BINARY_UTF8)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown binary form %d", (int)binary);
    LAM_TRY(lam_variant_validate(
        variant, LAM_VARIANT_ACCEPT_WIDE_DECIMALS | LAM_VARIANT_ACCEPT_ANY_NAMES, error));
    lam_buffer_init(&text, &allocator);
    lam_status status = lam_json_variant_write(&text, variant, form, binary, error);
    if (status == LAM_STATUS_OK)
        status = output->write(output->state, text.data, text.size, error);
    lam_buffer_finish(&text);
    return status;
}
