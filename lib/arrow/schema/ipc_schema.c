/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the IPC message of a schema into base64 and takes it out again: the continuation marker, the
 * size and the padding are handled here, the message itself in flat_schema.cpp. Reading goes from
 * the text of a footer's key_value entry, which may be any bytes, to fields, and writing the other
 * way.
 *
 * The message is always at a multiple of 8 bytes, as FlatBuffers' verifier and loads need it,
 * whether or not the writer put the marker before the size. Builds without FlatBuffers have the two
 * functions at the end of the file instead. (Arrow columnar format, "Encapsulated message format")
 */
#include "arrow/schema/ipc_schema.h"

#include <string.h>

#include "base/base64.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"

#ifdef LAM_HAVE_ARROW_SCHEMA

#include "arrow/schema/flat_schema.h"

/* Marks messages since version 0.15 of the format; before, the size came first. */
static const uint32_t CONTINUATION = UINT32_MAX;
enum { IPC_SCHEMA_NUMBER = 4, FRAME = 2 * IPC_SCHEMA_NUMBER, IPC_SCHEMA_ALIGNMENT = 8 };

lam_status lam_ipc_schema_read(lam_bytes value, lam_arena *arena, lam_arrow_field *ret_schema,
                               lam_error *error) {
    uint8_t *bytes;
    void *memory;
    size_t size, prefix = IPC_SCHEMA_NUMBER;
    /* The arena keeps these bytes: the fields borrow their names and metadata from them. */
    LAM_TRY(lam_arena_alloc(arena, value.size / 4 * 3, &memory, error));
    bytes = memory;
    if (!lam_base64_parse((const char *)value.data, value.size, bytes, &size))
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_SCHEMA, "the Arrow schema is not base64");
    /* No footer holds a message of 2^32 - 1 bytes, so the marker is never a size. */
    if (size >= IPC_SCHEMA_NUMBER && lam_load_le32(bytes) == CONTINUATION)
        prefix = FRAME;
    if (size < prefix)
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_SCHEMA, "the Arrow schema ends in its frame");
    /* The size is the file's claim: it must be within the bytes present. */
    lam_bytes message = {bytes, lam_load_le32(bytes + prefix - IPC_SCHEMA_NUMBER)};
    if (message.size > size - prefix)
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_SCHEMA,
                 "the Arrow schema has a message of %zu bytes, but %zu are present", message.size,
                 size - prefix);
    memmove(bytes, bytes + prefix, message.size); /* to the aligned start of the block */
    return lam_flat_schema_read(message, arena, ret_schema, error);
}

/*
 * Writes marker, size, message and padding. The size is known last, so the first 8 bytes are
 * reserved and filled in afterwards; it counts the padding.
 */
static lam_status ipc_schema_write_message(const lam_arrow_field *schema, lam_buffer *message,
                                           lam_error *error) {
    uint8_t frame[FRAME] = {0};
    LAM_TRY(lam_buffer_append(message, frame, FRAME, error));
    LAM_TRY(lam_flat_schema_write(schema, message, error));
    while (message->size % IPC_SCHEMA_ALIGNMENT != 0)
        LAM_TRY(lam_buffer_append_byte(message, 0, error));
    lam_store_le32(message->data, CONTINUATION);
    lam_store_le32(message->data + IPC_SCHEMA_NUMBER, (uint32_t)(message->size - FRAME));
    return LAM_STATUS_OK;
}

lam_status lam_ipc_schema_write(const lam_arrow_field *schema, lam_arena *arena,
                                lam_bytes *ret_value, lam_error *error) {
    lam_status status;
    lam_buffer message;
    uint8_t *text;
    lam_buffer_init(&message, &arena->allocator);
    LAM_TRY_OUT(ipc_schema_write_message(schema, &message, error));
    /* Base64 has 4 letters for each 3 bytes begun, padding included. */
    LAM_TRY_OUT(lam_arena_bytes(arena, (message.size + 2) / 3 * 4, &text, error));
    ret_value->size = lam_base64_print(message.data, message.size, (char *)text);
    ret_value->data = text;
out:
    lam_buffer_finish(&message);
    return status;
}

#else

lam_status lam_ipc_schema_read(lam_bytes value, lam_arena *arena, lam_arrow_field *ret_schema,
                               lam_error *error) {
    (void)value;
    (void)arena;
    (void)ret_schema;
    LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ARROW, "this build does not read ARROW:schema");
}

lam_status lam_ipc_schema_write(const lam_arrow_field *schema, lam_arena *arena,
                                lam_bytes *ret_value, lam_error *error) {
    (void)schema;
    (void)arena;
    (void)error;
    ret_value->data = NULL;
    ret_value->size = 0;
    return LAM_STATUS_OK;
}

#endif
