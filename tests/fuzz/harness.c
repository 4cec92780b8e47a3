/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator, the bytes and the records that all fuzz targets share. */
#include "fuzz/harness.h"

#include <lamella/record.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

void lam_fuzz_fail(const char *file, int line, const char *promise, const lam_error *error) {
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
    if (error != NULL)
        fprintf(stderr, "%s: %s (row group %d, column %d %s, offset %lld)\n",
                lam_status_name(error->status), error->message, error->row_group, error->column,
                error->column_path, (long long)error->offset);
    abort();
}

static bool is_line(const char *message) {
    size_t length = strlen(message);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)message[i] < ' ')
            return false;
    return length > 0 && lam_utf8_prefix((const uint8_t *)message, length) == length;
}

bool lam_fuzz_judge(lam_status status, const lam_error *error, unsigned allowed) {
    const char *broken = NULL;
    if (status == LAM_STATUS_OK && error->status != LAM_STATUS_OK)
        lam_fuzz_fail(__FILE__, __LINE__, "a call that succeeds leaves the error alone", error);
    if (status == LAM_STATUS_OK)
        return true;
    if (error->status != status)
        broken = "the error has the status that is returned";
    else if ((allowed >> status & 1) == 0)
        broken = "the failure is not whose it says";
    else if (!is_line(error->message))
        broken = "the message is one line of UTF-8";
    else if (error->column_path[0] != '\0' && (error->column < 0 || !is_line(error->column_path)))
        broken = "a path is that of a column, on one line of UTF-8";
    else if (error->code == LAM_ERROR_CODE_NONE ? status == LAM_STATUS_CORRUPT
                                                : (int)error->code / 1000 != (int)status)
        broken = "the code is one of the status, and what is CORRUPT has one";
    if (broken != NULL)
        lam_fuzz_fail(__FILE__, __LINE__, broken, error);
    return false;
}

/* --- Memory -------------------------------------------------------------------------------- */

static size_t live;

static void *allocate(void *state, size_t size) {
    (void)state;
    if (size > LAM_FUZZ_MEMORY_MAX - live)
        return NULL;
    void *memory = malloc(size);
    if (memory != NULL)
        live += size;
    return memory;
}

static void release(void *state, void *memory, size_t size) {
    (void)state;
    live -= size;
    free(memory);
}

static void *reallocate(void *state, void *memory, size_t old_size, size_t new_size) {
    (void)state;
    if (new_size > LAM_FUZZ_MEMORY_MAX - (live - old_size))
        return NULL;
    void *moved = realloc(memory, new_size);
    if (moved != NULL)
        live += new_size - old_size;
    return moved;
}

lam_allocator lam_fuzz_allocator(void) {
    lam_allocator allocator = {NULL, allocate, reallocate, release};
    return allocator;
}

void lam_fuzz_expect_no_leak(void) {
    LAM_FUZZ_EXPECT(live == 0);
}

bool lam_fuzz_open_writer(const lam_schema *schema, const lam_allocator *allocator,
                          lam_output *ret_bytes, lam_writer **ret_writer) {
    lam_writer_options options = lam_writer_options_default();
    lam_error error = lam_error_none();
    lam_output output;
    options.allocator = allocator;
    LAM_FUZZ_OK(lam_output_memory(allocator, &output, &fault));
    *ret_bytes = output;
    ret_bytes->close = NULL;
    lam_status status = lam_writer_open(schema, &output, &options, ret_writer, &error);
    if (status != LAM_STATUS_OK)
        lam_output_close(&output);
    return lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER);
}

void *lam_fuzz_block(size_t size) {
    void *block = malloc(size);
    if (block == NULL && size > 0)
        abort();
    return block;
}

/* --- Input --------------------------------------------------------------------------------- */

uint64_t lam_fuzz_number(lam_fuzz_input *input, unsigned bytes) {
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes && input->left > 0; i++, input->left--)
        number |= (uint64_t)*input->next++ << 8 * i;
    return number;
}

uint8_t *lam_fuzz_rest(lam_fuzz_input *input, lam_bytes *ret_bytes) {
    uint8_t *block = lam_fuzz_block(input->left);
    if (input->left > 0)
        memcpy(block, input->next, input->left);
    ret_bytes->data = block;
    ret_bytes->size = input->left;
    input->left = 0;
    return block;
}

size_t lam_fuzz_piece(uint32_t *state, size_t left) {
    static const uint16_t most[] = {1, 3, 8, 9, 40, 300, 1025, 10000};
    *state = *state * 1664525u + 1013904223u;
    size_t bound = most[*state >> 29];
    size_t piece = (*state >> 8) % (bound + 1);
    return piece < left ? piece : left;
}

/* --- Values -------------------------------------------------------------------------------- */

