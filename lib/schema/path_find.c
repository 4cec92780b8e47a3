/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the fields that a path leads to: takes words, and gives fields, one by one, or an error
 * that says what may be meant. The way from the root to the current field is a list of frames, one
 * for each group on it, and each frame knows what it tries next:
 *
 *     a.b.c     root: a           is tried first, and has b, a leaf: c leads nowhere
 *               root: a.b         two words are one name: below it is c
 *               root: a.b.c       three words are
 *
 * The invariant: a field is reached by its own names, hence only once, and the time is bounded by
 * the fields of the schema times the words of the path. Children are found by a hash, so that in a
 * wide group a name costs its own length. (LogicalTypes.md, "Lists", "Maps")
 */
#include "schema/path_find.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "schema/field_guess.h"
#include "schema/name_index.h"
#include "schema/nesting.h"

/* The ways to read a path, in the order in which they are tried. */
enum { PATH_BY_NAMES, PATH_BY_KEYS, PATH_BY_DOTS, PATH_MANNERS };

/* --- One step ------------------------------------------------------------------------------ */

/* Whether a name is one of a pattern. After a mismatch the last * takes one character more. */
static bool path_fits(const lam_path_word *pattern, const char *name, size_t size) {
    size_t p = 0, n = 0, star = SIZE_MAX, from = 0;
    while (n < size) {
        if (p < pattern->size && pattern->text[p] == '*') {
            star = p++;
            from = n;
        } else if (p < pattern->size && pattern->text[p] == name[n]) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern->size && pattern->text[p] == '*')
        p++;
    return p == pattern->size;
}

/* The child after the last one, or the first, whose name fits a pattern. */
static const lam_field *path_next_fitting(const lam_path_frame *frame,
                                          const lam_path_word *pattern) {
    const lam_field *group = frame->at.field;
    for (size_t i = frame->child == NULL ? 0 : frame->child->ordinal + 1; i < group->child_count;
         i++) {
        const lam_field *child = lam_child_at(group, i);
        if (path_fits(pattern, child->name, child->name_size))
            return child;
    }
    return NULL;
}

/* The elements of a list; a repeated field itself is gone through on arrival. */
static const lam_field *path_elements(const lam_field *list) {
    if (!lam_is_list(list))
        return NULL;
    const lam_field *repeated = lam_child_at(list, 0);
    return lam_list_has_wrapper(list) ? lam_child_at(repeated, 0) : repeated;
}

/* The values of a map whose keys are one column. */
static const lam_field *path_values(const lam_field *map) {
    const lam_field *entries = lam_is_map(map) ? lam_child_at(map, 0) : NULL;
    bool has_values = entries != NULL && entries->child_count > 1;
    return has_values && lam_field_is_leaf(lam_child_at(entries, 0)) ? lam_child_at(entries, 1)
                                                                     : NULL;
}

/*
 * Whether as many words from the frame's on can be one name: several only by the dots between them.
 */
static bool path_may_take(const lam_path_search *search, const lam_path_frame *frame,
                          size_t count) {
    const lam_path_word *first = &search->path->words[frame->at.used], *last = first + count - 1;
    if (count == 1)
        return first->is_quoted || first->size > 0;
    return search->manner == PATH_BY_DOTS && count <= search->path->count - frame->at.used &&
           last->kind == LAM_PATH_NAME && !last->is_quoted && !first->is_quoted;
}

/* The next child by its name: siblings of one name, then longer names. */
static const lam_field *path_next_named(const lam_path_search *search, lam_path_frame *frame) {
    const lam_path_word *words = &search->path->words[frame->at.used];
    const lam_field *child = frame->child == NULL ? NULL : lam_field_next_named(frame->child);
    while (child == NULL && (frame->taken == 0 || path_may_take(search, frame, frame->taken + 1))) {
        frame->taken++;
        if (path_may_take(search, frame, frame->taken))
            child = lam_field_child_of_words(frame->at.field, words, frame->taken);
    }
    return child;
}

/* Moves a frame to the next field below it; `ret_match` is that field. False after the last. */
static bool path_advance(const lam_path_search *search, lam_path_frame *frame,
                         lam_path_match *ret_match) {
    const lam_path_word *word = &search->path->words[frame->at.used];
    bool is_first = frame->taken == 0, is_key = word->kind == LAM_PATH_KEY;
    const lam_field *child = NULL;
    if (word->kind == LAM_PATH_NAME && frame->taken != SIZE_MAX)
        child = path_next_named(search, frame);
    else if (word->kind == LAM_PATH_PATTERN)
        child = path_next_fitting(frame, word);
    else if (word->kind == LAM_PATH_ELEMENTS && is_first)
        child = path_elements(frame->at.field);
    if (word->kind != LAM_PATH_NAME)
        frame->taken = 1;
    *ret_match = frame->at;
    ret_match->used += frame->taken;
    bool is_named_key = word->kind == LAM_PATH_NAME && search->manner >= PATH_BY_KEYS;
    if (child == NULL && (search->allowed & LAM_PATH_TO_KEYS) != 0 && frame->taken != SIZE_MAX &&
        ((is_key && is_first) || is_named_key)) {
        child = path_values(frame->at.field);
        frame->taken = SIZE_MAX; /* no word follows it */
        ret_match->used = frame->at.used + 1;
        ret_match->key = frame->at.used;
        ret_match->map = frame->at.field;
        ret_match->key_count++;
    }
    frame->child = child;
    ret_match->field = child;
    return child != NULL;
}

