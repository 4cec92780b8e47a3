/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the dictionary of a column chunk: the distinct values in an array in order of first
 * appearance, and a hash table with open addressing whose slots hold the number of a value and
 * enough of it to tell it from others. (Encodings.md, "Dictionary Encoding")
 *
 *     slots     [ key, 0 ] [ key, 2 ] [      ] [ key, 1 ] ...     number of the value, from 1
 *     elements  | value 0 | value 1 | ...                         as in lam_triples.values
 *     heap      the bytes of byte arrays, in blocks that never move
 *
 * A key is the value itself up to 16 bytes, with its size, and a hash of it beyond: only longer
 * values are compared in the heap. Values are equal when their bits are, so 0.0 and -0.0 are two
 * values and equal NaNs are one. The indexes depend on the order of the values alone, not on hashes
 * or the size of the table. It is probed linearly; crafted keys make that slow, never wrong.
 */
#include "encoding/dictionary.h"

/* Keys are hashed inline. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/wrap.h"
#include "encoding/encoding.h"
#include "encoding/rle.h"

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define PREFETCH(address) ((void)(address))
#define ALWAYS_INLINE inline
#endif

enum {
    FIRST_SLOTS_LOG2 = 4,        /* a file may have 100,000 columns of few values */
    SPARSE_SLOTS_LOG2 = 16,      /* up to 2^16 slots a quarter is in use at most, then half */
    NEAR_SLOTS_BYTES = 16 << 10, /* a table whose slots need not be fetched ahead */
    DICTIONARY_BATCH = 64,       /* values whose slots are fetched together */
    KEY_BYTES = 16,              /* of the longest value that its key holds completely */
    DICTIONARY_LENGTH_SIZE = 4   /* in front of a byte array in PLAIN bytes */
};

/*
 * How elements are hashed and compared. The loops are inlined once for each kind, in which it is a
 * constant: FIXED_LEN_BYTE_ARRAY of 4 and 8 bytes are hashed as numbers, too.
 */
typedef enum element_kind { ELEMENT_4, ELEMENT_8, ELEMENT_BYTES, ELEMENT_FIXED } element_kind;

/*
 * Slots by the kind of their elements: 8 bytes each for 32-bit values, 16 for 64-bit ones, 24 for
 * the others, so that cache lines have no unused members. A number of 0 is a free slot.
 */
typedef struct slot_4 {
    uint32_t low;
    uint32_t number;
} slot_4;

typedef struct slot_8 {
    uint64_t low;
    uint32_t number;
} slot_8;

typedef struct slot_16 {
    uint64_t low;
    uint64_t high;
    uint32_t size;
    uint32_t number;
} slot_16;

/*
 * The key of an element: `low` alone for numbers. Of others up to 16 bytes, all three together
 * determine the value; beyond, `low` is a hash.
 */
typedef struct element_key {
    uint64_t low;
    uint64_t high;
    uint32_t size;
} element_key;

struct lam_dictionary_builder {
    lam_allocator allocator;
    lam_value_layout layout;
    element_kind kind;
    size_t element_size;
    size_t budget;
    size_t plain_size; /* PLAIN bytes of all values */
    void *slots;       /* 2 to the power of slots_log2, of the type that `kind` has */
    unsigned slots_log2;
    uint32_t count;
    /* The distinct values; byte arrays are views into `heap`. */
    lam_buffer elements;
    lam_arena heap;
};

/* The kind depends on the size alone, except for byte arrays, which are views. */
static element_kind dictionary_kind_of(lam_value_layout layout) {
    if (layout.type == LAM_PHYSICAL_BYTE_ARRAY)
        return ELEMENT_BYTES;
    size_t size = lam_layout_size(layout);
    return size == 4 ? ELEMENT_4 : size == 8 ? ELEMENT_8 : ELEMENT_FIXED;
}

static size_t slot_size(element_kind kind) {
    return kind == ELEMENT_4   ? sizeof(slot_4)
           : kind == ELEMENT_8 ? sizeof(slot_8)
                               : sizeof(slot_16);
}

