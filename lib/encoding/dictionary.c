/*
 * The dictionary builder: the values in an array in order of first appearance, and a hash table
 * with open addressing whose slots point into it.
 *
 *     slots     [ hash, 0 ] [ hash, 2 ] [      ] [ hash, 1 ] ...     number of the value, from 1
 *     elements  | value 0 | value 1 | ...                            as in lam_triples.values
 *     heap      the bytes of byte arrays, in blocks that never move
 */
#include "encoding/dictionary.h"

/* Short keys are hashed inline. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/checked.h"
#include "base/error.h"
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
    FIRST_SLOTS_LOG2 = 8,
    BATCH = 64,     /* values whose slots are fetched together */
    LENGTH_SIZE = 4 /* in front of a byte array in PLAIN bytes */
};

typedef struct slot {
    uint32_t hash;
    uint32_t number; /* 1 + index of the value; 0 is a free slot */
} slot;

struct lam_dictionary_builder {
    lam_allocator allocator;
    lam_value_layout layout;
    size_t element_size;
    size_t budget;
    size_t plain_size; /* PLAIN bytes of all values */
    slot *slots;       /* 2 to the power of slots_log2, at most half of them taken */
    unsigned slots_log2;
    uint32_t count;
    lam_buffer elements;
    lam_arena heap;
};

/* How elements are hashed and compared; a constant in each copy of the loops. */
typedef enum element_kind { ELEMENT_4, ELEMENT_8, ELEMENT_BYTES, ELEMENT_FIXED } element_kind;

lam_status lam_dictionary_builder_create(lam_value_layout layout, size_t budget,
                                         const lam_allocator *allocator,
                                         lam_dictionary_builder **ret_builder, lam_error *error) {
    if (layout.type == LAM_PHYSICAL_BOOLEAN || (unsigned)layout.type >= LAM_PHYSICAL_GROUP)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no dictionary for %s values",
                 lam_encoding_type_name(layout.type));
    void *memory, *slots;
    LAM_TRY(lam_alloc_array(allocator, 1, sizeof(lam_dictionary_builder), &memory, error));
    lam_status status =
        lam_alloc_array(allocator, (size_t)1 << FIRST_SLOTS_LOG2, sizeof(slot), &slots, error);
    if (status != LAM_STATUS_OK) {
        lam_free(allocator, memory, sizeof(lam_dictionary_builder));
        return status;
    }
    lam_dictionary_builder *builder = memory;
    builder->allocator = *allocator;
    builder->layout = layout;
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
    return sizeof(slot) << builder->slots_log2;
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

/* --- Hashing and comparing ----------------------------------------------------------------- */

static ALWAYS_INLINE uint32_t mix(uint64_t x) {
    x = (x ^ x >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)((x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9) >> 32);
}

static ALWAYS_INLINE uint32_t hash_of(element_kind kind, const uint8_t *element, size_t size) {
    if (kind == ELEMENT_4) {
        uint32_t x;
        memcpy(&x, element, sizeof x);
        return mix(x);
    }
    if (kind == ELEMENT_8) {
        uint64_t x;
        memcpy(&x, element, sizeof x);
        return mix(x);
    }
    if (kind == ELEMENT_BYTES) {
        lam_bytes bytes;
        memcpy(&bytes, element, sizeof bytes);
        return (uint32_t)(XXH3_64bits(bytes.data, bytes.size) >> 32);
    }
    return (uint32_t)(XXH3_64bits(element, size) >> 32);
}

