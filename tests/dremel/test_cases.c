/* SPDX-License-Identifier: Apache-2.0 */
/* The level examples of the shared folder cases/, shredded and assembled again. */
#include <criterion/criterion.h>
#include <lamella/dremel.h>
#include <lamella/record.h>
#include <string.h>

#include "reference/broken_runs.h"
#include "reference/level_case.h"
#include "support/shared.h"

enum { LEAVES_MAX = 16 };

/* Assembles the shredder's columns into a second shredder, which then has to hold the same. */
static void assemble_again(const lam_level_case *level_case, const lam_shredder *first) {
    lam_random random = lam_random_start(1);
    lam_broken_runs runs[LEAVES_MAX];
    lam_triple_source sources[LEAVES_MAX];
    size_t leaf_count = lam_schema_leaf_count(level_case->schema);
    cr_assert_leq(leaf_count, LEAVES_MAX);
    for (size_t i = 0; i < leaf_count; i++) {
        lam_broken_runs_init(&runs[i], lam_schema_leaf(level_case->schema, i),
                             lam_shredder_triples(first, i), 2, &random);
        sources[i] = lam_broken_runs_source(&runs[i]);
    }
    lam_shredder *second;
    lam_assembler *assembler;
    cr_assert_eq(lam_shredder_create(level_case->schema, NULL, &second, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_assembler_create(level_case->schema, NULL, sources, NULL, &assembler, NULL),
                 LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(second);
    size_t records;
    cr_assert_eq(lam_assembler_read(assembler, &sink, SIZE_MAX, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(records, level_case->records->count);
    for (size_t i = 0; i < leaf_count; i++) {
        lam_triples triples = lam_shredder_triples(second, i);
        lam_level_case_expect(level_case, i, &triples);
        lam_broken_runs_finish(&runs[i]);
    }
    lam_assembler_destroy(assembler);
    lam_shredder_destroy(second);
}

static void check_case(void *state, const char *path) {
    (void)state;
    lam_level_case level_case;
    lam_level_case_open(&level_case, path);
    lam_shredder *shredder;
    cr_assert_eq(lam_shredder_create(level_case.schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    for (size_t i = 0; i < level_case.records->count; i++) {
        lam_error error = lam_error_none();
        lam_status status = lam_level_case_drive(&level_case, i, &sink, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", path, error.message);
    }
    for (size_t i = 0; i < lam_schema_leaf_count(level_case.schema); i++) {
        lam_triples triples = lam_shredder_triples(shredder, i);
        lam_level_case_expect(&level_case, i, &triples);
    }
    assemble_again(&level_case, shredder);
    lam_shredder_destroy(shredder);
    lam_level_case_close(&level_case);
}

Test(cases, the_shared_level_examples_shred_and_assemble_as_they_say) {
    if (!lam_test_shared_exists("cases"))
        cr_skip_test("no shared folder cases/");
    cr_assert_geq(lam_test_each_file(lam_test_shared("cases"), check_case, NULL), 8);
}
