/*
 * The structure of BSON (bsonspec.org, version 1.1).
 *
 *     document := int32(its size, all of it) element* 00
 *     element  := type name 00 value
 *     string   := int32(bytes, the 00 included) UTF-8 text 00
 *
 * All numbers are little-endian. A value of type 03 or 04 is a document again, so that what is open
 * are the ends of documents.
 */
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/utf8.h"
#include "check/contents.h"

enum { CONTENT_BSON_SMALLEST = 5, STRING_SMALLEST = 1 };

enum bson_type {
    BSON_DOUBLE = 0x01,
    BSON_STRING = 0x02,
    BSON_DOCUMENT = 0x03,
    BSON_ARRAY = 0x04,
    BSON_BINARY = 0x05,
    BSON_UNDEFINED = 0x06,
    BSON_OBJECT_ID = 0x07,
    BSON_BOOLEAN = 0x08,
    BSON_DATE = 0x09,
    BSON_NULL = 0x0A,
    BSON_REGEX = 0x0B,
    BSON_POINTER = 0x0C,
    BSON_CODE = 0x0D,
    BSON_SYMBOL = 0x0E,
    BSON_SCOPED_CODE = 0x0F,
    BSON_INT32 = 0x10,
    BSON_TIMESTAMP = 0x11,
    BSON_INT64 = 0x12,
    BSON_DECIMAL128 = 0x13,
    BSON_MAX_KEY = 0x7F,
    BSON_MIN_KEY = 0xFF
};

typedef struct bson_reader {
    lam_bytes document;
    size_t at;
    size_t end;          /* of the innermost open document, its final 00 excluded */
    lam_buffer *nesting; /* uint32_t each: the `end` of those around it */
} bson_reader;

static lam_status content_bson_wrong(const bson_reader *reader, const char *what,
                                     lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s at byte %zu of %zu", what, reader->at,
             reader->document.size);
}

static lam_status skip(bson_reader *reader, size_t bytes, lam_error *error) {
    if (bytes > reader->end - reader->at)
        return content_bson_wrong(reader, "a value that its document has no room for", error);
    reader->at += bytes;
    return LAM_STATUS_OK;
}

static lam_status content_bson_read_size(bson_reader *reader, size_t *ret_size, lam_error *error) {
    const uint8_t *bytes = reader->document.data + reader->at;
    LAM_TRY(skip(reader, 4, error));
    uint32_t size = lam_load_le32(bytes);
    if (size > INT32_MAX)
        return content_bson_wrong(reader, "a negative size", error);
    *ret_size = size;
    return LAM_STATUS_OK;
}

static lam_status content_bson_check_text(const bson_reader *reader, const uint8_t *text,
                                          size_t size, lam_error *error) {
    return lam_utf8_prefix(text, size) == size
               ? LAM_STATUS_OK
               : content_bson_wrong(reader, "a text before that is not UTF-8", error);
}

static lam_status content_bson_read_name(bson_reader *reader, lam_error *error) {
    const uint8_t *text = reader->document.data + reader->at;
    const uint8_t *nul = memchr(text, 0, reader->end - reader->at);
    if (nul == NULL)
        return content_bson_wrong(reader, "a name without end", error);
    reader->at += (size_t)(nul - text) + 1;
    return content_bson_check_text(reader, text, (size_t)(nul - text), error);
}

static lam_status content_bson_read_string(bson_reader *reader, lam_error *error) {
    size_t size;
    LAM_TRY(content_bson_read_size(reader, &size, error));
    const uint8_t *text = reader->document.data + reader->at;
    LAM_TRY(skip(reader, size, error));
    if (size < STRING_SMALLEST || text[size - 1] != 0)
        return content_bson_wrong(reader, "a string before that does not end with 00", error);
    return content_bson_check_text(reader, text, size - 1, error);
}

/* --- Documents ------------------------------------------------------------------------------- */

/* Enters a document; `end` of what is around it is the caller's to keep. */
static lam_status content_bson_enter(bson_reader *reader, lam_error *error) {
    size_t size, start = reader->at;
    LAM_TRY(content_bson_read_size(reader, &size, error));
    if (size < CONTENT_BSON_SMALLEST || size > reader->end - start)
        return content_bson_wrong(reader, "a document of a size that cannot be", error);
    reader->end = start + size - 1;
    if (reader->document.data[reader->end] != 0)
        return content_bson_wrong(reader, "a document that does not end with 00", error);
    return LAM_STATUS_OK;
}