static ALWAYS_INLINE bool equal_bytes(const lam_bytes *a, const lam_bytes *b) {
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static ALWAYS_INLINE bool equal_elements(element_kind kind, const uint8_t *a, const uint8_t *b,
                                         size_t size) {
    if (kind == ELEMENT_4)
        return memcmp(a, b, 4) == 0;
    if (kind == ELEMENT_8)
        return memcmp(a, b, 8) == 0;
    if (kind == ELEMENT_FIXED)
        return size == 0 || memcmp(a, b, size) == 0;
    lam_bytes first, second;
    memcpy(&first, a, sizeof first);
    memcpy(&second, b, sizeof second);
    return equal_bytes(&first, &second);
}

/* The first place to look: the upper bits of the hash. */
static ALWAYS_INLINE size_t home_of(uint32_t hash, unsigned slots_log2) {
    return (size_t)((uint64_t)hash << slots_log2 >> 32);
}

/* --- Adding -------------------------------------------------------------------------------- */

/* Doubles the table and puts every slot where its hash says. */
static lam_status grow_slots(lam_dictionary_builder *builder, lam_error *error) {
    unsigned log2 = builder->slots_log2 + 1;
    size_t mask = ((size_t)1 << log2) - 1;
    void *memory;
    LAM_TRY(lam_alloc_array(&builder->allocator, mask + 1, sizeof(slot), &memory, error));
    slot *slots = memory;
    for (size_t i = 0; i < mask / 2 + 1; i++) {
        slot old = builder->slots[i];
        if (old.number == 0)
            continue;
        size_t at = home_of(old.hash, log2);
        while (slots[at].number != 0)
            at = (at + 1) & mask;
        slots[at] = old;
    }
    lam_free(&builder->allocator, builder->slots, slots_size(builder));
    builder->slots = slots;
    builder->slots_log2 = log2;
    return LAM_STATUS_OK;
}

/* Appends one element; `*ret_full` instead when it would pass the budget. */
static lam_status append_element(lam_dictionary_builder *builder, const uint8_t *element,
                                 bool *ret_full, lam_error *error) {
    size_t plain_size = builder->element_size;
    lam_bytes bytes = {NULL, 0};
    bool is_bytes = builder->layout.type == LAM_PHYSICAL_BYTE_ARRAY;
    if (is_bytes) {
        memcpy(&bytes, element, sizeof bytes);
        plain_size = bytes.size;
        if (!lam_add_size(plain_size, LENGTH_SIZE, &plain_size))
            plain_size = SIZE_MAX;
    }
    if (plain_size > builder->budget - builder->plain_size || builder->count == INT32_MAX) {
        *ret_full = true;
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_buffer_reserve(&builder->elements, builder->element_size, error));
    uint8_t *place = builder->elements.data + builder->elements.size;
    if (is_bytes) {
        uint8_t *copy = NULL;
        if (bytes.size > 0) {
            LAM_TRY(lam_arena_bytes(&builder->heap, bytes.size, &copy, error));
            memcpy(copy, bytes.data, bytes.size);
        }
        bytes.data = copy;
        memcpy(place, &bytes, sizeof bytes);
    } else if (builder->element_size > 0) {
        memcpy(place, element, builder->element_size);
    }
    builder->elements.size += builder->element_size;
    builder->plain_size += plain_size;
    builder->count++;
    return LAM_STATUS_OK;
}

/* A new value with that hash; the table grows first when half of it is taken. */
static lam_status add_new(lam_dictionary_builder *builder, const uint8_t *element, uint32_t hash,
                          bool *ret_full, lam_error *error) {
    if ((uint64_t)(builder->count + 1) * 2 > (uint64_t)1 << builder->slots_log2)
        LAM_TRY(grow_slots(builder, error));
    LAM_TRY(append_element(builder, element, ret_full, error));
    if (*ret_full)
        return LAM_STATUS_OK;
    size_t mask = ((size_t)1 << builder->slots_log2) - 1;
    size_t at = home_of(hash, builder->slots_log2);
    while (builder->slots[at].number != 0)
        at = (at + 1) & mask;
    builder->slots[at].hash = hash;
    builder->slots[at].number = builder->count;
    return LAM_STATUS_OK;
}

/* The number of an element that is there, 0 otherwise. */
static ALWAYS_INLINE uint32_t find(const lam_dictionary_builder *builder, element_kind kind,
                                   const uint8_t *element, size_t size, uint32_t hash) {
    size_t mask = ((size_t)1 << builder->slots_log2) - 1;
    const slot *slots = builder->slots;
    for (size_t at = home_of(hash, builder->slots_log2);; at = (at + 1) & mask) {
        slot here = slots[at];
        if (here.number == 0)
            return 0;
        if (here.hash == hash &&
            equal_elements(kind, builder->elements.data + (here.number - 1) * size, element, size))
            return here.number;
    }
}

static ALWAYS_INLINE lam_status add_batch(lam_dictionary_builder *builder, element_kind kind,
                                          size_t size, const uint8_t *elements, size_t count,
                                          uint32_t *indexes, size_t *ret_done, lam_error *error) {
    uint32_t hashes[BATCH];
    bool is_full = false;
    for (size_t i = 0; i < count; i++) {
        hashes[i] = hash_of(kind, elements + i * size, size);
        PREFETCH(builder->slots + home_of(hashes[i], builder->slots_log2));
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t number = find(builder, kind, elements + i * size, size, hashes[i]);
        if (number == 0) {
            LAM_TRY(add_new(builder, elements + i * size, hashes[i], &is_full, error));
            if (is_full) {
                *ret_done = i;
                return LAM_STATUS_OK;
            }
            number = builder->count;
        }
        indexes[i] = number - 1;
    }
    *ret_done = count;
    return LAM_STATUS_OK;
}

static lam_status add_some(lam_dictionary_builder *builder, const uint8_t *elements, size_t count,
                           uint32_t *indexes, size_t *ret_done, lam_error *error) {
    size_t size = builder->element_size;
    if (builder->layout.type == LAM_PHYSICAL_BYTE_ARRAY)
        return add_batch(builder, ELEMENT_BYTES, sizeof(lam_bytes), elements, count, indexes,
                         ret_done, error);
    if (size == 4)
        return add_batch(builder, ELEMENT_4, 4, elements, count, indexes, ret_done, error);
    if (size == 8)
        return add_batch(builder, ELEMENT_8, 8, elements, count, indexes, ret_done, error);
    return add_batch(builder, ELEMENT_FIXED, size, elements, count, indexes, ret_done, error);
}

lam_status lam_dictionary_builder_add(lam_dictionary_builder *builder, const void *values,
                                      size_t count, uint32_t *indexes, size_t *ret_done,
                                      lam_error *error) {
    const uint8_t *elements = values;
    size_t done = 0;
    if (builder->element_size == 0 && builder->elements.data == NULL && count > 0)
        LAM_TRY(lam_buffer_reserve(&builder->elements, 1, error)); /* a place to compare with */
    while (done < count) {
        size_t batch = count - done < BATCH ? count - done : BATCH;
        size_t some;
        LAM_TRY(add_some(builder, elements + done * builder->element_size, batch, indexes + done,
                         &some, error));
        done += some;
        if (some < batch)
            break;
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

void lam_dictionary_builder_clear(lam_dictionary_builder *builder) {
    memset(builder->slots, 0, slots_size(builder));
    builder->count = 0;
    builder->plain_size = 0;
    lam_buffer_clear(&builder->elements);
    lam_arena_reset(&builder->heap);
}

lam_status lam_dictionary_write_indexes(const uint32_t *indexes, size_t count,
                                        size_t dictionary_count, lam_buffer *out,
                                        lam_error *error) {
    unsigned bit_width = dictionary_count == 0 ? 0 : lam_bit_width(dictionary_count - 1);
    if (bit_width > 32)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "a dictionary of %zu values", dictionary_count);
    LAM_TRY(lam_buffer_append_byte(out, (uint8_t)bit_width, error));
    lam_rle_encoder runs;
    lam_rle_encoder_init(&runs, bit_width, out);
    LAM_TRY(lam_rle_write_indexes(&runs, indexes, count, error));
    return lam_rle_encoder_flush(&runs, error);
}
