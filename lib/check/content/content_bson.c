/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the structure of BSON (bsonspec.org, version 1.1): sizes, types, names and texts.
 *
 *     document := int32(its size, all of it) element* 00
 *     element  := type name 00 value
 *     string   := int32(bytes, the 00 included) UTF-8 text 00
 *
 *     {"a": 1}   0C 00 00 00  10 61 00 01 00 00 00  00
 *
 * All numbers are little-endian. A value of type 03 or 04 is a document again; open documents are a
 * stack of their ends, not of calls. The invariant: at <= end <= size of the bytes, so that a size
 * is compared with end - at before it is used, and nothing is read beyond the innermost document.
 */
#include "check/content/content_bson.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/utf8.h"

/* Bytes of an empty document (`05 00 00 00 00`), and of an empty string after its size (`00`). */
enum { CONTENT_BSON_SMALLEST = 5, STRING_SMALLEST = 1 };

/* The types of elements, also the deprecated ones: old documents may have them. */
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
    BSON_POINTER = 0x0C, /* string, then 12 bytes */
    BSON_CODE = 0x0D,
    BSON_SYMBOL = 0x0E,
    BSON_SCOPED_CODE = 0x0F, /* int32(all of it) string document */
    BSON_INT32 = 0x10,
    BSON_TIMESTAMP = 0x11,
    BSON_INT64 = 0x12,
    BSON_DECIMAL128 = 0x13,
    BSON_MAX_KEY = 0x7F,
    BSON_MIN_KEY = 0xFF
};

/* The document, from the current byte on. */
typedef struct bson_reader {
    lam_bytes document;
    size_t at;
    size_t end;          /* of the innermost open document, its final 00 excluded */
    lam_buffer *nesting; /* uint32_t each: the `end` of the documents around the innermost */
} bson_reader;

/* Says what is wrong at the current byte, and the number of bytes. */
static lam_status content_bson_wrong(const bson_reader *reader, const char *what,
                                     lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s at byte %zu of %zu", what, reader->at,
             reader->document.size);
}

/* Steps over bytes of a value within the innermost document. */
static lam_status skip(bson_reader *reader, size_t bytes, lam_error *error) {
    if (bytes > reader->end - reader->at)
        return content_bson_wrong(reader, "a value that its document has no room for", error);
    reader->at += bytes;
    return LAM_STATUS_OK;
}

/* Reads a size. Sizes are signed in BSON; negative ones would be huge. */
static lam_status content_bson_read_size(bson_reader *reader, size_t *ret_size, lam_error *error) {
    const uint8_t *bytes = reader->document.data + reader->at;
    LAM_TRY(skip(reader, 4, error));
    uint32_t size = lam_load_le32(bytes);
    if (size > INT32_MAX)
        return content_bson_wrong(reader, "a negative size", error);
    *ret_size = size;
    return LAM_STATUS_OK;
}

/* A text without its 00; it may hold other NULs in strings, never in names. */
static lam_status content_bson_check_text(const bson_reader *reader, const uint8_t *text,
                                          size_t size, lam_error *error) {
    return lam_utf8_prefix(text, size) == size
               ? LAM_STATUS_OK
               : content_bson_wrong(reader, "a text before that is not UTF-8", error);
}

/* Reads a name up to its 00, which must come before the end of the document. */
static lam_status content_bson_read_name(bson_reader *reader, lam_error *error) {
    const uint8_t *text = reader->document.data + reader->at;
    const uint8_t *nul = memchr(text, 0, reader->end - reader->at);
    if (nul == NULL)
        return content_bson_wrong(reader, "a name without end", error);
    reader->at += (size_t)(nul - text) + 1;
    return content_bson_check_text(reader, text, (size_t)(nul - text), error);
}

/* The size counts the 00 at the end, so that it is at least 1. */
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

/*
 * Enters a document at the current byte; the caller keeps the `end` of the one around it. The size
 * includes itself and the final 00, and must be within the document around it.
 */
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

/* Ends fit in 32 bits: a document has at most INT32_MAX bytes. */
static lam_status enter_nested(bson_reader *reader, lam_error *error) {
    uint32_t outer = (uint32_t)reader->end;
    LAM_TRY(lam_buffer_append(reader->nesting, &outer, sizeof outer, error));
    return content_bson_enter(reader, error);
}

/* Steps over the final 00 of a document, back into the one around it. */
static void leave_nested(bson_reader *reader) {
    uint32_t outer;
    reader->at = reader->end + 1;
    reader->nesting->size -= sizeof outer;
    memcpy(&outer, reader->nesting->data + reader->nesting->size, sizeof outer);
    reader->end = outer;
}

/* int32(size, all of it) string document: the two sizes must agree, and the document stays open. */
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

/*
 * int32(bytes) subtype bytes. Subtype 02 has the size once more inside:
 *
 *     0A 00 00 00  02  06 00 00 00  ......
 */
static lam_status read_binary(bson_reader *reader, lam_error *error) {
    enum { OLD = 2 }; /* subtype with a second size */
    size_t size, inner;
    LAM_TRY(content_bson_read_size(reader, &size, error));
    uint8_t subtype = reader->at < reader->end ? reader->document.data[reader->at] : 0;
    LAM_TRY(skip(reader, 1, error));
    /* The outer size counts the inner one and the bytes. */
    if (subtype == OLD) {
        LAM_TRY(content_bson_read_size(reader, &inner, error));
        if (size < 4 || inner != size - 4)
            return content_bson_wrong(reader, "binary data of two sizes", error);
        size = inner;
    }
    return skip(reader, size, error);
}

/* One byte, 00 or 01. */
static lam_status content_bson_read_boolean(bson_reader *reader, lam_error *error) {
    LAM_TRY(skip(reader, 1, error));
    return reader->document.data[reader->at - 1] <= 1
               ? LAM_STATUS_OK
               : content_bson_wrong(reader, "a boolean before that is neither 0 nor 1", error);
}

/*
 * Steps over a scalar or enters a document. A missing case would make the remainder of the document
 * unreadable, since types determine sizes.
 */
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

/*
 * The elements of all documents are read in one loop; a document that is complete is left first.
 * Each turn consumes a byte or an entry of the stack.
 */
lam_status lam_bson_check(lam_bytes document, lam_buffer *nesting, lam_error *error) {
    bson_reader reader = {document, 0, document.size, nesting};
    if (document.size < CONTENT_BSON_SMALLEST || document.size > INT32_MAX)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%zu bytes are not a document", document.size);
    LAM_TRY(content_bson_enter(&reader, error));
    if (reader.end + 1 != document.size)
        return content_bson_wrong(&reader, "a document of another size than it states", error);
    while (reader.at < reader.end || nesting->size > 0) {
        /* Only the final 00 is left of the innermost document. */
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
