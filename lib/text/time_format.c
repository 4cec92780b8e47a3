/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads dates and times by forms that a caller names: takes forms in the words of strptime, and a
 * text, and gives its kind, and the moment that it states.
 *
 * A form is walked for each text: it has few letters, and is tried only on texts of no other known
 * kind. The invariant: a checked form states a complete date, a time of the day from the hour on,
 * or both, so that its letters alone give the kind of the texts that it accepts.
 */
#include "text/time_format.h"

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "text/time_text.h"

enum {
    FORMAT_YEAR = 1 << 0,
    FORMAT_MONTH = 1 << 1,
    FORMAT_DAY = 1 << 2,
    FORMAT_HOUR = 1 << 3,
    FORMAT_MINUTE = 1 << 4,
    FORMAT_SECOND = 1 << 5,
    FORMAT_FRACTION = 1 << 6,
    FORMAT_ZONE = 1 << 7,
    FORMAT_TWELVE = 1 << 8, /* hours of half a day */
    FORMAT_HALF = 1 << 9,   /* which half */
    FORMAT_DATE = FORMAT_YEAR | FORMAT_MONTH | FORMAT_DAY,
    FORMAT_TIME = FORMAT_HOUR | FORMAT_MINUTE | FORMAT_SECOND | FORMAT_FRACTION
};

/* --- Forms --------------------------------------------------------------------------------- */

/* The remainder of a form; `resume` follows the letters that replace another letter. */
typedef struct format_walk {
    const char *at, *resume;
} format_walk;

/* One letter after a '%', or, if that is 0, a byte that means itself. */
typedef struct format_item {
    char letter;
    char literal;
} format_item;

static bool format_next(format_walk *walk, format_item *ret_item) {
    for (;;) {
        if (*walk->at == '\0' && walk->resume != NULL)
            *walk = (format_walk){walk->resume, NULL};
        if (*walk->at == '\0')
            return false;
        if (walk->at[0] != '%' || walk->at[1] == '%') {
            *ret_item = (format_item){'\0', *walk->at};
            walk->at += walk->at[0] == '%' ? 2 : 1;
            return true;
        }
        const char letter = walk->at[1] == '\0' ? '%' : walk->at[1];
        walk->at += walk->at[1] == '\0' ? 1 : 2;
        if (letter != 'F' && letter != 'T') {
            *ret_item = (format_item){letter, '\0'};
            return true;
        }
        *walk = (format_walk){letter == 'F' ? "%Y-%m-%d" : "%H:%M:%S", walk->at};
    }
}

/* What a letter states; 0 for an unknown one. */
static unsigned format_states(char letter) {
    static const char letters[] = "YymbBdHIMSfzp";
    static const unsigned states[] = {FORMAT_YEAR,   FORMAT_YEAR,   FORMAT_MONTH,    FORMAT_MONTH,
                                      FORMAT_MONTH,  FORMAT_DAY,    FORMAT_HOUR,     FORMAT_HOUR,
                                      FORMAT_MINUTE, FORMAT_SECOND, FORMAT_FRACTION, FORMAT_ZONE,
                                      FORMAT_HALF};
    const char *found = strchr(letters, letter);
    return found == NULL ? 0 : states[found - letters];
}

/* What a form lacks; NULL if it is complete. */
static const char *format_lack(unsigned seen) {
    const unsigned date = seen & FORMAT_DATE;
    if ((seen & (FORMAT_DATE | FORMAT_TIME)) == 0)
        return "a date or a time of the day";
    if (date != 0 && date != FORMAT_DATE)
        return "year, month and day together";
    if ((seen & (FORMAT_MINUTE | FORMAT_HALF | FORMAT_ZONE)) != 0 && (seen & FORMAT_HOUR) == 0)
        return "the hour";
    if ((seen & FORMAT_SECOND) != 0 && (seen & FORMAT_MINUTE) == 0)
        return "the minute";
    if ((seen & FORMAT_FRACTION) != 0 && (seen & FORMAT_SECOND) == 0)
        return "the second";
    if ((seen & FORMAT_ZONE) != 0 && date == 0)
        return "the date of a time with a zone";
    if (((seen & FORMAT_TWELVE) != 0) != ((seen & FORMAT_HALF) != 0))
        return "%I and %p together";
    return NULL;
}

static lam_status format_check(const char *form, lam_error *error) {
    format_walk walk = {form, NULL};
    format_item item;
    unsigned seen = 0;
    while (format_next(&walk, &item)) {
        const unsigned states = item.letter == '\0' ? 0 : format_states(item.letter);
        if (item.letter != '\0' && states == 0)
            LAM_FAIL(error, LAM_STATUS_INVALID, "'%s': no date or time has a %%%c", form,
                     item.letter == '%' ? ' ' : item.letter);
        if ((seen & states) != 0)
            LAM_FAIL(error, LAM_STATUS_INVALID, "'%s': what %%%c states is there twice", form,
                     item.letter);
        seen |= states | (item.letter == 'I' ? FORMAT_TWELVE : 0u);
    }
    const char *lack = format_lack(seen);
    if (lack != NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "'%s' lacks %s", form, lack);
    return LAM_STATUS_OK;
}

lam_status lam_time_formats_check(lam_time_formats formats, lam_error *error) {
    for (size_t i = 0; i < formats.count; i++)
        LAM_TRY(format_check(formats.items[i], error));
    return LAM_STATUS_OK;
}

/* --- Texts --------------------------------------------------------------------------------- */

