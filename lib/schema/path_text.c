/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints the text of paths: takes a text from anyone and gives words, which borrow it;
 * takes names and gives a text from which every use of paths reads the same names.
 *
 *     text     a . "b ""c"""[]        words     a   b ""c"" (quoted)   []
 *
 * A word is always searched for as the bytes of lam_path_word_bytes, whatever its marks, so reading
 * does not copy and takes time in proportion to the text.
 */
#include "schema/path_text.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ascii.h"
#include "base/error.h"
#include "schema/tree.h"

/* --- Characters ---------------------------------------------------------------------------- */

static char path_char(const lam_path_reader *reader, size_t at) {
    return at < reader->size ? reader->text[at] : '\0';
}

/* Whether a blank beside a name does not belong to it: of a path ALONE every character counts. */
static bool path_at_blank(const lam_path_reader *reader, size_t at) {
    return reader->use != LAM_PATH_ALONE && lam_ascii_is_space(path_char(reader, at));
}

static void path_skip_space(lam_path_reader *reader) {
    while (path_at_blank(reader, reader->at))
        reader->at++;
}

/* --- Errors -------------------------------------------------------------------------------- */

void lam_error_at_character(const char *text, size_t offset, lam_error *error) {
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

static lam_status path_fail(const lam_path_reader *reader, size_t offset, const char *what,
                            lam_error *error) {
    lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX, "%s", what);
    lam_error_at_character(reader->text, offset, error);
    return LAM_STATUS_INVALID;
}

/* --- Reading ------------------------------------------------------------------------------- */

static lam_status path_take_quoted(lam_path_reader *reader, lam_path_word *ret_word,
                                   lam_error *error) {
    size_t open = reader->at, end = open + 1;
    while (end < reader->size && (reader->text[end] != '"' || path_char(reader, end + 1) == '"'))
        end += reader->text[end] == '"' ? 2 : 1;
    if (end >= reader->size)
        return path_fail(reader, open, "the name that begins here does not end", error);
    *ret_word = (lam_path_word){reader->text + open + 1, end - open - 1, LAM_PATH_NAME, true};
    reader->at = end + 1;
    return LAM_STATUS_OK;
}

/* Whether a plain name ends before a character. */
static bool path_ends_name(const lam_path_reader *reader, size_t at) {
    char c = path_char(reader, at);
    if (reader->use == LAM_PATH_IN_CONDITION)
        return !lam_ascii_is_letter(c) && !lam_ascii_is_digit(c);
    return at >= reader->size || c == '.' || (c == '[' && path_char(reader, at + 1) == ']') ||
           (c == ',' && reader->use == LAM_PATH_IN_LIST);
}

/* Takes a name as it is, with blanks inside it but none around. */
static void path_take_plain(lam_path_reader *reader, lam_path_word *ret_word) {
    size_t begin = reader->at, end = begin;
    for (; !path_ends_name(reader, reader->at); reader->at++)
        if (!path_at_blank(reader, reader->at))
            end = reader->at + 1;
    const char *name = reader->text + begin;
    bool is_pattern =
        reader->use == LAM_PATH_IN_LIST && end > begin && memchr(name, '*', end - begin) != NULL;
    *ret_word =
        (lam_path_word){name, end - begin, is_pattern ? LAM_PATH_PATTERN : LAM_PATH_NAME, false};
}

/*
 * Takes a name; the blanks before it have been passed. In a path ALONE it may be empty beside a
 * dot, as a name that ends in one may have no marks.
 */
static lam_status path_take_name(lam_path_reader *reader, bool is_first, lam_path_word *ret_word,
                                 bool *ret_more, lam_error *error) {
    *ret_more = true;
    if (path_char(reader, reader->at) == '"') {
        LAM_TRY(path_take_quoted(reader, ret_word, error));
    } else if (reader->use == LAM_PATH_IN_CONDITION &&
               !lam_ascii_is_letter(path_char(reader, reader->at))) {
        *ret_more = false;
        return LAM_STATUS_OK;
    } else {
        size_t begin = reader->at;
        path_take_plain(reader, ret_word);
        if (ret_word->size == 0 &&
            (reader->use == LAM_PATH_IN_LIST || (is_first && path_char(reader, reader->at) != '.')))
            return path_fail(reader, begin,
                             "expected a field (a name that is empty is written \"\")", error);
    }
    reader->needs_name = false;
    path_skip_space(reader);
    return LAM_STATUS_OK;
}

/* Takes [], or in a condition the [ of a key; `*ret_more` is false if neither begins. */
static void path_take_brackets(lam_path_reader *reader, lam_path_word *ret_word, bool *ret_more) {
    size_t begin = reader->at, end = begin + 1;
    bool is_condition = reader->use == LAM_PATH_IN_CONDITION;
    *ret_more = false;
    if (path_char(reader, begin) != '[')
        return;
    while (is_condition && lam_ascii_is_space(path_char(reader, end)))
        end++;
    bool is_elements = path_char(reader, end) == ']';
    if (!is_elements && !is_condition)
        return;
    *ret_word = (lam_path_word){reader->text + begin, 1,
                                is_elements ? LAM_PATH_ELEMENTS : LAM_PATH_KEY, false};
    *ret_more = true;
    reader->at = end + is_elements;
    path_skip_space(reader);
}

