/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema of a file: a tree of fields whose leaves are the columns.
 *
 * Every field knows its maximum repetition level (how many fields on its path, itself included, are
 * repeated) and maximum definition level (how many are optional or repeated). The Document of the
 * Dremel paper:
 *
 *     message Document {                      repetition   definition
 *       required int64 DocId;                 0            0
 *       optional group Links {                0            1
 *         repeated int64 Backward;            1            2
 *         repeated int64 Forward; }           1            2
 *       repeated group Name {                 1            1
 *         repeated group Language {           2            2
 *           required binary Code;             2            2
 *           optional binary Country; }        2            3
 *         optional binary Url; }}             1            2
 */
#ifndef LAMELLA_SCHEMA_H
#define LAMELLA_SCHEMA_H

#include <string.h>

#include <lamella/common.h>
#include <lamella/format.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most levels of nesting below the root of a schema, so that levels fit a byte. */
#define LAM_SCHEMA_DEPTH_MAX 250

/* Most fields of a schema, the root included. */
#define LAM_SCHEMA_FIELDS_MAX 1048576

/* What a value means (LogicalTypes.md). */
typedef enum lam_logical_kind {
    LAM_LOGICAL_NONE = 0,
    LAM_LOGICAL_STRING,
    LAM_LOGICAL_MAP,
    LAM_LOGICAL_LIST,
    LAM_LOGICAL_ENUM,
    LAM_LOGICAL_DECIMAL,
    LAM_LOGICAL_DATE,
    LAM_LOGICAL_TIME,
    LAM_LOGICAL_TIMESTAMP,
    LAM_LOGICAL_INTEGER,
    LAM_LOGICAL_UNKNOWN, /* only nulls */
    LAM_LOGICAL_JSON,
    LAM_LOGICAL_BSON,
    LAM_LOGICAL_UUID,
    LAM_LOGICAL_FLOAT16,
    LAM_LOGICAL_VARIANT,
    LAM_LOGICAL_GEOMETRY,
    LAM_LOGICAL_GEOGRAPHY,
    LAM_LOGICAL_FILE,
    LAM_LOGICAL_INTERVAL,      /* has a converted type only */
    LAM_LOGICAL_MAP_KEY_VALUE, /* has a converted type only, the key-value group of old maps */
    LAM_LOGICAL_UNRECOGNIZED   /* the file names a logical type that this version does not know */
} lam_logical_kind;

/* Edge interpolation of GEOGRAPHY; numbered as in the format, plus one. 0 means not given. */
typedef enum lam_edge_algorithm {
    LAM_EDGE_ALGORITHM_DEFAULT = 0,
    LAM_EDGE_ALGORITHM_SPHERICAL = 1,
    LAM_EDGE_ALGORITHM_VINCENTY = 2,
    LAM_EDGE_ALGORITHM_THOMAS = 3,
    LAM_EDGE_ALGORITHM_ANDOYER = 4,
    LAM_EDGE_ALGORITHM_KARNEY = 5
} lam_edge_algorithm;

/*
 * How a file states a logical type: in which of the annotations that the format has for it, and, of
 * a type that this version does not know, in which bytes. Opaque.
 */
typedef struct lam_type_statement lam_type_statement;

/*
 * A logical type with its arguments. Arguments that a kind does not have are 0 or NULL. Fields of
 * the same type, made with a copy of this struct, are stated as the file states it; where any other
 * member was changed, the statement is left out.
 */
typedef struct lam_logical_type {
    lam_logical_kind kind;
    int32_t precision;                   /* DECIMAL: digits, 1 or more */
    int32_t scale;                       /* DECIMAL: digits after the point, 0 to precision */
    lam_time_unit unit;                  /* TIME, TIMESTAMP */
    bool adjusted_to_utc;                /* TIME, TIMESTAMP */
    int8_t bit_width;                    /* INTEGER: 8, 16, 32 or 64 */
    bool is_signed;                      /* INTEGER */
    int8_t version;                      /* VARIANT: specification version, 0 when not given */
    lam_edge_algorithm algorithm;        /* GEOGRAPHY */
    const char *crs;                     /* GEOMETRY, GEOGRAPHY: NULL when not given */
    const lam_type_statement *statement; /* NULL: as this library states it */
} lam_logical_type;

/*
 * What becomes of a field for which no type holds all values, such as numbers and strings: in one
 * text, whose schema is inferred, or in several files that are read as one.
 */
typedef enum lam_clash {
    LAM_CLASH_VARIANT = 0, /* a VARIANT, which takes any value */
    LAM_CLASH_STRING = 1,  /* a STRING: values that are not text become their JSON */
    LAM_CLASH_ERROR = 2    /* INVALID, naming the field */
} lam_clash;

