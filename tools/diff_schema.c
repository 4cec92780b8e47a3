/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two schemas: finds which fields are one and the same, how they differ, and which leaves
 * can be compared as columns. Fields of a group belong together by name, however they are ordered;
 * inside a LIST or MAP by position, since names there do not print (LogicalTypes.md, "Lists",
 * "Maps"). The layout of a VARIANT is no difference. The invariant: leaves of a pair print alike if
 * the same fields are present and the values have the same bytes.
 */
#include <lamella/schema.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "schema_json.h"

enum { PRESENT = 255, TEXT_SIZE = 512, NAMES_MOST = 8 };

/* --- Text ---------------------------------------------------------------------------------- */

static void put(char *text, const char *more) {
    size_t used = strlen(text);
    snprintf(text + used, TEXT_SIZE - used, "%s", more);
}

/* "int64 (TIMESTAMP(MICROS,true))" */
static void put_type(char *text, const lam_field *field) {
    static const char *const names[] = {
        [LAM_PHYSICAL_BOOLEAN] = "boolean",
        [LAM_PHYSICAL_INT32] = "int32",
        [LAM_PHYSICAL_INT64] = "int64",
        [LAM_PHYSICAL_INT96] = "int96",
        [LAM_PHYSICAL_FLOAT] = "float",
        [LAM_PHYSICAL_DOUBLE] = "double",
        [LAM_PHYSICAL_BYTE_ARRAY] = "binary",
        [LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY] = "fixed_len_byte_array"};
    char logical[TEXT_SIZE / 2], length[32];
    if (!lam_field_is_leaf(field)) {
        put(text, "group");
    } else {
        put(text, names[lam_field_physical_type(field)]);
    }
    if (lam_field_physical_type(field) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY &&
        lam_field_is_leaf(field)) {
        snprintf(length, sizeof length, "(%d)", (int)lam_field_type_length(field));
        put(text, length);
    }
    (void)lam_logical_type_print(lam_field_logical_type(field), logical, sizeof logical);
    if (logical[0] != '\0') {
        put(text, " (");
        put(text, logical);
        put(text, ")");
    }
}

static void put_field(char *text, const lam_field *field) {
    put(text, schema_repetition_name(field));
    put(text, " ");
    put_type(text, field);
}

static void put_id(char *text, const lam_field *field) {
    int32_t id;
    if (lam_field_id(field, &id))
        snprintf(text, TEXT_SIZE, "%d", (int)id);
    else
        put(text, "none");
}

/* --- Types --------------------------------------------------------------------------------- */

/* An INT32 or INT64 without annotation is the same. (LogicalTypes.md, "Signed Integers") */
static bool is_plain_integer(const lam_field *field) {
    const lam_logical_type *type = lam_field_logical_type(field);
    int width = lam_field_physical_type(field) == LAM_PHYSICAL_INT32   ? 32
                : lam_field_physical_type(field) == LAM_PHYSICAL_INT64 ? 64
                                                                       : 0;
    return lam_field_is_leaf(field) && width > 0 &&
           (type->kind == LAM_LOGICAL_NONE ||
            (type->kind == LAM_LOGICAL_INTEGER && type->is_signed && type->bit_width == width));
}

static bool is_same_type(const lam_field *a, const lam_field *b) {
    char left[TEXT_SIZE] = "", right[TEXT_SIZE] = "";
    if (lam_field_is_leaf(a) && lam_field_is_leaf(b) && is_plain_integer(a) && is_plain_integer(b))
        return lam_field_physical_type(a) == lam_field_physical_type(b);
    put_type(left, a);
    put_type(right, b);
    return strcmp(left, right) == 0;
}

static lam_logical_kind kind_of(const lam_field *field) {
    return lam_field_logical_type(field)->kind;
}

static bool is_same_tree(const lam_field *a, const lam_field *b) {
    if (strcmp(lam_field_name(a), lam_field_name(b)) != 0 || !is_same_type(a, b) ||
        lam_field_repetition(a) != lam_field_repetition(b) ||
        lam_field_child_count(a) != lam_field_child_count(b))
        return false;
    for (size_t i = 0; i < lam_field_child_count(a); i++)
        if (!is_same_tree(lam_field_child(a, i), lam_field_child(b, i)))
            return false;
    return true;
}

