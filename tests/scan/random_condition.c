/* SPDX-License-Identifier: Apache-2.0 */
/* Draws conditions on parts of VARIANTs, and works out on the whole value what they are. */
#include "scan/random_condition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/condition/filter_program.h"
#include "scan/plain_number.h"
#include "text/time_text.h"
#include "variant/random_variant.h"
#include "variant/take.h"
#include "variant/value/variant_layout.h"

/* --- Comparing -------------------------------------------------------------------------------- */

enum class_of_values {
    CLASS_NUMBER,
    CLASS_BOOLEAN,
    CLASS_DATE,
    CLASS_TIME,
    CLASS_UTC,
    CLASS_LOCAL,
    CLASS_STRING,
    CLASS_BINARY,
    CLASS_UUID,
    CLASS_NONE
};

static enum class_of_values class_of(lam_variant_kind kind) {
    static const enum class_of_values classes[LAM_VARIANT_UNKNOWN + 1] = {
        [LAM_VARIANT_NULL] = CLASS_NONE,           [LAM_VARIANT_BOOLEAN] = CLASS_BOOLEAN,
        [LAM_VARIANT_DATE] = CLASS_DATE,           [LAM_VARIANT_TIME] = CLASS_TIME,
        [LAM_VARIANT_TIMESTAMP] = CLASS_UTC,       [LAM_VARIANT_TIMESTAMP_NANOS] = CLASS_UTC,
        [LAM_VARIANT_TIMESTAMP_NTZ] = CLASS_LOCAL, [LAM_VARIANT_TIMESTAMP_NTZ_NANOS] = CLASS_LOCAL,
        [LAM_VARIANT_STRING] = CLASS_STRING,       [LAM_VARIANT_BINARY] = CLASS_BINARY,
        [LAM_VARIANT_UUID] = CLASS_UUID,           [LAM_VARIANT_OBJECT] = CLASS_NONE,
        [LAM_VARIANT_ARRAY] = CLASS_NONE,          [LAM_VARIANT_UNKNOWN] = CLASS_NONE,
    };
    return classes[kind]; /* the others are numbers */
}

static int compare_integers(int64_t a, int64_t b) {
    return a < b ? -1 : a > b;
}

static int compare_reals(double a, double b) {
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : isnan(a) ? 1 : -1;
    return a < b ? -1 : a > b;
}

/* A real with the real that is nearest to a number; one too large for that is below infinity. */
static int compare_real(double real, double nearest, bool is_finite) {
    if (is_finite && isinf(nearest))
        return isinf(real) ? (real > 0 ? 1 : -1) : isnan(real) ? 1 : nearest > 0 ? -1 : 1;
    return compare_reals(real, nearest);
}

static int compare_number(const lam_variant_scalar *scalar, const path_value *value) {
    char text[PLAIN_DECIMAL_ROOM];
    plain_number a, b;
    bool is_finite = value->number[0] != '\0';
    if (scalar->kind == LAM_VARIANT_FLOAT)
        return compare_real((double)scalar->as.float32,
                            is_finite ? (double)strtof(value->number, NULL) : value->special,
                            is_finite);
    if (scalar->kind == LAM_VARIANT_DOUBLE)
        return compare_real(scalar->as.float64,
                            is_finite ? strtod(value->number, NULL) : value->special, is_finite);
    if (!is_finite)
        return compare_reals(0, value->special);
    if (scalar->kind >= LAM_VARIANT_DECIMAL4 && scalar->kind <= LAM_VARIANT_DECIMAL16)
        plain_decimal_print(scalar->as.decimal, text);
    else
        snprintf(text, sizeof text, "%lld", (long long)scalar->as.integer);
    plain_number_read(text, &a);
    plain_number_read(value->number, &b);
    return plain_number_compare(&a, &b);
}

static bool has_nanos(lam_variant_kind kind) {
    return kind == LAM_VARIANT_TIMESTAMP_NANOS || kind == LAM_VARIANT_TIMESTAMP_NTZ_NANOS;
}

/* A date or timestamp as a number of seconds: 1e-6 or 1e-9 of an integer, or days. */
static void read_seconds(const lam_variant_scalar *scalar, plain_number *number) {
    char text[40];
    if (scalar->kind == LAM_VARIANT_DATE)
        snprintf(text, sizeof text, "%lld", (long long)scalar->as.integer * 86400);
    else
        snprintf(text, sizeof text, "%llde-%d", (long long)scalar->as.integer,
                 has_nanos(scalar->kind) ? 9 : 6);
    plain_number_read(text, number);
}