/*
 * A schema is immutable and may be read from any number of threads.
 *
 * It is shared, not copied: everything created from a schema or from one of its fields (a writer, a
 * shredder, a filter, ...) holds on to it until it is destroyed itself. So fields are valid for
 * everything made from their schema, for several files one after the other or in several threads,
 * and lam_schema_destroy may come at any time after the last use of the pointer by the caller. The
 * schema's memory goes back, in the thread of its last holder, to the allocator that it was created
 * with, which must live as long.
 *
 * A function that requires a schema fails with INVALID ("no schema") for NULL; the accessors find
 * nothing in NULL.
 */
typedef struct lam_schema lam_schema;

/* A field lives as long as its schema. */
typedef struct lam_field lam_field;

/* Number of fields, the root included. */
LAM_PUBLIC size_t lam_schema_field_count(const lam_schema *schema);
/* A field by its position in preorder; 0 is the root. NULL when out of range. */
LAM_PUBLIC const lam_field *lam_schema_field(const lam_schema *schema, size_t index);

/*
 * The root group. Its name is that of the message; it may have no children. NULL for a NULL schema
 * only.
 */
static inline const lam_field *lam_schema_root(const lam_schema *schema) {
    return lam_schema_field(schema, 0);
}

/* Number of leaves, which is the number of column chunks in each row group. */
LAM_PUBLIC size_t lam_schema_leaf_count(const lam_schema *schema);
/* A leaf in schema order; NULL when out of range. */
LAM_PUBLIC const lam_field *lam_schema_leaf(const lam_schema *schema, size_t leaf_index);

/*
 * --- Paths ---
 *
 * A path names a field from the root down, as text. All calls that take one, here and in other
 * headers, read it alike:
 *
 *     user.name             a field inside of a group
 *     "Price, EUR", "a.b"   names between quotation marks hold any characters; two marks stand for
 *                           one. Without marks a name ends at a dot or []
 *     items[].price         [] leads to the elements of a list: items.list.element.price
 *
 * Dots separate names. Only where no field is at a path so read may the dots between names without
 * marks belong to one name: a.b is b in the group a, or else a field named a.b; "a.b" is that
 * field, and a."b" is not. A name that begins with a quotation mark or is empty ("") needs marks. A
 * path that leads to several fields is ambiguous: to siblings of one name, which only files of
 * others have, or through dots that can be put into names in several ways.
 */
/*
 * Finds the field at a path; "" is the root. NOT_FOUND, with the path that may be meant; INVALID
 * for a text that is no path, with the character, and for one that is ambiguous (FIELD_AMBIGUOUS),
 * with the fields that it may mean and their columns; LIMIT for more than 500 names. Uses no
 * memory.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_schema_resolve(const lam_schema *schema, const char *path,
                                                       const lam_field **ret_field,
                                                       lam_error *error);

/* The same without the reason: NULL for every failure. */
static inline const lam_field *lam_schema_find(const lam_schema *schema, const char *path) {
    const lam_field *field = NULL;
    return lam_schema_resolve(schema, path, &field, NULL) == LAM_STATUS_OK ? field : NULL;
}

/*
 * Marks the leaves at or below the field at a path in `leaves`, an array of as many bools as the
 * schema has leaves; of siblings of one name those of all. The others keep their value, so that
 * calls add up. Fails otherwise as lam_schema_resolve does.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_schema_select(const lam_schema *schema, const char *path,
                                                      bool *leaves, lam_error *error);

/*
 * Marks leaves by a list of paths, as people write it, with commas between them:
 *
 *     id, user.name           the leaves at and below these fields, as lam_schema_select does
 *     "Price, EUR", "a b"     names without marks end at a comma, too, and blanks around names do
 *                             not count
 *     *, user.*, addr_*       all fields of the root or of a group; names with any characters in
 *                             place of each *
 *     *, !secret              without the leaves at and below secret, wherever that stands in the
 *                             list. -secret is the same; a list of nothing else begins with all
 *
 * A name that begins with ! or -, or holds a *, needs quotation marks. `leaves` has a bool for each
 * leaf of the schema, and all of them are set. `text` is `size` bytes of UTF-8; `allocator` is
 * used during the call and may be NULL. NOT_FOUND where a path leads nowhere, INVALID for a list
 * that is empty or not well formed, has an empty path or one that is ambiguous, or leaves no leaf;
 * both name the character. LIMIT for a path of more than 1,500 names, NOMEM. A failure leaves
 * `leaves` alone.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_schema_select_text(const lam_schema *schema,
                                                           const char *text, size_t size,
                                                           const lam_allocator *allocator,
                                                           bool *leaves, lam_error *error);

/* What comes next in a path. */
typedef enum lam_path_step_kind {
    LAM_PATH_STEP_END = 0,
    LAM_PATH_STEP_NAME,
    LAM_PATH_STEP_ELEMENTS /* [] */
} lam_path_step_kind;

