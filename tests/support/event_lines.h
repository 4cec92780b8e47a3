/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink that writes down the events of records, one line each, indented by depth:
 *
 *     begin
 *       put DocId 10
 *       open Links
 *         put Forward 20
 *       close Links
 *     end
 *
 * Numbers are as they are stored, strings in quotation marks, other bytes in hexadecimal.
 */
#ifndef LAM_TESTS_EVENT_LINES_H
#define LAM_TESTS_EVENT_LINES_H

#include <lamella/record.h>

typedef struct event_lines {
    char *text; /* ends in a NUL; NULL without an event */
    size_t size;
} event_lines;

/* `lines` is all zeros at first, and outlives the sink. */
lam_record_sink event_lines_sink(event_lines *lines);
void event_lines_free(event_lines *lines);

#endif