static int compare_timestamps(const lam_variant_scalar *a, const lam_variant_scalar *b) {
    plain_number left, right;
    read_seconds(a, &left);
    read_seconds(b, &right);
    return plain_number_compare(&left, &right);
}

static bool is_dated(enum class_of_values class) {
    return class == CLASS_DATE || class == CLASS_UTC || class == CLASS_LOCAL;
}

/* A text without a zone is a date, midnight, and any timestamp; one with Z is not local. */
static bool is_moment(enum class_of_values class, const path_value *value) {
    enum class_of_values other = class_of(value->scalar.kind);
    return value->is_spelled && is_dated(class) && is_dated(other) &&
           (other != CLASS_UTC || class != CLASS_LOCAL);
}

static int compare_bytes(lam_bytes a, lam_bytes b) {
    for (size_t i = 0; i < a.size && i < b.size; i++)
        if (a.data[i] != b.data[i])
            return a.data[i] < b.data[i] ? -1 : 1;
    return a.size < b.size ? -1 : a.size > b.size;
}

int path_value_compare(const lam_variant_scalar *scalar, const path_value *value, bool *ret_alike) {
    enum class_of_values class = class_of(scalar->kind);
    lam_bytes bytes = {value->bytes, value->scalar.as.bytes.size};
    *ret_alike =
        (class == class_of(value->scalar.kind) && class != CLASS_NONE) || is_moment(class, value);
    if (!*ret_alike)
        return 0;
    if (is_moment(class, value))
        return compare_timestamps(scalar, &value->scalar);
    switch (class) {
    case CLASS_NUMBER:
        return compare_number(scalar, value);
    case CLASS_BOOLEAN:
        return (int)scalar->as.boolean - (int)value->scalar.as.boolean;
    case CLASS_UTC:
    case CLASS_LOCAL:
        return compare_timestamps(scalar, &value->scalar);
    case CLASS_DATE:
    case CLASS_TIME:
        return compare_integers(scalar->as.integer, value->scalar.as.integer);
    default:
        return compare_bytes(scalar->as.bytes, bytes);
    }
}

static bool holds(lam_filter_operator operation, int order) {
    const bool answers[] = {order == 0, order != 0, order<0, order <= 0, order> 0, order >= 0};
    return answers[operation];
}

uint8_t random_condition_of_scalar(const random_condition *condition,
                                   const lam_variant_scalar *scalar) {
    uint8_t outcome = LAM_OUTCOME_UNKNOWN;
    for (size_t i = 0; i < condition->value_count; i++) {
        bool alike;
        int order = path_value_compare(scalar, &condition->values[i], &alike);
        if (alike && holds(condition->operation, order))
            return LAM_OUTCOME_TRUE;
        outcome = alike ? LAM_OUTCOME_FALSE : outcome;
    }
    return outcome;
}

/* --- Of a whole value ------------------------------------------------------------------------- */

