/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads lists of paths and finds the fields that they lead to. A text from anyone comes in; items
 * go out, then fields for each. Names are compared word by word, from the root down:
 *
 *     path     user.*.x, in a schema with user.a.x, user.b.x and "user.c"
 *     root, 0 words used  ->  user, 1  ->  user.a, 2   user.b, 2  ->  user.a.x, 3   user.b.x, 3
 *
 * The matches at hand are a list, which only grows, so that no function calls itself and the depth
 * of a path costs memory only. A name of the schema may hold dots itself: then several words lead
 * to one field. Invariant: a match is reached by names that equal its own, so that it belongs to
 * the path. (LogicalTypes.md, "Lists")
 */
#include "schema/path_list.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "schema/field_guess.h"
#include "schema/nesting.h"
#include "schema/tree.h"

/* As many names as the deepest schema has, and as many dots inside of names. */
enum { PATH_LIST_MOST_WORDS = 2 * LAM_SCHEMA_DEPTH_MAX };

/* --- Errors -------------------------------------------------------------------------------- */

/* Characters are counted from 1. The message stays one line whatever the text holds. */
static void path_list_locate(const char *text, size_t offset, lam_error *error) {
    size_t character = 1;
    if (error == NULL)
        return;
    for (size_t i = 0; i < offset; i++)
        character += ((unsigned char)text[i] & 0xC0) != 0x80;
    char message[sizeof error->message];
    snprintf(message, sizeof message, "character %zu: %.220s", character, error->message);
    memcpy(error->message, message, sizeof message);
    lam_error_make_line(error->message, sizeof error->message);
}

static lam_status path_list_fail(const char *text, size_t offset, const char *what,
                                 lam_error *error) {
    lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX, "%s", what);
    path_list_locate(text, offset, error);
    return LAM_STATUS_INVALID;
}

lam_status lam_path_item_locate(const lam_path_item *item, const char *text, lam_status status,
                                lam_error *error) {
    if (status != LAM_STATUS_OK && status != LAM_STATUS_NOMEM)
        path_list_locate(text, item->offset, error);
    return status;
}

/* --- Reading ------------------------------------------------------------------------------- */

/* A position in the text, and the words of the item at hand. */
typedef struct path_list_reader {
    const char *text;
    size_t size;
    size_t at;
    lam_arena *arena;
    lam_path_word words[PATH_LIST_MOST_WORDS];
    size_t word_count;
} path_list_reader;

static char path_list_char(const path_list_reader *reader, size_t at) {
    return at < reader->size ? reader->text[at] : '\0';
}

static bool path_list_is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void path_list_skip_space(path_list_reader *reader) {
    while (path_list_is_space(path_list_char(reader, reader->at)))
        reader->at++;
}

static lam_status path_list_add(path_list_reader *reader, const lam_path_word *word,
                                lam_error *error) {
    if (reader->word_count == PATH_LIST_MOST_WORDS)
        LAM_FAIL(error, LAM_ERROR_CODE_FILTER_LIMIT, "a path of more than %d names",
                 PATH_LIST_MOST_WORDS);
    reader->words[reader->word_count++] = *word;
    return LAM_STATUS_OK;
}

/* Takes a name between quotation marks, two of which stand for one. */
static lam_status path_list_take_quoted(path_list_reader *reader, lam_error *error) {
    size_t open = reader->at++, size = 0;
    lam_path_word word = {{NULL, 0}, false, false};
    uint8_t *name;
    LAM_TRY(lam_arena_bytes(reader->arena, reader->size - open, &name, error));
    for (;; reader->at++) {
        if (reader->at >= reader->size)
            return path_list_fail(reader->text, open, "the name that begins here does not end",
                                  error);
        if (reader->text[reader->at] == '"' && path_list_char(reader, ++reader->at) != '"')
            break;
        name[size++] = (uint8_t)reader->text[reader->at];
    }
    word.name = (lam_bytes){name, size};
    return path_list_add(reader, &word, error);
}

/* Whether a name without quotation marks ends here. */
static bool path_list_ends(const path_list_reader *reader, size_t at) {
    char c = path_list_char(reader, at);
    return at >= reader->size || c == ',' || c == '.' ||
           (c == '[' && path_list_char(reader, at + 1) == ']');
}

/* Takes a name as it is, with blanks inside of it but none around. */
static lam_status path_list_take_plain(path_list_reader *reader, lam_error *error) {
    size_t begin = reader->at, end = begin;
    for (; !path_list_ends(reader, reader->at); reader->at++)
        if (!path_list_is_space(reader->text[reader->at]))
            end = reader->at + 1;
    if (end == begin)
        return path_list_fail(reader->text, begin,
                              "expected a field (a name that is empty is written \"\")", error);
    lam_path_word word = {{(const uint8_t *)reader->text + begin, end - begin}, false, false};
    word.is_pattern = memchr(word.name.data, '*', word.name.size) != NULL;
    return path_list_add(reader, &word, error);
}