/* --- Leaves -------------------------------------------------------------------------------- */

typedef struct matcher {
    diff_match *match;
    diff_report *report;
} matcher;

static bool is_selected(const diff_file *file, const lam_field *field) {
    size_t first = lam_field_first_leaf(field), count = lam_field_leaf_count(field);
    bool found = file->selected == NULL;
    for (size_t i = 0; i < count && !found; i++)
        found = file->selected[first + i];
    return found;
}

static bool mark_leaves(diff_file *file, const lam_field *field) {
    size_t first = lam_field_first_leaf(field), count = lam_field_leaf_count(field);
    for (size_t i = 0; i < count; i++)
        file->compared[first + i] = file->selected == NULL || file->selected[first + i];
    return count > 0;
}

/* Compares a field of both as text alone. */
static void mark_whole(matcher *m, const lam_field *a, const lam_field *b) {
    bool has_a = mark_leaves(&m->match->files[0], a), has_b = mark_leaves(&m->match->files[1], b);
    if (has_a || has_b)
        m->match->has_all_pairs = false;
}

static void fill_depths(const lam_field *leaf, uint8_t *depths) {
    uint8_t level = lam_field_max_definition(leaf);
    depths[level] = PRESENT;
    for (const lam_field *field = leaf; lam_field_parent(field) != NULL;
         field = lam_field_parent(field))
        if (lam_field_repetition(field) != LAM_REPETITION_REQUIRED)
            depths[--level] = (uint8_t)lam_field_depth(field);
}

static void add_pair(matcher *m, const lam_field *a, const lam_field *b) {
    diff_match *match = m->match;
    diff_pair *pair = &match->pairs[match->pair_count++];
    pair->leaves[0] = lam_field_first_leaf(a);
    pair->leaves[1] = lam_field_first_leaf(b);
    fill_depths(a, pair->depth[0]);
    fill_depths(b, pair->depth[1]);
}

static void match_leaves(matcher *m, const lam_field *a, const lam_field *b, bool is_exact) {
    diff_match *match = m->match;
    bool is_free = match->files[0].free_leaves[lam_field_first_leaf(a)];
    mark_leaves(&match->files[0], a);
    mark_leaves(&match->files[1], b);
    if (is_exact && is_same_type(a, b) &&
        is_free == match->files[1].free_leaves[lam_field_first_leaf(b)])
        add_pair(m, a, b);
    else
        match->has_all_pairs = false;
}

/* --- Fields -------------------------------------------------------------------------------- */

static void report_field(matcher *m, const char *what, const lam_field *field, const char *a,
                         const char *b) {
    char *path = tool_path_of(field);
    diff_report_schema(m->report, what, path, a, b);
    free(path);
}

static void report_missing(matcher *m, int side, const lam_field *field) {
    char text[TEXT_SIZE] = "";
    if (m->report->options->ignores_schema || !is_selected(&m->match->files[side], field))
        return;
    put_field(text, field);
    report_field(m, side == 0 ? "removed" : "added", field, side == 0 ? text : NULL,
                 side == 0 ? NULL : text);
}

/* How a field that both have differs itself. */
static void report_properties(matcher *m, const lam_field *a, const lam_field *b) {
    char left[TEXT_SIZE] = "", right[TEXT_SIZE] = "";
    if (m->report->options->ignores_schema || lam_field_parent(a) == NULL)
        return;
    if (strcmp(lam_field_name(a), lam_field_name(b)) != 0)
        report_field(m, "name", a, lam_field_name(a), lam_field_name(b));
    if (!is_same_type(a, b)) {
        put_type(left, a);
        put_type(right, b);
        report_field(m, "type", a, left, right);
    }
    if (lam_field_repetition(a) != lam_field_repetition(b))
        report_field(m, "repetition", a, schema_repetition_name(a), schema_repetition_name(b));
    int32_t id_a = 0, id_b = 0;
    bool has_a = lam_field_id(a, &id_a), has_b = lam_field_id(b, &id_b);
    if (!m->report->options->ignores_ids && (has_a != has_b || id_a != id_b)) {
        left[0] = right[0] = '\0';
        put_id(left, a);
        put_id(right, b);
        report_field(m, "id", a, left, right);
    }
}