/* --- All ways ------------------------------------------------------------------------------ */

static bool path_stops_at(const lam_path_search *search, const lam_field *field) {
    return (search->allowed & LAM_PATH_INTO_VARIANTS) != 0 && lam_is_variant_group(field);
}

/*
 * Passes the [] after a repeated field that is no list: it is its elements. After a VARIANT []
 * leads to a value's elements.
 */
static void path_arrive(lam_path_search *search, lam_path_match *match) {
    const lam_path *path = search->path;
    bool is_element = path->words[match->used - 1].kind == LAM_PATH_ELEMENTS;
    if (!is_element && match->used < path->count && lam_is_repeated(match->field) &&
        !lam_is_list(match->field) && !path_stops_at(search, match->field) &&
        path->words[match->used].kind == LAM_PATH_ELEMENTS)
        match->used++;
    if (match->used > search->furthest) {
        search->furthest = match->used;
        search->furthest_field = match->field;
    }
}

bool lam_path_search_next(lam_path_search *search, lam_path_match *ret_match) {
    lam_path_match match;
    while (search->depth > 0) {
        if (!path_advance(search, &search->frames[search->depth - 1], &match)) {
            search->depth--;
            continue;
        }
        path_arrive(search, &match);
        if (match.used == search->path->count || path_stops_at(search, match.field)) {
            *ret_match = match;
            return true;
        }
        if (match.field->child_count > 0)
            search->frames[search->depth++] = (lam_path_frame){match, NULL, 0};
    }
    return false;
}

static void path_search_begin(lam_path_search *search, const lam_schema *schema, unsigned manner) {
    const lam_path_match root = {.field = lam_schema_root(schema)};
    search->manner = manner;
    search->depth = 1;
    search->frames[0] = (lam_path_frame){root, NULL, 0};
}

/* Goes before the first field of the first manner that has one; false when none has. */
static bool path_search_open(lam_path_search *search, const lam_schema *schema,
                             const lam_path *path, unsigned allowed, lam_path_match *ret_first) {
    search->path = path;
    search->allowed = allowed;
    search->furthest = 0;
    search->furthest_field = lam_schema_root(schema);
    for (unsigned manner = PATH_BY_NAMES; manner < PATH_MANNERS; manner++) {
        path_search_begin(search, schema, manner);
        if (lam_path_search_next(search, ret_first))
            return true;
    }
    return false;
}

/* --- Errors -------------------------------------------------------------------------------- */

enum { PATH_SHOWN = 120 }; /* bytes of a path in a message */

/* For %.*s: the bytes of a path as it is written, at most as many as are shown. */
static int path_shown(const lam_path *path, size_t most) {
    return (int)(path->text.size < most ? path->text.size : most);
}

/* Reports a path that leads nowhere: where it stops at a bracket, or what may be meant. */
static lam_status path_not_found(const lam_path_search *search, const lam_schema *schema,
                                 lam_error *error) {
    const lam_path *path = search->path;
    char guess[LAM_FIELD_GUESS_ROOM], field[PATH_SHOWN];
    lam_path_word_kind kind = path->words[search->furthest].kind;
    if (search->furthest > 0 && (kind == LAM_PATH_ELEMENTS || kind == LAM_PATH_KEY)) {
        (void)lam_field_path(search->furthest_field, field, sizeof field);
        return lam_error_set(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "%s has no %s", field,
                             kind == LAM_PATH_ELEMENTS ? "elements: it is not a list"
                                                       : "values by key");
    }
    lam_field_guess(schema, path, guess);
    return lam_error_set(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no field '%.*s'%s",
                         path_shown(path, PATH_SHOWN), (const char *)path->text.data, guess);
}

/* Appends a field that may be meant: its path, and its columns, which alone tell twins apart. */
static void path_put_meaning(lam_text *text, const lam_field *field) {
    enum { SHORT = 48 };
    char path[SHORT];
    if (lam_field_path(field, path, sizeof path) >= sizeof path)
        memcpy(path + sizeof path - 4, "...", 4);
    lam_text_put_string(text, path);
    lam_text_put_string(text, field->leaf_count == 0   ? " (no column)"
                              : field->leaf_count == 1 ? " (column "
                                                       : " (columns ");
    if (field->leaf_count == 0)
        return;
    lam_text_put_int(text, field->first_leaf);
    if (field->leaf_count > 1) {
        lam_text_put_string(text, " to ");
        lam_text_put_int(text, (int64_t)field->first_leaf + field->leaf_count - 1);
    }
    lam_text_put_string(text, ")");
}

