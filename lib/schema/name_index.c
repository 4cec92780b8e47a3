/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps hash tables of the names in wide groups: takes a schema whose fields are complete, and
 * gives for each group of more than WIDEST_SEARCHED children a table of slots, all of them in one
 * array; and searches in constant time in a group of any width.
 *
 * At most half of a table's slots are ever taken, so that every probe ends at a free one.
 */
#include "schema/name_index.h"

#include <string.h>
#include <xxhash.h>

#include "base/error.h"

/* Up to this number of children, comparing them one by one takes less time than hashing. */
enum { WIDEST_SEARCHED = 8 };

/*
 * A name comes in one piece or several, with the same hash: blocks of it are hashed, each with the
 * hash of the bytes before it as its seed, and the remaining bytes are the last block. (The
 * library's own state for pieces is no part of its interface.)
 */
typedef struct name_hash {
    uint8_t block[128];
    size_t size; /* of the block */
    uint64_t hash;
} name_hash;

static void name_hash_add(name_hash *state, const void *bytes, size_t size) {
    const uint8_t *next = bytes;
    while (size > 0) {
        size_t room = sizeof state->block - state->size, some = size < room ? size : room;
        if (room == 0) {
            state->hash = XXH3_64bits_withSeed(state->block, sizeof state->block, state->hash);
            state->size = 0;
            continue;
        }
        memcpy(state->block + state->size, next, some);
        state->size += some;
        next += some;
        size -= some;
    }
}

static uint64_t name_hash_end(const name_hash *state) {
    return XXH3_64bits_withSeed(state->block, state->size, state->hash);
}

/*
 * The same without copies. The seed differs from run to run, as it is an address, so that no file
 * can be made whose names all collide; the result of a search does not depend on it.
 */
static uint64_t hash_of_name(const char *name, size_t size, uint64_t seed) {
    enum { BLOCK = sizeof((name_hash *)NULL)->block };
    for (; size > BLOCK; name += BLOCK, size -= BLOCK)
        seed = XXH3_64bits_withSeed(name, BLOCK, seed);
    return XXH3_64bits_withSeed(name, size, seed);
}

/*
 * Number of slots of a group: a power of two, at least twice the number of children; 0 for a group
 * that is narrow enough to search. 9 to 16 children have 32 slots, 17 to 32 have 64.
 */
static uint32_t slot_count(const lam_field *group) {
    if (group->child_count <= WIDEST_SEARCHED)
        return 0;
    uint32_t slots = 4 * WIDEST_SEARCHED;
    while (slots < 2 * group->child_count)
        slots *= 2;
    return slots;
}

/* Names may contain NUL bytes: they are compared by size and bytes. */
static bool has_name(const lam_field *field, const char *name, size_t size) {
    return field->name_size == size && memcmp(field->name, name, size) == 0;
}

/*
 * Inserts the first of the siblings of each name, which comes last. A later one, which files may
 * have, is linked after the first and not in the table: a hundred thousand of them would make as
 * many neighbours to probe.
 */
static void insert_children(lam_schema *schema, const lam_field *group, uint32_t slots) {
    uint32_t *table = schema->name_slots + group->name_slots;
    for (uint32_t i = group->child_count; i-- > 0;) {
        lam_field *child = &schema->fields[lam_child_at(group, i)->index];
        uint64_t hash = hash_of_name(child->name, child->name_size, schema->name_seed);
        uint32_t slot = (uint32_t)hash & (slots - 1);
        while (table[slot] != 0 &&
               !has_name(lam_child_at(group, table[slot] - 1), child->name, child->name_size))
            slot = (slot + 1) & (slots - 1);
        child->next_named = table[slot];
        table[slot] = i + 1;
    }
}

/* The same for a group that is searched without a table. */
static void link_children(lam_schema *schema, const lam_field *group) {
    for (uint32_t i = 0; i < group->child_count; i++) {
        lam_field *child = &schema->fields[lam_child_at(group, i)->index];
        for (uint32_t k = group->child_count; --k > i;)
            if (has_name(lam_child_at(group, k), child->name, child->name_size))
                child->next_named = k + 1;
    }
}

/* Two passes over the groups: one sums up the slots, one fills them. */
lam_status lam_name_index_build(lam_schema *schema, lam_error *error) {
    size_t total = 0;
    for (size_t i = 0; i < schema->field_count; i++) {
        schema->fields[i].name_slots = (uint32_t)total;
        schema->fields[i].next_named = 0;
        total += slot_count(&schema->fields[i]);
    }
    if (total > 0) {
        LAM_TRY(LAM_ARENA_ARRAY(&schema->arena, total, &schema->name_slots, error));
        schema->name_seed = (uint64_t)(uintptr_t)schema;
    }
    for (size_t i = 0; i < schema->field_count; i++) {
        uint32_t count = slot_count(&schema->fields[i]);
        if (count > 0)
            insert_children(schema, &schema->fields[i], count);
        else
            link_children(schema, &schema->fields[i]);
    }
    return LAM_STATUS_OK;
}

/* --- Words of a path ------------------------------------------------------------------------- */

static uint64_t words_hash(const lam_path_word *words, size_t count, uint64_t seed) {
    name_hash state = {.hash = seed};
    for (size_t i = 0; i < count; i++) {
        name_hash_add(&state, ".", i > 0);
        for (size_t from = 0; from < words[i].size;) {
            lam_bytes bytes = lam_path_word_bytes(&words[i], &from);
            name_hash_add(&state, bytes.data, bytes.size);
        }
    }
    return name_hash_end(&state);
}

static bool is_named_by(const lam_field *field, const lam_path_word *words, size_t count) {
    return lam_path_words_are(words, count, field->name, field->name_size);
}

const lam_field *lam_field_child_of_words(const lam_field *field, const lam_path_word *words,
                                          size_t count) {
    uint32_t slots = slot_count(field);
    if (slots == 0) {
        for (uint32_t i = 0; i < field->child_count; i++)
            if (is_named_by(lam_child_at(field, i), words, count))
                return lam_child_at(field, i);
        return NULL;
    }
    const uint32_t *table = field->schema->name_slots + field->name_slots;
    uint32_t slot = (uint32_t)words_hash(words, count, field->schema->name_seed) & (slots - 1);
    for (; table[slot] != 0; slot = (slot + 1) & (slots - 1)) {
        const lam_field *child = lam_child_at(field, table[slot] - 1);
        if (is_named_by(child, words, count))
            return child;
    }
    return NULL;
}

const lam_field *lam_field_next_named(const lam_field *field) {
    return field->next_named == 0 ? NULL
                                  : lam_child_at(lam_parent_of(field), field->next_named - 1);
}

/* --- Names ----------------------------------------------------------------------------------- */

/* `name` may be NULL when `size` is 0: memcmp may not get a NULL. */
const lam_field *lam_field_child_named(const lam_field *field, const char *name, size_t size) {
    uint32_t slots = slot_count(field);
    if (size == 0)
        name = "";
    if (slots == 0) {
        for (uint32_t i = 0; i < field->child_count; i++)
            if (has_name(lam_child_at(field, i), name, size))
                return lam_child_at(field, i);
        return NULL;
    }
    const lam_schema *schema = field->schema;
    const uint32_t *table = schema->name_slots + field->name_slots;
    uint32_t slot = (uint32_t)hash_of_name(name, size, schema->name_seed) & (slots - 1);
    for (; table[slot] != 0; slot = (slot + 1) & (slots - 1)) {
        const lam_field *child = lam_child_at(field, table[slot] - 1);
        if (has_name(child, name, size))
            return child;
    }
    return NULL;
}
