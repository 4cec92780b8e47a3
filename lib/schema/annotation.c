/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints and parses logical types in message text. Takes a lam_logical_type and gives the text that
 * annotation.h defines, or the reverse; a printed type always parses back to an equal one.
 *
 * One table has every word that the text may use for a type, and with it the arguments that may
 * follow. Arguments are read one at a time by the function for that form, which sees how many came
 * before. Whether the type may annotate its field is checked elsewhere (logical_type.c); here only
 * the text must be right, with the position of the first token that is not.
 */
#include "schema/annotation.h"

#include <string.h>

#include "base/error.h"
#include "schema/logical_type.h"

/* The arguments that a word takes. */
typedef enum lam_annotation_form {
    FORM_BARE,
    FORM_DECIMAL,
    FORM_TIME,
    FORM_INTEGER,
    FORM_VARIANT,
    FORM_GEOMETRY,
    FORM_GEOGRAPHY
} lam_annotation_form;

/* How many arguments a form takes. If none is required, the parentheses may be missing, too. */
static const struct {
    uint8_t fewest;
    uint8_t most;
} arguments_of[] = {
    [FORM_BARE] = {0, 0},      [FORM_DECIMAL] = {1, 2}, [FORM_TIME] = {2, 2},
    [FORM_INTEGER] = {2, 2},   [FORM_VARIANT] = {0, 1}, [FORM_GEOMETRY] = {0, 1},
    [FORM_GEOGRAPHY] = {0, 2},
};

/*
 * A word of message text: the form of its arguments, and the type that the word alone determines.
 */
typedef struct lam_annotation_word {
    const char *word;
    lam_annotation_form form;
    lam_logical_type type; /* as far as the word alone determines it */
} lam_annotation_word;

/* Types that older files name in one word. Their times are adjusted to UTC. ("ConvertedType") */
#define INTEGER_OF(width, sign)                                                                    \
    { .kind = LAM_LOGICAL_INTEGER, .bit_width = (width), .is_signed = (sign) }
#define TIME_OF(what, of_unit)                                                                     \
    { .kind = (what), .unit = (of_unit), .adjusted_to_utc = true }

/*
 * All words, also the other names of a type, which are read and never printed: UTF8, INT, INT_8,
 * NULL.
 */
static const lam_annotation_word words[] = {
    {"STRING", FORM_BARE, {.kind = LAM_LOGICAL_STRING}},
    {"UTF8", FORM_BARE, {.kind = LAM_LOGICAL_STRING}},
    {"ENUM", FORM_BARE, {.kind = LAM_LOGICAL_ENUM}},
    {"UUID", FORM_BARE, {.kind = LAM_LOGICAL_UUID}},
    {"DECIMAL", FORM_DECIMAL, {.kind = LAM_LOGICAL_DECIMAL}},
    {"DATE", FORM_BARE, {.kind = LAM_LOGICAL_DATE}},
    {"TIME", FORM_TIME, {.kind = LAM_LOGICAL_TIME}},
    {"TIME_MILLIS", FORM_BARE, TIME_OF(LAM_LOGICAL_TIME, LAM_TIME_UNIT_MILLIS)},
    {"TIME_MICROS", FORM_BARE, TIME_OF(LAM_LOGICAL_TIME, LAM_TIME_UNIT_MICROS)},
    {"TIMESTAMP", FORM_TIME, {.kind = LAM_LOGICAL_TIMESTAMP}},
    {"TIMESTAMP_MILLIS", FORM_BARE, TIME_OF(LAM_LOGICAL_TIMESTAMP, LAM_TIME_UNIT_MILLIS)},
    {"TIMESTAMP_MICROS", FORM_BARE, TIME_OF(LAM_LOGICAL_TIMESTAMP, LAM_TIME_UNIT_MICROS)},
    {"INTEGER", FORM_INTEGER, {.kind = LAM_LOGICAL_INTEGER}},
    {"INT", FORM_INTEGER, {.kind = LAM_LOGICAL_INTEGER}},
    {"INT_8", FORM_BARE, INTEGER_OF(8, true)},
    {"INT_16", FORM_BARE, INTEGER_OF(16, true)},
    {"INT_32", FORM_BARE, INTEGER_OF(32, true)},
    {"INT_64", FORM_BARE, INTEGER_OF(64, true)},
    {"UINT_8", FORM_BARE, INTEGER_OF(8, false)},
    {"UINT_16", FORM_BARE, INTEGER_OF(16, false)},
    {"UINT_32", FORM_BARE, INTEGER_OF(32, false)},
    {"UINT_64", FORM_BARE, INTEGER_OF(64, false)},
    {"FLOAT16", FORM_BARE, {.kind = LAM_LOGICAL_FLOAT16}},
    {"INTERVAL", FORM_BARE, {.kind = LAM_LOGICAL_INTERVAL}},
    {"JSON", FORM_BARE, {.kind = LAM_LOGICAL_JSON}},
    {"BSON", FORM_BARE, {.kind = LAM_LOGICAL_BSON}},
    {"UNKNOWN", FORM_BARE, {.kind = LAM_LOGICAL_UNKNOWN}},
    {"NULL", FORM_BARE, {.kind = LAM_LOGICAL_UNKNOWN}},
    {"LIST", FORM_BARE, {.kind = LAM_LOGICAL_LIST}},
    {"MAP", FORM_BARE, {.kind = LAM_LOGICAL_MAP}},
    {"MAP_KEY_VALUE", FORM_BARE, {.kind = LAM_LOGICAL_MAP_KEY_VALUE}},
    {"VARIANT", FORM_VARIANT, {.kind = LAM_LOGICAL_VARIANT}},
    {"GEOMETRY", FORM_GEOMETRY, {.kind = LAM_LOGICAL_GEOMETRY}},
    {"GEOGRAPHY", FORM_GEOGRAPHY, {.kind = LAM_LOGICAL_GEOGRAPHY}},
    {"FILE", FORM_BARE, {.kind = LAM_LOGICAL_FILE}},
    {"UNRECOGNIZED", FORM_BARE, {.kind = LAM_LOGICAL_UNRECOGNIZED}},
};

