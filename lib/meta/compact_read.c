/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads messages of the compact protocol into the C structs that the tables describe. The bytes may
 * be anything, and perhaps incomplete; the struct has every member set.
 *
 *   15 00       PageHeader.type: DATA_PAGE, 0
 *   15 C8 01    uncompressed_page_size: 100, in zigzag 200
 *   15 78       compressed_page_size: 60, in zigzag 120
 *   2C ... 00   data_page_header: 2 ids on, a struct
 *   00          the end
 *
 * The invariant: functions call each other to the depth of the tables, never to the depth of the
 * input, and memory is never allocated for more elements than the bytes left can hold. A field of
 * the wrong type is an unknown field; a required one that is missing, and one that occurs twice,
 * make the message CORRUPT. (parquet.thrift; Thrift's thrift-compact-protocol.md)
 */
#include "meta/compact.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "meta/compact_pass.h"
#include "meta/page_header.h"
#include "meta/tables.h"
#include "meta/wire.h"

static lam_status compact_read_struct(lam_wire_reader *reader, const lam_meta_struct *table,
                                      void *out);

/* Reads an optional struct into the arena, and stores its pointer at `out`. */
static lam_status read_pointer(lam_wire_reader *reader, const lam_meta_struct *table, void *out) {
    void *memory;
    LAM_TRY(lam_arena_alloc(reader->arena, table->size, &memory, reader->error));
    LAM_TRY(compact_read_struct(reader, table, memory));
    memcpy(out, &memory, sizeof memory);
    return LAM_STATUS_OK;
}

/* Gives the least bytes of a struct: a head for each required field, and the stop. */
static size_t least_bytes(const lam_meta_struct *table) {
    size_t bytes = 1;
    for (uint32_t required = table->required; required != 0; required &= required - 1)
        bytes++;
    return bytes;
}

/*
 * Checks `count` structs of a list and stores where each begins. Those in the form that writers use
 * are passed; others are decoded for the sake of the checks, into memory that is freed.
 */
static lam_status read_positions(lam_wire_reader *reader, const lam_meta_struct *table,
                                 uint32_t *positions, uint32_t count) {
    lam_status status = LAM_STATUS_OK;
    lam_arena *const arena = reader->arena, unneeded;
    lam_arena_init(&unneeded, &arena->allocator, arena->budget);
    reader->arena = &unneeded;
    lam_meta_shapes_begin(reader->shapes, count, lam_wire_left(reader));
    for (uint32_t i = 0; i < count; i++) {
        void *memory;
        const uint8_t *next;
        positions[i] = (uint32_t)(reader->at - reader->start);
        LAM_TRY_OUT(lam_meta_shapes_pass(reader->shapes, i, table, reader->at, reader->end, &next,
                                         reader->error));
        if (next != NULL) {
            reader->at = next;
            continue;
        }
        lam_arena_reset(&unneeded);
        LAM_TRY_OUT(lam_arena_alloc(&unneeded, table->size, &memory, reader->error));
        LAM_TRY_OUT(compact_read_struct(reader, table, memory));
    }
out:
    reader->arena = arena;
    lam_arena_finish(&unneeded);
    return status;
}

/*
 * Reads `count` elements of a list into an array of them. The kind is checked once, not per
 * element.
 */
static lam_status read_elements(lam_wire_reader *reader, const lam_meta_field *field,
                                uint8_t *items, uint32_t count) {
    uint32_t i = 0;
    switch (field->element) {
    case LAM_META_KIND_BOOL:
        for (bool *values = (bool *)items; i < count; i++)
            LAM_TRY(lam_wire_read_list_bool(reader, &values[i]));
        break;
    case LAM_META_KIND_I32:
        for (int32_t *values = (int32_t *)items; i < count; i++)
            LAM_TRY(lam_wire_read_i32(reader, &values[i]));
        break;
    case LAM_META_KIND_I64:
        for (int64_t *values = (int64_t *)items; i < count; i++)
            LAM_TRY(lam_wire_read_i64(reader, &values[i]));
        break;
    case LAM_META_KIND_BYTES:
        for (lam_bytes *values = (lam_bytes *)items; i < count; i++)
            LAM_TRY(lam_wire_read_bytes(reader, &values[i]));
        break;
    case LAM_META_KIND_POSITION:
        return read_positions(reader, field->child, (uint32_t *)(void *)items, count);
    default:
        for (; i < count; i++)
            LAM_TRY(
                compact_read_struct(reader, field->child, items + (size_t)i * field->child->size));
    }
    return LAM_STATUS_OK;
}

/*
 * True for the types of i16, i32 and i64. In a list they have the same bytes, and Thrift's readers
 * accept one for another.
 */
static bool is_varint(uint8_t type) {
    return type >= LAM_WIRE_I16 && type <= LAM_WIRE_I64;
}

/*
 * Reads a list. The elements must have the type of the table, with three exceptions that writers
 * need: either type for bool, any integer for another, and type 0 for an empty list.
 */
static lam_status read_list(lam_wire_reader *reader, const lam_meta_field *field, void *out) {
    const uint8_t *position = reader->at;
    uint8_t type;
    lam_meta_list list = {NULL, 0};
    size_t element_bytes = field->child == NULL ? 1 : least_bytes(field->child);
    LAM_TRY(lam_wire_read_list_head(reader, element_bytes, &type, &list.count));
    uint8_t wanted = lam_meta_wire(field->element);
    bool fits = type == wanted || (wanted == LAM_WIRE_TRUE && type == LAM_WIRE_FALSE) ||
                (is_varint(wanted) && is_varint(type));
    if (!fits && (list.count > 0 || type != LAM_WIRE_STOP))
        LAM_WIRE_CORRUPT(reader, position, "the elements of %s have type %d, not %d", field->name,
                         type, wanted);
    if (list.count > 0) {
        size_t size;
        void *items;
        /* unreachable: only if size_t has 32 bits; there are fewer elements than bytes */
        if (!lam_mul_size(list.count, lam_meta_element_size(field), &size))
            LAM_FAIL(reader->error, LAM_STATUS_NOMEM, "no memory for %u elements", list.count);
        LAM_TRY(lam_arena_alloc(reader->arena, size, &items, reader->error));
        LAM_TRY(read_elements(reader, field, items, list.count));
        list.items = items;
    }
    memcpy(out, &list, sizeof list);
    return LAM_STATUS_OK;
}

/* Reads the value of a field whose type is right to `out`, the field's member of the struct. */
static inline lam_status compact_read_value(lam_wire_reader *reader, const lam_meta_field *field,
                                            uint8_t type, void *out) {
    if (field->kind == LAM_META_KIND_I32) /* most of a page header */
        return lam_wire_read_i32(reader, out);
    switch (field->kind) {
    case LAM_META_KIND_BOOL:
        *(bool *)out = type == LAM_WIRE_TRUE;
        return LAM_STATUS_OK;
    case LAM_META_KIND_I8: {
        uint8_t byte;
        LAM_TRY(lam_wire_read_byte(reader, &byte));
        memcpy(out, &byte, 1);
        return LAM_STATUS_OK;
    }
    case LAM_META_KIND_I16:
        return lam_wire_read_i16(reader, out);
    case LAM_META_KIND_I64:
        return lam_wire_read_i64(reader, out);
    case LAM_META_KIND_DOUBLE:
        return lam_wire_read_double(reader, out);
    case LAM_META_KIND_BYTES:
        return lam_wire_read_bytes(reader, out);
    case LAM_META_KIND_STRUCT:
        return compact_read_struct(reader, field->child, out);
    case LAM_META_KIND_POINTER:
        return read_pointer(reader, field->child, out);
    case LAM_META_KIND_LIST:
        return read_list(reader, field, out);
    default:
        assert(field->kind == LAM_META_KIND_EMPTY);
        return lam_wire_skip(reader, LAM_WIRE_STRUCT);
    }
}

/*
 * Gives the field of an id and type; NULL for a field of another type, which a later version or
 * another writer has put under the number. A bool has one of two types, which is its value.
 */
static inline const lam_meta_field *compact_find(const lam_meta_struct *table, int32_t id,
                                                 uint8_t type) {
    const lam_meta_field *field = lam_meta_find(table, id);
    if (field == NULL || type == lam_meta_wire(field->kind))
        return field;
    return field->kind == LAM_META_KIND_BOOL && type == LAM_WIRE_FALSE ? field : NULL;
}

/* Gives the name of the first required field that was not seen; one exists. */
static const char *missing(const lam_meta_struct *table, uint32_t seen) {
    uint32_t id = 1;
    while ((table->required & ~seen & 1u << id) == 0)
        id++;
    return table->fields[id].name;
}

/* A struct or union that is being read. */
typedef struct opened {
    const lam_meta_struct *table;
    uint8_t *out;
    uint32_t seen; /* bit i: field i; of a union, bit 0: an unknown member */
    int32_t id;    /* of the last field */
} opened;

/* Fails because a field is there twice: which of the two counts differs between readers. */
static lam_status fail_repeated(lam_wire_reader *reader, const opened *open,
                                const lam_meta_field *field, const uint8_t *position) {
    if (open->table->is_union)
        LAM_WIRE_CORRUPT(reader, position, "%s has more than one member", open->table->name);
    LAM_WIRE_CORRUPT(reader, position, "%s.%s is there twice", open->table->name, field->name);
}

/* Reads any field, known or not, or the stop, for which `*ret_more` is false. */
static lam_status read_any_field(lam_wire_reader *reader, opened *open, bool *ret_more) {
    const lam_meta_struct *table = open->table;
    const uint8_t *position = reader->at;
    uint8_t type;
    LAM_TRY(lam_wire_read_field_head(reader, &open->id, &type));
    *ret_more = type != LAM_WIRE_STOP;
    if (type == LAM_WIRE_STOP)
        return LAM_STATUS_OK;
    const lam_meta_field *field = compact_find(table, open->id, type);
    uint32_t bit = field == NULL ? 0 : 1u << open->id;
    /*
     * A union has one member: `seen` of an unknown one is bit 0, so that a second one is refused,
     * too.
     */
    if (table->is_union) {
        if (open->seen != 0)
            return fail_repeated(reader, open, field, position);
        bit = field == NULL ? 1 : bit;
    } else if ((open->seen & bit) != 0) {
        return fail_repeated(reader, open, field, position);
    }
    open->seen |= bit;
    if (field == NULL)
        return lam_wire_skip(reader, type);
    return compact_read_value(reader, field, type, open->out + field->offset);
}

/*
 * Reads fields while they are as writers write them: ids ascend by 1 to 15, and the types are those
 * of the table. Ends before the first field that is otherwise, a false bool and the stop included,
 * which read_any_field then reads. Most structs are read by one call, without a call per field.
 *
 * `exclusive` has all bits for a union, so that a second member ends the loop whatever its id.
 */
static inline lam_status read_plain_fields(lam_wire_reader *reader, opened *open) {
    const lam_meta_struct *table = open->table;
    const uint32_t last_id = table->last_id, exclusive = table->is_union ? UINT32_MAX : 0;
    while (reader->at < reader->end) {
        /* The long form of a head (step 0) and ids beyond the table are left to read_any_field. */
        const uint8_t head = *reader->at, step = head >> 4, type = head & 15;
        const uint32_t id = (uint32_t)(open->id + step); /* below 0 it is large */
        if (step == 0 || type == LAM_WIRE_STOP || id > last_id)
            return LAM_STATUS_OK;
        const lam_meta_field *field = &table->fields[id];
        if (type != lam_meta_wire(field->kind) || (open->seen & (exclusive | 1u << id)) != 0)
            return LAM_STATUS_OK;
        open->seen |= 1u << id;
        open->id = (int32_t)id;
        reader->at++;
        LAM_TRY(compact_read_value(reader, field, type, open->out + field->offset));
    }
    return LAM_STATUS_OK;
}

/* Alternates between the fast and the general way until the stop. */
static lam_status read_fields(lam_wire_reader *reader, opened *open) {
    for (bool more = true; more;) {
        LAM_TRY(read_plain_fields(reader, open));
        LAM_TRY(read_any_field(reader, open, &more));
    }
    return LAM_STATUS_OK;
}

/* Gives the kind of a union that was read. */
static int32_t compact_kind_of(const opened *open) {
    if (open->seen == 0)
        return LAM_META_UNION_EMPTY;
    return open->seen == 1 ? LAM_META_UNION_UNRECOGNIZED : open->id;
}

/*
 * Reads a struct, or a union: a struct of at most one field, whose id is its kind. All members are
 * set to their defaults first, so that absent ones are never left undefined.
 */
static lam_status compact_read_struct(lam_wire_reader *reader, const lam_meta_struct *table,
                                      void *out) {
    opened open = {table, out, 0, 0};
    const uint8_t *start = reader->at;
    if (table->initial == NULL)
        memset(out, 0, table->size);
    else
        memcpy(out, table->initial, table->size);
    LAM_TRY(read_fields(reader, &open));
    if ((table->required & ~open.seen) != 0)
        LAM_WIRE_CORRUPT(reader, reader->at - 1, "%s.%s is missing or of another type", table->name,
                         missing(table, open.seen));
    int32_t kind = compact_kind_of(&open);
    lam_bytes as_read = {start, (size_t)(reader->at - start)};
    if (table->as_read != 0)
        memcpy((uint8_t *)out + table->as_read, &as_read, sizeof as_read);
    if (table->is_union)
        memcpy(out, &kind, sizeof kind);
    else
        memcpy(out, &open.seen, sizeof open.seen);
    return LAM_STATUS_OK;
}

/*
 * Reads a complete message into `scratch`; `*ret_size` is 0 if the bytes end inside it. A message
 * of no bytes ends inside as well; it gets one byte to point at, since NULL must not be compared.
 */
static lam_status read_message(const lam_meta_struct *table, lam_bytes bytes, lam_error_code code,
                               lam_arena *arena, lam_meta_shapes *shapes, void *scratch,
                               size_t *ret_size, lam_error *error) {
    static const uint8_t NOTHING[1] = {0};
    const uint8_t *start = bytes.size == 0 ? NOTHING : bytes.data;
    lam_wire_reader reader = {start, start + bytes.size, start, arena, shapes, error, code, false};
    lam_status status = compact_read_struct(&reader, table, scratch);
    if (reader.ended) {
        *ret_size = 0;
        return LAM_STATUS_OK;
    }
    if (status == LAM_STATUS_OK)
        *ret_size = (size_t)(reader.at - reader.start);
    return status;
}

/* The length of a footer is stated in the file, so a footer that needs more is corrupt. */
static lam_status read_footer(const lam_meta_struct *table, lam_bytes bytes, lam_arena *arena,
                              lam_meta_shapes *shapes, void *scratch, lam_error *error) {
    size_t size = 0;
    LAM_TRY(
        read_message(table, bytes, LAM_ERROR_CODE_FOOTER, arena, shapes, scratch, &size, error));
    if (size == 0) {
        lam_error_set(error, LAM_ERROR_CODE_FOOTER, "the footer continues past its %zu bytes",
                      bytes.size);
        lam_error_at_offset(error, bytes.size);
        return LAM_STATUS_CORRUPT;
    }
    return LAM_STATUS_OK;
}

lam_status lam_meta_read_file(lam_bytes bytes, lam_arena *arena, lam_meta_file *ret,
                              lam_error *error) {
    lam_meta_file file;
    LAM_TRY(read_footer(&lam_meta_file_table, bytes, arena, NULL, &file, error));
    *ret = file;
    return LAM_STATUS_OK;
}

/* --- Footers whose column chunks stay encoded ---------------------------------------------- */

lam_status lam_meta_read_file_view(lam_bytes bytes, lam_arena *arena, lam_meta_file_view *ret,
                                   lam_error *error) {
    lam_meta_file_view file;
    lam_meta_shapes shapes;
    if (bytes.size > UINT32_MAX) /* positions have 32 bits, as the length of a footer has */
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                 "a footer of %zu bytes is too large for the format", bytes.size);
    lam_meta_shapes_init(&shapes, &arena->allocator);
    lam_status status = read_footer(&lam_meta_file_view_table, bytes, arena, &shapes, &file, error);
    lam_meta_shapes_finish(&shapes);
    LAM_TRY(status);
    file.bytes = bytes;
    *ret = file;
    return LAM_STATUS_OK;
}

