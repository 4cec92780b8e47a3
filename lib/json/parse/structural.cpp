/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only file that knows simdjson. It runs the first stage of simdjson's parser, on the
 * implementation for this CPU, and lends the index that the second stage would read. The second
 * stage is not used: it would turn numbers into doubles, while here they keep all their digits, and
 * values go straight to their column type.
 *
 * No exception leaves this file: the callers are C. The index's memory comes from operator new,
 * past the caller's allocator, but the caller counts it by lam_structural_cost.
 */
#define SIMDJSON_EXCEPTIONS 0

#include "json/parse/structural.h"

#include <simdjson.h>

/* Of the parser only `implementation` is used, which holds the index; it is made by reserve. */
struct lam_structural {
    simdjson::dom::parser parser;
};

namespace {

/*
 * simdjson before 3.9.2 keeps the names of its implementations in strings that it makes on first
 * use, inside functions that may not throw: when memory is short, that ends the process. So the
 * implementation is chosen here, in simdjson's own order, among objects that are made here. The
 * build passes the version on, as the header of simdjson does not define it as a macro.
 */
#ifdef LAM_SIMDJSON_HAS_CLASSES

/* Makes the implementation, once; NULL when this CPU lacks the instructions that it needs. */
template <typename T> const simdjson::implementation *supported() {
    static const T made;
    return made.supported_by_runtime_system() ? &made : nullptr;
}

/* Picks the widest implementation that this CPU supports. Throws when memory is short. */
const simdjson::implementation *structural_choose() {
    const simdjson::implementation *found = nullptr;
#if SIMDJSON_IMPLEMENTATION_ICELAKE
    found = supported<simdjson::icelake::implementation>();
#endif
#if SIMDJSON_IMPLEMENTATION_HASWELL
    found = found != nullptr ? found : supported<simdjson::haswell::implementation>();
#endif
#if SIMDJSON_IMPLEMENTATION_WESTMERE
    found = found != nullptr ? found : supported<simdjson::westmere::implementation>();
#endif
#if SIMDJSON_IMPLEMENTATION_ARM64
    found = found != nullptr ? found : supported<simdjson::arm64::implementation>();
#endif
#if SIMDJSON_IMPLEMENTATION_PPC64
    found = found != nullptr ? found : supported<simdjson::ppc64::implementation>();
#endif
#if SIMDJSON_IMPLEMENTATION_FALLBACK
    found = found != nullptr ? found : supported<simdjson::fallback::implementation>();
#endif
    return found;
}

#else

const simdjson::implementation *structural_choose() {
    return simdjson::get_active_implementation();
}

/*
 * The classes are not accessible in this version: makes simdjson make its strings while the library
 * is loaded, when memory cannot have run out yet.
 */
#ifdef LAM_SIMDJSON_HAS_STRINGS
[[maybe_unused]] const bool is_chosen = simdjson::validate_utf8("", 0);
#endif

#endif

/*
 * Makes an index for texts of up to `capacity` bytes. The choice of the implementation is kept for
 * the process; a failed one is tried again on the next call.
 */
bool make_parser(lam_structural *structural, size_t capacity) noexcept {
    try {
        static const simdjson::implementation *const chosen = structural_choose();
        return chosen != nullptr &&
               chosen->create_dom_parser_implementation(
                   capacity, 1, structural->parser.implementation) == simdjson::SUCCESS;
    } catch (...) { /* thrown by operator new */
        return false;
    }
}

} // namespace

size_t lam_structural_size(void) {
    return sizeof(lam_structural);
}

lam_structural *lam_structural_init(void *memory) {
    return new (memory) lam_structural();
}

size_t lam_structural_capacity(const lam_structural *structural) {
    const simdjson::dom::parser &parser = structural->parser;
    return parser.implementation ? parser.implementation->capacity() : 0;
}

/* One position for each byte of text, and the few after the last one that simdjson writes to. */
size_t lam_structural_cost(size_t capacity) {
    constexpr size_t SPARE = 1024; /* the object itself, and the rounding of its arrays */
    return capacity == 0 ? 0 : capacity * sizeof(uint32_t) + SPARE;
}

/* The old index goes first, so that never two of them exist at a time. */
lam_structural_result lam_structural_reserve(lam_structural *structural, size_t capacity) {
    structural->parser.implementation.reset();
    return capacity == 0 || make_parser(structural, capacity) ? LAM_STRUCTURAL_OK
                                                              : LAM_STRUCTURAL_NO_MEMORY;
}

void lam_structural_finish(lam_structural *structural) {
    structural->~lam_structural();
}

/*
 * The position that simdjson leaves after the last one is set to `size`: the end of a token is
 * found by the start of the next, so one is needed after the last token, too.
 */
lam_structural_result lam_structural_index(lam_structural *structural, const uint8_t *text,
                                           size_t size, const uint32_t **ret_positions,
                                           size_t *ret_count) {
    size_t capacity = lam_structural_capacity(structural);
    if ((size > capacity || capacity == 0) &&
        lam_structural_reserve(structural, size > 0 ? size : 1) != LAM_STRUCTURAL_OK)
        return LAM_STRUCTURAL_NO_MEMORY;
    simdjson::internal::dom_parser_implementation &parser = *structural->parser.implementation;
    simdjson::error_code code = parser.stage1(text, size, simdjson::stage1_mode::regular);
    switch (code) {
    case simdjson::SUCCESS:
        *ret_positions = &parser.structural_indexes[0];
        *ret_count = parser.n_structural_indexes;
        parser.structural_indexes[*ret_count] = uint32_t(size);
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