static lam_status enter_nested(bson_reader *reader, lam_error *error) {
    uint32_t outer = (uint32_t)reader->end;
    LAM_TRY(lam_buffer_append(reader->nesting, &outer, sizeof outer, error));
    return content_bson_enter(reader, error);
}

static void leave_nested(bson_reader *reader) {
    uint32_t outer;
    reader->at = reader->end + 1;
    reader->nesting->size -= sizeof outer;
    memcpy(&outer, reader->nesting->data + reader->nesting->size, sizeof outer);
    reader->end = outer;
}

/* int32(size, all of it) string document */
static lam_status enter_scoped_code(bson_reader *reader, lam_error *error) {
    size_t size, start = reader->at;
    LAM_TRY(content_bson_read_size(reader, &size, error));
    LAM_TRY(content_bson_read_string(reader, error));
    LAM_TRY(enter_nested(reader, error));
    if (reader->end + 1 - start != size)
        return content_bson_wrong(reader, "code with a scope of another size than it states",
                                  error);
    return LAM_STATUS_OK;
}

static lam_status read_binary(bson_reader *reader, lam_error *error) {
    enum { OLD = 2 }; /* subtype: the size comes once more */
    size_t size, inner;
    LAM_TRY(content_bson_read_size(reader, &size, error));
    uint8_t subtype = reader->at < reader->end ? reader->document.data[reader->at] : 0;
    LAM_TRY(skip(reader, 1, error));
    if (subtype == OLD) {
        LAM_TRY(content_bson_read_size(reader, &inner, error));
        if (size < 4 || inner != size - 4)
            return content_bson_wrong(reader, "binary data of two sizes", error);
        size = inner;
    }
    return skip(reader, size, error);
}

static lam_status content_bson_read_boolean(bson_reader *reader, lam_error *error) {
    LAM_TRY(skip(reader, 1, error));
    return reader->document.data[reader->at - 1] <= 1
               ? LAM_STATUS_OK
               : content_bson_wrong(reader, "a boolean before that is neither 0 nor 1", error);
}

static lam_status content_bson_read_value(bson_reader *reader, uint8_t type, lam_error *error) {
    switch (type) {
    case BSON_UNDEFINED:
    case BSON_NULL:
    case BSON_MIN_KEY:
    case BSON_MAX_KEY:
        return LAM_STATUS_OK;
    case BSON_INT32:
        return skip(reader, 4, error);
    case BSON_DOUBLE:
    case BSON_DATE:
    case BSON_TIMESTAMP:
    case BSON_INT64:
        return skip(reader, 8, error);
    case BSON_OBJECT_ID:
        return skip(reader, 12, error);
    case BSON_DECIMAL128:
        return skip(reader, 16, error);
    case BSON_BOOLEAN:
        return content_bson_read_boolean(reader, error);
    case BSON_STRING:
    case BSON_CODE:
    case BSON_SYMBOL:
        return content_bson_read_string(reader, error);
    case BSON_POINTER:
        LAM_TRY(content_bson_read_string(reader, error));
        return skip(reader, 12, error);
    case BSON_REGEX:
        LAM_TRY(content_bson_read_name(reader, error));
        return content_bson_read_name(reader, error);
    case BSON_BINARY:
        return read_binary(reader, error);
    case BSON_DOCUMENT:
    case BSON_ARRAY:
        return enter_nested(reader, error);
    case BSON_SCOPED_CODE:
        return enter_scoped_code(reader, error);
    default:
        return content_bson_wrong(reader, "an element of a type that does not exist", error);
    }
}

lam_status lam_bson_check(lam_bytes document, lam_buffer *nesting, lam_error *error) {
    bson_reader reader = {document, 0, document.size, nesting};
    if (document.size < CONTENT_BSON_SMALLEST || document.size > INT32_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%zu bytes are not a document", document.size);
    LAM_TRY(content_bson_enter(&reader, error));
    if (reader.end + 1 != document.size)
        return content_bson_wrong(&reader, "a document of another size than it states", error);
    while (reader.at < reader.end || nesting->size > 0) {
        if (reader.at == reader.end) {
            leave_nested(&reader);
            continue;
        }
        uint8_t type = document.data[reader.at++];
        LAM_TRY(content_bson_read_name(&reader, error));
        LAM_TRY(content_bson_read_value(&reader, type, error));
    }
    return LAM_STATUS_OK;
}
