/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says what the levels of a leaf mean on a schema, in phrases that name the fields as a reader of
 * the data knows them: an element of a list, an entry of a map, a member of a VARIANT, and else the
 * field's name. A phrase always depends on the schema alone, so it is made once for a leaf and a
 * level. (LogicalTypes.md, sections "Lists" and "Maps"; VariantShredding.md)
 */
#include "level_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A phrase that is being written; keeps the first failure. */
typedef struct phrase {
    lam_output *out;
    lam_status status;
    lam_error *error;
} phrase;

static void add(phrase *words, const char *text) {
    if (words->status == LAM_STATUS_OK)
        words->status = words->out->write(words->out->state, text, strlen(text), words->error);
}

static void add_level(phrase *words, const char *before, unsigned level) {
    char text[32];
    snprintf(text, sizeof text, "%s%u", before, level);
    add(words, text);
}

/* --- Names --------------------------------------------------------------------------------- */

/* The list whose element is `field`, or the repeated group around each; NULL for neither. */
static const lam_field *list_of(const lam_field *field) {
    const lam_field *parent = lam_field_parent(field);
    if (parent == NULL)
        return NULL;
    if (lam_field_list_element(parent) != NULL)
        return parent;
    const lam_field *outer = lam_field_parent(parent);
    return outer != NULL && lam_field_list_element(outer) == field ? outer : NULL;
}

static const lam_field *map_of(const lam_field *field) {
    const lam_field *parent = lam_field_parent(field);
    return parent != NULL && lam_field_map_entry(parent) == field ? parent : NULL;
}

static bool is_pair_member(const lam_field *field);

static bool has_name(const lam_field *field, const char *name) {
    return strcmp(lam_field_name(field), name) == 0;
}

/* Groups of value and typed_value: VARIANTs, their shredded fields, elements of their arrays. */
static bool is_pair(const lam_field *field) {
    if (lam_field_logical_type(field)->kind == LAM_LOGICAL_VARIANT)
        return true;
    const lam_field *list = list_of(field);
    const lam_field *around =
        list != NULL && lam_field_list_element(list) == field ? list : lam_field_parent(field);
    return around != NULL && has_name(around, "typed_value") && is_pair_member(around);
}

static bool is_pair_member(const lam_field *field) {
    const lam_field *parent = lam_field_parent(field);
    return parent != NULL &&
           (has_name(field, "value") || has_name(field, "typed_value") ||
            has_name(field, "metadata")) &&
           is_pair(parent);
}

static bool is_bare_repeated(const lam_field *field) {
    return lam_field_repetition(field) == LAM_REPETITION_REPEATED && list_of(field) == NULL &&
           map_of(field) == NULL;
}

/*
 * The name of a field in phrases: "element of tags", "entry of m", "typed_value of weight", "Name";
 * with "this" before one of several.
 */
static void add_field(phrase *words, const lam_field *field, bool with_this) {
    while (field != NULL) {
        const lam_field *list = list_of(field), *map = map_of(field);
        if (lam_field_parent(field) == NULL) {
            add(words, with_this ? "this record" : "record");
            return;
        }
        if (list == NULL && map == NULL && !is_pair_member(field)) {
            add(words, lam_field_name(field));
            return;
        }
        if (list == NULL && map == NULL) {
            add(words, lam_field_name(field));
            add(words, " of ");
            field = lam_field_parent(field);
        } else {
            add(words, with_this ? "this " : "");
            add(words, list != NULL ? "element of " : "entry of ");
            field = list != NULL ? list : map;
            if (is_pair_member(field)) /* the array is the VARIANT's */
                field = lam_field_parent(field);
        }
        with_this = true;
    }
}

/* The same, with "this" also before names that repeat: "this Name". */
static void add_this(phrase *words, const lam_field *field) {
    if (is_bare_repeated(field))
        add(words, "this ");
    add_field(words, field, true);
}

/* --- Levels -------------------------------------------------------------------------------- */