static lam_status path_list_take_name(path_list_reader *reader, lam_error *error) {
    const lam_path_word elements = {{(const uint8_t *)"", 0}, false, true};
    path_list_skip_space(reader);
    LAM_TRY(path_list_char(reader, reader->at) == '"' ? path_list_take_quoted(reader, error)
                                                      : path_list_take_plain(reader, error));
    path_list_skip_space(reader);
    while (path_list_char(reader, reader->at) == '[' &&
           path_list_char(reader, reader->at + 1) == ']') {
        reader->at += 2;
        LAM_TRY(path_list_add(reader, &elements, error));
        path_list_skip_space(reader);
    }
    return LAM_STATUS_OK;
}

/* Takes one path, and the sign before it. */
static lam_status path_list_take_item(path_list_reader *reader, lam_path_item *item,
                                      lam_error *error) {
    void *memory;
    path_list_skip_space(reader);
    item->offset = reader->at;
    item->excludes =
        path_list_char(reader, reader->at) == '!' || path_list_char(reader, reader->at) == '-';
    reader->at += item->excludes;
    size_t begin = reader->at;
    reader->word_count = 0;
    LAM_TRY(path_list_take_name(reader, error));
    while (path_list_char(reader, reader->at) == '.') {
        reader->at++;
        LAM_TRY(path_list_take_name(reader, error));
    }
    if (reader->at < reader->size && reader->text[reader->at] != ',')
        return path_list_fail(reader->text, reader->at, "expected a comma, a dot, or the end",
                              error);
    item->text = (lam_bytes){(const uint8_t *)reader->text + begin, reader->at - begin};
    LAM_TRY(
        lam_arena_array(reader->arena, reader->word_count, sizeof *reader->words, &memory, error));
    memcpy(memory, reader->words, reader->word_count * sizeof *reader->words);
    item->words = memory;
    item->word_count = reader->word_count;
    return LAM_STATUS_OK;
}

lam_status lam_path_list_read(const char *text, size_t size, lam_arena *arena,
                              const lam_path_item **ret_items, size_t *ret_count,
                              lam_error *error) {
    path_list_reader reader = {.text = text, .size = size, .arena = arena};
    size_t most = 1, count = 0, good = lam_utf8_prefix((const uint8_t *)text, size);
    void *memory;
    if (good < size)
        return path_list_fail(text, good, "the text is not UTF-8", error);
    for (size_t i = 0; i < size; i++)
        most += text[i] == ',';
    LAM_TRY(lam_arena_array(arena, most, sizeof(lam_path_item), &memory, error));
    lam_path_item *items = memory;
    for (;; reader.at++) { /* behind the comma */
        LAM_TRY(path_list_take_item(&reader, &items[count++], error));
        if (reader.at >= size)
            break;
    }
    *ret_items = items;
    *ret_count = count;
    return LAM_STATUS_OK;
}

/* --- Finding ------------------------------------------------------------------------------- */

/* Whether a name is one of a pattern. After a mismatch the last * takes one character more. */
static bool path_list_fits(lam_bytes pattern, const char *name, size_t size) {
    size_t p = 0, n = 0, star = SIZE_MAX, from = 0;
    while (n < size) {
        if (p < pattern.size && pattern.data[p] == '*') {
            star = p++;
            from = n;
        } else if (p < pattern.size && (char)pattern.data[p] == name[n]) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.data[p] == '*')
        p++;
    return p == pattern.size;
}

/*
 * How many words, from the given one on, are the name of a field; 0 for another name. Several words
 * are names with dots between them. The first word is no [].
 */
static size_t path_list_words_of(const lam_path_item *item, size_t word, const lam_field *field) {
    const char *name = field->name;
    size_t left = field->name_size;
    if (item->words[word].is_pattern)
        return path_list_fits(item->words[word].name, name, left) ? 1 : 0;
    for (size_t i = word; i < item->word_count; i++) {
        lam_bytes text = item->words[i].name;
        if (item->words[i].is_elements || item->words[i].is_pattern || text.size > left ||
            memcmp(text.data, name, text.size) != 0)
            return 0;
        name += text.size;
        left -= text.size;
        if (left == 0)
            return i - word + 1;
        if (*name != '.')
            return 0;
        name++;
        left--;
    }
    return 0;
}

static lam_status path_list_push(lam_buffer *matches, const lam_field *field, size_t used,
                                 lam_error *error) {
    lam_path_match match = {field->index, (uint32_t)used};
    return lam_buffer_append(matches, &match, sizeof match, error);
}

/* Goes on to the elements of a list; a repeated field without a list around it is its elements. */
static lam_status path_list_enter(lam_buffer *matches, const lam_field *field, size_t used,
                                  lam_error *error) {
    if (!lam_is_list(field))
        return lam_is_repeated(field) ? path_list_push(matches, field, used + 1, error)
                                      : LAM_STATUS_OK;
    const lam_field *element = lam_child_at(field, 0);
    if (lam_list_has_wrapper(field))
        element = lam_child_at(element, 0);
    return path_list_push(matches, element, used + 1, error);
}