static uint8_t larger(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

uint8_t random_condition_of_missing(const random_condition *condition, bool has_place) {
    if (condition->question == PATH_COMPARES)
        return LAM_OUTCOME_UNKNOWN;
    return !condition->is_turned && has_place ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
}

static uint8_t of_path(const random_condition *condition, size_t step, lam_variant value);

static uint8_t of_elements(const random_condition *condition, size_t step, lam_variant value) {
    uint8_t outcome = LAM_OUTCOME_FALSE;
    lam_variant_iterator iterator;
    lam_variant element;
    bool more;
    TAKE(lam_variant_iterate(value, &iterator, NULL));
    for (;;) {
        TAKE(lam_variant_next(&iterator, NULL, &element, &more, NULL));
        if (!more)
            return outcome;
        outcome = larger(outcome, of_path(condition, step, element));
    }
}

static uint8_t of_field(const random_condition *condition, size_t step, lam_variant value) {
    lam_variant_iterator iterator;
    lam_variant field;
    lam_bytes name, wanted = {condition->steps[step].name, condition->steps[step].size};
    bool more;
    TAKE(lam_variant_iterate(value, &iterator, NULL));
    for (;;) {
        TAKE(lam_variant_next(&iterator, &name, &field, &more, NULL));
        if (!more)
            return random_condition_of_missing(condition, true);
        if (compare_bytes(name, wanted) == 0)
            return of_path(condition, step + 1, field);
    }
}

static uint8_t of_path(const random_condition *condition, size_t step, lam_variant value) {
    lam_variant_kind kind = lam_variant_kind_of(value);
    lam_variant_scalar scalar;
    if (step < condition->step_count) {
        bool elements = condition->steps[step].elements;
        if (elements && kind == LAM_VARIANT_ARRAY)
            return of_elements(condition, step + 1, value);
        if (!elements && kind == LAM_VARIANT_OBJECT)
            return of_field(condition, step, value);
        return random_condition_of_missing(condition, true);
    }
    if (condition->question == PATH_COMPARES) {
        if (kind == LAM_VARIANT_ARRAY)
            return of_elements(condition, step, value);
        if (kind == LAM_VARIANT_OBJECT)
            return LAM_OUTCOME_UNKNOWN;
        TAKE(lam_variant_get(value, &scalar, NULL));
        return random_condition_of_scalar(condition, &scalar);
    }
    bool is_there = condition->question == PATH_IS_MISSING || kind != LAM_VARIANT_NULL;
    return is_there == condition->is_turned ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
}

uint8_t random_condition_of_value(const random_condition *condition, lam_variant value) {
    return of_path(condition, 0, value);
}

/* --- Values ----------------------------------------------------------------------------------- */

/* The shortest digits that read back equal. */
static void print_real(double number, bool is_float, char *text) {
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 40, "%.*e", digits - 1, number);
        if (is_float ? (double)strtof(text, NULL) == number : strtod(text, NULL) == number)
            return;
    }
}

void path_value_of(const lam_variant_scalar *scalar, path_value *ret_value) {
    memset(ret_value, 0, sizeof *ret_value);
    ret_value->scalar = *scalar;
    switch (class_of(scalar->kind)) {
    case CLASS_NUMBER:
        break;
    case CLASS_STRING:
    case CLASS_BINARY:
    case CLASS_UUID:
        memcpy(ret_value->bytes, scalar->as.bytes.data, scalar->as.bytes.size);
        return;
    default:
        return;
    }
    bool is_float = scalar->kind == LAM_VARIANT_FLOAT;
    if (is_float || scalar->kind == LAM_VARIANT_DOUBLE) {
        ret_value->special = is_float ? (double)scalar->as.float32 : scalar->as.float64;
        if (isfinite(ret_value->special))
            print_real(ret_value->special, is_float, ret_value->number);
    } else if (scalar->kind >= LAM_VARIANT_DECIMAL4 && scalar->kind <= LAM_VARIANT_DECIMAL16) {
        plain_decimal_print(scalar->as.decimal, ret_value->number);
    } else {
        snprintf(ret_value->number, sizeof ret_value->number, "%lld",
                 (long long)scalar->as.integer);
    }
}

/* Another number near to one, or the same in another kind. */
static lam_variant_scalar vary_number(lam_random *random, lam_variant_scalar scalar) {
    lam_variant_scalar varied = scalar;
    char text[PLAIN_DECIMAL_ROOM];
    bool is_integer = scalar.kind >= LAM_VARIANT_INT8 && scalar.kind <= LAM_VARIANT_INT64;
    bool is_real = scalar.kind == LAM_VARIANT_FLOAT || scalar.kind == LAM_VARIANT_DOUBLE;
    if (is_real) {
        double real =
            scalar.kind == LAM_VARIANT_FLOAT ? (double)scalar.as.float32 : scalar.as.float64;
        varied.kind = LAM_VARIANT_DOUBLE;
        varied.as.float64 = lam_random_chance(random, 50) ? real : nextafter(real, 0);
        return varied;
    }
    if (is_integer) {
        lam_decimal decimal = {(uint64_t)scalar.as.integer, scalar.as.integer < 0 ? -1 : 0, 0};
        varied.kind = LAM_VARIANT_DECIMAL16;
        varied.as.decimal = decimal;
    }
    plain_decimal_print(varied.as.decimal, text);
    if (lam_random_chance(random, 30)) {
        varied.kind = LAM_VARIANT_DOUBLE;
        varied.as.float64 = strtod(text, NULL);
    } else if (lam_random_chance(random, 50) && varied.as.decimal.low < UINT64_MAX) {
        varied.as.decimal.low++;
    } else if (lam_random_chance(random, 30)) {
        varied.as.decimal.scale = (uint8_t)lam_random_below(random, 39);
    }
    return varied;
}

