/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks key-value metadata, of the file and of column chunks: keys and values are UTF-8, no key is
 * empty, and no key comes twice.
 *
 * Repeated keys are found by their hashes, so that a footer with a million keys costs linear time.
 * (parquet.thrift, KeyValue)
 */
#include "check/footer/check_key_values.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/utf8.h"
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

/* Whether an earlier pair has the key of this one, which is then added to the index. */
static lam_status find_again(lam_hash_index *index, const lam_meta_key_value_list *key_values,
                             uint32_t number, bool *ret_again, lam_error *error) {
    const lam_bytes key = key_values->items[number].key;
    uint32_t hash = lam_hash_index_hash(index, key.data, key.size), found;
    LAM_HASH_INDEX_FIND(index, hash, found,
                        key_values->items[found].key.size == key.size &&
                            lam_same_name(key_values->items[found].key.data, key.data, key.size));
    *ret_again = found != LAM_HASH_INDEX_NONE;
    return *ret_again ? LAM_STATUS_OK : lam_hash_index_add(index, hash, number, error);
}

static lam_status check_key_value(lam_checker *checker, const lam_meta_key_value_list *key_values,
                                  uint32_t number, lam_hash_index *index,
                                  lam_check_location location) {
    const lam_meta_key_value *key_value = &key_values->items[number];
    lam_error failure = lam_error_none();
    bool comes_again = false;
    LAM_TRY(lam_check_text(checker, key_value->key, "a key", location));
    if ((key_value->has & LAM_META_KEY_VALUE_HAS_VALUE) != 0)
        LAM_TRY(lam_check_text(checker, key_value->value, "a value of the key-value metadata",
                               location));
    if (key_value->key.size == 0)
        LAM_TRY(lam_check_report(checker, LAM_RULE_KEY_VALUE, location,
                                 "pair %" PRIu32 " of the key-value metadata has an empty key",
                                 number));
    lam_status status = find_again(index, key_values, number, &comes_again, &failure);
    if (status != LAM_STATUS_OK)
        return lam_check_report_failure(checker, LAM_RULE_KEY_VALUE, location, status, &failure);
    if (!comes_again)
        return LAM_STATUS_OK;
    return lam_check_report(checker, LAM_RULE_KEY_VALUE, location,
                            "the key %s comes more than once",
                            lam_show((const char *)key_value->key.data, key_value->key.size).text);
}

lam_status lam_check_key_values(lam_checker *checker, const lam_meta_key_value_list *key_values,
                                lam_check_location location) {
    lam_status status = LAM_STATUS_OK;
    lam_hash_index index;
    if (key_values->count == 0)
        return LAM_STATUS_OK;
    lam_hash_index_init(&index, &checker->allocator);
    for (uint32_t i = 0; i < key_values->count; i++)
        LAM_TRY_OUT(check_key_value(checker, key_values, i, &index, location));
out:
    lam_hash_index_finish(&index);
    return status;
}