/* Adds the matches behind one, unless the path ends there. */
static lam_status path_list_step(const lam_schema *schema, const lam_path_item *item,
                                 lam_path_match match, lam_buffer *matches, lam_error *error) {
    const lam_field *field = lam_schema_field(schema, match.field);
    if (item->words[match.used].is_elements)
        return path_list_enter(matches, field, match.used, error);
    for (size_t i = 0; i < field->child_count; i++) {
        const lam_field *child = lam_child_at(field, i);
        size_t words = path_list_words_of(item, match.used, child);
        if (words > 0)
            LAM_TRY(path_list_push(matches, child, match.used + words, error));
    }
    return LAM_STATUS_OK;
}

/* Reports a path that leads nowhere, and what may be meant. */
static lam_status path_list_not_found(const lam_schema *schema, const lam_path_item *item,
                                      const char *text, lam_error *error) {
    char path[LAM_FIELD_GUESS_ROOM], guess[LAM_FIELD_GUESS_ROOM];
    (void)snprintf(path, sizeof path, "%.*s", (int)(item->text.size < 120 ? item->text.size : 120),
                   (const char *)item->text.data);
    lam_field_guess(schema, path, guess);
    lam_error_set(error, LAM_ERROR_CODE_FIELD_NOT_FOUND, "no field '%s'%s", path, guess);
    path_list_locate(text, item->offset, error);
    return LAM_STATUS_NOT_FOUND;
}

lam_status lam_path_item_find(const lam_schema *schema, const lam_path_item *item,
                              bool stops_at_variants, const char *text, lam_buffer *matches,
                              lam_error *error) {
    size_t found = 0;
    lam_buffer_clear(matches);
    LAM_TRY(path_list_push(matches, lam_schema_root(schema), 0, error));
    for (size_t i = 0; i < matches->size / sizeof(lam_path_match); i++) {
        lam_path_match *all = (lam_path_match *)(void *)matches->data, match = all[i];
        const lam_field *field = lam_schema_field(schema, match.field);
        bool is_variant = lam_is_group(field) && field->logical_type.kind == LAM_LOGICAL_VARIANT;
        bool ends = match.used == item->word_count || (stops_at_variants && is_variant);
        if (!ends)
            LAM_TRY(path_list_step(schema, item, match, matches, error));
        all = (lam_path_match *)(void *)matches->data; /* it may have moved */
        if (ends)
            all[found++] = match;
    }
    matches->size = found * sizeof(lam_path_match);
    return found > 0 ? LAM_STATUS_OK : path_list_not_found(schema, item, text, error);
}

/* --- Selecting ----------------------------------------------------------------------------- */

/* Sets the leaves below all fields of a path. */
static lam_status path_list_mark(const lam_schema *schema, const lam_path_item *item,
                                 const char *text, lam_buffer *matches, bool *leaves,
                                 lam_error *error) {
    LAM_TRY(lam_path_item_find(schema, item, false, text, matches, error));
    const lam_path_match *found = (const lam_path_match *)(const void *)matches->data;
    for (size_t i = 0; i < matches->size / sizeof *found; i++) {
        const lam_field *field = lam_schema_field(schema, found[i].field);
        for (size_t leaf = 0; leaf < field->leaf_count; leaf++)
            leaves[field->first_leaf + leaf] = !item->excludes;
    }
    return LAM_STATUS_OK;
}

/* What is selected first, or all, then what is left out: the order of the list does not matter. */
static lam_status path_list_select(const lam_schema *schema, const char *text, size_t size,
                                   lam_arena *arena, bool *leaves, lam_error *error) {
    lam_status status;
    const lam_path_item *items;
    size_t count, selected = 0;
    bool is_open = true;
    lam_buffer matches;
    lam_buffer_init(&matches, &arena->allocator);
    LAM_TRY_OUT(lam_path_list_read(text, size, arena, &items, &count, error));
    for (size_t i = 0; i < count; i++)
        is_open = is_open && items[i].excludes;
    memset(leaves, is_open, schema->leaf_count);
    for (int excludes = 0; excludes < 2; excludes++)
        for (size_t i = 0; i < count; i++)
            if (items[i].excludes == (excludes == 1))
                LAM_TRY_OUT(path_list_mark(schema, &items[i], text, &matches, leaves, error));
    for (size_t i = 0; i < schema->leaf_count; i++)
        selected += leaves[i];
    if (selected == 0)
        status = path_list_fail(text, 0, "no column is left", error);
out:
    lam_buffer_finish(&matches);
    return status;
}

/* The marks are made in memory of their own, so that a failure leaves those of the caller alone. */
lam_status lam_schema_select_text(const lam_schema *schema, const char *text, size_t size,
                                  const lam_allocator *allocator, bool *leaves, lam_error *error) {
    lam_status status;
    lam_allocator chosen = lam_allocator_or_default(allocator);
    lam_arena arena;
    void *memory;
    LAM_TRY(lam_schema_require(schema, error));
    lam_arena_init(&arena, &chosen, 0);
    LAM_TRY_OUT(lam_arena_array(&arena, schema->leaf_count + 1, sizeof(bool), &memory, error));
    LAM_TRY_OUT(path_list_select(schema, text, size, &arena, memory, error));
    memcpy(leaves, memory, schema->leaf_count);
out:
    lam_arena_finish(&arena);
    return status;
}