/* The reader counts offsets from the first byte of the footer, so that errors name the same. */
lam_status lam_meta_read_column_chunk(const lam_meta_file_view *file, size_t row_group,
                                      size_t column, lam_arena *arena, lam_meta_column_chunk *ret,
                                      lam_error *error) {
    const uint8_t *start = file->bytes.data;
    lam_meta_column_chunk chunk;
    lam_wire_reader reader = {start + file->row_groups.items[row_group].columns.items[column],
                              start + file->bytes.size,
                              start,
                              arena,
                              NULL,
                              error,
                              LAM_ERROR_CODE_FOOTER,
                              false};
    lam_status status = compact_read_struct(&reader, &lam_meta_column_chunk_table, &chunk);
    if (reader.ended)
        LAM_WIRE_CORRUPT(&reader, reader.end, "the footer ends inside a column chunk");
    if (status == LAM_STATUS_OK)
        *ret = chunk;
    return status;
}

lam_meta_row_group lam_meta_bare_row_group(const lam_meta_row_group_view *view) {
    return (lam_meta_row_group){.has = view->has,
                                .ordinal = view->ordinal,
                                .total_byte_size = view->total_byte_size,
                                .num_rows = view->num_rows,
                                .sorting_columns = view->sorting_columns,
                                .file_offset = view->file_offset,
                                .total_compressed_size = view->total_compressed_size};
}

