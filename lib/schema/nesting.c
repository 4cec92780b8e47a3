#include "schema/nesting.h"

#include <string.h>

static lam_logical_kind nesting_kind_of(const lam_field *field) {
    return field->logical_type.kind;
}

/* The repeated child that makes a group a list or a map; NULL when it has another shape. */
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
 * The repeated child of a list is a wrapper around its one element, unless one of the rules 1 to 4
 * of LogicalTypes.md, section "Lists", makes it the element itself.
 */
bool lam_list_has_wrapper(const lam_field *list) {
    const lam_field *repeated = lam_child_at(list, 0);
    if (!lam_is_group(repeated) || repeated->child_count != 1 ||
        lam_is_repeated(lam_child_at(repeated, 0)))
        return false;
    if (strcmp(repeated->name, "array") == 0)
        return false;
    return repeated->name_size != list->name_size + 6 ||
           memcmp(repeated->name, list->name, list->name_size) != 0 ||
           strcmp(repeated->name + list->name_size, "_tuple") != 0;
}

/* MAP_KEY_VALUE stood in place of MAP in old files, and on the repeated group inside a MAP. */
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
