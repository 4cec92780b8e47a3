/* SPDX-License-Identifier: Apache-2.0 */
/* Times lose zeros that say nothing, for programs that show them. */
#include "table_help.h"

/* Both pieces with a bar between, and how many digits there are. */
static void expect_pieces(lam_cell_kind kind, const char *text, unsigned least, unsigned digits,
                          const char *pieces) {
    const lam_cell cell = {kind, {(const uint8_t *)text, strlen(text)}};
    lam_bytes head, tail;
    char joined[100];
    cr_expect_eq(lam_cell_cut_time(&cell, least, &head, &tail), digits, "%s", text);
    snprintf(joined, sizeof joined, "%.*s|%.*s", (int)head.size, (const char *)head.data,
             (int)tail.size, (const char *)tail.data);
    cr_expect_str_eq(joined, pieces);
}

Test(cell_time, groups_of_three_zeros_go) {
    static const struct {
        const char *text;
        unsigned least, digits;
        const char *pieces;
    } rows[] = {
        {"12:00:00.500000Z", 0, 3, "12:00:00.500|Z"},
        {"12:00:00.000000Z", 0, 0, "12:00:00|Z"},
        {"12:00:00.000000", 0, 0, "12:00:00|"},
        {"12:00:00.000001", 0, 6, "12:00:00.000001|"},
        {"12:00:00.000001000", 0, 6, "12:00:00.000001|"},
        {"2024-10-24T12:00:00.100200300Z", 0, 9, "2024-10-24T12:00:00.100200300|Z"},
        {"12:00:00.500000Z", 6, 6, "12:00:00.500000|Z"},
        {"12:00:00.000000000Z", 3, 3, "12:00:00.000|Z"},
        {"12:00:00.000Z", 9, 3, "12:00:00.000|Z"},
        {"12:00:00", 0, 0, "12:00:00|"},
        {"AAAA", 0, 0, "AAAA|"},
        {"", 0, 0, "|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_pieces(LAM_CELL_TIME, rows[i].text, rows[i].least, rows[i].digits, rows[i].pieces);
}

Test(cell_time, what_is_no_time_stays) {
    expect_pieces(LAM_CELL_TEXT, "12:00:00.000", 0, 0, "12:00:00.000|");
    expect_pieces(LAM_CELL_NUMBER, "1.000", 0, 0, "1.000|");
}