/* Whether the path may end here; a condition decides itself what must follow. */
static lam_status path_end(const lam_path_reader *reader, lam_error *error) {
    bool is_list = reader->use == LAM_PATH_IN_LIST;
    if (reader->use == LAM_PATH_IN_CONDITION || reader->at >= reader->size ||
        (is_list && reader->text[reader->at] == ','))
        return LAM_STATUS_OK;
    return path_fail(
        reader, reader->at,
        is_list ? "expected a comma, a dot, or the end" : "expected a dot, [] or the end", error);
}

lam_status lam_path_reader_next(lam_path_reader *reader, lam_path_word *ret_word, bool *ret_more,
                                lam_error *error) {
    bool is_first = reader->needs_name;
    path_skip_space(reader);
    if (!reader->needs_name) {
        path_take_brackets(reader, ret_word, ret_more);
        if (*ret_more)
            return LAM_STATUS_OK;
        if (path_char(reader, reader->at) != '.')
            return path_end(reader, error);
        reader->at++;
        reader->needs_name = true;
        path_skip_space(reader);
    }
    return path_take_name(reader, is_first, ret_word, ret_more, error);
}

/* The first pass counts the words, so that their memory is in proportion to the path. */
lam_status lam_path_read(const char *text, size_t size, size_t *at, lam_path_use use,
                         lam_arena *arena, lam_path *ret_path, lam_error *error) {
    lam_path_reader reader = lam_path_reader_start(text, size, *at, use);
    lam_path path = {.count = 0};
    lam_path_word word;
    bool more = true;
    path_skip_space(&reader);
    path.offset = reader.at;
    lam_path_reader again = reader;
    for (; more; path.count += more) {
        LAM_TRY(lam_path_reader_next(&reader, &word, &more, error));
        if (more && path.count == LAM_PATH_WORDS_MAX)
            LAM_FAIL(error, LAM_ERROR_CODE_FILTER_LIMIT, "a path of more than %d names",
                     LAM_PATH_WORDS_MAX);
    }
    lam_path_word *words;
    LAM_TRY(LAM_ARENA_ARRAY(arena, path.count, &words, error));
    for (size_t i = 0; i < path.count; i++)
        LAM_TRY(lam_path_reader_next(&again, &words[i], &more, error));
    size_t end = reader.at;
    while (end > path.offset && path_at_blank(&reader, end - 1))
        end--;
    path.words = words;
    path.text = (lam_bytes){(const uint8_t *)text + path.offset, end - path.offset};
    *at = reader.at;
    *ret_path = path;
    return LAM_STATUS_OK;
}

lam_status lam_path_read_text(const char *text, lam_arena *arena, lam_path *ret_path,
                              lam_error *error) {
    size_t at = 0;
    return lam_path_read(text, strlen(text), &at, LAM_PATH_ALONE, arena, ret_path, error);
}

/* Of two marks the first belongs to the bytes before, and the second is left out. */
lam_bytes lam_path_word_bytes(const lam_path_word *word, size_t *from) {
    const char *begin = word->text + *from;
    size_t left = word->size - *from;
    const char *mark = word->is_quoted && left > 0 ? memchr(begin, '"', left) : NULL;
    size_t size = mark == NULL ? left : (size_t)(mark - begin) + 1;
    *from += mark == NULL ? size : size + 1;
    return (lam_bytes){(const uint8_t *)begin, size};
}

/* Takes bytes from the beginning of a name; false if it has others. */
static bool path_take_bytes(lam_bytes *name, const void *bytes, size_t size) {
    if (name->size < size || memcmp(name->data, bytes, size) != 0)
        return false;
    name->data += size;
    name->size -= size;
    return true;
}

bool lam_path_words_are(const lam_path_word *words, size_t count, const char *name, size_t size) {
    lam_bytes left = {(const uint8_t *)name, size};
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !path_take_bytes(&left, ".", 1))
            return false;
        for (size_t from = 0; from < words[i].size;) {
            lam_bytes bytes = lam_path_word_bytes(&words[i], &from);
            if (!path_take_bytes(&left, bytes.data, bytes.size))
                return false;
        }
    }
    return left.size == 0;
}

lam_status lam_path_word_copy(const lam_path_word *word, lam_arena *arena, lam_bytes *ret_name,
                              lam_error *error) {
    size_t size = 0;
    uint8_t *name;
    if (word->size == 0 && !word->is_quoted)
        LAM_FAIL(error, LAM_ERROR_CODE_FILTER_SYNTAX, "a name that is empty is written \"\"");
    LAM_TRY(lam_arena_bytes(arena, word->size + 1, &name, error));
    for (size_t from = 0; from < word->size;) {
        lam_bytes bytes = lam_path_word_bytes(word, &from);
        memcpy(name + size, bytes.data, bytes.size);
        size += bytes.size;
    }
    name[size] = '\0';
    *ret_name = (lam_bytes){name, size};
    return LAM_STATUS_OK;
}