/* The ordinal of the first field of a group that has the name of this one. */
static size_t first_of_name(const lam_field *group, const lam_field *field) {
    const char *name = lam_field_name(field);
    const lam_field *first = lam_field_child_named(group, name, strlen(name));
    return lam_field_ordinal(first != NULL ? first : field); /* a name may hold a NUL */
}

/* By ordinal: the next field of a group that has the same name, or NULL. */
static const lam_field **next_of_name(const lam_field *group) {
    const size_t count = lam_field_child_count(group);
    const lam_field **next = tool_allocate(count + 1, sizeof *next);
    const lam_field **last = tool_allocate(count + 1, sizeof *last); /* by the first of a name */
    for (size_t i = 0; i < count; i++) {
        const lam_field *field = lam_field_child(group, i);
        const size_t first = first_of_name(group, field);
        if (last[first] != NULL)
            next[lam_field_ordinal(last[first])] = field;
        last[first] = field;
    }
    free(last);
    return next;
}

/*
 * By ordinal: the field of the other group that has the name of a field, and as many fields of the
 * name before it; NULL if there is none. Names may occur a thousand times, in files of strangers,
 * so each field is passed once. To be freed.
 */
static const lam_field **find_partners(const lam_field *group, const lam_field *other) {
    const size_t count = lam_field_child_count(group);
    const lam_field **partners = tool_allocate(count + 1, sizeof *partners);
    const lam_field **free_ones = tool_allocate(count + 1, sizeof *free_ones);
    const lam_field **next = next_of_name(other);
    for (size_t i = 0; i < count; i++) {
        const char *name = lam_field_name(lam_field_child(group, i));
        const size_t first = first_of_name(group, lam_field_child(group, i));
        if (first == i)
            free_ones[i] = lam_field_child_named(other, name, strlen(name));
        partners[i] = free_ones[first];
        if (partners[i] != NULL)
            free_ones[first] = next[lam_field_ordinal(partners[i])];
    }
    free(next);
    free(free_ones);
    return partners;
}

static void match_fields(matcher *m, const lam_field *a, const lam_field *b, bool is_exact);

/* The first fields that both have, in the order of one of them. */
static void put_names(char *text, const lam_field *group, const lam_field *const *partners) {
    size_t count = 0;
    for (size_t i = 0; i < lam_field_child_count(group) && count <= NAMES_MOST; i++) {
        const lam_field *field = lam_field_child(group, i);
        if (partners[i] == NULL)
            continue;
        put(text, count == 0 ? "" : ", ");
        put(text, count == NAMES_MOST ? "..." : lam_field_name(field));
        count++;
    }
}

static void report_order(matcher *m, const lam_field *a, const lam_field *b,
                         const lam_field *const *const partners[2]) {
    char left[TEXT_SIZE] = "", right[TEXT_SIZE] = "";
    m->match->is_any_order = true;
    if (m->report->options->ignores_schema || m->report->options->ignores_order)
        return;
    put_names(left, a, partners[0]);
    put_names(right, b, partners[1]);
    report_field(m, "order", a, left, right);
}

static void match_by_name(matcher *m, const lam_field *a, const lam_field *b, bool is_exact) {
    const diff_file *files = m->match->files;
    const lam_field **partners[] = {find_partners(a, b), find_partners(b, a)};
    size_t last = 0;
    bool is_ordered = true;
    for (size_t i = 0; i < lam_field_child_count(a); i++) {
        const lam_field *field = lam_field_child(a, i), *partner = partners[0][i];
        if (partner == NULL) {
            report_missing(m, 0, field);
        } else if (is_selected(&files[0], field) && is_selected(&files[1], partner)) {
            is_ordered = is_ordered && lam_field_ordinal(partner) >= last;
            last = lam_field_ordinal(partner);
            match_fields(m, field, partner, is_exact);
        }
    }
    if (!is_ordered)
        report_order(m, a, b, (const lam_field *const *const[]){partners[0], partners[1]});
    for (size_t i = 0; i < lam_field_child_count(b); i++)
        if (partners[1][i] == NULL)
            report_missing(m, 1, lam_field_child(b, i));
    free(partners[0]);
    free(partners[1]);
}

static bool is_list_or_map(const lam_field *group) {
    lam_logical_kind kind = kind_of(group);
    return (kind == LAM_LOGICAL_LIST || kind == LAM_LOGICAL_MAP ||
            kind == LAM_LOGICAL_MAP_KEY_VALUE) &&
           lam_field_child_count(group) == 1 &&
           lam_field_repetition(lam_field_child(group, 0)) == LAM_REPETITION_REPEATED;
}