/* Arguments by the number of their enumerator; the first entry means none. */
static const char *const units[] = {"", "MILLIS", "MICROS", "NANOS"};
static const char *const algorithms[] = {"",       "SPHERICAL", "VINCENTY",
                                         "THOMAS", "ANDOYER",   "KARNEY"};

enum {
    UNITS = sizeof units / sizeof units[0],
    ALGORITHMS = sizeof algorithms / sizeof *algorithms
};

/* Position of the current word in a list whose first entry means none; 0 when it is not listed. */
static int word_in(const lam_lexer *lexer, const char *const *list, int count) {
    for (int i = 1; i < count; i++)
        if (lam_lexer_at_word(lexer, list[i]))
            return i;
    return 0;
}

/* --- To text ---------------------------------------------------------------------------------- */

/* Prints a name of a list; empty for a number that the list does not have. */
static void annotation_put_name(lam_text *text, const char *const *names, int count, int index) {
    if (index > 0 && index < count)
        lam_text_put_string(text, names[index]);
}

/* The arguments of INTEGER: "16,false". */
static void put_number_and_flag(lam_text *text, int32_t number, bool flag) {
    lam_text_put_int(text, number);
    lam_text_put_string(text, flag ? ",true" : ",false");
}

/*
 * Prints a CRS. One that reads as an algorithm is quoted, so that GEOGRAPHY("KARNEY") is a CRS and
 * GEOGRAPHY(KARNEY) an algorithm: a quoted word is never compared with the names. A lexer with the
 * entire CRS as its token compares as the parser will, whatever the case.
 */
static void annotation_put_crs(lam_text *text, const char *crs) {
    size_t size = strlen(crs);
    lam_lexer lexer = {crs, size, LAM_TOKEN_WORD, 0, size};
    if (word_in(&lexer, algorithms, ALGORITHMS) > 0)
        lam_text_put_quoted(text, crs, size);
    else
        lam_text_put_word(text, crs, size);
}

/* The arguments of GEOMETRY and GEOGRAPHY: CRS, algorithm, or both with a comma between. */
static void put_geography(lam_text *text, const lam_logical_type *type) {
    if (type->crs != NULL)
        annotation_put_crs(text, type->crs);
    if (type->crs != NULL && type->algorithm != LAM_EDGE_ALGORITHM_DEFAULT)
        lam_text_put(text, ",", 1);
    annotation_put_name(text, algorithms, ALGORITHMS, (int)type->algorithm);
}

/* True when the printed form has parentheses. */
static bool has_arguments(const lam_logical_type *type) {
    switch (type->kind) {
    case LAM_LOGICAL_DECIMAL:
    case LAM_LOGICAL_TIME:
    case LAM_LOGICAL_TIMESTAMP:
    case LAM_LOGICAL_INTEGER:
        return true;
    case LAM_LOGICAL_VARIANT:
        return type->version != 0;
    case LAM_LOGICAL_GEOMETRY:
        return type->crs != NULL;
    case LAM_LOGICAL_GEOGRAPHY:
        return type->crs != NULL || type->algorithm != LAM_EDGE_ALGORITHM_DEFAULT;
    default:
        return false;
    }
}

