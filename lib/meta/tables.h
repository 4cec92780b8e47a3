/*
 * What the compact protocol has to know of each metadata struct: one constant table per struct,
 * fields indexed by their id.
 */
#ifndef LAM_META_TABLES_H
#define LAM_META_TABLES_H

#include <lamella/common.h>

/* What a field is. The low four bits are its type on the wire (see wire.h). */
typedef enum lam_meta_kind {
    LAM_META_KIND_NONE = 0,          /* no field of this id */
    LAM_META_KIND_BOOL = 1,          /* bool; on the wire 1 is true and 2 is false */
    LAM_META_KIND_I8 = 3,            /* int8_t */
    LAM_META_KIND_I16 = 4,           /* int16_t */
    LAM_META_KIND_I32 = 5,           /* int32_t, enums too */
    LAM_META_KIND_I64 = 6,           /* int64_t */
    LAM_META_KIND_DOUBLE = 7,        /* double */
    LAM_META_KIND_BYTES = 8,         /* lam_bytes */
    LAM_META_KIND_LIST = 9,          /* lam_meta_list of elements */
    LAM_META_KIND_STRUCT = 12,       /* a struct or union by value */
    LAM_META_KIND_POINTER = 16 + 12, /* an optional struct or union */
    LAM_META_KIND_EMPTY = 32 + 12    /* a union member without fields: its kind says it all */
} lam_meta_kind;

typedef struct lam_meta_struct lam_meta_struct;

typedef struct lam_meta_field {
    const char *name;
    const lam_meta_struct *child; /* of STRUCT and POINTER, and of a LIST of structs */
    uint16_t offset;              /* in the C struct */
    uint8_t kind;                 /* lam_meta_kind */
    uint8_t element;              /* of a LIST: BOOL, I32, I64, BYTES or STRUCT */
} lam_meta_field;

/*
 * A struct begins with `uint32_t has`, in which bit i stands for field i; a union with
 * `int32_t kind`, the id of its member.
 */
struct lam_meta_struct {
    const char *name;
    const lam_meta_field *fields; /* of ids 0 to last_id */
    const void *initial;          /* what absent fields hold; NULL is all zero */
    uint32_t required;            /* bit i: field i */
    uint16_t size;                /* of the C struct */
    uint8_t last_id;
    bool is_union;
};

/* What every lam_meta_..._list looks like. */
typedef struct lam_meta_list {
    const void *items;
    uint32_t count;
} lam_meta_list;

extern const lam_meta_struct lam_meta_file_table;
extern const lam_meta_struct lam_meta_page_header_table;
extern const lam_meta_struct lam_meta_offset_index_table;
extern const lam_meta_struct lam_meta_column_index_table;
extern const lam_meta_struct lam_meta_bloom_filter_header_table;
extern const lam_meta_struct lam_meta_file_crypto_table;

/* The type of a field or of an element on the wire. */
static inline uint8_t lam_meta_wire(unsigned kind) {
    return (uint8_t)(kind & 15);
}

/* The field of that id; NULL when nobody knows it. */
static inline const lam_meta_field *lam_meta_find(const lam_meta_struct *table, int32_t id) {
    if (id < 1 || id > table->last_id || table->fields[id].kind == LAM_META_KIND_NONE)
        return NULL;
    return &table->fields[id];
}

/* Bytes of a list's element in memory. */
size_t lam_meta_element_size(const lam_meta_field *list);

#endif