/* Booleans get no dictionary: an index would take as many bits as the value. */
lam_status lam_dictionary_builder_create(lam_value_layout layout, size_t budget,
                                         const lam_allocator *allocator,
                                         lam_dictionary_builder **ret_builder, lam_error *error) {
    if (layout.type == LAM_PHYSICAL_BOOLEAN || (unsigned)layout.type >= LAM_PHYSICAL_GROUP)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no dictionary for %s values",
                 lam_encoding_type_name(layout.type));
    void *memory, *slots;
    LAM_TRY(lam_alloc_array(allocator, 1, sizeof(lam_dictionary_builder), &memory, error));
    lam_status status = lam_alloc_array(allocator, (size_t)1 << FIRST_SLOTS_LOG2,
                                        slot_size(dictionary_kind_of(layout)), &slots, error);
    if (status != LAM_STATUS_OK) {
        lam_free(allocator, memory, sizeof(lam_dictionary_builder));
        return status;
    }
    lam_dictionary_builder *builder = memory;
    builder->allocator = *allocator;
    builder->layout = layout;
    builder->kind = dictionary_kind_of(layout);
    builder->element_size = lam_layout_size(layout);
    builder->budget = budget;
    builder->slots = slots;
    builder->slots_log2 = FIRST_SLOTS_LOG2;
    lam_buffer_init(&builder->elements, allocator);
    lam_arena_init(&builder->heap, allocator, 0);
    *ret_builder = builder;
    return LAM_STATUS_OK;
}

static size_t slots_size(const lam_dictionary_builder *builder) {
    return slot_size(builder->kind) << builder->slots_log2;
}

void lam_dictionary_builder_destroy(lam_dictionary_builder *builder) {
    if (builder == NULL)
        return;
    lam_allocator allocator = builder->allocator;
    lam_free(&allocator, builder->slots, slots_size(builder));
    lam_buffer_finish(&builder->elements);
    lam_arena_finish(&builder->heap);
    lam_free(&allocator, builder, sizeof *builder);
}

/* --- Keys ---------------------------------------------------------------------------------- */

/*
 * The key of bytes whose first 16 may be read, past their end too: the bytes that are not theirs
 * are masked, without a branch for each size.
 */
static ALWAYS_INLINE element_key key_of_readable(const uint8_t *bytes, size_t size) {
    element_key key = {lam_load_le64(bytes), lam_load_le64(bytes + 8), (uint32_t)size};
    size_t above = size > 8 ? size - 8 : 0;
    uint64_t low_mask = (UINT64_C(1) << 8 * (size & 7)) - 1;
    uint64_t high_mask = (UINT64_C(1) << 8 * (above & 7)) - 1;
    key.low &= size < 8 ? low_mask : UINT64_MAX;
    key.high &= above < 8 ? high_mask : UINT64_MAX;
    return key;
}

/*
 * The key of up to 16 bytes is the bytes themselves, filled up with zeros, and their size. Loads
 * that overlap read exactly the bytes: 11 bytes are bytes 0 to 7, and bytes 3 to 10 without the
 * first five.
 */
static ALWAYS_INLINE element_key key_of_short(const uint8_t *bytes, size_t size) {
    element_key key = {0, 0, (uint32_t)size};
    if (size >= 8) {
        key.low = lam_load_le64(bytes);
        /* Two shifts, since one by 64 bits is undefined. */
        key.high =
            lam_load_le64(bytes + size - 8) >> 4 * (KEY_BYTES - size) >> 4 * (KEY_BYTES - size);
    } else if (size >= 4) {
        key.low = lam_load_le32(bytes) | (uint64_t)lam_load_le32(bytes + size - 4)
                                             << 8 * (size - 4);
    } else if (size > 0) {
        key.low = (uint64_t)bytes[0] | (uint64_t)bytes[size / 2] << 8 * (size / 2) |
                  (uint64_t)bytes[size - 1] << 8 * (size - 1);
    }
    return key;
}

/* The key of bytes of any size; bytes before `end` may be read, whether they are theirs or not. */
static ALWAYS_INLINE element_key key_of_bytes(const uint8_t *bytes, size_t size,
                                              const uint8_t *end) {
    if (size > KEY_BYTES) {
        element_key key = {XXH3_64bits(bytes, size), 0, (uint32_t)size};
        return key;
    }
    if (end != NULL && (size_t)(end - bytes) >= KEY_BYTES)
        return key_of_readable(bytes, size);
    return key_of_short(bytes, size);
}

