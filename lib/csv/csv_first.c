/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides by the first records whether the first line of delimited text holds names, data, or names
 * that look like data.
 *
 * For each column the first field is compared with the kind of those below:
 *
 *     name    1.5      a text over numbers is a name, and so are all
 *     id      7        \N, which is a null and no name: it is data, and so are all
 *     -12.5   3.25     a number over numbers, a date over dates: data, unless the numbers go on
 *     17      4        from one to the next, as names do: country,2019,2020 and pandas' 0,1,2
 *     red     blue     a text over texts says nothing, unless it occurs again, or has their shape
 *
 * The verdict is data only if nothing else is likely, since a name that is taken as data spoils the
 * column, and data that are taken as a name lose a record. If both are likely, it is names, and the
 * caller may say so.
 */
#include "csv/csv_first.h"

#include <string.h>

#include "base/error.h"
#include "csv/csv_column.h"
#include "csv/csv_kind.h"
#include "csv/csv_value.h"

enum {
    FIRST_PROBED = 100,        /* records below the first */
    FIRST_BYTES = 128 << 10,   /* of the window */
    FIRST_SHAPE_MOST = 8,      /* characters of a code */
    FIRST_SHAPE_RECORDS = 3,   /* that show one */
    FIRST_COUNTED_RECORDS = 2, /* that show that a column counts */
    FIRST_YEAR_LEAST = 1000,
    FIRST_YEAR_MOST = 2999
};

/* The numbers of the first line that are above numbers. */
typedef struct first_numbers {
    size_t count;
    double last;
    bool begin_at_zero;
    bool rise, fall; /* each after the one before */
    bool are_years;
    bool stand_over_years; /* and nothing else */
} first_numbers;

typedef struct first_line {
    const lam_csv_splitter *probe;
    const lam_csv_options *options;
    lam_bytes null;
    size_t columns;
    size_t rows;    /* below the first */
    size_t names;   /* columns whose first field is no such text */
    size_t nulls;   /* columns whose first field is no name in any case */
    size_t others;  /* columns of dates and times, whose first field is one, too */
    size_t typed;   /* columns whose first field has a type, if there are no rows */
    size_t filled;  /* columns whose first field is not empty */
    size_t repeats; /* columns of texts in which the first field comes again */
    size_t shapes;  /* columns of codes, whose first field is one, too */
    bool counts;    /* the first column of numbers counts from its first field on */
    first_numbers numbers;
} first_line;

static lam_bytes first_field(const first_line *line, size_t row, size_t column) {
    lam_csv_field field = lam_csv_fields(line->probe)[row * line->columns + column];
    return (lam_bytes){line->probe->text.bytes.data + field.start, field.size};
}

static bool first_is(lam_bytes field, const char *word) {
    return field.size == strlen(word) && memcmp(field.data, word, field.size) == 0;
}

/* What others write for a null; a name may be such a word, too, except \N. */
static bool first_is_nothing(const first_line *line, lam_bytes field) {
    static const char *const words[] = {"\\N", "NA", "N/A", "NULL", "null", "-", "?"};
    if (field.size == 0 || (line->null.data != NULL && field.size == line->null.size &&
                            memcmp(field.data, line->null.data, field.size) == 0))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (first_is(field, words[i]))
            return true;
    return false;
}

/* --- Texts --------------------------------------------------------------------------------- */

/* Capitals and digits, one letter at least. */
static bool first_is_code(lam_bytes field) {
    bool has_letter = false;
    for (size_t i = 0; i < field.size; i++) {
        bool is_letter = field.data[i] >= 'A' && field.data[i] <= 'Z';
        if (!is_letter && (field.data[i] < '0' || field.data[i] > '9'))
            return false;
        has_letter = has_letter || is_letter;
    }
    return has_letter && field.size <= FIRST_SHAPE_MOST;
}

static bool first_is_same_row(const first_line *line, size_t row) {
    for (size_t i = 0; i < line->columns; i++) {
        lam_bytes above = first_field(line, 0, i), below = first_field(line, row, i);
        if (above.size != below.size || memcmp(above.data, below.data, above.size) != 0)
            return false;
    }
    return true;
}