const lam_field *level_repeated_field(const lam_field *leaf, unsigned r) {
    const lam_field *field = leaf;
    while (r > 0 && field != NULL &&
           (lam_field_repetition(field) != LAM_REPETITION_REPEATED ||
            lam_field_max_repetition(field) != r))
        field = lam_field_parent(field);
    return r == 0 ? NULL : field;
}

static void add_r(phrase *words, const lam_field *leaf, unsigned r) {
    const lam_field *field = level_repeated_field(leaf, r);
    if (field == NULL) {
        add(words, r == 0 ? "new record" : "above the maximum");
        return;
    }
    add(words, "next ");
    add_field(words, field, false);
    /* The name of an element of an element already contains its container. */
    const lam_field *list = list_of(field) != NULL ? list_of(field) : map_of(field);
    if (r > 1 && (list == NULL || list_of(list) == NULL)) {
        add(words, " in ");
        add_this(words, level_repeated_field(leaf, r - 1));
    }
}

/* The outermost field of the path whose maximum definition level is `d`. */
static const lam_field *field_at(const lam_field *leaf, unsigned d) {
    const lam_field *found = NULL;
    for (const lam_field *field = leaf; field != NULL; field = lam_field_parent(field))
        if (lam_field_max_definition(field) == d)
            found = field;
    return found;
}

/* What the absence of a member of a VARIANT's pair means. */
static void add_absent_member(phrase *words, const lam_field *absent) {
    const lam_field *pair = lam_field_parent(absent);
    bool is_typed = has_name(absent, "typed_value");
    add_field(words, pair, true);
    add(words, " has no ");
    add(words, lam_field_name(absent));
    add(words, is_typed ? ": it is of another type" : ": its typed_value has it");
    /* Only a field of an object may be missing. */
    if (lam_field_logical_type(pair)->kind != LAM_LOGICAL_VARIANT && list_of(pair) == NULL)
        add(words, ", or it is missing");
}

/* What the absence of a field means, if all above it is present. */
static void add_absence(phrase *words, const lam_field *absent, const lam_field *present) {
    bool is_repeated = lam_field_repetition(absent) == LAM_REPETITION_REPEATED;
    if (is_repeated && (list_of(absent) != NULL || map_of(absent) != NULL)) {
        add_field(words, lam_field_parent(absent), true);
        add(words, list_of(absent) != NULL ? " is an empty list" : " is an empty map");
        return;
    }
    if (is_pair_member(absent)) {
        add_absent_member(words, absent);
        return;
    }
    bool is_element = list_of(absent) != NULL;
    if (present != NULL && lam_field_parent(present) != NULL && !is_element) {
        add_field(words, present, true);
        add(words, " is there, ");
    }
    add_field(words, absent, true);
    add(words, is_repeated ? " is missing" : " is null");
}

static void add_d(phrase *words, const lam_field *leaf, unsigned d) {
    unsigned max_d = lam_field_max_definition(leaf);
    const lam_field *present = d == 0 ? NULL : field_at(leaf, d);
    if (d > max_d) {
        add(words, "above the maximum");
    } else if (d < max_d) {
        add_absence(words, field_at(leaf, d + 1), present);
    } else {
        bool is_same =
            present == leaf || is_pair_member(leaf) ||
            (present != NULL && list_of(leaf) != NULL && list_of(present) == list_of(leaf));
        if (present != NULL && !is_same) {
            add_field(words, present, true);
            add(words, " is there, ");
        }
        if (is_pair_member(leaf)) {
            add_field(words, lam_field_parent(leaf), true);
            add(words, has_name(leaf, "metadata") ? " has " : " has a ");
            add(words, lam_field_name(leaf));
        } else {
            add_field(words, leaf, true);
            add(words, " has a value");
        }
    }
}

lam_status level_words_r(const lam_field *leaf, unsigned r, lam_output *out, lam_error *error) {
    phrase words = {out, LAM_STATUS_OK, error};
    add_r(&words, leaf, r);
    return words.status;
}

