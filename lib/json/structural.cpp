/*
 * The one file that knows simdjson. It runs the first stage of simdjson's parser, on the
 * implementation for this CPU, and lends the index that the second stage would read: numbers keep
 * all their digits that way, and values go straight to their column type.
 */
#define SIMDJSON_EXCEPTIONS 0

#include "json/structural.h"

#include <simdjson.h>

struct lam_structural {
    simdjson::dom::parser parser;
};

namespace {

constexpr size_t SMALLEST_CAPACITY = 64 * 1024;

/* Makes room for the index of `size` bytes; the capacity at least doubles when it grows. */
bool make_room(simdjson::dom::parser &parser, size_t size) noexcept {
    size_t capacity = parser.implementation ? parser.implementation->capacity() : 0;
    if (size <= capacity && capacity > 0)
        return true;
    size_t wanted = capacity < SMALLEST_CAPACITY / 2 ? SMALLEST_CAPACITY : capacity * 2;
    return parser.allocate(wanted > size ? wanted : size, 1) == simdjson::SUCCESS;
}

} // namespace

size_t lam_structural_size(void) {
    return sizeof(lam_structural);
}

lam_structural *lam_structural_init(void *memory) {
    return new (memory) lam_structural();
}

void lam_structural_finish(lam_structural *structural) {
    structural->~lam_structural();
}

lam_structural_result lam_structural_index(lam_structural *structural, const uint8_t *text,
                                           size_t size, const uint32_t **ret_positions,
                                           size_t *ret_count) {
    simdjson::dom::parser &parser = structural->parser;
    if (!make_room(parser, size))
        return LAM_STRUCTURAL_NO_MEMORY;
    simdjson::error_code code =
        parser.implementation->stage1(text, size, simdjson::stage1_mode::regular);
    switch (code) {
    case simdjson::SUCCESS:
        *ret_positions = &parser.implementation->structural_indexes[0];
        *ret_count = parser.implementation->n_structural_indexes;
        parser.implementation->structural_indexes[*ret_count] = uint32_t(size);
        return LAM_STRUCTURAL_OK;
    case simdjson::EMPTY:
        *ret_count = 0;
        return LAM_STRUCTURAL_OK;
    case simdjson::UTF8_ERROR:
        return LAM_STRUCTURAL_NOT_UTF8;
    case simdjson::UNCLOSED_STRING:
        return LAM_STRUCTURAL_OPEN_STRING;
    case simdjson::UNESCAPED_CHARS:
        return LAM_STRUCTURAL_CONTROL;
    default:
        return LAM_STRUCTURAL_NO_MEMORY;
    }
}
