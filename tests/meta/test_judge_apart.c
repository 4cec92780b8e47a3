/* SPDX-License-Identifier: Apache-2.0 */
/* The judge in a process of its own, which may die there. */
#include "judge_apart.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/failing_malloc.h"
#include "support/test_file.h"

/* A footer of some columns in some row groups; free it. */
static lam_bytes make_footer(void) {
    lam_test_writer made = lam_test_write(
        "message m { required int64 id; optional group l (LIST) { repeated group list { optional "
        "binary element (STRING); } } }",
        LAM_TEST_WRITER(.row_group_rows = 5));
    for (int row = 0; row < 12; row++)
        lam_test_put(&made, "{id: %d}", row);
    lam_buffer file = lam_test_written(&made);
    const size_t size = lam_load_le32(file.data + file.size - 8);
    uint8_t *footer = malloc(size);
    memcpy(footer, file.data + file.size - 8 - size, size);
    lam_buffer_finish(&file);
    return (lam_bytes){footer, size};
}

static lam_judge_outcome ask(lam_bytes footer, lam_bytes expected, char *message, size_t capacity) {
    message[0] = '\0';
    return lam_judge_footer_apart(footer.data, footer.size, expected.data, expected.size, message,
                                  capacity);
}

Test(judge_apart, it_says_what_the_judge_says) {
    char message[256];
    lam_bytes footer = make_footer(), cut = {footer.data, footer.size - 1};
    cr_expect_eq(ask(footer, footer, message, sizeof message), LAM_JUDGE_OUTCOME_SAME);
    cr_expect_str_eq(message, "");
    cr_expect_eq(ask(footer, cut, message, sizeof message), LAM_JUDGE_OUTCOME_OTHER);
    cr_expect_str_eq(message, "Apache Thrift reads something else from the footer");
    cut.size /= 2;
    cr_expect_eq(ask(cut, footer, message, sizeof message), LAM_JUDGE_OUTCOME_OTHER);
    cr_expect_eq(strncmp(message, "Apache Thrift cannot read the footer: ", 38), 0, "%s", message);
    cr_expect_eq(ask(cut, footer, message, 10), LAM_JUDGE_OUTCOME_OTHER);
    cr_expect_str_eq(message, "Apache Th");
    free((void *)(uintptr_t)footer.data);
}

/*
 * GLib ends the process that it is in, which was that of whoever asked: 6,312 requests did so. GLib
 * 2.84 waits for itself at some of them, and each of these took the minute that an answer may take.
 */
Test(judge_apart, without_memory_it_is_not_asked, .timeout = 50) {
    char message[256];
    size_t same = 0, unasked = 0;
    lam_bytes footer = make_footer();
    for (size_t n = 1; same < 3; n += n < 50 ? 1 : 7) {
        lam_fail_malloc_at(n);
        lam_judge_outcome outcome = ask(footer, footer, message, sizeof message);
        (void)lam_fail_malloc_end();
        cr_assert_neq(outcome, LAM_JUDGE_OUTCOME_OTHER, "request %zu: %s", n, message);
        same = outcome == LAM_JUDGE_OUTCOME_SAME ? same + 1 : 0;
        unasked += outcome == LAM_JUDGE_OUTCOME_UNASKED;
        if (outcome == LAM_JUDGE_OUTCOME_UNASKED)
            cr_assert_str_eq(message, "Apache Thrift did not answer");
    }
    if (lam_fail_malloc_is_whole())
        cr_expect_gt(unasked, 20);
    free((void *)(uintptr_t)footer.data);
}