static lam_variant_scalar vary(lam_random *random, lam_variant_scalar scalar) {
    switch (class_of(scalar.kind)) {
    case CLASS_NUMBER:
        return vary_number(random, scalar);
    case CLASS_BOOLEAN:
        scalar.as.boolean = !scalar.as.boolean;
        break;
    case CLASS_DATE:
    case CLASS_TIME:
        scalar.as.integer += lam_random_chance(random, 50);
        break;
    case CLASS_UTC:
    case CLASS_LOCAL:
        if (has_nanos(scalar.kind) && lam_random_chance(random, 50))
            scalar.as.integer = scalar.as.integer / 1000;
        else if (!has_nanos(scalar.kind) && llabs(scalar.as.integer) < INT64_MAX / 1001)
            scalar.as.integer = scalar.as.integer * 1000 + (int64_t)lam_random_below(random, 2);
        else
            break;
        scalar.kind = scalar.kind == LAM_VARIANT_TIMESTAMP         ? LAM_VARIANT_TIMESTAMP_NANOS
                      : scalar.kind == LAM_VARIANT_TIMESTAMP_NANOS ? LAM_VARIANT_TIMESTAMP
                      : scalar.kind == LAM_VARIANT_TIMESTAMP_NTZ   ? LAM_VARIANT_TIMESTAMP_NTZ_NANOS
                                                                   : LAM_VARIANT_TIMESTAMP_NTZ;
        break;
    case CLASS_STRING:
    case CLASS_BINARY:
        scalar.as.bytes.size -= scalar.as.bytes.size > 0 && scalar.kind == LAM_VARIANT_BINARY;
        break;
    default:
        break;
    }
    return scalar;
}

/* A scalar to compare with: mostly what the sample has at the path. */
static lam_variant_scalar pick_scalar(lam_random *random, lam_variant found) {
    lam_variant_scalar scalar = {LAM_VARIANT_NULL, {0}};
    lam_variant_kind kind = lam_variant_kind_of(found);
    size_t count;
    while (kind == LAM_VARIANT_ARRAY) {
        TAKE(lam_variant_count(found, &count, NULL));
        if (count == 0)
            break;
        TAKE(lam_variant_element(found, (size_t)lam_random_below(random, count), &found, NULL));
        kind = lam_variant_kind_of(found);
    }
    if (kind < LAM_VARIANT_OBJECT && kind != LAM_VARIANT_NULL && lam_random_chance(random, 85)) {
        TAKE(lam_variant_get(found, &scalar, NULL));
        return lam_random_chance(random, 50) ? vary(random, scalar) : scalar;
    }
    while (scalar.kind == LAM_VARIANT_NULL)
        scalar = lam_random_scalar(random);
    if (scalar.kind == LAM_VARIANT_DOUBLE && lam_random_chance(random, 30))
        scalar.as.float64 = lam_random_chance(random, 50) ? (double)INFINITY : (double)NAN;
    return scalar;
}

/* --- Text ------------------------------------------------------------------------------------- */

static void append(char *text, const char *more) {
    size_t size = strlen(text);
    if (size + strlen(more) >= PATH_TEXT_ROOM)
        abort();
    strcpy(text + size, more);
}

static void append_quoted(char *text, const uint8_t *bytes, size_t size, char mark) {
    char one[3] = {0};
    const char ends[2] = {mark, '\0'};
    append(text, ends);
    for (size_t i = 0; i < size; i++) {
        one[0] = (char)bytes[i];
        one[1] = one[0] == mark ? mark : '\0';
        append(text, one);
    }
    append(text, ends);
}

/* A text means a string and a binary too. */
static void add_bytes(random_condition *condition, const uint8_t *bytes, size_t size) {
    lam_variant_scalar scalar = {LAM_VARIANT_STRING, {.bytes = {bytes, size}}};
    path_value_of(&scalar, &condition->values[condition->value_count++]);
    scalar.kind = LAM_VARIANT_BINARY;
    path_value_of(&scalar, &condition->values[condition->value_count++]);
}

