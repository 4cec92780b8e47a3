/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports structs of Thrift's compact protocol field by field: takes bytes that may be no such
 * struct, and the table that names its fields, and gives ranges:
 *
 *     15 02 19 1C ... 00     field_head list_head element stop ...
 *     field 1, i32: 1        the bytes of a field are its head and its value
 *           field 2: a list  a head, the head of the list, and an element for each of it
 *
 * The invariant: each field is measured before it is reported, so that it ends within the struct;
 * only structs of the tables are entered, and these have a bounded depth. (Thrift's specification,
 * thrift-compact-protocol.md; parquet.thrift)
 */
#include "byte_map/walk/thrift_ranges.h"

#include <inttypes.h>
#include <stdio.h>

#include "byte_map/walk/byte_text.h"
#include "meta/compact.h"
#include "meta/wire.h"

/* The bytes of a struct and the next one to be reported. */
typedef struct thrift_bytes {
    lam_byte_view view;
    size_t at;
    lam_error cause; /* of the bytes that could not be read */
} thrift_bytes;

static lam_wire_reader reader_at(thrift_bytes *bytes, size_t at) {
    const uint8_t *start = bytes->view.data;
    return (lam_wire_reader){start + at,    start + bytes->view.size, start, NULL, NULL,
                             &bytes->cause, LAM_ERROR_CODE_FOOTER,    false};
}

static size_t offset_of(const thrift_bytes *bytes, const uint8_t *at) {
    return (size_t)(at - bytes->view.data);
}

/* Reports all that is left as unknown, for the reason that a failed read left. */
static lam_status thrift_damage(lam_byte_walk *walk, thrift_bytes *bytes, bool is_ended,
                                lam_error *error) {
    size_t at = bytes->at;
    bytes->at = bytes->view.size;
    return lam_byte_unknown(walk, bytes->view, at, bytes->view.size - at, error, "%s",
                            is_ended ? "the bytes end inside a field" : bytes->cause.message);
}

static const char *wire_name(uint8_t type) {
    static const char *const names[] = {"stop",   "true",   "false", "i8",  "i16", "i32",   "i64",
                                        "double", "binary", "list",  "set", "map", "struct"};
    return type < sizeof names / sizeof names[0] ? names[type] : "unknown";
}

/* --- Plain values -------------------------------------------------------------------------- */

static void print_integer(const lam_meta_struct *table, uint32_t id, int64_t number,
                          lam_byte_text *text) {
    const char *name = lam_byte_enum_name(table, id, number);
    if (name != NULL)
        snprintf(text->text, sizeof text->text, "%" PRId64 " (%s)", number, name);
    else
        snprintf(text->text, sizeof text->text, "%" PRId64, number);
}

/* Prints a value that was measured, so that reading it cannot fail; false for containers. */
static bool print_plain(lam_wire_reader reader, uint8_t type, const lam_meta_struct *table,
                        uint32_t id, lam_byte_text *text) {
    int64_t number;
    double real;
    lam_bytes bytes;
    switch (type) {
    case LAM_WIRE_TRUE:
    case LAM_WIRE_FALSE:
        snprintf(text->text, sizeof text->text, type == LAM_WIRE_TRUE ? "true" : "false");
        return true;
    case LAM_WIRE_I8:
        /* unreachable: the value was skipped before, to measure it */
        if (reader.at == reader.end)
            return false;
        print_integer(table, id, (int8_t)*reader.at, text);
        return true;
    case LAM_WIRE_I16:
    case LAM_WIRE_I32:
    case LAM_WIRE_I64:
        /* unreachable: the value was skipped before, to measure it */
        if (lam_wire_read_i64(&reader, &number) != LAM_STATUS_OK)
            return false;
        print_integer(table, id, number, text);
        return true;
    case LAM_WIRE_DOUBLE:
        /* unreachable: the value was skipped before, to measure it */
        if (lam_wire_read_double(&reader, &real) != LAM_STATUS_OK)
            return false;
        lam_byte_text_of_double(real, text);
        return true;
    case LAM_WIRE_BINARY:
        /* unreachable: the value was skipped before, to measure it */
        if (lam_wire_read_bytes(&reader, &bytes) != LAM_STATUS_OK)
            return false;
        lam_byte_text_of_bytes(bytes, text);
        return true;
    default:
        return false;
    }
}

/* A bool in a list is a byte; 1 is true. */
static bool print_element(lam_wire_reader reader, uint8_t type, const lam_meta_struct *table,
                          uint32_t id, lam_byte_text *text) {
    if (type == LAM_WIRE_TRUE || type == LAM_WIRE_FALSE) {
        /* unreachable: the value was skipped before, to measure it */
        if (reader.at == reader.end)
            return false;
        type = *reader.at == LAM_WIRE_TRUE ? LAM_WIRE_TRUE : LAM_WIRE_FALSE;
    }
    return print_plain(reader, type, table, id, text);
}

