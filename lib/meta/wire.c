/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads long varints and skips unknown values of Thrift's compact protocol: the functions of wire.h
 * that are not short enough to be inline. Takes the bytes of a message at a value, and gives the
 * position after it.
 *
 * The invariant: skipping uses a stack of fixed size and never recursion, so that a hostile file of
 * nested containers fails at depth 64 instead of exhausting the stack; and each round consumes a
 * byte, or ends a container that a byte began. (Thrift's specification, thrift-compact-protocol.md)
 */
#include "meta/wire.h"

/*
 * Reads up to 10 bytes. The tenth has only bit 63 left, so it must be 0 or 1; an eleventh byte is
 * an error even if it adds nothing.
 */
lam_status lam_wire_read_long_varint(lam_wire_reader *reader, uint64_t *ret) {
    const uint8_t *position = reader->at;
    size_t most =
        lam_wire_left(reader) < LAM_WIRE_VARINT_MAX ? lam_wire_left(reader) : LAM_WIRE_VARINT_MAX;
    uint64_t value = 0;
    for (size_t i = 0; i < most; i++) {
        uint8_t byte = position[i];
        value |= (uint64_t)(byte & 0x7F) << 7 * i;
        if (byte < 0x80) {
            if (i == LAM_WIRE_VARINT_MAX - 1 && byte > 1)
                break;
            *ret = value;
            reader->at = position + i + 1;
            return LAM_STATUS_OK;
        }
    }
    if (most < LAM_WIRE_VARINT_MAX)
        return lam_wire_ends_early(reader);
    LAM_WIRE_CORRUPT(reader, position, "a number has more than 64 bits");
}

/* A container that is being skipped. */
typedef struct skipped {
    uint64_t left;   /* elements; a key and a value of a map count as two */
    uint8_t type[2]; /* of the element after which an even, an odd number is left */
    bool is_struct;  /* then `left` and `type` are unused */
} skipped;

/*
 * Reads the head of a map. Keys and values alternate: with 2n elements left, the next one is a key,
 * after which an odd number is left, so type[1] is the type of keys.
 *
 *   02 85 ...   2 keys of binary (8), 2 values of i32 (5): left 4, type {5, 8}
 */
static lam_status skip_map_head(lam_wire_reader *reader, skipped *map) {
    const uint8_t *position = reader->at;
    uint64_t count;
    uint8_t types = 0;
    LAM_TRY(lam_wire_read_varint(reader, &count));
    if (count > INT32_MAX)
        LAM_WIRE_CORRUPT(reader, position, "a map has a negative length");
    if (count > 0)
        LAM_TRY(lam_wire_read_byte(reader, &types));
    if (count > lam_wire_left(reader) / 2)
        return lam_wire_ends_early(reader);
    *map = (skipped){2 * count, {types & 15, types >> 4}, false};
    return LAM_STATUS_OK;
}

/*
 * Skips a value, or the head of a container, which goes on the stack. A bool is a byte here: it is
 * an element, since fields have theirs in the head.
 */
static lam_status skip_value(lam_wire_reader *reader, uint8_t type, skipped *stack, size_t *depth) {
    const uint8_t *position = reader->at;
    uint64_t number;
    uint8_t byte;
    double real;
    lam_bytes bytes;
    uint32_t count;
    if (type >= LAM_WIRE_LIST && *depth == LAM_WIRE_SKIP_DEPTH)
        LAM_WIRE_CORRUPT(reader, position, "nested deeper than %d", LAM_WIRE_SKIP_DEPTH);
    skipped *top = &stack[*depth];
    switch (type) {
    case LAM_WIRE_TRUE:
    case LAM_WIRE_FALSE:
    case LAM_WIRE_I8:
        return lam_wire_read_byte(reader, &byte);
    case LAM_WIRE_I16:
    case LAM_WIRE_I32:
    case LAM_WIRE_I64:
        return lam_wire_read_varint(reader, &number);
    case LAM_WIRE_DOUBLE:
        return lam_wire_read_double(reader, &real);
    case LAM_WIRE_BINARY:
        return lam_wire_read_bytes(reader, &bytes);
    case LAM_WIRE_LIST:
    case LAM_WIRE_SET:
        LAM_TRY(lam_wire_read_list_head(reader, 1, &byte, &count));
        *top = (skipped){count, {byte, byte}, false};
        break;
    case LAM_WIRE_MAP:
        LAM_TRY(skip_map_head(reader, top));
        break;
    case LAM_WIRE_STRUCT:
        *top = (skipped){0, {LAM_WIRE_STOP, LAM_WIRE_STOP}, true};
        break;
    default:
        LAM_WIRE_CORRUPT(reader, position, "unknown type %d", type);
    }
    (*depth)++;
    return LAM_STATUS_OK;
}

/* The field ids of unknown structs do not matter, so each head is read as if it followed id 0. */
lam_status lam_wire_skip(lam_wire_reader *reader, uint8_t type) {
    skipped stack[LAM_WIRE_SKIP_DEPTH];
    size_t depth = 0;
    if (type == LAM_WIRE_TRUE || type == LAM_WIRE_FALSE)
        return LAM_STATUS_OK;
    LAM_TRY(skip_value(reader, type, stack, &depth));
    while (depth > 0) {
        skipped *top = &stack[depth - 1];
        if (top->is_struct) {
            int32_t id = 0;
            LAM_TRY(lam_wire_read_field_head(reader, &id, &type));
            if (type == LAM_WIRE_STOP)
                depth--;
            else if (type != LAM_WIRE_TRUE && type != LAM_WIRE_FALSE)
                LAM_TRY(skip_value(reader, type, stack, &depth));
        } else if (top->left == 0) {
            depth--;
        } else {
            top->left--;
            LAM_TRY(skip_value(reader, top->type[top->left & 1], stack, &depth));
        }
    }
    return LAM_STATUS_OK;
}
