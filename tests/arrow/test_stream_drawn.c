/* SPDX-License-Identifier: Apache-2.0 */
/* Levels and values as they are drawn on paper, and the arrays that they must become. */
#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "arrow/opened_stream.h"
#include "file/file_sample.h"

/* A file of the triples of each leaf; `levels` are those that the drawings give. */
typedef struct drawn_leaf {
    size_t count;
    uint8_t repetition[8];
    uint8_t definition[8];
    size_t value_count;
    int32_t values[8];
} drawn_leaf;

static void write_drawn(lam_file_sample *sample, const char *schema, const drawn_leaf *leaves,
                        size_t rows) {
    memset(sample, 0, sizeof *sample);
    sample->schema = lam_test_schema(schema);
    lam_test_writer file = lam_test_write_as(sample->schema, NULL);
    lam_triples triples[8];
    for (size_t i = 0; i < lam_schema_leaf_count(sample->schema); i++) {
        lam_triples drawn = {leaves[i].count, leaves[i].value_count, leaves[i].repetition,
                             leaves[i].definition, leaves[i].values};
        triples[i] = drawn;
    }
    lam_test_put_triples(&file, triples, rows);
    sample->bytes = lam_test_written(&file);
}

static void free_drawn(lam_file_sample *sample) {
    lam_schema_destroy(sample->schema);
    lam_buffer_finish(&sample->bytes);
}

/* A bit per slot, the first one lowest; -1 for no buffer. */
static void expect_validity(const struct ArrowArray *array, int bits, int64_t nulls) {
    cr_assert_eq(array->null_count, nulls);
    cr_assert_eq(array->buffers[0] == NULL, bits < 0);
    for (int64_t i = 0; bits >= 0 && i < array->length; i++)
        cr_assert_eq(lam_array_slot_valid(array, i), bits >> i & 1);
}

static void expect_numbers(const struct ArrowArray *array, size_t count, const int32_t *numbers) {
    cr_assert_arr_eq(array->buffers[1], numbers, count * sizeof *numbers);
}

Test(stream_drawn, structs_as_they_are_drawn) {
    /* Three documents: a, b {b1, b2}, c {c1}, d {d1, d2}. Slots that are null hold zeros. */
    static const drawn_leaf leaves[] = {
        {3, {0}, {1, 1, 0}, 2, {1, 2}}, {3, {0}, {1, 0, 1}, 2, {1, 5}}, {3, {0}, {0}, 3, {3, 4, 6}},
        {3, {0}, {0, 1, 1}, 2, {6, 7}}, {3, {0}, {1, 1, 0}, 2, {1, 2}}, {3, {0}, {1, 2, 0}, 1, {1}},
    };
    lam_file_sample sample;
    write_drawn(&sample,
                "message schema { optional int32 a;"
                " required group b { optional int32 b1; required int32 b2; }"
                " optional group c { required int32 c1; }"
                " optional group d { required int32 d1; optional int32 d2; } }",
                leaves, 3);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    struct ArrowArrayStream stream = lam_opened_stream(reader, NULL);
    struct ArrowArray root = lam_opened_stream_next(&stream);
    cr_assert_eq(root.length, 3);
    cr_assert_eq(root.n_children, 4);
    expect_validity(&root, -1, 0);
    expect_validity(root.children[0], 3, 1); /* 1 1 0 */
    expect_numbers(root.children[0], 3, (int32_t[]){1, 2, 0});
    const struct ArrowArray *b = root.children[1], *c = root.children[2], *d = root.children[3];
    expect_validity(b, -1, 0);
    expect_validity(b->children[0], 5, 1); /* 1 0 1 */
    expect_numbers(b->children[0], 3, (int32_t[]){1, 0, 5});
    expect_validity(b->children[1], -1, 0);
    expect_numbers(b->children[1], 3, (int32_t[]){3, 4, 6});
    expect_validity(c, 6, 1); /* 0 1 1 */
    expect_validity(c->children[0], -1, 0);
    expect_numbers(c->children[0], 3, (int32_t[]){0, 6, 7});
    expect_validity(d, 3, 1); /* 1 1 0 */
    expect_validity(d->children[0], -1, 0);
    expect_numbers(d->children[0], 3, (int32_t[]){1, 2, 0});
    expect_validity(d->children[1], 2, 2); /* 0 1, and 0 where d is not */
    expect_numbers(d->children[1], 3, (int32_t[]){0, 1, 0});
    root.release(&root);
    stream.release(&stream);
    lam_reader_close(reader);
    free_drawn(&sample);
}

Test(stream_drawn, lists_as_they_are_drawn) {
    static const drawn_leaf leaf = {5, {0, 0, 0, 0, 1}, {3, 0, 1, 2, 3}, 2, {1, 2}};
    lam_file_sample sample;
    write_drawn(&sample,
                "message schema { optional group a (LIST) { repeated group list {"
                " optional int32 element; } } }",
                &leaf, 4);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    struct ArrowArrayStream stream = lam_opened_stream(reader, NULL);
    struct ArrowArray root = lam_opened_stream_next(&stream);
    const struct ArrowArray *list = root.children[0], *elements = list->children[0];
    cr_assert_eq(list->length, 4);
    expect_validity(list, 13, 1); /* 1 0 1 1 */
    expect_numbers(list, 5, (int32_t[]){0, 1, 1, 1, 3});
    cr_assert_eq(elements->length, 3);
    expect_validity(elements, 5, 1); /* 1 0 1 */
    expect_numbers(elements, 3, (int32_t[]){1, 0, 2});
    root.release(&root);
    stream.release(&stream);
    lam_reader_close(reader);
    free_drawn(&sample);
}