/* --- One step ------------------------------------------------------------------------------ */

/* A path that begins with [] leads from a root that is a list. */
lam_status lam_path_next(const char *path, size_t *position, char *name, size_t capacity,
                         lam_path_step_kind *ret_kind, lam_error *error) {
    lam_path_reader reader = lam_path_reader_start(path, strlen(path), *position, LAM_PATH_ALONE);
    lam_path_word word;
    size_t size = 0;
    bool more = true;
    reader.needs_name = *position == 0 && strncmp(path, "[]", 2) != 0;
    LAM_TRY(lam_path_reader_next(&reader, &word, &more, error));
    if (more && word.kind == LAM_PATH_NAME && word.size == 0 && !word.is_quoted)
        return path_fail(&reader, reader.at, "a name that is empty is written \"\"", error);
    for (size_t from = 0; more && word.kind == LAM_PATH_NAME && from < word.size;) {
        lam_bytes bytes = lam_path_word_bytes(&word, &from);
        if (bytes.size >= capacity - size)
            LAM_FAIL(error, LAM_ERROR_CODE_FILTER_LIMIT, "a name of %zu bytes or more", capacity);
        memcpy(name + size, bytes.data, bytes.size);
        size += bytes.size;
    }
    if (capacity > 0)
        name[size] = '\0';
    *position = reader.at;
    *ret_kind = !more                            ? LAM_PATH_STEP_END
                : word.kind == LAM_PATH_ELEMENTS ? LAM_PATH_STEP_ELEMENTS
                                                 : LAM_PATH_STEP_NAME;
    return LAM_STATUS_OK;
}

/* All after an unclosed mark is within it. */
size_t lam_path_size(const char *text, size_t size, char end) {
    bool is_start = true; /* of a name */
    for (size_t i = 0; i < size; i++) {
        if (is_start && text[i] == '"') {
            for (i++; i < size && (text[i] != '"' || (i + 1 < size && text[i + 1] == '"'));)
                i += text[i] == '"' ? 2 : 1;
            is_start = false;
            continue;
        }
        if (text[i] == end)
            return i;
        is_start = text[i] == '.' || (is_start && lam_ascii_is_space(text[i]));
    }
    return size;
}

/* --- Printing ------------------------------------------------------------------------------ */

bool lam_path_is_keyword(const char *word, size_t size) {
    static const char *const keywords[] = {"and",  "or",      "not",  "in",    "is",
                                           "null", "between", "true", "false", NULL};
    for (size_t i = 0; keywords[i] != NULL; i++) {
        size_t same = 0;
        while (same < size && keywords[i][same] != '\0' && (word[same] | 0x20) == keywords[i][same])
            same++;
        if (same == size && keywords[i][same] == '\0')
            return true;
    }
    return false;
}

bool lam_path_name_is_plain(const char *name, size_t size) {
    if (size == 0 || lam_ascii_is_digit(name[0]) || lam_path_is_keyword(name, size))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!lam_ascii_is_letter(name[i]) && !lam_ascii_is_digit(name[i]))
            return false;
    return true;
}

char *lam_path_name_before(char *end, const char *name, size_t size) {
    lam_text text = {NULL, 0, 0};
    lam_path_put_name(&text, name, size);
    text = (lam_text){end - text.length, text.length, 0};
    lam_path_put_name(&text, name, size);
    return end - text.length;
}

void lam_path_put_name(lam_text *text, const char *name, size_t size) {
    if (lam_path_name_is_plain(name, size)) {
        lam_text_put(text, name, size);
        return;
    }
    lam_text_put(text, "\"", 1);
    for (size_t i = 0; i < size; i++)
        lam_text_put(text, name[i] == '"' ? "\"\"" : &name[i], name[i] == '"' ? 2 : 1);
    lam_text_put(text, "\"", 1);
}

/* Prints the names from the root down; in a buffer that is too small are the first bytes. */
static size_t path_print(const lam_field *field, bool is_label, char *buffer, size_t capacity) {
    const lam_field *fields[LAM_SCHEMA_DEPTH_MAX];
    lam_text text = {buffer, capacity, 0};
    for (const lam_field *at = field; at->index != 0; at = lam_parent_of(at))
        fields[at->depth - 1] = at;
    for (size_t i = 0; i < field->depth; i++) {
        lam_text_put(&text, ".", i > 0);
        if (is_label)
            lam_text_put(&text, fields[i]->name, fields[i]->name_size);
        else
            lam_path_put_name(&text, fields[i]->name, fields[i]->name_size);
    }
    return lam_text_finish(&text);
}

size_t lam_field_path(const lam_field *field, char *buffer, size_t capacity) {
    return path_print(field, false, buffer, capacity);
}

size_t lam_field_label(const lam_field *field, char *buffer, size_t capacity) {
    return path_print(field, true, buffer, capacity);
}
