/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks key-value metadata, of the file and of column chunks: keys and values are UTF-8, no key is
 * empty, and no key comes twice.
 *
 * Repeated keys are found with a hash table of as many slots as there are keys, doubled and rounded
 * up to a power of two, so that a footer with a million keys costs linear time. (parquet.thrift,
 * KeyValue)
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "check/checker.h"
#include "schema/text.h"

/* lam_utf8_prefix gives the length of the longest valid prefix. */
static bool check_key_values_is_text(lam_bytes text) {
    return lam_utf8_prefix(text.data, text.size) == text.size;
}

/* Readers in most languages refuse a string that is not UTF-8, or replace bytes of it. */
lam_status lam_check_text(lam_checker *checker, lam_bytes text, const char *what,
                          lam_check_location location) {
    if (check_key_values_is_text(text))
        return LAM_STATUS_OK;
    return lam_check_report(checker, LAM_RULE_TEXT_UTF8, location, "%s %s is not UTF-8", what,
                            lam_show((const char *)text.data, text.size).text);
}

/*
 * FNV-1a with the upper half folded into the lower one, which picks the slot. It is not keyed: a
 * file whose keys collide on purpose can make the lookups quadratic in the number of its keys.
 */
static uint64_t check_key_values_hash_of(lam_bytes text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ text.data[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/*
 * Looks a key up in a table of the keys so far and adds it: open addressing, linear probing. Slots
 * hold index + 1, with 0 for an empty one. At least half of the slots stay empty, so that every
 * probe ends.
 */
static bool meets_again(uint32_t *slots, size_t mask, const lam_meta_key_value_list *key_values,
                        uint32_t index) {
    lam_bytes key = key_values->items[index].key;
    for (size_t at = (size_t)check_key_values_hash_of(key) & mask;; at = (at + 1) & mask) {
        if (slots[at] == 0) {
            slots[at] = index + 1;
            return false;
        }
        lam_bytes other = key_values->items[slots[at] - 1].key;
        if (other.size == key.size &&
            (key.size == 0 || memcmp(other.data, key.data, key.size) == 0))
            return true;
    }
}

lam_status lam_check_key_values(lam_checker *checker, const lam_meta_key_value_list *key_values,
                                lam_check_location location) {
    if (key_values->count == 0)
        return LAM_STATUS_OK;
    /* At least two slots for each key. */
    size_t size = 16;
    while (size < 2 * (size_t)key_values->count)
        size *= 2;
    void *memory;
    lam_error failure = lam_error_none();
    /* The table lives in the arena of the footer and counts against the memory limit. */
    lam_status status = lam_arena_array(&checker->arena, size, sizeof(uint32_t), &memory, &failure);
    if (status != LAM_STATUS_OK)
        return lam_check_report_failure(checker, LAM_RULE_KEY_VALUE, location, status, &failure);
    for (uint32_t i = 0; i < key_values->count; i++) {
        const lam_meta_key_value *key_value = &key_values->items[i];
        LAM_TRY(lam_check_text(checker, key_value->key, "a key", location));
        if ((key_value->has & LAM_META_KEY_VALUE_HAS_VALUE) != 0)
            LAM_TRY(lam_check_text(checker, key_value->value, "a value of the key-value metadata",
                                   location));
        if (key_value->key.size == 0)
            LAM_TRY(lam_check_report(checker, LAM_RULE_KEY_VALUE, location,
                                     "pair %" PRIu32 " of the key-value metadata has an empty key",
                                     i));
        if (meets_again(memory, size - 1, key_values, i))
            LAM_TRY(lam_check_report(
                checker, LAM_RULE_KEY_VALUE, location, "the key %s comes more than once",
                lam_show((const char *)key_value->key.data, key_value->key.size).text));
    }
    return LAM_STATUS_OK;
}