/* A text that is read, and what it has stated so far. */
typedef struct format_text {
    const char *at, *end;
    unsigned seen;
    int64_t year, month, day, hour, minute, second, offset;
    int32_t nanos;
    bool is_second_half;
} format_text;

/* A number of `least` to `most` digits, in a range. */
static bool format_take_number(format_text *text, int least, int most, int64_t from, int64_t to,
                               int64_t *ret_number) {
    int64_t number = 0;
    int digits = 0;
    for (; digits < most && text->at < text->end && lam_ascii_is_digit(*text->at); digits++)
        number = number * 10 + (*text->at++ - '0');
    *ret_number = number;
    return digits >= least && number >= from && number <= to;
}

/* A word of small letters, in any case, if the text continues with it. */
static bool format_take_word(format_text *text, const char *word, size_t size) {
    if ((size_t)(text->end - text->at) < size)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((text->at[i] | 0x20) != word[i])
            return false;
    text->at += size;
    return true;
}

/* The name of a month, in full or its first three letters. */
static bool format_take_month(format_text *text) {
    static const char *const names[] = {"january",   "february", "march",    "april",
                                        "may",       "june",     "july",     "august",
                                        "september", "october",  "november", "december"};
    for (int64_t i = 0; i < 12; i++)
        if (format_take_word(text, names[i], strlen(names[i])) ||
            format_take_word(text, names[i], 3)) {
            text->month = i + 1;
            return true;
        }
    return false;
}

static bool format_take_half(format_text *text) {
    text->is_second_half = format_take_word(text, "pm", 2);
    return text->is_second_half || format_take_word(text, "am", 2);
}

/* The longest zone that is there. */
static bool format_take_zone(format_text *text) {
    static const size_t sizes[] = {6, 5, 3, 1};
    const size_t left = (size_t)(text->end - text->at);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i] <= left && *text->at != ' ' &&
            lam_text_take_zone(text->at, sizes[i], &text->offset)) {
            text->at += sizes[i];
            return true;
        }
    return false;
}

static bool format_take_fraction(format_text *text) {
    size_t taken = lam_text_take_fraction(text->at, (size_t)(text->end - text->at), &text->nanos);
    text->at += taken;
    return taken > 0;
}

static bool format_take_letter(format_text *text, char letter) {
    enum { LAST_CENTURY_FROM = 69 };
    text->seen |= format_states(letter);
    switch (letter) {
    case 'Y':
        return format_take_number(text, 4, 4, 0, 9999, &text->year);
    case 'y':
        if (!format_take_number(text, 2, 2, 0, 99, &text->year))
            return false;
        text->year += text->year < LAST_CENTURY_FROM ? 2000 : 1900;
        return true;
    case 'm':
        return format_take_number(text, 1, 2, 1, 12, &text->month);
    case 'd':
        return format_take_number(text, 1, 2, 1, 31, &text->day);
    case 'H':
        return format_take_number(text, 1, 2, 0, 23, &text->hour);
    case 'I':
        if (!format_take_number(text, 1, 2, 1, 12, &text->hour))
            return false;
        text->hour %= 12;
        return true;
    case 'M':
        return format_take_number(text, 1, 2, 0, 59, &text->minute);
    case 'S':
        return format_take_number(text, 1, 2, 0, 59, &text->second);
    case 'f':
        return format_take_fraction(text);
    case 'z':
        return format_take_zone(text);
    case 'p':
        return format_take_half(text);
    default: /* b and B */
        return format_take_month(text);
    }
}

static bool format_take(const char *form, format_text *text) {
    format_walk walk = {form, NULL};
    format_item item;
    while (format_next(&walk, &item)) {
        if (item.letter != '\0' && !format_take_letter(text, item.letter))
            return false;
        if (item.letter == '\0' && (text->at == text->end || *text->at++ != item.literal))
            return false;
    }
    return text->at == text->end;
}

/* The day since 1970-01-01; false if the month has no such day. */
static bool format_days(const format_text *text, int64_t *ret_days) {
    bool is_last = text->month == 12;
    *ret_days = lam_date_join(text->year, text->month, text->day);
    return *ret_days < lam_date_join(text->year + is_last, is_last ? 1 : text->month + 1, 1);
}

static lam_text_kind format_kind(const format_text *text, lam_text_moment *ret_moment) {
    const bool has_date = (text->seen & FORMAT_DATE) != 0,
               has_time = (text->seen & FORMAT_TIME) != 0;
    int64_t days = 0;
    if (has_date && !format_days(text, &days))
        return LAM_TEXT_OTHER;
    const int64_t hour = text->hour + (text->is_second_half ? 12 : 0);
    ret_moment->seconds =
        days * 86400 + hour * 3600 + text->minute * 60 + text->second - text->offset;
    ret_moment->nanos = text->nanos;
    return !has_date                         ? LAM_TEXT_TIME
           : !has_time                       ? LAM_TEXT_DATE
           : (text->seen & FORMAT_ZONE) != 0 ? LAM_TEXT_TIMESTAMP_UTC
                                             : LAM_TEXT_TIMESTAMP;
}

lam_text_kind lam_time_formats_take(lam_time_formats formats, const char *text, size_t size,
                                    lam_text_moment *ret_moment) {
    for (size_t i = 0; i < formats.count; i++) {
        format_text read = {.at = text, .end = text + size};
        lam_text_moment moment;
        if (!format_take(formats.items[i], &read))
            continue;
        lam_text_kind kind = format_kind(&read, &moment);
        if (kind != LAM_TEXT_OTHER) {
            *ret_moment = moment;
            return kind;
        }
    }
    return LAM_TEXT_OTHER;
}
