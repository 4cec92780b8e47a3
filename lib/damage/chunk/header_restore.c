/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restores a page header from another one of its chunk: takes a complete header, and bytes that
 * begin with a damaged one, and gives the same bytes with the fields that both have in common.
 *
 *     intact   15 00  15 e8 07  15 a4 03  2c 15 14 15 00 15 06 15 06 00  00
 *     damaged  ff ff  ff d2 0f  15 f0 05  2c 15 28 15 00 15 06 15 06 00  00
 *              restored  size      size            count  encodings
 *
 * The invariant: sizes, checksums and counts are never taken over, so that every statement about a
 * page comes from its own header. (compact protocol, "Struct encoding"; parquet.thrift, PageHeader)
 */
#include "damage/chunk/header_restore.h"

#include <stdbool.h>

#include "meta/compact.h"

enum {
    RESTORE_I32 = 5, /* types of the compact protocol */
    RESTORE_STRUCT = 12,
    RESTORE_FALSE = 2,
    RESTORE_TRUE = 1,
    RESTORE_DEPTH = 2,    /* structs in each other, without statistics */
    RESTORE_VARINT = 5,   /* most bytes of an i32 */
    RESTORE_FIELD_V1 = 5, /* of PageHeader */
    RESTORE_FIELD_V2 = 8
};

/* A walk over both headers side by side. */
typedef struct header_walk {
    lam_bytes pattern;
    size_t at; /* in the pattern */
    uint8_t *bytes;
    size_t size;
    size_t position; /* in the bytes */
    bool differs;
} header_walk;

/* Takes the next byte of the pattern over; false at the end of either. */
static bool restore_byte(header_walk *walk, uint8_t *ret_byte) {
    if (walk->at == walk->pattern.size || walk->position == walk->size)
        return false;
    *ret_byte = walk->pattern.data[walk->at++];
    walk->differs = walk->differs || walk->bytes[walk->position] != *ret_byte;
    walk->bytes[walk->position++] = *ret_byte;
    return true;
}

/* Passes a number; false when it does not end. */
static bool pass_number(const uint8_t *bytes, size_t size, size_t *at) {
    for (int i = 0; i < RESTORE_VARINT && *at < size; i++)
        if ((bytes[(*at)++] & 0x80) == 0)
            return true;
    return false;
}

/* Enumerators are the same in all pages; each of them takes one byte. */
static bool is_enumerator(const int *fields, int depth) {
    if (depth == 0)
        return fields[0] == 1;
    return fields[0] == RESTORE_FIELD_V1 ? fields[1] > 1 : fields[1] == 4;
}

/* Passes the number of a field in both, or takes it over. */
static bool restore_number(header_walk *walk, const int *fields, int depth) {
    uint8_t byte;
    if (is_enumerator(fields, depth))
        return restore_byte(walk, &byte) && byte < 0x80;
    return pass_number(walk->pattern.data, walk->pattern.size, &walk->at) &&
           pass_number(walk->bytes, walk->size, &walk->position);
}

size_t lam_header_restore(lam_bytes pattern, uint8_t *bytes, size_t size) {
    header_walk walk = {.pattern = pattern, .bytes = bytes, .size = size};
    int fields[RESTORE_DEPTH] = {0}, depth = 0;
    uint8_t head;
    while (restore_byte(&walk, &head)) {
        if (head == 0 && depth == 0)
            return walk.at == pattern.size && walk.differs ? walk.position : 0;
        if (head == 0) {
            depth--;
            continue;
        }
        fields[depth] += head >> 4;
        int type = head & 0x0F;
        if (type == RESTORE_I32) {
            if (!restore_number(&walk, fields, depth))
                return 0;
        } else if (type == RESTORE_STRUCT && depth + 1 < RESTORE_DEPTH &&
                   (fields[0] == RESTORE_FIELD_V1 || fields[0] == RESTORE_FIELD_V2)) {
            fields[++depth] = 0;
        } else if (type != RESTORE_TRUE && type != RESTORE_FALSE) {
            return 0;
        }
    }
    return 0;
}