/*
 * Prints every argument of DECIMAL, TIME, TIMESTAMP and INTEGER, also those that may be left out.
 */
void lam_annotation_print(lam_text *text, const lam_logical_type *type) {
    lam_text_put_string(text, lam_logical_kind_name(type->kind));
    if (!has_arguments(type))
        return;
    lam_text_put(text, "(", 1);
    switch (type->kind) {
    case LAM_LOGICAL_DECIMAL:
        lam_text_put_int(text, type->precision);
        lam_text_put(text, ",", 1);
        lam_text_put_int(text, type->scale);
        break;
    case LAM_LOGICAL_INTEGER:
        put_number_and_flag(text, type->bit_width, type->is_signed);
        break;
    case LAM_LOGICAL_VARIANT:
        lam_text_put_int(text, type->version);
        break;
    case LAM_LOGICAL_GEOMETRY:
    case LAM_LOGICAL_GEOGRAPHY:
        put_geography(text, type);
        break;
    default:
        annotation_put_name(text, units, UNITS, (int)type->unit);
        lam_text_put_string(text, type->adjusted_to_utc ? ",true" : ",false");
        break;
    }
    lam_text_put(text, ")", 1);
}

/* The same for programs, into a buffer of theirs. */
size_t lam_logical_type_print(const lam_logical_type *type, char *buffer, size_t capacity) {
    lam_text text = {buffer, capacity, 0};
    lam_annotation_print(&text, type);
    return lam_text_finish(&text);
}

/* --- From text -------------------------------------------------------------------------------- */

/* The annotation as far as it has been read. */
typedef struct lam_annotation_state {
    lam_logical_type type;
    lam_annotation_form form;
    unsigned count; /* arguments so far */
    bool has_flag;  /* true or false was read */
} lam_annotation_state;

/*
 * Takes the current word as the annotation's one boolean; false when it is not one, or the second.
 * As a boolean is never a unit or a width, the two arguments may come in either order.
 */
static bool take_flag(const lam_lexer *lexer, lam_annotation_state *state, bool *ret_flag) {
    bool is_true = lam_lexer_at_word(lexer, "true");
    if (state->has_flag || (!is_true && !lam_lexer_at_word(lexer, "false")))
        return false;
    *ret_flag = is_true;
    state->has_flag = true;
    return true;
}

/* Precision, then scale, whose bound is the precision. A missing scale stays 0. */
static lam_status take_decimal(const lam_lexer *lexer, lam_annotation_state *state,
                               lam_error *error) {
    if (state->count == 0)
        return lam_lexer_take_int(lexer, 1, INT32_MAX, "the precision of DECIMAL, 1 or more",
                                  &state->type.precision, error);
    return lam_lexer_take_int(lexer, 0, state->type.precision,
                              "the scale of DECIMAL, 0 to its precision", &state->type.scale,
                              error);
}

/*
 * Unit and flag, in either order; the message lists what may still come: after "TIME(true," a unit,
 * after "TIME(MILLIS," a flag.
 */
static lam_status annotation_take_time(const lam_lexer *lexer, lam_annotation_state *state,
                                       lam_error *error) {
    if (take_flag(lexer, state, &state->type.adjusted_to_utc))
        return LAM_STATUS_OK;
    int unit = word_in(lexer, units, UNITS);
    if (unit == 0 || state->type.unit != 0)
        return lam_lexer_expected(lexer, error, "%s",
                                  state->has_flag         ? "MILLIS, MICROS or NANOS"
                                  : state->type.unit != 0 ? "true or false"
                                                          : "MILLIS, MICROS, NANOS, true or false");
    state->type.unit = (lam_time_unit)unit;
    return LAM_STATUS_OK;
}

/* Width and flag, in either order. Of the numbers from 8 to 64 the powers of two are widths. */
static lam_status annotation_take_integer(const lam_lexer *lexer, lam_annotation_state *state,
                                          lam_error *error) {
    if (take_flag(lexer, state, &state->type.is_signed))
        return LAM_STATUS_OK;
    if (state->type.bit_width != 0)
        return lam_lexer_expected(lexer, error, "true or false");
    static const char what[] = "a width of 8, 16, 32 or 64 bits";
    int32_t width;
    LAM_TRY(lam_lexer_take_int(lexer, 8, 64, what, &width, error));
    if ((width & (width - 1)) != 0)
        return lam_lexer_expected(lexer, error, "%s", what);
    state->type.bit_width = (int8_t)width;
    return LAM_STATUS_OK;
}

