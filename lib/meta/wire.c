#include "meta/wire.h"

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

/* A container that is being passed over. */
typedef struct skipped {
    uint64_t left;   /* elements; keys and values of a map count each */
    uint8_t type[2]; /* of the element when an even, an odd number is left behind it */
    bool is_struct;  /* then `left` and `type` mean nothing */
} skipped;

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

/* Passes over a value that stands alone, or the head of a container, which goes on the stack. */
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