/* A first line that occurs again in full is the header of concatenated files. */
static void first_add_text(first_line *line, size_t column) {
    lam_bytes first = first_field(line, 0, column);
    bool is_code = first_is_code(first), comes_again = false;
    size_t codes = 0;
    for (size_t row = 1; row <= line->rows; row++) {
        lam_bytes field = first_field(line, row, column);
        comes_again = comes_again || (field.size == first.size &&
                                      memcmp(field.data, first.data, field.size) == 0 &&
                                      !first_is_same_row(line, row));
        if (first_is_nothing(line, field))
            continue;
        is_code = is_code && field.size == first.size && first_is_code(field);
        codes++;
    }
    line->repeats += comes_again;
    line->shapes += is_code && codes >= FIRST_SHAPE_RECORDS;
}

/* --- Numbers ------------------------------------------------------------------------------- */

static bool first_number(const first_line *line, lam_bytes field, double *ret_number) {
    return lam_csv_parse_double(field.data, field.size, line->options->decimal_mark, ret_number);
}

/* Whether the column continues from its first field in steps of one. */
static bool first_counts(const first_line *line, size_t column, double number) {
    for (size_t row = 1; row <= line->rows; row++) {
        double next;
        if (!first_number(line, first_field(line, row, column), &next) ||
            next != number + (double)row)
            return false;
    }
    return line->rows >= FIRST_COUNTED_RECORDS;
}

static bool first_is_year(double number) {
    return number >= FIRST_YEAR_LEAST && number <= FIRST_YEAR_MOST;
}

/* Whether all values below could be years themselves. */
static bool first_stands_over_years(const first_line *line, size_t column) {
    for (size_t row = 1; row <= line->rows; row++) {
        double number;
        if (first_number(line, first_field(line, row, column), &number) && !first_is_year(number))
            return false;
    }
    return true;
}

static void first_add_number(first_line *line, size_t column, double number) {
    first_numbers *numbers = &line->numbers;
    bool is_year = first_is_year(number) && number == (double)(int)number;
    if (numbers->count == 0) {
        *numbers = (first_numbers){.rise = number >= 0, .fall = true, .are_years = true};
        numbers->stand_over_years = true;
        numbers->begin_at_zero = number == 0;
        line->counts = first_counts(line, column, number);
    } else {
        numbers->rise = numbers->rise && number > numbers->last;
        numbers->fall = numbers->fall && number < numbers->last;
    }
    numbers->are_years = numbers->are_years && is_year;
    numbers->stand_over_years = numbers->stand_over_years && first_stands_over_years(line, column);
    numbers->last = number;
    numbers->count++;
}

/* Numbers as names have them: years in either order, or others that rise. */
static bool first_go_on(const first_numbers *numbers) {
    if (numbers->count == 1)
        return numbers->are_years || numbers->begin_at_zero;
    return numbers->rise || (numbers->are_years && numbers->fall);
}

/* --- Columns ------------------------------------------------------------------------------- */

/* The kinds that all rows have; none if there are only texts, or no fields. */
static lam_csv_kinds first_kinds(const first_line *line, size_t column) {
    lam_csv_options options = *line->options;
    lam_csv_kinds kinds;
    options.infer_times = LAM_SWITCH_ON;
    lam_csv_kinds_init(&kinds, &options);
    for (size_t row = 1; row <= line->rows; row++) {
        lam_bytes field = first_field(line, row, column);
        if (!first_is_nothing(line, field))
            lam_csv_kinds_add(&kinds, field.data, field.size, options.decimal_mark);
    }
    return kinds;
}

static void first_add_column(first_line *line, size_t column) {
    lam_bytes first = first_field(line, 0, column);
    lam_csv_kinds kinds = first_kinds(line, column);
    bool is_typed = kinds.has_values && kinds.others == 0;
    double number;
    line->filled += first.size > 0;
    if (first_is(first, "\\N"))
        line->nulls++;
    if (first_is_nothing(line, first))
        return;
    lam_csv_kinds_add(&kinds, first.data, first.size, line->options->decimal_mark);
    if (line->rows == 0)
        line->typed += kinds.others == 0;
    else if (is_typed && kinds.others > 0)
        line->names++;
    else if (is_typed && first_number(line, first, &number))
        first_add_number(line, column, number);
    else if (is_typed)
        line->others++;
    else
        first_add_text(line, column);
}