lam_value_layout lam_fuzz_layout(lam_fuzz_input *input) {
    static const int32_t sizes[] = {1, 4, 8, 12, 4, 8, 0, 0};
    lam_value_layout layout;
    layout.type = (lam_physical_type)(lam_fuzz_number(input, 1) % 8);
    layout.type_length = sizes[layout.type];
    int32_t length = (int32_t)lam_fuzz_number(input, 1);
    if (layout.type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        layout.type_length = length < 240 ? length + 1 : (length - 239) * 4097;
    return layout;
}

bool lam_fuzz_values_equal(lam_value_layout layout, const void *a, const void *b, size_t count) {
    if (layout.type != LAM_PHYSICAL_BYTE_ARRAY)
        return count == 0 || memcmp(a, b, count * lam_layout_size(layout)) == 0;
    const lam_bytes *first = a, *second = b;
    for (size_t i = 0; i < count; i++)
        if (first[i].size != second[i].size ||
            (first[i].size > 0 && memcmp(first[i].data, second[i].data, first[i].size) != 0))
            return false;
    return true;
}

uint64_t lam_fuzz_hash(uint64_t hash, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    for (; size > 0; size--)
        hash = (hash ^ *at++) * 0x100000001B3u;
    return hash;
}

uint64_t lam_fuzz_hash_values(uint64_t hash, lam_value_layout layout, const void *values,
                              size_t count) {
    if (layout.type != LAM_PHYSICAL_BYTE_ARRAY) {
        const uint8_t *at = values;
        size_t size = lam_layout_size(layout);
        for (size_t i = 0; i < count; i++)
            hash = lam_fuzz_hash(hash, at + i * size, size);
        return hash;
    }
    const lam_bytes *strings = values;
    for (size_t i = 0; i < count; i++) {
        hash = lam_fuzz_hash(hash, &strings[i].size, sizeof strings[i].size);
        hash = lam_fuzz_hash(hash, strings[i].data, strings[i].size);
    }
    return hash;
}

/* --- Records ------------------------------------------------------------------------------- */

static lam_status note(lam_fuzz_sink *sink, char verb, const lam_field *field, lam_error *error) {
    size_t index = field == NULL ? 0 : lam_field_index(field);
    sink->open_hash = lam_fuzz_hash(sink->open_hash, &verb, 1);
    sink->open_hash = lam_fuzz_hash(sink->open_hash, &index, sizeof index);
    if (sink->verbs_left-- > 0)
        return LAM_STATUS_OK;
    sink->verbs_left = 0;
    sink->cancelled = true;
    if (error != NULL) {
        *error = lam_error_none();
        error->status = LAM_STATUS_STATE;
        strcpy(error->message, "enough");
    }
    return LAM_STATUS_STATE;
}

/* Remembers who failed. */
static lam_status pass(lam_fuzz_sink *sink, lam_status status) {
    if (status != LAM_STATUS_OK)
        sink->next_failed = true;
    return status;
}

static lam_status begin(void *state, lam_error *error) {
    lam_fuzz_sink *sink = state;
    sink->open_hash = sink->hash;
    lam_status status = note(sink, 'b', NULL, error);
    if (status != LAM_STATUS_OK || sink->next.begin == NULL)
        return status;
    return pass(sink, sink->next.begin(sink->next.state, error));
}

static lam_status open_group(void *state, const lam_field *group, lam_error *error) {
    lam_fuzz_sink *sink = state;
    lam_status status = note(sink, 'o', group, error);
    if (status != LAM_STATUS_OK || sink->next.open == NULL)
        return status;
    return pass(sink, sink->next.open(sink->next.state, group, error));
}

static lam_status put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    lam_fuzz_sink *sink = state;
    lam_physical_type type = lam_field_physical_type(leaf);
    if (type == LAM_PHYSICAL_BYTE_ARRAY || type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
        type == LAM_PHYSICAL_INT96)
        sink->open_hash = lam_fuzz_hash(sink->open_hash, value.bytes.data, value.bytes.size);
    else
        sink->open_hash =
            lam_fuzz_hash(sink->open_hash, &value, (size_t)lam_field_type_length(leaf));
    lam_status status = note(sink, 'p', leaf, error);
    if (status != LAM_STATUS_OK || sink->next.put == NULL)
        return status;
    return pass(sink, sink->next.put(sink->next.state, leaf, value, error));
}

static lam_status close_group(void *state, const lam_field *group, lam_error *error) {
    lam_fuzz_sink *sink = state;
    lam_status status = note(sink, 'c', group, error);
    if (status != LAM_STATUS_OK || sink->next.close == NULL)
        return status;
    return pass(sink, sink->next.close(sink->next.state, group, error));
}

static lam_status end(void *state, lam_error *error) {
    lam_fuzz_sink *sink = state;
    lam_status status = note(sink, 'e', NULL, error);
    if (status == LAM_STATUS_OK && sink->next.end != NULL)
        status = pass(sink, sink->next.end(sink->next.state, error));
    if (status == LAM_STATUS_OK) {
        sink->hash = sink->open_hash;
        sink->records++;
    }
    return status;
}

lam_record_sink lam_fuzz_sink_verbs(lam_fuzz_sink *sink) {
    lam_record_sink verbs = {sink, begin, open_group, put, close_group, end, NULL};
    return verbs;
}