/* The key of an element; memcpy, since elements need no alignment. */
static ALWAYS_INLINE element_key dictionary_key_of(element_kind kind, const uint8_t *element,
                                                   size_t size, const uint8_t *end) {
    element_key key = {0, 0, 0};
    if (kind == ELEMENT_4) {
        uint32_t x;
        memcpy(&x, element, sizeof x);
        key.low = x;
        return key;
    }
    if (kind == ELEMENT_8) {
        memcpy(&key.low, element, sizeof key.low);
        return key;
    }
    if (kind == ELEMENT_FIXED)
        return key_of_bytes(element, size, end);
    lam_bytes bytes;
    memcpy(&bytes, element, sizeof bytes);
    return key_of_bytes(bytes.data, bytes.size, end);
}

/*
 * The end of the bytes of all elements if they are adjacent, as in an Arrow array, else NULL: all
 * up to it may be read. Compared as numbers, since an empty value may be at NULL.
 */
static const uint8_t *end_of_bytes(const lam_bytes *elements, size_t count) {
    bool is_one = count > 0 && elements[0].data != NULL;
    for (size_t i = 1; i < count; i++)
        is_one &=
            (uintptr_t)elements[i].data == (uintptr_t)elements[i - 1].data + elements[i - 1].size;
    return is_one ? elements[count - 1].data + elements[count - 1].size : NULL;
}

/*
 * The first slot to probe: the upper bits of a product with an odd constant, into which all lower
 * bits are mixed. The xor brings the upper half of a key down, as multiplying only carries upwards.
 */