/* --- Structs and lists --------------------------------------------------------------------- */

static lam_status report_struct(lam_byte_walk *walk, const lam_meta_struct *table,
                                thrift_bytes *bytes, lam_error *error);

/* One field that was measured: where its head, its value and its end are. */
typedef struct thrift_field {
    const lam_meta_struct *table;
    const lam_meta_field *field; /* NULL if the table has none of this id and type */
    int32_t id;
    uint8_t type;
    size_t begin;
    size_t value;
    size_t end;
} thrift_field;

/* Elements of FileMetaData.row_groups and of RowGroup.columns belong to a location. */
static int32_t *location_of_elements(lam_byte_walk *walk, const thrift_field *of) {
    if (of->table == &lam_meta_file_table && of->id == 4)
        return &walk->row_group;
    if (of->table == &lam_meta_row_group_table && of->id == 1)
        return &walk->column;
    return NULL;
}

static lam_status report_element(lam_byte_walk *walk, const thrift_field *of, thrift_bytes *bytes,
                                 uint8_t type, uint32_t index, size_t end, lam_error *error) {
    size_t begin = bytes->at;
    lam_byte_text text;
    bool inside;
    const lam_meta_struct *child = of->field->child;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_ELEMENT, bytes->view, begin, end - begin);
    range.first = index;
    range.count = 1;
    range.is_expandable = type == LAM_WIRE_STRUCT && child != NULL;
    range.label = child != NULL ? child->name : of->field->name;
    if (print_element(reader_at(bytes, begin), type, of->table, (uint32_t)of->id, &text))
        range.value = text.text;
    LAM_TRY(lam_byte_enter(walk, &range, &inside, error));
    if (inside) {
        thrift_bytes inner = {lam_byte_view_cut(bytes->view, begin, end - begin), 0, bytes->cause};
        LAM_TRY(report_struct(walk, child, &inner, error));
        lam_byte_leave(walk);
    }
    bytes->at = end;
    return LAM_STATUS_OK;
}

/* Bools in lists have a byte each, which skipping a field of type bool has not. */
static lam_status skip_element(lam_wire_reader *reader, uint8_t type) {
    uint8_t byte;
    return type == LAM_WIRE_TRUE || type == LAM_WIRE_FALSE ? lam_wire_read_byte(reader, &byte)
                                                           : lam_wire_skip(reader, type);
}

static lam_status report_elements(lam_byte_walk *walk, const thrift_field *of, thrift_bytes *bytes,
                                  uint8_t type, uint32_t count, lam_error *error) {
    int32_t *location = location_of_elements(walk, of);
    int32_t before = location == NULL ? -1 : *location;
    for (uint32_t i = 0; i < count; i++) {
        lam_wire_reader reader = reader_at(bytes, bytes->at);
        /* unreachable: the list was skipped before, to measure it */
        if (skip_element(&reader, type) != LAM_STATUS_OK)
            return thrift_damage(walk, bytes, reader.ended, error);
        if (location != NULL)
            *location = (int32_t)i;
        LAM_TRY(report_element(walk, of, bytes, type, i, offset_of(bytes, reader.at), error));
    }
    if (location != NULL)
        *location = before;
    return LAM_STATUS_OK;
}

/* `bytes` end with the list. */
static lam_status report_list(lam_byte_walk *walk, const thrift_field *of, thrift_bytes *bytes,
                              lam_error *error) {
    lam_byte_text text;
    uint8_t type;
    uint32_t count;
    lam_wire_reader reader = reader_at(bytes, bytes->at);
    /* unreachable: the list was skipped before, to measure it */
    if (lam_wire_read_list_head(&reader, 1, &type, &count) != LAM_STATUS_OK)
        return thrift_damage(walk, bytes, reader.ended, error);
    size_t head = offset_of(bytes, reader.at) - bytes->at;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_LIST_HEAD, bytes->view, bytes->at, head);
    snprintf(text.text, sizeof text.text, "%" PRIu32 " of %s", count,
             type == LAM_WIRE_TRUE || type == LAM_WIRE_FALSE ? "bool" : wire_name(type));
    range.value = text.text;
    LAM_TRY(lam_byte_leaf(walk, &range, error));
    bytes->at += head;
    return report_elements(walk, of, bytes, type, count, error);
}

/* --- Fields -------------------------------------------------------------------------------- */