/*
 * Takes a path apart, for programs with trees of their own, whose root may be a list: the step at
 * `*position`, which is 0 at first and moves after it. A name is written to `name`, without its
 * marks and NUL-terminated. Dots always separate names here. INVALID for a text that is no path,
 * with the character; LIMIT for a name that `capacity` bytes do not hold.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_path_next(const char *path, size_t *position, char *name,
                                                  size_t capacity, lam_path_step_kind *ret_kind,
                                                  lam_error *error);
/*
 * Bytes of the path that a text begins with, when a character ends it: what comes before the first
 * `end` that no quotation marks are around; `size` when there is none.
 */
LAM_PUBLIC size_t lam_path_size(const char *text, size_t size, char end);

/*
 * Writes the path of a field, cut to `capacity` - 1 bytes and NUL-terminated; returns its full
 * length. Names that are no words (letters, digits, _ and characters beyond ASCII, no digit first),
 * or are a keyword of conditions (lamella/filter_text.h), are between quotation marks, so that
 * every call, list and condition reads the same field from it. Nothing for the root.
 */
LAM_PUBLIC size_t lam_field_path(const lam_field *field, char *buffer, size_t capacity);

LAM_PUBLIC const char *lam_field_name(const lam_field *field);
LAM_PUBLIC lam_repetition lam_field_repetition(const lam_field *field);
LAM_PUBLIC lam_physical_type lam_field_physical_type(const lam_field *field);
/*
 * Bytes of a FIXED_LEN_BYTE_ARRAY value, 12 for INT96, 4 or 8 for numbers, 1 for BOOLEAN, 0 for
 * BYTE_ARRAY and groups.
 */
LAM_PUBLIC int32_t lam_field_type_length(const lam_field *field);
/* Never NULL; its kind is NONE for a field without annotation. */
LAM_PUBLIC const lam_logical_type *lam_field_logical_type(const lam_field *field);
/* False, with nothing set, for a field without an id. */
LAM_PUBLIC bool lam_field_id(const lam_field *field, int32_t *ret_id);
LAM_PUBLIC bool lam_field_is_leaf(const lam_field *field);
/* NULL for the root. */
LAM_PUBLIC const lam_field *lam_field_parent(const lam_field *field);
LAM_PUBLIC size_t lam_field_child_count(const lam_field *field);
/* NULL when out of range. */
LAM_PUBLIC const lam_field *lam_field_child(const lam_field *field, size_t index);
/* The child of that name (`size` bytes); NULL when there is none. */
LAM_PUBLIC const lam_field *lam_field_child_named(const lam_field *field, const char *name,
                                                  size_t size);
/* Position among the parent's children; 0 for the root. */
LAM_PUBLIC size_t lam_field_ordinal(const lam_field *field);
/* Position in preorder; 0 for the root. */
LAM_PUBLIC size_t lam_field_index(const lam_field *field);
/* Number of ancestors; 0 for the root. */
LAM_PUBLIC size_t lam_field_depth(const lam_field *field);
LAM_PUBLIC uint8_t lam_field_max_repetition(const lam_field *field);
LAM_PUBLIC uint8_t lam_field_max_definition(const lam_field *field);
/* The leaves of the subtree are first_leaf .. first_leaf + leaf_count - 1; a leaf has itself. */
LAM_PUBLIC size_t lam_field_first_leaf(const lam_field *field);
LAM_PUBLIC size_t lam_field_leaf_count(const lam_field *field);
/*
 * The element of a list, by the backward-compatibility rules (LogicalTypes.md, section "Lists"):
 * the field within the repeated group, or the repeated field itself in lists without a wrapper.
 * NULL if the field is not annotated as a list, or has not the form of one.
 */
