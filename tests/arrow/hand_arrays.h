/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow arrays made by hand: their buffers are arrays of C, nothing is freed. */
#ifndef LAM_TESTS_HAND_ARRAYS_H
#define LAM_TESTS_HAND_ARRAYS_H

#include <criterion/criterion.h>
#include <lamella/lamella.h>

#include "arrow_text.h"
#include "support/test_file.h"

enum { HAND_BUFFERS = 6, HAND_CHILDREN = 4 };

/* An array and the room that it points to. */
typedef struct hand_array {
    struct ArrowArray array;
    const void *buffers[HAND_BUFFERS];
    struct ArrowArray *children[HAND_CHILDREN];
    struct hand_array *parts[HAND_CHILDREN]; /* of which hand_at makes the children, if any */
} hand_array;

static inline void hand_release(struct ArrowArray *array) {
    array->release = NULL;
}

/* An array of that many slots; its pointers are made by hand_at. */
#define HAND(slots, buffer_count, ...)                                                             \
    {                                                                                              \
        .array = {.length = (slots),                                                               \
                  .null_count = -1,                                                                \
                  .n_buffers = (buffer_count),                                                     \
                  .release = hand_release},                                                        \
        .buffers = {                                                                               \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static inline struct ArrowArray *hand_at(hand_array *hand) {
    hand->array.buffers = hand->buffers;
    hand->array.children = hand->children;
    for (int64_t i = 0; i < HAND_CHILDREN && hand->parts[i] != NULL; i++) {
        hand->children[i] = hand_at(hand->parts[i]);
        hand->array.n_children = i + 1;
    }
    return &hand->array;
}

/*
 * Arrays of arrays, in one expression that lives as long as the block around it:
 *
 *     STRUCTS(2, NULL, LISTS(2, BITS(0x01), INTS(0, 2, 2), VALUES(2, NULL, INTS(7, 8))))
 */
#define HAND_PART(slots, buffer_count, a, b, c, ...)                                               \
    (&(hand_array){.array = {.length = (slots),                                                    \
                             .null_count = -1,                                                     \
                             .n_buffers = (buffer_count),                                          \
                             .release = hand_release},                                             \
                   .buffers = {a, b, c},                                                           \
                   .parts = {__VA_ARGS__}})
#define BITS(...) ((const uint8_t[]){__VA_ARGS__})
#define INTS(...) ((const int32_t[]){__VA_ARGS__})
#define NULLS(slots) HAND_PART(slots, 0, NULL, NULL, NULL, NULL)
#define VALUES(slots, bits, values) HAND_PART(slots, 2, bits, values, NULL, NULL)
#define BYTES(slots, bits, offsets, data) HAND_PART(slots, 3, bits, offsets, data, NULL)
#define STRUCTS(slots, bits, ...) HAND_PART(slots, 1, bits, NULL, NULL, __VA_ARGS__)
#define LISTS(slots, bits, offsets, part) HAND_PART(slots, 2, bits, offsets, NULL, part)
#define VIEWS(slots, bits, offsets, sizes, part) HAND_PART(slots, 3, bits, offsets, sizes, part)
#define RUNS(slots, ends, values) HAND_PART(slots, 0, NULL, NULL, NULL, ends, values)

/* Makes it the parent of one more. */
static inline void hand_adopt(hand_array *parent, hand_array *child) {
    parent->children[parent->array.n_children++] = hand_at(child);
}

/* The root of one column. */
static inline hand_array hand_root(void) {
    hand_array root = HAND(0, 1, NULL);
    return root;
}

/* --- Writing them ---------------------------------------------------------------------------- */

typedef struct hand_writer {
    struct ArrowSchema arrow_schema;
    lam_schema *schema;
    lam_test_writer file;
    lam_writer *writer; /* of the file */
    lam_arrow_writer *arrow;
} hand_writer;

/* `columns` is a schema as in arrow_text.h. */
static inline hand_writer hand_open_with(const char *columns, const lam_writer_options *options) {
    hand_writer hand;
    lam_error error = lam_error_none();
    hand.arrow_schema = schema_of(columns);
    cr_assert_eq(lam_arrow_import_schema(&hand.arrow_schema, NULL, &hand.schema, &error),
                 LAM_STATUS_OK, "%s: %s", columns, error.message);
    hand.file = lam_test_write_as(hand.schema, options);
    hand.writer = hand.file.writer;
    cr_assert_eq(
        lam_arrow_writer_create(hand.writer, &hand.arrow_schema, NULL, &hand.arrow, &error),
        LAM_STATUS_OK, "%s", error.message);
    return hand;
}

static inline hand_writer hand_open(const char *columns) {
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_UNCOMPRESSED;
    return hand_open_with(columns, &options);
}

static inline void hand_close(hand_writer *hand) {
    lam_arrow_writer_destroy(hand->arrow);
    lam_test_drop(&hand->file);
    lam_schema_destroy(hand->schema);
    hand->arrow_schema.release(&hand->arrow_schema);
}

/* Writes the array as the one column "a" of that many rows. */
static inline lam_status hand_write(hand_writer *hand, struct ArrowArray *column, int64_t rows,
                                    lam_error *error) {
    hand_array root = hand_root();
    root.array.length = rows;
    root.array.n_children = 1;
    root.children[0] = column;
    return lam_arrow_write_array(hand->arrow, hand_at(&root), error);
}

/* What is written of the file. */
static inline lam_bytes hand_bytes(const hand_writer *hand) {
    return lam_buffer_bytes(&hand->file.trial->bytes);
}

/* Finishes the file and opens it. */
static inline lam_reader *hand_read(hand_writer *hand) {
    cr_assert_eq(lam_writer_finish(hand->writer, NULL), LAM_STATUS_OK);
    return lam_test_open(hand_bytes(hand).data, hand_bytes(hand).size, NULL);
}

#endif