lam_status lam_meta_read_viewed_group(const lam_meta_file_view *file, size_t row_group,
                                      lam_arena *arena, lam_meta_row_group *ret, lam_error *error) {
    const lam_meta_row_group_view *view = &file->row_groups.items[row_group];
    lam_meta_row_group group = lam_meta_bare_row_group(view);
    lam_meta_column_chunk *chunks;
    LAM_TRY(LAM_ARENA_ARRAY(arena, view->columns.count, &chunks, error));
    for (uint32_t i = 0; i < view->columns.count; i++)
        LAM_TRY(lam_meta_read_column_chunk(file, row_group, i, arena, &chunks[i], error));
    group.columns = (lam_meta_column_chunk_list){chunks, view->columns.count};
    *ret = group;
    return LAM_STATUS_OK;
}

/* Skips the struct as if it were an unknown field; allocates no memory. */
lam_status lam_meta_measure(lam_bytes bytes, size_t *ret_size, lam_error *error) {
    if (bytes.size == 0) {
        *ret_size = 0;
        return LAM_STATUS_OK;
    }
    lam_wire_reader reader = {bytes.data, bytes.data + bytes.size, bytes.data, NULL, NULL,
                              error,      LAM_ERROR_CODE_FOOTER,   false};
    lam_status status = lam_wire_skip(&reader, LAM_WIRE_STRUCT);
    if (status != LAM_STATUS_OK && !reader.ended)
        return status;
    *ret_size = reader.ended ? 0 : (size_t)(reader.at - reader.start);
    return LAM_STATUS_OK;
}

