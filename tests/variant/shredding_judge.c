/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink in the middle that looks whether shredded VARIANTs keep the rules of VariantShredding.md.
 * It is written from its tables, without the library's plans.
 */
#include "variant/shredding_judge.h"
#include "variant/value/variant_layout.h"

#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 256 };

void lam_shredding_judge_init(lam_shredding_judge *judge, const lam_record_sink *next) {
    memset(judge, 0, sizeof *judge);
    judge->next = *next;
    judge->pairs = calloc(PAIRS_MAX, sizeof *judge->pairs);
}

void lam_shredding_judge_finish(lam_shredding_judge *judge) {
    for (size_t i = 0; i < PAIRS_MAX; i++)
        free(judge->pairs[i].bytes);
    free(judge->pairs);
    free(judge->metadata_bytes);
}

/* A copy in a block that grows. */
static lam_bytes keep(uint8_t **block, lam_bytes bytes) {
    *block = realloc(*block, bytes.size + 1);
    if (bytes.size > 0)
        memcpy(*block, bytes.data, bytes.size);
    lam_bytes kept = {*block, bytes.size};
    return kept;
}

static void condemn(lam_shredding_judge *judge, const char *verdict) {
    if (judge->verdict == NULL)
        judge->verdict = verdict;
}

static bool is_named(const lam_field *field, const char *name) {
    return strcmp(lam_field_name(field), name) == 0;
}

static bool is_variant(const lam_field *field) {
    return lam_field_logical_type(field)->kind == LAM_LOGICAL_VARIANT;
}

/* The pair whose value or typed_value the field would be; NULL when that is not its parent. */
static lam_judged_pair *pair_of(lam_shredding_judge *judge, const lam_field *field) {
    lam_judged_pair *top = judge->pair_depth == 0 ? NULL : &judge->pairs[judge->pair_depth - 1];
    return top != NULL && lam_field_parent(field) == top->field ? top : NULL;
}

/* A group inside of a VARIANT is a pair unless it is a typed_value or the repeated part of one. */
static bool is_pair(const lam_shredding_judge *judge, const lam_field *group) {
    if (is_variant(group))
        return true;
    if (judge->pair_depth == 0 || lam_field_repetition(group) == LAM_REPETITION_REPEATED)
        return false;
    const lam_judged_pair *top = &judge->pairs[judge->pair_depth - 1];
    return lam_field_parent(group) != top->field;
}

static bool in_metadata(const lam_shredding_judge *judge, const char *name) {
    lam_variant_names_view names;
    if (lam_variant_open_names(judge->metadata, &names) != NULL)
        return false;
    for (size_t id = 0; id < names.count; id++) {
        lam_bytes found;
        if (lam_variant_name_at(&names, id, &found) && found.size == strlen(name) &&
            memcmp(found.data, name, found.size) == 0)
            return true;
    }
    return false;
}

static void judge_value(lam_shredding_judge *judge, lam_judged_pair *pair, const lam_field *typed) {
    lam_variant variant = {judge->metadata, pair->value};
    lam_variant_kind kind = lam_variant_kind_of(variant);
    bool typed_group = typed != NULL && !lam_field_is_leaf(typed);
    bool typed_list = typed_group && lam_field_logical_type(typed)->kind == LAM_LOGICAL_LIST;
    size_t count;
    if (lam_variant_validate(variant, 0, NULL) != LAM_STATUS_OK)
        condemn(judge, "a value that is no VARIANT");
    if (!pair->has_typed && typed_list && kind == LAM_VARIANT_ARRAY)
        condemn(judge, "an array in value where typed_value is an array");
    if (!pair->has_typed && typed_group && !typed_list && kind == LAM_VARIANT_OBJECT)
        condemn(judge, "an object in value where typed_value is an object");
    if (!pair->has_typed)
        return;
    judge->both++;
    if (!typed_group || typed_list || kind != LAM_VARIANT_OBJECT) {
        condemn(judge, "value and typed_value, but no object shredded in part");
        return;
    }
    if (lam_variant_count(variant, &count, NULL) == LAM_STATUS_OK && count == 0)
        condemn(judge, "an object without fields in value");
    for (size_t i = 0; i < lam_field_child_count(typed); i++) {
        const char *name = lam_field_name(lam_field_child(typed, i));
        lam_variant found;
        if (lam_variant_field(variant, name, strlen(name), &found, NULL) == LAM_STATUS_OK)
            condemn(judge, "a shredded field in value");
    }
}

static void judge_pair(lam_shredding_judge *judge, lam_judged_pair *pair) {
    const lam_field *typed = lam_field_child_named(pair->field, "typed_value", 11);
    judge->seen++;
    if (pair->has_value)
        judge_value(judge, pair, typed);
    bool missing = !pair->has_value && !pair->has_typed;
    if (missing && pair->is_part)
        condemn(judge, "a value that must be there is missing");
    if (!missing && !pair->is_part && !in_metadata(judge, lam_field_name(pair->field)))
        condemn(judge, "the name of a shredded field is not in the metadata");
}

static lam_status on_begin(void *state, lam_error *error) {
    lam_shredding_judge *judge = state;
    judge->pair_depth = 0;
    return judge->next.begin == NULL ? LAM_STATUS_OK : judge->next.begin(judge->next.state, error);
}

static lam_status on_open(void *state, const lam_field *group, lam_error *error) {
    lam_shredding_judge *judge = state;
    if (is_pair(judge, group)) {
        lam_judged_pair *pair = &judge->pairs[judge->pair_depth++];
        pair->field = group;
        pair->has_value = false;
        pair->has_typed = false;
        pair->is_part = is_variant(group) ||
                        lam_field_repetition(lam_field_parent(group)) == LAM_REPETITION_REPEATED;
    } else if (is_named(group, "typed_value") && pair_of(judge, group) != NULL) {
        pair_of(judge, group)->has_typed = true;
    }
    return judge->next.open == NULL ? LAM_STATUS_OK
                                    : judge->next.open(judge->next.state, group, error);
}

static lam_status on_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    lam_shredding_judge *judge = state;
    lam_judged_pair *pair = pair_of(judge, leaf);
    if (pair != NULL && is_named(leaf, "metadata") && is_variant(pair->field)) {
        judge->metadata = keep(&judge->metadata_bytes, value.bytes);
    } else if (pair != NULL && is_named(leaf, "value")) {
        pair->has_value = true;
        pair->value = keep(&pair->bytes, value.bytes);
    } else if (pair != NULL) {
        pair->has_typed = true;
    }
    return judge->next.put == NULL ? LAM_STATUS_OK
                                   : judge->next.put(judge->next.state, leaf, value, error);
}

static lam_status on_close(void *state, const lam_field *group, lam_error *error) {
    lam_shredding_judge *judge = state;
    if (judge->pair_depth > 0 && judge->pairs[judge->pair_depth - 1].field == group)
        judge_pair(judge, &judge->pairs[--judge->pair_depth]);
    return judge->next.close == NULL ? LAM_STATUS_OK
                                     : judge->next.close(judge->next.state, group, error);
}

static lam_status on_end(void *state, lam_error *error) {
    lam_shredding_judge *judge = state;
    return judge->next.end == NULL ? LAM_STATUS_OK : judge->next.end(judge->next.state, error);
}

lam_record_sink lam_shredding_judge_sink(lam_shredding_judge *judge) {
    lam_record_sink sink = {judge, on_begin, on_open, on_put, on_close, on_end, NULL};
    return sink;
}