/* Reports a path that leads to several fields, the first of which are listed. */
static lam_status path_ambiguous(lam_path_search *search, const lam_schema *schema,
                                 lam_error *error) {
    enum { LISTED = 3 };
    char list[256];
    lam_text text = {list, sizeof list, 0};
    lam_path_match match;
    int64_t count = 0;
    path_search_begin(search, schema, search->manner);
    for (; lam_path_search_next(search, &match); count++) {
        if (count >= LISTED)
            continue;
        lam_text_put_string(&text, count == 0 ? "" : ", ");
        path_put_meaning(&text, match.field);
    }
    if (count > LISTED) {
        lam_text_put_string(&text, " and ");
        lam_text_put_int(&text, count - LISTED);
        lam_text_put_string(&text, " more");
    }
    (void)lam_text_finish(&text);
    return lam_error_set(error, LAM_ERROR_CODE_FIELD_AMBIGUOUS, "'%.*s' is ambiguous: %s",
                         path_shown(search->path, PATH_SHOWN / 2),
                         (const char *)search->path->text.data, list);
}

/* --- One field, or all --------------------------------------------------------------------- */

lam_status lam_path_find(const lam_schema *schema, const lam_path *path, unsigned allowed,
                         lam_path_match *ret_match, lam_error *error) {
    lam_path_search search;
    lam_path_match first, second;
    if (!path_search_open(&search, schema, path, allowed, &first))
        return path_not_found(&search, schema, error);
    if (lam_path_search_next(&search, &second))
        return path_ambiguous(&search, schema, error);
    *ret_match = first;
    return LAM_STATUS_OK;
}

/* Whether all names from the root down are equal. */
static bool path_is_twin(const lam_field *a, const lam_field *b) {
    for (; a != b; a = lam_parent_of(a), b = lam_parent_of(b))
        if (a->depth != b->depth || a->name_size != b->name_size ||
            memcmp(a->name, b->name, a->name_size) != 0)
            return false;
    return true;
}

static bool path_has_pattern(const lam_path *path) {
    for (size_t i = 0; i < path->count; i++)
        if (path->words[i].kind == LAM_PATH_PATTERN)
            return true;
    return false;
}

/* Only dots in names lead to fields that are neither twins nor fit a pattern. */
lam_status lam_path_search_start(lam_path_search *search, const lam_schema *schema,
                                 const lam_path *path, unsigned allowed, lam_error *error) {
    lam_path_match first, other;
    if (!path_search_open(search, schema, path, allowed, &first))
        return path_not_found(search, schema, error);
    while (search->manner == PATH_BY_DOTS && !path_has_pattern(path) &&
           lam_path_search_next(search, &other))
        if (!path_is_twin(first.field, other.field))
            return path_ambiguous(search, schema, error);
    path_search_begin(search, schema, search->manner);
    return LAM_STATUS_OK;
}

/* --- Texts --------------------------------------------------------------------------------- */

/* A path of the schema has fewer words than one that continues in a VARIANT: they fit the stack. */
enum { PATH_WORDS_OF_FIELDS = 2 * LAM_SCHEMA_DEPTH_MAX };

typedef struct path_on_stack {
    lam_path path;
    lam_path_word words[PATH_WORDS_OF_FIELDS + 1];
} path_on_stack;

/* Reads a text that is not empty. */
static lam_status path_read_on_stack(const lam_schema *schema, const char *text,
                                     path_on_stack *ret_path, lam_error *error) {
    bool more = true;
    size_t count = 0;
    LAM_TRY(lam_schema_require(schema, error));
    if (text == NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no path (NULL)");
    lam_path_reader reader = lam_path_reader_start(text, strlen(text), 0, LAM_PATH_ALONE);
    for (; more && reader.size > 0; count += more) {
        LAM_TRY(lam_path_reader_next(&reader, &ret_path->words[count], &more, error));
        if (more && count == PATH_WORDS_OF_FIELDS)
            LAM_FAIL(error, LAM_ERROR_CODE_FILTER_LIMIT, "a path of more than %d names",
                     PATH_WORDS_OF_FIELDS);
    }
    lam_bytes all = {(const uint8_t *)text, reader.size};
    ret_path->path = (lam_path){ret_path->words, count, all, 0};
    return LAM_STATUS_OK;
}

lam_status lam_schema_resolve(const lam_schema *schema, const char *path,
                              const lam_field **ret_field, lam_error *error) {
    path_on_stack read;
    lam_path_match match = {.field = lam_schema_root(schema)};
    LAM_TRY(path_read_on_stack(schema, path, &read, error));
    if (read.path.count > 0)
        LAM_TRY(lam_path_find(schema, &read.path, 0, &match, error));
    *ret_field = match.field;
    return LAM_STATUS_OK;
}

lam_status lam_schema_select(const lam_schema *schema, const char *path, bool *leaves,
                             lam_error *error) {
    path_on_stack read;
    lam_path_search search;
    lam_path_match match;
    LAM_TRY(path_read_on_stack(schema, path, &read, error));
    if (read.path.count == 0) {
        lam_field_mark(lam_schema_root(schema), true, leaves);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_path_search_start(&search, schema, &read.path, 0, error));
    while (lam_path_search_next(&search, &match))
        lam_field_mark(match.field, true, leaves);
    return LAM_STATUS_OK;
}