/* Writes what a printed text spells, and keeps what it means beside the scalar. */
static void spell(random_condition *condition, const char *spelled, size_t size) {
    append_quoted(condition->text, (const uint8_t *)spelled, size, '\'');
    add_bytes(condition, (const uint8_t *)spelled, size);
}

static void append_hex(random_condition *condition, const path_value *value) {
    lam_variant_scalar uuid = {LAM_VARIANT_UUID, {.bytes = {value->bytes, 16}}};
    char pair[3];
    size_t size = value->scalar.as.bytes.size;
    append(condition->text, "x'");
    for (size_t i = 0; i < size; i++) {
        snprintf(pair, sizeof pair, "%02X", value->bytes[i]);
        append(condition->text, pair);
    }
    append(condition->text, "'");
    add_bytes(condition, value->bytes, size);
    if (size == 16)
        path_value_of(&uuid, &condition->values[condition->value_count++]);
}

static void append_uuid(random_condition *condition, const path_value *value) {
    char text[40], *at = text;
    for (size_t i = 0; i < 16; i++)
        at += sprintf(at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                      value->bytes[i]);
    spell(condition, text, strlen(text));
    condition->values[condition->value_count++] = *value;
}

static void append_time(random_condition *condition, path_value *value) {
    static const int64_t most = INT64_C(253402300799000000); /* the year 9999 */
    char text[LAM_TIME_TEXT_MAX];
    size_t size;
    int64_t *number = &value->scalar.as.integer;
    bool is_utc = class_of(value->scalar.kind) == CLASS_UTC;
    if (value->scalar.kind == LAM_VARIANT_DATE) {
        *number = llabs(*number) % 2932897;
        size = lam_date_print(*number, text);
    } else if (value->scalar.kind == LAM_VARIANT_TIME) {
        *number = llabs(*number) % INT64_C(86400000000);
        size = lam_time_print(*number, LAM_TIME_UNIT_MICROS, text);
    } else {
        bool nanos = has_nanos(value->scalar.kind);
        if (!nanos)
            *number %= *number < 0 ? most / 5 : most;
        size = lam_timestamp_print(*number, nanos ? LAM_TIME_UNIT_NANOS : LAM_TIME_UNIT_MICROS,
                                   is_utc, text);
    }
    spell(condition, text, size);
    value->is_spelled = true;
    condition->values[condition->value_count++] = *value;
}

/* One literal, with all that it means. */
static void append_literal(lam_random *random, random_condition *condition, path_value *value) {
    switch (class_of(value->scalar.kind)) {
    case CLASS_NUMBER:
        if (value->number[0] == '\0') {
            double number = value->special;
            const char *name = isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
            spell(condition, name, strlen(name));
        } else {
            if (lam_random_chance(random, 20) && strchr(value->number, 'e') == NULL)
                strcat(value->number, lam_random_chance(random, 50) ? ".50" : ".000");
            append(condition->text, value->number);
        }
        condition->values[condition->value_count++] = *value;
        break;
    case CLASS_BOOLEAN:
        append(condition->text, value->scalar.as.boolean ? "true" : "FALSE");
        condition->values[condition->value_count++] = *value;
        break;
    case CLASS_STRING:
        append_quoted(condition->text, value->bytes, value->scalar.as.bytes.size, '\'');
        add_bytes(condition, value->bytes, value->scalar.as.bytes.size);
        break;
    case CLASS_BINARY:
        append_hex(condition, value);
        break;
    case CLASS_UUID:
        append_uuid(condition, value);
        break;
    default:
        append_time(condition, value);
    }
}

/* --- Conditions ------------------------------------------------------------------------------- */

static bool add_step(random_condition *condition, bool elements, lam_bytes name) {
    if (name.size > PATH_NAME_ROOM || memchr(name.data, '\0', name.size) != NULL)
        return false;
    path_step *step = &condition->steps[condition->step_count++];
    step->elements = elements;
    step->size = name.size;
    memcpy(step->name, name.data, name.size);
    return true;
}

