/* Key-value metadata, of the file and of column chunks. (parquet.thrift, KeyValue) */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "check/checker.h"
#include "schema/text.h"

static bool check_key_values_is_text(lam_bytes text) {
    return lam_utf8_prefix(text.data, text.size) == text.size;
}

lam_status lam_check_text(lam_checker *checker, lam_bytes text, const char *what,
                          lam_check_location location) {
    if (check_key_values_is_text(text))
        return LAM_STATUS_OK;
    return lam_check_report(checker, LAM_RULE_TEXT_UTF8, location, "%s %s is not UTF-8", what,
                            lam_show((const char *)text.data, text.size).text);
}

static uint64_t check_key_values_hash_of(lam_bytes text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ text.data[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* A table of the keys met so far, open addressing; slots hold indexes + 1. */
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
    size_t size = 16;
    while (size < 2 * (size_t)key_values->count)
        size *= 2;
    void *memory;
    lam_error failure = lam_error_none();
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
