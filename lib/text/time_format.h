/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates and times in the forms that a caller names, in the words of strptime.
 *
 *     %Y 2024   %y 24 (69 to 99 are of the last century)   %m 1 to 12   %b Jan   %B January
 *     %d 1 to 31   %H 0 to 23   %I 1 to 12, with %p AM or PM   %M %S 0 to 59
 *     %f 1 to 9 digits of a second   %z Z, +01, +0100, +01:00, UTC   %%
 *     %F is %Y-%m-%d, %T is %H:%M:%S
 *
 * Numbers may lack leading zeros, names are in any case; all else means itself.
 */
#ifndef LAM_TEXT_TIME_FORMAT_H
#define LAM_TEXT_TIME_FORMAT_H

#include <lamella/common.h>

#include "text/text_kind.h"

/* Forms in the order in which they are tried; borrowed. */
typedef struct lam_time_formats {
    const char *const *items;
    size_t count;
} lam_time_formats;

/*
 * INVALID for a form that states no date and no time of a day, states half of one, or repeats a
 * statement.
 */
lam_status lam_time_formats_check(lam_time_formats formats, lam_error *error);

/*
 * The kind of all of a text by the first form that it has; OTHER if it has none. A form is of a
 * date, a time, a timestamp, or, with a zone, one in UTC.
 */
lam_text_kind lam_time_formats_take(lam_time_formats formats, const char *text, size_t size,
                                    lam_text_moment *ret_moment);

#endif