LAM_WRAPS static ALWAYS_INLINE size_t home_of(element_kind kind, element_key key,
                                              unsigned slots_log2) {
    uint64_t x = key.low;
    if (kind != ELEMENT_4 && kind != ELEMENT_8)
        x = x * UINT64_C(0xBF58476D1CE4E5B9) ^ (key.high + key.size) * UINT64_C(0x94D049BB133111EB);
    x = (x ^ x >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(x >> (64 - slots_log2));
}

/* --- Slots --------------------------------------------------------------------------------- */

/* The number in slot `at`; 0 for a free slot. */
static ALWAYS_INLINE uint32_t number_at(element_kind kind, const void *slots, size_t at) {
    return kind == ELEMENT_4   ? ((const slot_4 *)slots)[at].number
           : kind == ELEMENT_8 ? ((const slot_8 *)slots)[at].number
                               : ((const slot_16 *)slots)[at].number;
}

/* The key in slot `at`; zeros for a free one, which is a key that values can have, too. */
static ALWAYS_INLINE element_key key_at(element_kind kind, const void *slots, size_t at) {
    element_key key = {0, 0, 0};
    if (kind == ELEMENT_4) {
        key.low = ((const slot_4 *)slots)[at].low;
    } else if (kind == ELEMENT_8) {
        key.low = ((const slot_8 *)slots)[at].low;
    } else {
        const slot_16 *slot = (const slot_16 *)slots + at;
        key.low = slot->low;
        key.high = slot->high;
        key.size = slot->size;
    }
    return key;
}

static void put_slot(element_kind kind, void *slots, size_t at, element_key key, uint32_t number) {
    if (kind == ELEMENT_4) {
        slot_4 slot = {(uint32_t)key.low, number};
        ((slot_4 *)slots)[at] = slot;
    } else if (kind == ELEMENT_8) {
        slot_8 slot = {key.low, number};
        ((slot_8 *)slots)[at] = slot;
    } else {
        slot_16 slot = {key.low, key.high, key.size, number};
        ((slot_16 *)slots)[at] = slot;
    }
}

/* One comparison of all members, without a branch for each. */
static ALWAYS_INLINE bool same_key(element_kind kind, element_key a, element_key b) {
    if (kind == ELEMENT_4 || kind == ELEMENT_8)
        return a.low == b.low;
    return ((a.low ^ b.low) | (a.high ^ b.high) | (a.size ^ b.size)) == 0;
}

/*
 * Compares the bytes of an element with those of value `number`, when the key does not determine
 * them.
 */
static bool same_long(const lam_dictionary_builder *builder, const uint8_t *element,
                      uint32_t number) {
    size_t size = builder->element_size;
    const uint8_t *there = builder->elements.data + (number - 1) * size;
    if (builder->kind == ELEMENT_FIXED)
        return memcmp(there, element, size) == 0;
    lam_bytes a, b;
    memcpy(&a, there, sizeof a);
    memcpy(&b, element, sizeof b);
    return memcmp(a.data, b.data, a.size) == 0; /* of one size: that is in the key */
}

/* True when slot `at`, which is not free, has this element. */
static ALWAYS_INLINE bool is_at(const lam_dictionary_builder *builder, element_kind kind,
                                const uint8_t *element, element_key key, size_t at) {
    return same_key(kind, key_at(kind, builder->slots, at), key) &&
           (kind == ELEMENT_4 || kind == ELEMENT_8 || key.size <= KEY_BYTES ||
            same_long(builder, element, number_at(kind, builder->slots, at)));
}

/*
 * Finds the slot that has an element, or the free one that it would take. There always is a free
 * slot, as at most half of them are in use.
 */
static ALWAYS_INLINE size_t dictionary_find_slot(const lam_dictionary_builder *builder,
                                                 element_kind kind, const uint8_t *element,
                                                 element_key key, size_t at) {
    size_t mask = ((size_t)1 << builder->slots_log2) - 1;
    while (number_at(kind, builder->slots, at) != 0 && !is_at(builder, kind, element, key, at))
        at = (at + 1) & mask;
    return at;
}

/*
 * Doubles the table and moves every slot to its new position, by the key that it holds: elements
 * are not read. On failure the old table stays.
 */
static lam_status dictionary_grow_slots(lam_dictionary_builder *builder, lam_error *error) {
    element_kind kind = builder->kind;
    unsigned log2 = builder->slots_log2 + 1;
    size_t mask = ((size_t)1 << log2) - 1;
    void *slots;
    LAM_TRY(lam_alloc_array(&builder->allocator, mask + 1, slot_size(kind), &slots, error));
    for (size_t i = 0; i < mask / 2 + 1; i++) {
        uint32_t number = number_at(kind, builder->slots, i);
        if (number == 0)
            continue;
        element_key key = key_at(kind, builder->slots, i);
        size_t at = home_of(kind, key, log2);
        while (number_at(kind, slots, at) != 0)
            at = (at + 1) & mask;
        put_slot(kind, slots, at, key, number);
    }
    lam_free(&builder->allocator, builder->slots, slots_size(builder));
    builder->slots = slots;
    builder->slots_log2 = log2;
    return LAM_STATUS_OK;
}

/* --- Adding -------------------------------------------------------------------------------- */

/*
 * Appends one element; sets `*ret_full` instead when it would pass the budget, or when there are
 * INT32_MAX values, the most that an index can count. Byte arrays are copied to the heap, so the
 * caller's memory is only borrowed for the call.
 */
static lam_status append_element(lam_dictionary_builder *builder, const uint8_t *element,
                                 bool *ret_full, lam_error *error) {
    size_t plain_size = builder->element_size;
    lam_bytes bytes = {NULL, 0};
    bool is_bytes = builder->layout.type == LAM_PHYSICAL_BYTE_ARRAY;
    if (is_bytes) {
        memcpy(&bytes, element, sizeof bytes);
        plain_size = bytes.size + DICTIONARY_LENGTH_SIZE; /* `bytes` was read: it is in memory */
    }
    /* unreachable: in a test, as 2^31 different values take 48 GiB of memory */
    if (builder->count == INT32_MAX || plain_size > builder->budget - builder->plain_size) {
        *ret_full = true;
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_buffer_reserve(&builder->elements, builder->element_size, error));
    uint8_t *end = builder->elements.data + builder->elements.size;
    if (is_bytes) {
        uint8_t *copy = NULL;
        if (bytes.size > 0) {
            LAM_TRY(lam_arena_bytes(&builder->heap, bytes.size, &copy, error));
            memcpy(copy, bytes.data, bytes.size);
        }
        bytes.data = copy;
        memcpy(end, &bytes, sizeof bytes);
    } else if (builder->element_size > 0) {
        memcpy(end, element, builder->element_size);
    }
    builder->elements.size += builder->element_size;
    builder->plain_size += plain_size;
    builder->count++;
    return LAM_STATUS_OK;
}

/* A dictionary that a limit of memory keeps from growing is full: values go on without it. */
static lam_status full_at_limit(lam_status status, bool *ret_full, lam_error *error) {
    *ret_full = *ret_full || status == LAM_STATUS_LIMIT;
    if (status == LAM_STATUS_LIMIT && error != NULL)
        *error = lam_error_none();
    return status == LAM_STATUS_LIMIT ? LAM_STATUS_OK : status;
}

/*
 * Finds an element that is not in the two slots near its home, or adds it; returns its number, or 0
 * when the dictionary is full. The table grows before the element is added, so that its slot is
 * still the right one after it.
 */
static lam_status add_element(lam_dictionary_builder *builder, const uint8_t *element,
                              element_key key, uint32_t *ret_number, lam_error *error) {
    element_kind kind = builder->kind;
    bool is_full = false;
    size_t at =
        dictionary_find_slot(builder, kind, element, key, home_of(kind, key, builder->slots_log2));
    *ret_number = number_at(kind, builder->slots, at);
    if (*ret_number != 0)
        return LAM_STATUS_OK;
    unsigned most_log2 = builder->slots_log2 - (builder->slots_log2 <= SPARSE_SLOTS_LOG2 ? 2 : 1);
    if (builder->count >> most_log2 != 0) {
        LAM_TRY(full_at_limit(dictionary_grow_slots(builder, error), &is_full, error));
        at = dictionary_find_slot(builder, kind, element, key,
                                  home_of(kind, key, builder->slots_log2));
    }
    if (!is_full)
        LAM_TRY(full_at_limit(append_element(builder, element, &is_full, error), &is_full, error));
    if (is_full)
        return LAM_STATUS_OK;
    put_slot(kind, builder->slots, at, key, builder->count);
    *ret_number = builder->count;
    return LAM_STATUS_OK;
}

/*
 * The number of an element that is in its home slot or the next one, as most are; 0 otherwise. A
 * free slot with a key of zeros gives 0 as well, which is right: its number is 0.
 */
static ALWAYS_INLINE uint32_t probe_near(const lam_dictionary_builder *builder, element_kind kind,
                                         const void *slots, const uint8_t *element, element_key key,
                                         size_t home, size_t next) {
    uint32_t number = number_at(kind, slots, home);
    if (!same_key(kind, key_at(kind, slots, home), key)) {
        bool is_second = same_key(kind, key_at(kind, slots, next), key);
        number = is_second ? number_at(kind, slots, next) : 0;
    }
    if (kind == ELEMENT_4 || kind == ELEMENT_8 || key.size <= KEY_BYTES || number == 0)
        return number;
    return same_long(builder, element, number) ? number : 0;
}

/*
 * Adds up to DICTIONARY_BATCH elements. In two passes, `ahead`, the first computes all homes and
 * prefetches their slots, so that the second waits for memory once, not once for each element; a
 * table that is in the cache anyway is faster in one. It stops early when the dictionary is full,
 * and after an element that made the table grow, because the other homes are those of the old
 * table.
 */
static ALWAYS_INLINE lam_status add_batch(lam_dictionary_builder *builder, element_kind kind,
                                          bool ahead, size_t size, const uint8_t *elements,
                                          size_t count, const uint8_t *end, uint32_t *indexes,
                                          size_t *ret_done, lam_error *error) {
    size_t homes[DICTIONARY_BATCH];
    element_key keys[DICTIONARY_BATCH];
    const void *slots = builder->slots;
    unsigned slots_log2 = builder->slots_log2;
    size_t mask = ((size_t)1 << slots_log2) - 1;
    bool keeps_keys = ahead && kind != ELEMENT_4 && kind != ELEMENT_8; /* a number is its key */
    for (size_t i = 0; ahead && i < count; i++) {
        element_key key = dictionary_key_of(kind, elements + i * size, size, end);
        if (keeps_keys)
            keys[i] = key;
        homes[i] = home_of(kind, key, slots_log2);
        PREFETCH((const char *)slots + homes[i] * slot_size(kind));
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *element = elements + i * size;
        element_key key = keeps_keys ? keys[i] : dictionary_key_of(kind, element, size, end);
        size_t home = ahead ? homes[i] : home_of(kind, key, slots_log2);
        uint32_t number = probe_near(builder, kind, slots, element, key, home, (home + 1) & mask);
        if (number == 0) {
            LAM_TRY(add_element(builder, element, key, &number, error));
            if (number == 0 || slots != builder->slots) { /* full, or grown: another batch */
                *ret_done = i + (number != 0);
                if (number != 0)
                    indexes[i] = number - 1;
                return LAM_STATUS_OK;
            }
        }
        indexes[i] = number - 1;
    }
    *ret_done = count;
    return LAM_STATUS_OK;
}

/* Finds the copy of add_batch() in which kind and size are constants. */
static lam_status add_some(lam_dictionary_builder *builder, const uint8_t *elements, size_t count,
                           const uint8_t *end, uint32_t *indexes, size_t *ret_done,
                           lam_error *error) {
    bool ahead = slots_size(builder) > NEAR_SLOTS_BYTES;
    switch (builder->kind) {
    case ELEMENT_4:
        return add_batch(builder, ELEMENT_4, true, 4, elements, count, NULL, indexes, ret_done,
                         error);
    case ELEMENT_8:
        return add_batch(builder, ELEMENT_8, true, 8, elements, count, NULL, indexes, ret_done,
                         error);
    case ELEMENT_BYTES:
        return ahead ? add_batch(builder, ELEMENT_BYTES, true, sizeof(lam_bytes), elements, count,
                                 end, indexes, ret_done, error)
                     : add_batch(builder, ELEMENT_BYTES, false, sizeof(lam_bytes), elements, count,
                                 end, indexes, ret_done, error);
    default:
        return add_batch(builder, ELEMENT_FIXED, true, builder->element_size, elements, count, NULL,
                         indexes, ret_done, error);
    }
}

lam_status lam_dictionary_builder_add(lam_dictionary_builder *builder, const void *values,
                                      size_t count, uint32_t *indexes, size_t *ret_done,
                                      lam_error *error) {
    const uint8_t *elements = values;
    bool is_bytes = builder->kind == ELEMENT_BYTES;
    const uint8_t *end = is_bytes ? end_of_bytes(values, count) : NULL;
    size_t done = 0;
    if (builder->element_size == 0 && builder->elements.data == NULL && count > 0)
        LAM_TRY(lam_buffer_reserve(&builder->elements, 1, error)); /* an address to compare at */
    /* A batch that stops after its first element, the table having grown, is no end: only 0 is. */
    while (done < count) {
        size_t batch = count - done < DICTIONARY_BATCH ? count - done : DICTIONARY_BATCH;
        size_t some;
        LAM_TRY(add_some(builder, elements + done * builder->element_size, batch, end,
                         indexes + done, &some, error));
        if (some == 0)
            break;
        done += some;
    }
    *ret_done = done;
    return LAM_STATUS_OK;
}

/* --- The dictionary so far ----------------------------------------------------------------- */

lam_dictionary lam_dictionary_builder_values(const lam_dictionary_builder *builder) {
    lam_dictionary dictionary = {builder->elements.data, builder->count};
    return dictionary;
}

size_t lam_dictionary_builder_byte_count(const lam_dictionary_builder *builder) {
    return builder->plain_size;
}

size_t lam_dictionary_builder_memory(const lam_dictionary_builder *builder) {
    return sizeof *builder + slots_size(builder) + builder->elements.capacity + builder->heap.used +
           builder->heap.left;
}

/* If no small table can be had, the large one stays. */
static void dictionary_release(lam_dictionary_builder *builder) {
    void *slots;
    size_t size = slot_size(builder->kind);
    if (lam_alloc_array(&builder->allocator, 1u << FIRST_SLOTS_LOG2, size, &slots, NULL) == 0) {
        lam_free(&builder->allocator, builder->slots, slots_size(builder));
        builder->slots = slots;
        builder->slots_log2 = FIRST_SLOTS_LOG2;
    }
    lam_buffer_finish(&builder->elements);
    lam_arena_finish(&builder->heap);
}

/* A table that stays has its size: the next column chunk is likely to have as many values. */
void lam_dictionary_builder_clear(lam_dictionary_builder *builder, bool keeps_memory) {
    if (!keeps_memory)
        dictionary_release(builder);
    memset(builder->slots, 0, slots_size(builder));
    builder->count = 0;
    builder->plain_size = 0;
    lam_buffer_clear(&builder->elements);
    lam_arena_reset(&builder->heap);
}

/*
 * Writes a page of indexes. A dictionary of one value has width 0: the runs have no value bytes at
 * all.
 */
lam_status lam_dictionary_write_indexes(const lam_kernels *kernels, const uint32_t *indexes,
                                        size_t count, size_t dictionary_count, lam_buffer *out,
                                        lam_error *error) {
    unsigned bit_width = dictionary_count == 0 ? 0 : lam_bit_width(dictionary_count - 1);
    if (bit_width > 32)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "a dictionary of %zu values", dictionary_count);
    LAM_TRY(lam_buffer_append_byte(out, (uint8_t)bit_width, error));
    lam_rle_encoder runs;
    lam_rle_encoder_init(&runs, kernels, bit_width, out);
    LAM_TRY(lam_rle_write_indexes(&runs, indexes, count, error));
    return lam_rle_encoder_flush(&runs, error);
}
