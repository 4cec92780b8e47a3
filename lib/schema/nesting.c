/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which annotated groups are lists and maps, in any schema, also that of a file whose
 * writer followed older rules. A group that is annotated but not built as the format demands is
 * never either, and is then handled as a plain group.
 *
 * LogicalTypes.md, sections "Lists" and "Maps", with their "Backward-compatibility rules".
 */
#include "schema/nesting.h"

#include <string.h>

static lam_logical_kind nesting_kind_of(const lam_field *field) {
    return field->logical_type.kind;
}

/* The repeated child that makes a group a list or a map; NULL when its children are others. */
static const lam_field *repeated_child(const lam_field *group) {
    if (group->child_count != 1)
        return NULL;
    const lam_field *child = lam_child_at(group, 0);
    return lam_is_repeated(child) ? child : NULL;
}

bool lam_is_list(const lam_field *field) {
    return lam_is_group(field) && nesting_kind_of(field) == LAM_LOGICAL_LIST &&
           repeated_child(field) != NULL;
}

/*
 * The repeated child is the element itself by the rules 1 to 4 of section "Lists": when it is no
 * group, or a group of several fields, or of one that is repeated, or has the name "array" or the
 * list's name with "_tuple" after it. Otherwise it wraps its one field, which is the element.
 *
 *     my_list (LIST) { repeated int32 element }                            no wrapper (rule 1)
 *     my_list (LIST) { repeated group element { str; num } }               no wrapper (rule 2)
 *     my_list (LIST) { repeated group my_list_tuple { str } }              no wrapper (rule 4)
 *     my_list (LIST) { repeated group list { str } }                       a wrapper
 */
bool lam_list_has_wrapper(const lam_field *list) {
    const lam_field *repeated = lam_child_at(list, 0);
    return lam_is_group(repeated) && repeated->child_count == 1 &&
           !lam_is_repeated(lam_child_at(repeated, 0)) && !lam_list_names_element(list);
}

bool lam_list_names_element(const lam_field *list) {
    const lam_field *repeated = lam_child_at(list, 0);
    if (strcmp(repeated->name, "array") == 0)
        return true;
    /* 6 is the length of "_tuple". */
    return repeated->name_size == list->name_size + 6 &&
           memcmp(repeated->name, list->name, list->name_size) == 0 &&
           strcmp(repeated->name + list->name_size, "_tuple") == 0;
}

/*
 * Old files have MAP_KEY_VALUE in place of MAP (and on the repeated group inside a MAP). A map
 * without a value column means a set of keys.
 */
bool lam_is_map(const lam_field *field) {
    if (!lam_is_group(field) || (nesting_kind_of(field) != LAM_LOGICAL_MAP &&
                                 nesting_kind_of(field) != LAM_LOGICAL_MAP_KEY_VALUE))
        return false;
    const lam_field *entry = repeated_child(field);
    if (entry == NULL || !lam_is_group(entry) || entry->child_count < 1 || entry->child_count > 2)
        return false;
    for (size_t i = 0; i < entry->child_count; i++)
        if (lam_is_repeated(lam_child_at(entry, i)))
            return false;
    return true;
}

const lam_field *lam_field_list_element(const lam_field *field) {
    if (!lam_is_list(field))
        return NULL;
    const lam_field *repeated = lam_child_at(field, 0);
    return lam_list_has_wrapper(field) ? lam_child_at(repeated, 0) : repeated;
}

const lam_field *lam_field_map_entry(const lam_field *field) {
    return lam_is_map(field) ? lam_child_at(field, 0) : NULL;
}