/* Defines the functions for messages whose length is known only after they are read. */
#define READ(noun, code)                                                                           \
    lam_status lam_meta_read_##noun(lam_bytes bytes, lam_arena *arena, lam_meta_##noun *ret,       \
                                    size_t *ret_size, lam_error *error) {                          \
        lam_meta_##noun message;                                                                   \
        size_t size = 0;                                                                           \
        LAM_TRY(read_message(&lam_meta_##noun##_table, bytes, code, arena, NULL, &message, &size,  \
                             error));                                                              \
        if (size > 0)                                                                              \
            *ret = message;                                                                        \
        *ret_size = size;                                                                          \
        return LAM_STATUS_OK;                                                                      \
    }

READ(row_group, LAM_ERROR_CODE_FOOTER)
READ(offset_index, LAM_ERROR_CODE_OFFSET_INDEX)
READ(column_index, LAM_ERROR_CODE_COLUMN_INDEX)
READ(bloom_filter_header, LAM_ERROR_CODE_BLOOM_HEADER)
READ(file_crypto, LAM_ERROR_CODE_FOOTER)

/* A header without the struct of its type states nothing about its page. */
lam_status lam_meta_read_page_header(lam_bytes bytes, lam_arena *arena, lam_meta_page_header *ret,
                                     size_t *ret_size, lam_error *error) {
    lam_meta_page_header header;
    size_t size = 0;
    LAM_TRY(read_message(&lam_meta_page_header_table, bytes, LAM_ERROR_CODE_PAGE_HEADER, arena,
                         NULL, &header, &size, error));
    if (size > 0 && lam_page_header_check(&header, error) != LAM_STATUS_OK) {
        lam_error_at_offset(error, 0);
        return LAM_STATUS_CORRUPT;
    }
    if (size > 0)
        *ret = header;
    *ret_size = size;
    return LAM_STATUS_OK;
}
