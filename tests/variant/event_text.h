/* SPDX-License-Identifier: Apache-2.0 */
/* Records as words, for tests that put into columns what no shredder would. */
#ifndef LAM_TESTS_EVENT_TEXT_H
#define LAM_TESTS_EVENT_TEXT_H

#include <lamella/record.h>

#include "variant_help.h"

/*
 * Events as text, told to a sink: a word is a field of the open group; "name(" opens it, ")" closes
 * it, "name=12" is a number, "name=x0C05" bytes in hex, "name='text" text. "{" begins a record, "}"
 * ends it.
 */
static inline lam_status tell(const lam_schema *schema, const lam_record_sink *sink,
                              const char *events, lam_error *error) {
    const lam_field *open[64] = {lam_schema_root(schema)};
    size_t depth = 0;
    lam_status status = LAM_STATUS_OK;
    char word[256];
    for (int used = 0; status == LAM_STATUS_OK && sscanf(events, " %255s%n", word, &used) == 1;
         events += used) {
        char *mark = strpbrk(word, "=(");
        if (strcmp(word, "{") == 0) {
            status = sink->begin(sink->state, error);
        } else if (strcmp(word, "}") == 0) {
            status = sink->end(sink->state, error);
        } else if (strcmp(word, ")") == 0) {
            status = sink->close(sink->state, open[depth], error);
            depth--;
        } else {
            cr_assert_not_null(mark, "%s", word);
            const lam_field *field =
                lam_field_child_named(open[depth], word, (size_t)(mark - word));
            cr_assert_not_null(field, "%s", word);
            if (*mark == '(') {
                open[++depth] = field;
                status = sink->open(sink->state, field, error);
                continue;
            }
            lam_value value = {.int64 = strtoll(mark + 1, NULL, 10)};
            lam_bytes bytes = {NULL, 0};
            if (lam_field_physical_type(field) == LAM_PHYSICAL_INT32)
                value.int32 = (int32_t)value.int64;
            if (mark[1] == 'x')
                value.bytes = bytes = hex_bytes(mark + 2);
            if (mark[1] == '\'')
                value.bytes = (lam_bytes){(const uint8_t *)mark + 2, strlen(mark + 2)};
            status = sink->put(sink->state, field, value, error);
            free((void *)(uintptr_t)bytes.data);
        }
    }
    return status;
}

#endif
