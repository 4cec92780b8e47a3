/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs that grow, made by their number. The list of the interface says which they are, and how
 * large on this kind of machine; tests/style/abi.py compares that list with the headers.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <lamella/common.h>
#include <lamella/csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_SIZE = 1 << 20, NAME_SIZE = 64, MEMORY_SIZE = 4096, FILL = 0xA5 };

static char *read_list(void) {
    char path[1000];
    snprintf(path, sizeof path, "%s/tests/abi/layout.txt", getenv("LAMELLA_SOURCE"));
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    char *text = calloc(1, LIST_SIZE);
    cr_assert_gt(fread(text, 1, LIST_SIZE - 1, file), 0);
    fclose(file);
    return text;
}

/* The number of a struct: "constant LAM_STRUCT_CSV_OPTIONS: 33" for lam_csv_options. */
static lam_struct_kind kind_of(const char *list, const char *name) {
    char line[2 * NAME_SIZE];
    int size = snprintf(line, sizeof line, "\nconstant LAM_STRUCT_%s: ", name + strlen("lam_"));
    for (int i = (int)strlen("\nconstant "); i < size; i++)
        line[i] = (char)toupper((unsigned char)line[i]);
    const char *found = strstr(list, line);
    cr_assert_not_null(found, "%s has no number", name);
    return (lam_struct_kind)atoi(found + size);
}

/* With FILL in all of `memory`: bytes up to `size` are made, and the others stay. */
static void expect_made(lam_struct_kind kind, const char *name, uint8_t *memory, size_t size) {
    size_t stated;
    lam_struct_init(kind, memory, size);
    memcpy(&stated, memory, sizeof stated);
    cr_expect_eq(stated, size, "%s", name);
    for (size_t i = sizeof stated; i < size + 1; i++)
        cr_assert_eq(memory[i], i < size ? 0 : FILL, "%s, byte %zu of %zu", name, i, size);
}

Test(struct_init, every_struct_that_grows_has_a_number_and_its_size) {
    uint8_t memory[MEMORY_SIZE];
    size_t structs = 0;
    if (getenv("LAMELLA_SOURCE") == NULL || sizeof(void *) != 8 || sizeof(long) != 8)
        cr_skip_test("the list is of machines with pointers and longs of 64 bits");
    char *list = read_list(), name[NAME_SIZE], grows[NAME_SIZE];
    for (const char *line = list; line != NULL; line = strchr(line + 1, '\n')) {
        size_t size;
        if (sscanf(line, "\nstruct %63[^:]: %zu bytes, %63s", name, &size, grows) != 3 ||
            strcmp(grows, "grows") != 0)
            continue;
        lam_struct_kind kind = kind_of(list, name);
        cr_assert_eq(lam_struct_init(kind, NULL, 0), size, "%s", name);
        memset(memory, FILL, sizeof memory);
        expect_made(kind, name, memory, size);
        structs++;
    }
    free(list);
    cr_assert_gt(structs, 40);
}

Test(struct_init, the_size_is_the_callers_and_not_the_librarys) {
    const size_t sizes[] = {sizeof(size_t), sizeof(lam_csv_options) - 8,
                            sizeof(lam_csv_options) + 64};
    uint8_t memory[MEMORY_SIZE];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(memory, FILL, sizeof memory);
        expect_made(LAM_STRUCT_CSV_OPTIONS, "lam_csv_options", memory, sizes[i]);
    }
}

Test(struct_init, without_room_for_a_size_or_of_an_unknown_kind_nothing_is_written) {
    const int unknown[] = {-1, 0, 10000};
    uint8_t memory[MEMORY_SIZE];
    memset(memory, FILL, sizeof memory);
    cr_expect_eq(lam_struct_init(LAM_STRUCT_CSV_OPTIONS, memory, sizeof(size_t) - 1),
                 sizeof(lam_csv_options));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        cr_expect_eq(lam_struct_init((lam_struct_kind)unknown[i], memory, sizeof memory), 0);
    for (size_t i = 0; i < sizeof memory; i++)
        cr_assert_eq(memory[i], FILL);
}