LAM_PUBLIC const lam_field *lam_field_list_element(const lam_field *field);
/* The repeated group of a map, with a key, or a key and a value; NULL if the field is no map. */
LAM_PUBLIC const lam_field *lam_field_map_entry(const lam_field *field);
/*
 * Reads a schema from message text:
 *
 *     message Document {
 *       required int64 DocId;
 *       optional group Links { repeated int64 Backward; repeated int64 Forward = 7; }
 *       optional binary "full name" (STRING) = 8;   # a comment, like those of C
 *     }
 *
 * A name is a plain word (no white space, no control character, none of ;{}()=,[] and no " or # or
 * slashes of a comment at its start) or stands between quotation marks, with the escapes \" \\ \n
 * \r \t and \xHH for a byte; the name may be empty. A name may be followed, in either order, by a
 * logical type in parentheses and by "=" with a field id. Keywords, types and logical types may be
 * of any case. Fields without a message around them belong to a message named "schema".
 *
 *     boolean int32 int64 int96 float double binary fixed_len_byte_array(N) group
 *     bool  float32 float64  bytes byte_array  fixed(N)              other names of these
 *     string  int8 int16 uint8 uint16 uint32 uint64                  with a logical type
 *
 *     STRING ENUM UUID DATE JSON BSON FLOAT16 INTERVAL UNKNOWN LIST MAP MAP_KEY_VALUE FILE
 *     DECIMAL(9,2)  TIME(MILLIS,true)  TIMESTAMP(MICROS,false)  INTEGER(16,true)  VARIANT(1)
 *     GEOMETRY(OGC:CRS84)  GEOGRAPHY(OGC:CRS84,KARNEY)               and converted types: UTF8 ...
 *
 * A CRS is a word like a name: plain or between quotation marks.
 *
 * `text` is `size` bytes of UTF-8, borrowed for the call. INVALID with line, column (from 1, in
 * characters) and what was expected; LIMIT as in the builder. The result is freed with
 * lam_schema_destroy.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_schema_parse(const char *text, size_t size,
                                                     const lam_allocator *allocator,
                                                     lam_schema **ret_schema, lam_error *error);

/* The same for a text that ends with a NUL. */
static inline LAM_NODISCARD lam_status lam_schema_parse_text(const char *text,
                                                             const lam_allocator *allocator,
                                                             lam_schema **ret_schema,
                                                             lam_error *error) {
    return lam_schema_parse(text, text == NULL ? SIZE_MAX : strlen(text), allocator, ret_schema,
                            error);
}

/*
 * Prints a schema as message text, a line for each field, that parses back to the same tree.
 * (Features that only a file can have, such as siblings of one name, are printed, and then refused
 * by the parser.) Returns the length of the whole text without its NUL; writes at most `capacity`
 * bytes, NUL included, into `buffer` (which may be NULL when capacity is 0).
 */
LAM_PUBLIC size_t lam_schema_print(const lam_schema *schema, char *buffer, size_t capacity);

/*
 * Prints a logical type as in message text, "TIMESTAMP(MICROS,true)", nothing for NONE; cut to
 * `capacity` - 1 bytes and NUL-terminated. Returns its full length.
 */
LAM_PUBLIC size_t lam_logical_type_print(const lam_logical_type *type, char *buffer,
                                         size_t capacity);

/*
 * True when both trees have equal names, types, repetitions, logical types and field ids. Types
 * that this version does not know are equal when they are stated in the same bytes.
 */
LAM_PUBLIC bool lam_schema_equals(const lam_schema *a, const lam_schema *b);

/* Releases the schema; its last holder frees it. NULL is allowed. */
LAM_PUBLIC void lam_schema_destroy(lam_schema *schema);

/*
 * Builds a schema in preorder: begin a group, add its children, end it. Any failure leaves the
 * builder as it was, so that a caller may go on.
 */
typedef struct lam_schema_builder lam_schema_builder;

/* The properties of a field besides its children. Zero means the default in every member. */
typedef struct lam_field_options {
    lam_logical_type logical_type;
    int32_t type_length; /* FIXED_LEN_BYTE_ARRAY: bytes, 1 or more; 0 for every other type */
    bool has_id;
    int32_t id;
} lam_field_options;

LAM_PUBLIC LAM_NODISCARD lam_status lam_schema_builder_create(const char *message_name,
                                                              const lam_allocator *allocator,
                                                              lam_schema_builder **ret_builder,
                                                              lam_error *error);
/* Opens a group within the group that is open. `options` may be NULL. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_schema_builder_begin_group(lam_schema_builder *builder,
                                                                   const char *name,
                                                                   lam_repetition repetition,
                                                                   const lam_field_options *options,
                                                                   lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_schema_builder_end_group(lam_schema_builder *builder,
                                                                 lam_error *error);
/*
 * Adds a leaf. INVALID when the logical type does not go with the physical type, a sibling has the
 * same name, or a number is out of range; LIMIT when the tree grows too deep.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_schema_builder_add_leaf(
    lam_schema_builder *builder, const char *name, lam_repetition repetition,
    lam_physical_type type, const lam_field_options *options, lam_error *error);
/*
 * Ends the root and gives the schema. STATE when a group is still open. The builder is then empty.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_schema_builder_finish(lam_schema_builder *builder,
                                                              lam_schema **ret_schema,
                                                              lam_error *error);
LAM_PUBLIC void lam_schema_builder_destroy(lam_schema_builder *builder);

#ifdef __cplusplus
}
#endif

#endif