/* The old form of a list whose repeated group is the element. (LogicalTypes.md, "Lists") */
static bool is_old_list(const lam_field *list) {
    const lam_field *repeated = lam_field_child(list, 0);
    const char *name = lam_field_name(repeated);
    size_t size = strlen(lam_field_name(list));
    return kind_of(list) == LAM_LOGICAL_LIST &&
           (lam_field_child_count(repeated) != 1 || strcmp(name, "array") == 0 ||
            lam_field_repetition(lam_field_child(repeated, 0)) == LAM_REPETITION_REPEATED ||
            (strncmp(name, lam_field_name(list), size) == 0 && strcmp(name + size, "_tuple") == 0));
}

/* The repeated field of two lists or maps, and its inside. */
static void match_repeated(matcher *m, const lam_field *a, const lam_field *b, bool is_exact) {
    const lam_field *left = lam_field_child(a, 0), *right = lam_field_child(b, 0);
    size_t count = lam_field_child_count(left);
    bool is_list = kind_of(a) == LAM_LOGICAL_LIST;
    if (kind_of(a) != kind_of(b) || is_old_list(a) != is_old_list(b) ||
        lam_field_child_count(right) != count || (!is_list && count != 2)) {
        bool is_same = is_same_tree(left, right);
        report_properties(m, left, right);
        if (is_same)
            match_by_name(m, left, right, is_exact);
        else
            mark_whole(m, left, right);
        return;
    }
    if (is_old_list(a)) {
        match_fields(m, left, right, is_exact);
        return;
    }
    report_properties(m, left, right);
    for (size_t i = 0; i < count; i++)
        match_fields(m, lam_field_child(left, i), lam_field_child(right, i), is_exact);
}

static void match_variants(matcher *m, const lam_field *a, const lam_field *b, bool is_exact) {
    m->match->is_any_order = true;
    if (!is_exact || !is_same_tree(a, b)) {
        mark_whole(m, a, b);
        return;
    }
    mark_leaves(&m->match->files[0], a);
    mark_leaves(&m->match->files[1], b);
    for (size_t i = 0; i < lam_field_leaf_count(a); i++)
        add_pair(m, lam_schema_leaf(m->match->files[0].schema, lam_field_first_leaf(a) + i),
                 lam_schema_leaf(m->match->files[1].schema, lam_field_first_leaf(b) + i));
}

static void match_fields(matcher *m, const lam_field *a, const lam_field *b, bool is_exact) {
    bool is_leaf = lam_field_is_leaf(a);
    bool is_repeated = lam_field_repetition(a) == LAM_REPETITION_REPEATED;
    report_properties(m, a, b);
    is_exact = is_exact && is_repeated == (lam_field_repetition(b) == LAM_REPETITION_REPEATED) &&
               (is_leaf || kind_of(a) == kind_of(b));
    bool is_variant = kind_of(a) == LAM_LOGICAL_VARIANT;
    if (is_leaf != lam_field_is_leaf(b) || is_variant != (kind_of(b) == LAM_LOGICAL_VARIANT))
        mark_whole(m, a, b);
    else if (is_leaf)
        match_leaves(m, a, b, is_exact);
    else if (is_variant)
        match_variants(m, a, b, is_exact);
    else if (is_list_or_map(a) && is_list_or_map(b))
        match_repeated(m, a, b, is_exact);
    else
        match_by_name(m, a, b, is_exact);
}

void diff_match_schemas(diff_match *match, diff_report *report) {
    matcher m = {match, report};
    size_t counts[2], least;
    for (int side = 0; side < 2; side++) {
        counts[side] = lam_schema_leaf_count(match->files[side].schema);
        match->files[side].compared =
            tool_allocate(counts[side] + 1, sizeof *match->files[side].compared);
    }
    least = counts[0] < counts[1] ? counts[0] : counts[1];
    match->pairs = tool_allocate(least + 1, sizeof *match->pairs);
    match->pair_count = 0;
    match->has_all_pairs = true;
    match_by_name(&m, lam_schema_root(match->files[0].schema),
                  lam_schema_root(match->files[1].schema), true);
}
