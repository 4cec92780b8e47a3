/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes each metadata struct to the compact protocol: one constant table per struct, its fields
 * indexed by their ids. compact_read.c and compact_write.c interpret the tables, so that a field
 * that the format adds is one line in a table and one member of a struct.
 */
#ifndef LAM_META_TABLES_H
#define LAM_META_TABLES_H

#include <lamella/common.h>

/* The kind of a field. The low four bits are its type on the wire (see wire.h). */
typedef enum lam_meta_kind {
    LAM_META_KIND_NONE = 0,          /* no field of this id */
    LAM_META_KIND_BOOL = 1,          /* bool; on the wire, 1 is true and 2 is false */
    LAM_META_KIND_I8 = 3,            /* int8_t */
    LAM_META_KIND_I16 = 4,           /* int16_t */
    LAM_META_KIND_I32 = 5,           /* int32_t, enums too */
    LAM_META_KIND_I64 = 6,           /* int64_t */
    LAM_META_KIND_DOUBLE = 7,        /* double */
    LAM_META_KIND_BYTES = 8,         /* lam_bytes */
    LAM_META_KIND_LIST = 9,          /* lam_meta_list of elements */
    LAM_META_KIND_STRUCT = 12,       /* a struct or union by value */
    LAM_META_KIND_POINTER = 16 + 12, /* an optional struct or union */
    LAM_META_KIND_EMPTY = 32 + 12,   /* a union member without fields: its id says it all */
    LAM_META_KIND_POSITION = 48 + 12 /* an element that stays encoded: uint32_t, its beginning */
} lam_meta_kind;

typedef struct lam_meta_struct lam_meta_struct;

/* One field: where it is in the C struct, and its type on the wire. */
typedef struct lam_meta_field {
    const char *name;             /* in the IDL */
    const lam_meta_struct *child; /* of STRUCT and POINTER, and of a LIST of structs */
    uint16_t offset;              /* in the C struct */
    uint8_t kind;                 /* lam_meta_kind */
    uint8_t element;              /* of a LIST: BOOL, I32, I64, BYTES, STRUCT or PLACE */
} lam_meta_field;

/*
 * One struct or union. In memory, a struct begins with `uint32_t has`, in which bit i means field
 * i; a union begins with `int32_t kind`, the id of its member.
 */
struct lam_meta_struct {
    const char *name;             /* in the IDL */
    const lam_meta_field *fields; /* by id, 0 to last_id; ids that are not used have kind NONE */
    const void *initial;          /* the struct with all fields absent; NULL is all zero */
    uint32_t required;            /* bit i: field i */
    uint16_t size;                /* of the C struct */
    uint8_t last_id;
    bool is_union;
    uint16_t as_read; /* offset of a lam_bytes for the struct on the wire; 0: none */
};

/* The layout that every lam_meta_..._list has. */
typedef struct lam_meta_list {
    const void *items;
    uint32_t count;
} lam_meta_list;

/* The messages: the structs that a file holds on their own. */
extern const lam_meta_struct lam_meta_file_table;
extern const lam_meta_struct lam_meta_row_group_table;
extern const lam_meta_struct lam_meta_page_header_table;
extern const lam_meta_struct lam_meta_offset_index_table;
extern const lam_meta_struct lam_meta_column_index_table;
extern const lam_meta_struct lam_meta_bloom_filter_header_table;
extern const lam_meta_struct lam_meta_file_crypto_table;

/* The union whose bytes are kept, for copies. */
extern const lam_meta_struct lam_meta_logical_type_table;

/* A footer whose column chunks stay encoded, and one of them. */
extern const lam_meta_struct lam_meta_file_view_table;
extern const lam_meta_struct lam_meta_column_chunk_table;

/* Gives the wire type of a field or of an element. */
static inline uint8_t lam_meta_wire(unsigned kind) {
    return (uint8_t)(kind & 15);
}

/* Gives the field of an id; NULL if the table has none. */
static inline const lam_meta_field *lam_meta_find(const lam_meta_struct *table, int32_t id) {
    /* Ids of a file may be any number of 16 bits, negative ones included. */
    if (id < 1 || id > table->last_id || table->fields[id].kind == LAM_META_KIND_NONE)
        return NULL;
    return &table->fields[id];
}

/* Gives the bytes of a list's element in memory. */
size_t lam_meta_element_size(const lam_meta_field *list);

#endif
