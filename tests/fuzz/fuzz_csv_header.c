/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of the columns of delimited text, any number of them, many of which are the same:
 *
 *     how often (2 bytes), names
 *
 * The names, so often, are the first record. Every column has a name that no other has, in time
 * that does not grow faster than the text.
 */
#include <lamella/csv.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "fuzz/harness.h"

enum { TEXT_MOST = 64 << 10 };

static lam_status read_header(void *state, void *buffer, size_t capacity, size_t *ret_size,
                              lam_error *error) {
    lam_bytes *left = state;
    size_t size = left->size < capacity ? left->size : capacity;
    (void)error;
    if (size > 0)
        memcpy(buffer, left->data, size);
    *left = (lam_bytes){left->data + size, left->size - size};
    *ret_size = size;
    return LAM_STATUS_OK;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void expect_names(const lam_schema *schema) {
    size_t count = lam_schema_leaf_count(schema);
    const char **names = calloc(count + 1, sizeof *names);
    if (names == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        names[i] = lam_field_name(lam_schema_leaf(schema, i));
        size_t size = strlen(names[i]);
        LAM_FUZZ_EXPECT(size > 0 && lam_utf8_prefix((const uint8_t *)names[i], size) == size);
    }
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        LAM_FUZZ_EXPECT(strcmp(names[i - 1], names[i]) != 0);
    free(names);
}

static void infer_names(lam_bytes text) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_csv_options options = lam_csv_options_default();
    lam_csv_source source = {&text, read_header};
    lam_error error = lam_error_none();
    lam_csv_inference *inference;
    lam_schema *schema;
    options.delimiter = ',';
    LAM_FUZZ_OK(lam_csv_inference_create(&options, &allocator, &inference, &fault));
    if (lam_fuzz_judge(lam_csv_inference_add(inference, &source, false, &error), &error,
                       LAM_FUZZ_OF_CALLER) &&
        lam_fuzz_judge(lam_csv_inference_schema(inference, "schema", &schema, &error), &error,
                       LAM_FUZZ_OF_CALLER)) {
        expect_names(schema);
        lam_schema_destroy(schema);
    }
    lam_csv_inference_destroy(inference);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    size_t times = (size_t)lam_fuzz_number(&input, 2) % 16384 + 1, used = 0;
    uint8_t *text = lam_fuzz_block(TEXT_MOST);
    for (; times > 0 && input.left < TEXT_MOST - used; times--) {
        if (used > 0)
            text[used++] = ',';
        if (input.left > 0)
            memcpy(text + used, input.next, input.left);
        used += input.left;
    }
    infer_names((lam_bytes){text, used});
    free(text);
    lam_fuzz_expect_no_leak();
    return 0;
}