static lam_csv_first_line first_decide(const first_line *line) {
    const first_numbers *numbers = &line->numbers;
    if (line->rows == 0)
        return line->filled > 0 && line->typed + line->nulls == line->filled
                   ? LAM_CSV_FIRST_DOUBTFUL
                   : LAM_CSV_FIRST_NAMES;
    if (line->nulls > 0)
        return LAM_CSV_FIRST_DATA;
    if (line->names > 0)
        return LAM_CSV_FIRST_NAMES;
    if (line->others > 0)
        return LAM_CSV_FIRST_DATA;
    if (numbers->count == 0)
        return line->repeats > 0 || line->shapes > 1 ? LAM_CSV_FIRST_DOUBTFUL : LAM_CSV_FIRST_NAMES;
    if (line->counts || line->repeats > 0 || !first_go_on(numbers))
        return LAM_CSV_FIRST_DATA;
    /* An index without a name, as R and pandas write it. */
    bool is_index = first_field(line, 0, 0).size == 0;
    return (numbers->are_years && !numbers->stand_over_years) || is_index ? LAM_CSV_FIRST_NAMES
                                                                          : LAM_CSV_FIRST_DOUBTFUL;
}

/* --- The window ---------------------------------------------------------------------------- */

/* A copy of the window: splitting removes quotes. */
typedef struct first_copy {
    const uint8_t *bytes;
    size_t left;
} first_copy;

static lam_status first_read(void *state, void *buffer, size_t capacity, size_t *ret_size,
                             lam_error *error) {
    first_copy *copy = state;
    (void)error;
    *ret_size = copy->left < capacity ? copy->left : capacity;
    memcpy(buffer, copy->bytes, *ret_size);
    copy->bytes += *ret_size;
    copy->left -= *ret_size;
    return LAM_STATUS_OK;
}

static lam_status first_decide_probe(lam_csv_splitter *probe, const lam_csv_options *options,
                                     lam_csv_first_line *ret_line, lam_error *error) {
    first_line line = {.probe = probe, .options = options};
    LAM_TRY(lam_csv_splitter_begin(probe, error));
    LAM_TRY(lam_csv_split(probe, FIRST_PROBED + 1, true, error));
    if (options->null_text != NULL)
        line.null = (lam_bytes){(const void *)options->null_text, strlen(options->null_text)};
    if (probe->record_count == 0)
        return LAM_STATUS_OK;
    line.columns = probe->field_count;
    line.rows = probe->record_count - 1;
    for (size_t i = 0; i < line.columns; i++)
        first_add_column(&line, i);
    *ret_line = first_decide(&line);
    return LAM_STATUS_OK;
}

lam_status lam_csv_first_decide(const lam_csv_splitter *splitter, const lam_csv_options *options,
                                lam_csv_first_line *ret_line, lam_error *error) {
    const lam_csv_text *text = &splitter->text;
    first_copy copy = {text->bytes.data + text->next, text->bytes.size - text->next};
    lam_csv_options chosen = *options;
    lam_csv_splitter probe;
    *ret_line = LAM_CSV_FIRST_NAMES;
    copy.left = copy.left > FIRST_BYTES ? FIRST_BYTES : copy.left;
    /* A line that is cut does not count. */
    while (copy.left > 0 && !text->is_at_end && copy.bytes[copy.left - 1] != splitter->line_end)
        copy.left--;
    chosen.delimiter = (char)splitter->delimiter;
    chosen.skip_bad_lines = true;
    chosen.skip_lines = 0;
    lam_csv_splitter_init(&probe, &(lam_csv_source){&copy, first_read}, &chosen,
                          &splitter->ends.allocator);
    lam_status status = first_decide_probe(&probe, &chosen, ret_line, error);
    lam_csv_splitter_finish(&probe);
    return status;
}