/* Walks down the sample; gives where it ends. */
static lam_variant pick_steps(lam_random *random, lam_variant sample, random_condition *condition) {
    static const uint8_t none[1] = {0};
    size_t most = (size_t)lam_random_below(random, PATH_STEPS), count;
    while (condition->step_count < most) {
        lam_variant_kind kind = lam_variant_kind_of(sample);
        lam_bytes name = {none + 1, 0};
        if (kind != LAM_VARIANT_OBJECT && kind != LAM_VARIANT_ARRAY)
            break;
        TAKE(lam_variant_count(sample, &count, NULL));
        if (count == 0)
            break;
        size_t index = (size_t)lam_random_below(random, count);
        if (kind == LAM_VARIANT_OBJECT)
            TAKE(lam_variant_field_at(sample, index, &name, &sample, NULL));
        else
            TAKE(lam_variant_element(sample, index, &sample, NULL));
        if (!add_step(condition, kind == LAM_VARIANT_ARRAY, name))
            break;
    }
    if (condition->step_count < PATH_STEPS && lam_random_chance(random, 12))
        add_step(condition, lam_random_chance(random, 50), (lam_bytes){(const uint8_t *)"b", 1});
    return sample;
}

static void print_path(const char *path, random_condition *condition) {
    append(condition->path, path);
    for (size_t i = 0; i < condition->step_count; i++) {
        const path_step *step = &condition->steps[i];
        append(condition->path, step->elements ? "[]" : ".");
        if (!step->elements)
            append_quoted(condition->path, step->name, step->size, '"');
    }
}

static void ask_text(lam_random *random, lam_variant found, random_condition *condition) {
    static const char *const signs[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
    bool is_list = condition->operation == LAM_FILTER_EQUAL && lam_random_chance(random, 40);
    append(condition->text, condition->path);
    append(condition->text, is_list ? " in (" : signs[condition->operation]);
    for (unsigned i = is_list ? 1 + (unsigned)lam_random_below(random, 3) : 1; i > 0; i--) {
        path_value value;
        lam_variant_scalar scalar = pick_scalar(random, found);
        path_value_of(&scalar, &value);
        append_literal(random, condition, &value);
        if (is_list)
            append(condition->text, i > 1 ? ", " : ")");
    }
}

/* Values of different classes, where an operator takes only one of each. */
static void ask_values(lam_random *random, lam_variant found, random_condition *condition) {
    bool seen[CLASS_NONE] = {false};
    for (unsigned i = 1 + (unsigned)lam_random_below(random, 3); i > 0; i--) {
        lam_variant_scalar scalar = pick_scalar(random, found);
        enum class_of_values class = class_of(scalar.kind);
        if (condition->operation != LAM_FILTER_EQUAL && seen[class])
            continue;
        seen[class] = true;
        path_value_of(&scalar, &condition->values[condition->value_count++]);
    }
}

void random_condition_make(lam_random *random, const char *path, lam_variant sample, bool is_text,
                           random_condition *ret_condition) {
    static const char *const questions[] = {"", " is null", " is missing"};
    static const char *const turned[] = {"", " IS NOT NULL", " is not Missing"};
    random_condition *condition = ret_condition;
    memset(condition, 0, sizeof *condition);
    lam_variant found = pick_steps(random, sample, condition);
    print_path(path, condition);
    condition->question = lam_random_chance(random, 65)   ? PATH_COMPARES
                          : lam_random_chance(random, 50) ? PATH_IS_NULL
                                                          : PATH_IS_MISSING;
    condition->is_turned = lam_random_chance(random, 50);
    condition->operation = (lam_filter_operator)lam_random_below(random, 6);
    if (condition->question != PATH_COMPARES && is_text) {
        append(condition->text, condition->path);
        append(condition->text, (condition->is_turned ? turned : questions)[condition->question]);
    } else if (is_text) {
        ask_text(random, found, condition);
    } else if (condition->question == PATH_COMPARES) {
        ask_values(random, found, condition);
    }
}

lam_status random_condition_add(const random_condition *condition, lam_filter_builder *builder,
                                lam_error *error) {
    lam_variant_scalar scalars[PATH_VALUES];
    if (condition->question == PATH_IS_NULL)
        return lam_filter_builder_is_null(builder, condition->path, !condition->is_turned, error);
    if (condition->question == PATH_IS_MISSING)
        return lam_filter_builder_is_missing(builder, condition->path, !condition->is_turned,
                                             error);
    for (size_t i = 0; i < condition->value_count; i++) {
        scalars[i] = condition->values[i].scalar;
        if (class_of(scalars[i].kind) >= CLASS_STRING)
            scalars[i].as.bytes.data = condition->values[i].bytes;
    }
    return lam_filter_builder_compare_scalars(builder, condition->path, condition->operation,
                                              scalars, condition->value_count, error);
}
