/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that have a format of their own, chosen by the first byte. Any bytes are good or INVALID;
 * what is good alone is good within a value of the same format.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "check/content/content_bson.h"
#include "fuzz/harness.h"
#include "stats/wkb.h"
#include "text/json_grammar.h"

static void append(lam_buffer *out, const void *bytes, size_t size) {
    LAM_FUZZ_OK(lam_buffer_append(out, bytes, size, &fault));
}

static void append_number(lam_buffer *out, uint32_t number) {
    uint8_t bytes[4];
    lam_store_le32(bytes, number);
    append(out, bytes, sizeof bytes);
}

/* --- JSON: an array of the value ------------------------------------------------------------- */

static lam_status check_json(lam_bytes value, lam_buffer *nesting, lam_error *error) {
    return lam_json_grammar_check(value, nesting, error);
}

static void wrap_json(lam_bytes value, lam_buffer *out) {
    append(out, "{\"a\" : [", 8);
    append(out, value.data, value.size);
    append(out, ",\"\\u0000\"]} ", 12);
}

/* --- BSON: a document of the document -------------------------------------------------------- */

static lam_status check_bson(lam_bytes value, lam_buffer *nesting, lam_error *error) {
    return lam_bson_check(value, nesting, error);
}

static void wrap_bson(lam_bytes value, lam_buffer *out) {
    static const char before[] = "\x0A\0\x04"
                                 "a"; /* a null and an array; its NUL ends the name */
    append_number(out, (uint32_t)(4 + sizeof before + value.size + 3));
    append(out, before, sizeof before);
    append(out, value.data, value.size);
    append(out, "\xFF\0", 3); /* the smallest key, and the end */
}

/* --- WKB: a collection of the geometry ------------------------------------------------------- */

typedef struct points {
    uint64_t count;
    uint64_t hash;
} points;

static points seen;

static void add_point(void *state, const double axes[LAM_WKB_AXES]) {
    points *all = state;
    all->count++;
    all->hash = lam_fuzz_hash(all->hash, axes, LAM_WKB_AXES * sizeof *axes);
}

static lam_status check_wkb(lam_bytes value, lam_buffer *nesting, lam_error *error) {
    lam_wkb_traits traits;
    const lam_wkb_sink sink = {&seen, add_point};
    seen = (points){0, 0};
    lam_status status = lam_wkb_read(value, &sink, nesting, &traits, error);
    if (status == LAM_STATUS_OK)
        LAM_FUZZ_EXPECT(traits.kind < LAM_WKB_KINDS && traits.layout < LAM_WKB_LAYOUTS);
    return status;
}

static void wrap_wkb(lam_bytes value, lam_buffer *out) {
    uint32_t code = lam_load_le32(value.data + 1);
    code = value.data[0] == 1 ? code : lam_swap32(code);
    append(out, "\1", 1);
    append_number(out, code / 1000 * 1000 + LAM_WKB_COLLECTION);
    append_number(out, 1);
    append(out, value.data, value.size);
}

/* --- All of them ----------------------------------------------------------------------------- */

typedef struct content {
    lam_status (*check)(lam_bytes value, lam_buffer *nesting, lam_error *error);
    void (*wrap)(lam_bytes value, lam_buffer *out);
} content;

static const content contents[] = {
    {check_json, wrap_json},
    {check_bson, wrap_bson},
    {check_wkb, wrap_wkb},
};

static lam_status check(const content *format, lam_bytes value, lam_buffer *nesting) {
    lam_error error = lam_error_none();
    lam_buffer_clear(nesting);
    lam_status status = format->check(value, nesting, &error);
    lam_fuzz_judge(status, &error, 1 << LAM_STATUS_INVALID | 1 << LAM_STATUS_UNSUPPORTED);
    LAM_FUZZ_EXPECT(status != LAM_STATUS_OK || nesting->size == 0);
    LAM_FUZZ_EXPECT(nesting->capacity <= 16 * value.size + 4096);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    lam_allocator allocator = lam_fuzz_allocator();
    lam_buffer nesting, wrapped;
    lam_bytes value;
    const content *format =
        &contents[lam_fuzz_number(&input, 1) % (sizeof contents / sizeof contents[0])];
    uint8_t *block = lam_fuzz_rest(&input, &value);
    lam_buffer_init(&nesting, &allocator);
    lam_buffer_init(&wrapped, &allocator);
    if (check(format, value, &nesting) == LAM_STATUS_OK) {
        points alone = seen;
        format->wrap(value, &wrapped);
        LAM_FUZZ_EXPECT(check(format, lam_buffer_bytes(&wrapped), &nesting) == LAM_STATUS_OK);
        LAM_FUZZ_EXPECT(alone.count == seen.count && alone.hash == seen.hash);
    }
    lam_buffer_finish(&nesting);
    lam_buffer_finish(&wrapped);
    free(block);
    lam_fuzz_expect_no_leak();
    return 0;
}