/* Reports head and contents of a field that is a struct or a list. */
static lam_status report_container(lam_byte_walk *walk, const thrift_field *of, thrift_bytes *bytes,
                                   lam_error *error) {
    lam_byte_text text;
    thrift_bytes inner = {lam_byte_view_cut(bytes->view, of->begin, of->end - of->begin),
                          of->value - of->begin, bytes->cause};
    lam_byte_range head = lam_byte_range_in(LAM_BYTE_FIELD_HEAD, inner.view, 0, inner.at);
    snprintf(text.text, sizeof text.text, "id %" PRId32 ", %s", of->id, wire_name(of->type));
    head.value = text.text;
    LAM_TRY(lam_byte_leaf(walk, &head, error));
    if (of->type == LAM_WIRE_STRUCT)
        LAM_TRY(report_struct(walk, of->field->child, &inner, error));
    else
        LAM_TRY(report_list(walk, of, &inner, error));
    return lam_byte_unknown(walk, inner.view, inner.at, inner.view.size - inner.at, error,
                            "bytes behind the value of a field");
}

/* True if the type on the wire is the table's; the two types of bool are one. */
static bool fits_table(const lam_meta_field *field, uint8_t type) {
    if (field->kind == LAM_META_KIND_BOOL)
        return type == LAM_WIRE_TRUE || type == LAM_WIRE_FALSE;
    return lam_meta_wire(field->kind) == type;
}

static lam_status report_field(lam_byte_walk *walk, const thrift_field *of, thrift_bytes *bytes,
                               lam_error *error) {
    lam_byte_text text;
    char label[24], note[64];
    bool inside;
    lam_byte_range range =
        lam_byte_range_in(LAM_BYTE_FIELD, bytes->view, of->begin, of->end - of->begin);
    const lam_meta_field *field = of->field;
    snprintf(label, sizeof label, "field %" PRId32, of->id);
    range.label = field == NULL ? label : field->name;
    if (field == NULL) {
        snprintf(note, sizeof note, "%s has no field %" PRId32 " of type %s", of->table->name,
                 of->id, wire_name(of->type));
        range.note = note;
    } else {
        range.is_expandable =
            of->type == LAM_WIRE_LIST || (of->type == LAM_WIRE_STRUCT && field->child != NULL);
    }
    if (print_plain(reader_at(bytes, of->value), of->type, of->table, (uint32_t)of->id, &text))
        range.value = text.text;
    LAM_TRY(lam_byte_enter(walk, &range, &inside, error));
    if (inside) {
        LAM_TRY(report_container(walk, of, bytes, error));
        lam_byte_leave(walk);
    }
    bytes->at = of->end;
    return LAM_STATUS_OK;
}

static lam_status report_stop(lam_byte_walk *walk, thrift_bytes *bytes, lam_error *error) {
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_STOP, bytes->view, bytes->at, 1);
    bytes->at++;
    return lam_byte_leaf(walk, &range, error);
}

/* Reports fields up to and including the stop; `bytes->at` moves past it. */
static lam_status report_struct(lam_byte_walk *walk, const lam_meta_struct *table,
                                thrift_bytes *bytes, lam_error *error) {
    thrift_field of = {.table = table};
    while (bytes->at < bytes->view.size) {
        lam_wire_reader reader = reader_at(bytes, bytes->at);
        of.begin = bytes->at;
        if (lam_wire_read_field_head(&reader, &of.id, &of.type) != LAM_STATUS_OK)
            return thrift_damage(walk, bytes, reader.ended, error);
        if (of.type == LAM_WIRE_STOP)
            return report_stop(walk, bytes, error);
        of.value = offset_of(bytes, reader.at);
        if (lam_wire_skip(&reader, of.type) != LAM_STATUS_OK)
            return thrift_damage(walk, bytes, reader.ended, error);
        of.end = offset_of(bytes, reader.at);
        of.field = lam_meta_find(table, of.id);
        if (of.field != NULL && !fits_table(of.field, of.type))
            of.field = NULL;
        LAM_TRY(report_field(walk, &of, bytes, error));
    }
    return LAM_STATUS_OK;
}

lam_status lam_byte_struct(lam_byte_walk *walk, const lam_meta_struct *table, lam_byte_view view,
                           lam_error *error) {
    thrift_bytes bytes = {view, 0, lam_error_none()};
    LAM_TRY(report_struct(walk, table, &bytes, error));
    return lam_byte_unknown(walk, view, bytes.at, view.size - bytes.at, error,
                            "bytes behind the end of the struct");
}

lam_status lam_byte_struct_inside(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                  lam_error *error) {
    return lam_byte_struct(walk, what, view, error);
}