/* The version; 0 means that none is given, so it starts at 1. */
static lam_status take_variant(const lam_lexer *lexer, lam_annotation_state *state,
                               lam_error *error) {
    int32_t version;
    LAM_TRY(
        lam_lexer_take_int(lexer, 1, INT8_MAX, "a version of VARIANT, 1 or more", &version, error));
    state->type.version = (int8_t)version;
    return LAM_STATUS_OK;
}

/*
 * A CRS or an algorithm. The CRS comes first if there is one, the algorithm last, and each at most
 * once: GEOGRAPHY(KARNEY,OGC:CRS84) is refused at the second argument.
 */
static lam_status take_geography(const lam_lexer *lexer, lam_annotation_state *state,
                                 lam_buffer *crs, lam_error *error) {
    int algorithm = state->form == FORM_GEOGRAPHY ? word_in(lexer, algorithms, ALGORITHMS) : 0;
    if (algorithm > 0 && state->type.algorithm == LAM_EDGE_ALGORITHM_DEFAULT) {
        state->type.algorithm = (lam_edge_algorithm)algorithm;
        return LAM_STATUS_OK;
    }
    if (state->count > 0)
        return lam_lexer_expected(lexer, error, "%s",
                                  state->type.crs == NULL
                                      ? "')' after the algorithm"
                                      : "SPHERICAL, VINCENTY, THOMAS, ANDOYER or KARNEY");
    if (!lam_lexer_at_text(lexer))
        return lam_lexer_expected(lexer, error, "a CRS");
    LAM_TRY(lam_lexer_take_text(lexer, crs, error));
    state->type.crs = (const char *)crs->data;
    return LAM_STATUS_OK;
}

/* Reads one argument, the current token, by the form of the annotation. */
static lam_status take_argument(const lam_lexer *lexer, lam_annotation_state *state,
                                lam_buffer *crs, lam_error *error) {
    switch (state->form) {
    case FORM_DECIMAL:
        return take_decimal(lexer, state, error);
    case FORM_TIME:
        return annotation_take_time(lexer, state, error);
    case FORM_INTEGER:
        return annotation_take_integer(lexer, state, error);
    case FORM_VARIANT:
        return take_variant(lexer, state, error);
    default:
        return take_geography(lexer, state, crs, error);
    }
}

/*
 * Reads from the opening parenthesis to after the closing one. After the last argument that the
 * form takes, a comma is no longer accepted.
 */
static lam_status parse_arguments(lam_lexer *lexer, lam_annotation_state *state, lam_buffer *crs,
                                  lam_error *error) {
    const char *name = lam_logical_kind_name(state->type.kind);
    do {
        LAM_TRY(lam_lexer_next(lexer, error));
        LAM_TRY(take_argument(lexer, state, crs, error));
        state->count++;
        LAM_TRY(lam_lexer_next(lexer, error));
    } while (lam_lexer_at_mark(lexer, ',') && state->count < arguments_of[state->form].most);
    if (state->count < arguments_of[state->form].fewest)
        return lam_lexer_expected(lexer, error, "',' and another argument of %s", name);
    if (!lam_lexer_at_mark(lexer, ')'))
        return lam_lexer_expected(lexer, error, "')' after the arguments of %s", name);
    return lam_lexer_next(lexer, error);
}

/*
 * Finds the word without regard to case, then reads its arguments if there may be any. "timestamp
 * (Nanos, FALSE)" passes the tokens
 *
 *     timestamp    the word: form FORM_TIME, kind TIMESTAMP
 *     (            its arguments follow
 *     Nanos ,      argument 0: a unit
 *     FALSE )      argument 1: the flag
 */
lam_status lam_annotation_parse(lam_lexer *lexer, lam_buffer *crs, lam_logical_type *ret_type,
                                lam_error *error) {
    const lam_annotation_word *word = NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && word == NULL; i++)
        if (lam_lexer_at_word(lexer, words[i].word))
            word = &words[i];
    if (word == NULL)
        return lam_lexer_expected(lexer, error, "the name of a logical type");
    lam_annotation_state state = {word->type, word->form, 0, false};
    LAM_TRY(lam_lexer_next(lexer, error));
    if (lam_lexer_at_mark(lexer, '(') && arguments_of[word->form].most > 0)
        LAM_TRY(parse_arguments(lexer, &state, crs, error));
    else if (arguments_of[word->form].fewest > 0)
        return lam_lexer_expected(lexer, error, "'(' and the arguments of %s", word->word);
    *ret_type = state.type;
    return LAM_STATUS_OK;
}