lam_status level_words_d(const lam_field *leaf, unsigned d, lam_output *out, lam_error *error) {
    phrase words = {out, LAM_STATUS_OK, error};
    add_d(&words, leaf, d);
    return words.status;
}

/* A repeated field is present: a pair that says otherwise comes from no record. */
static bool is_possible(const lam_field *leaf, unsigned r, unsigned d) {
    const lam_field *field = level_repeated_field(leaf, r);
    return (r == 0 || field != NULL) && d <= lam_field_max_definition(leaf) &&
           (field == NULL || d >= lam_field_max_definition(field));
}

lam_status level_words_pair(const lam_field *leaf, unsigned r, unsigned d, lam_output *out,
                            lam_error *error) {
    phrase words = {out, LAM_STATUS_OK, error};
    add_level(&words, "r=", r);
    add(&words, ": ");
    add_r(&words, leaf, r);
    add_level(&words, "; d=", d);
    add(&words, ": ");
    add_d(&words, leaf, d);
    if (!is_possible(leaf, r, d))
        add(&words, " (no record has these two together)");
    return words.status;
}

/* --- Steps --------------------------------------------------------------------------------- */

lam_status level_words_event(const lam_field *field, unsigned r, lam_output *out,
                             lam_error *error) {
    phrase words = {out, LAM_STATUS_OK, error};
    bool is_repeated = lam_field_repetition(field) == LAM_REPETITION_REPEATED;
    bool is_again = is_repeated && r == lam_field_max_repetition(field);
    if (!is_repeated) {
        add(&words, lam_field_name(field));
        add_level(&words, " does not repeat: r stays ", r);
        return words.status;
    }
    add(&words, is_again ? "another " : "first ");
    add_field(&words, field, false);
    if (is_bare_repeated(field)) {
        add(&words, " in ");
        add_this(&words, lam_field_parent(field));
    }
    add_level(&words, is_again ? ": r is its own, " : ": r stays ", r);
    return words.status;
}

lam_status level_words_absent(const lam_field *absent, lam_output *out, lam_error *error) {
    phrase words = {out, LAM_STATUS_OK, error};
    add(&words, "no ");
    if (is_bare_repeated(absent) || lam_field_repetition(absent) != LAM_REPETITION_REPEATED) {
        add(&words, lam_field_name(absent));
        add(&words, " in ");
        add_this(&words, lam_field_parent(absent));
    } else {
        add_field(&words, absent, false);
    }
    add(&words, ": a null with the levels of ");
    add_this(&words, lam_field_parent(absent));
    return words.status;
}

/* The innermost group that holds both leaves. */
static const lam_field *common_group(const lam_field *leaf, const lam_field *next) {
    const lam_field *group = lam_field_parent(leaf);
    size_t wanted = lam_field_first_leaf(next);
    while (wanted - lam_field_first_leaf(group) >= lam_field_leaf_count(group))
        group = lam_field_parent(group);
    return group;
}

static void add_path(phrase *words, const lam_field *leaf) {
    if (lam_field_depth(leaf) > 1) {
        add_path(words, lam_field_parent(leaf));
        add(words, ".");
    }
    add(words, lam_field_name(leaf));
}

lam_status level_words_edge(const lam_field *leaf, const lam_field *next, unsigned r,
                            lam_output *out, lam_error *error) {
    phrase words = {out, LAM_STATUS_OK, error};
    bool is_back = next != NULL && lam_field_first_leaf(next) <= lam_field_first_leaf(leaf);
    if (is_back) {
        add_r(&words, leaf, r);
        add(&words, next == leaf ? ": again " : ": back to ");
        add_path(&words, next);
        return words.status;
    }
    add(&words, "no further ");
    add_field(&words, leaf, false);
    add(&words, " in ");
    if (next == NULL) {
        add(&words, "this record, and no column after it: the record ends");
        return words.status;
    }
    add_this(&words, common_group(leaf, next));
    add(&words, ": on to ");
    add_path(&words, next);
    return words.status;
}
