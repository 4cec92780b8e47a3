/* SPDX-License-Identifier: Apache-2.0 */
/* Triples of all columns are checked before they are written, and sliced at records. */
#include "file/write/triple_batch.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "chunk/triple_column.h"
#include "file/file_sample.h"
#include "schema/tree.h"

static lam_status check(const char *schema_text, lam_triples triples, size_t records) {
    lam_schema *schema = lam_test_schema(schema_text);
    lam_error error = lam_error_none();
    lam_status status =
        lam_triples_check(lam_kernels_get(), lam_schema_leaf(schema, 0), &triples, records, &error);
    cr_assert_eq(error.status, status);
    lam_schema_destroy(schema);
    return status;
}

#define REQUIRED "message m { required int32 a; }"
#define NESTED "message m { repeated group g { optional int32 a; } }"

static const int32_t numbers[4] = {1, 2, 3, 4};

Test(triple_batch, a_required_column_has_a_value_per_record) {
    cr_assert_eq(check(REQUIRED, (lam_triples){4, 4, NULL, NULL, numbers}, 4), LAM_STATUS_OK);
    cr_assert_eq(check(REQUIRED, (lam_triples){0}, 0), LAM_STATUS_OK);
    cr_assert_eq(check(REQUIRED, (lam_triples){4, 4, NULL, NULL, numbers}, 3), LAM_STATUS_INVALID);
    cr_assert_eq(check(REQUIRED, (lam_triples){4, 4, NULL, NULL, numbers}, 5), LAM_STATUS_INVALID);
    cr_assert_eq(check(REQUIRED, (lam_triples){4, 3, NULL, NULL, numbers}, 4), LAM_STATUS_INVALID);
    cr_assert_eq(check(REQUIRED, (lam_triples){4, 4, NULL, NULL, NULL}, 4), LAM_STATUS_INVALID);
    cr_assert_eq(check(REQUIRED, (lam_triples){0}, 1), LAM_STATUS_INVALID);
}

Test(triple_batch, levels_of_a_required_column_are_all_0_when_they_are_given) {
    static const uint8_t zeros[4], one[4] = {0, 1, 0, 0};
    cr_assert_eq(check(REQUIRED, (lam_triples){4, 4, zeros, zeros, numbers}, 4), LAM_STATUS_OK);
    cr_assert_eq(check(REQUIRED, (lam_triples){4, 4, one, zeros, numbers}, 3), LAM_STATUS_INVALID);
    cr_assert_eq(check(REQUIRED, (lam_triples){4, 3, zeros, one, numbers}, 4), LAM_STATUS_INVALID);
}

Test(triple_batch, levels_lie_in_range_and_agree_with_the_counts) {
    static const struct {
        uint8_t r[4], d[4];
        size_t values, records;
        lam_status status;
    } rows[] = {
        {{0, 1, 1, 0}, {2, 1, 2, 0}, 2, 2, LAM_STATUS_OK},
        {{0, 1, 1, 0}, {2, 1, 2, 0}, 3, 2, LAM_STATUS_INVALID},
        {{0, 1, 1, 0}, {2, 1, 2, 0}, 1, 2, LAM_STATUS_INVALID},
        {{0, 1, 1, 0}, {2, 1, 2, 0}, 2, 3, LAM_STATUS_INVALID},
        {{0, 1, 2, 0}, {2, 1, 2, 0}, 2, 2, LAM_STATUS_INVALID},
        {{0, 1, 1, 0}, {2, 3, 2, 0}, 2, 2, LAM_STATUS_INVALID},
        {{1, 1, 0, 0}, {2, 1, 2, 0}, 2, 2, LAM_STATUS_INVALID},
        {{0, 1, 255, 0}, {2, 1, 2, 0}, 2, 2, LAM_STATUS_INVALID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_eq(check(NESTED, (lam_triples){4, rows[i].values, rows[i].r, rows[i].d, numbers},
                           rows[i].records),
                     rows[i].status, "row %zu", i);
}

Test(triple_batch, byte_arrays_have_bytes_and_a_length_that_the_format_can_say) {
    lam_bytes values[2] = {{(const uint8_t *)"a", 1}, {NULL, 0}};
    lam_triples triples = {2, 2, NULL, NULL, values};
    cr_assert_eq(check("message m { required binary a; }", triples, 2), LAM_STATUS_OK);
    values[1].size = 1;
    cr_assert_eq(check("message m { required binary a; }", triples, 2), LAM_STATUS_INVALID);
    values[1] = (lam_bytes){(const uint8_t *)"a", (size_t)INT32_MAX + 1};
    cr_assert_eq(check("message m { required binary a; }", triples, 2), LAM_STATUS_INVALID);
}

Test(triple_batch, taking_records_from_the_front_loses_nothing) {
    static const char *const schemas[] = {REQUIRED, NESTED, "message m { optional binary a; }",
                                          "message m { repeated fixed_len_byte_array(3) a; }"};
    lam_random random = lam_random_start(lam_test_seed(1));
    for (size_t round = 0; round < 400; round++) {
        lam_schema *schema = lam_test_schema(schemas[round % 4]);
        lam_triple_shape shape = {.record_count = (size_t)lam_random_below(&random, 50),
                                  .null_percent = 40,
                                  .more_percent = 50,
                                  .bytes_max = 5};
        lam_triple_column column;
        lam_triple_column_init(&column, lam_schema_leaf(schema, 0), &shape, &random);
        lam_triples rest = lam_triple_column_slice(&column, 0, column.record_count, &random);
        lam_triple_match match = {&column, 0, 0};
        for (size_t done = 0; done < column.record_count;) {
            size_t count = 1 + (size_t)lam_random_below(&random, column.record_count - done);
            lam_triples next = lam_triples_take(lam_kernels_get(), column.leaf, &rest, count);
            cr_assert_eq(lam_triples_check(lam_kernels_get(), column.leaf, &next, count, NULL),
                         LAM_STATUS_OK);
            cr_assert(lam_triple_match_next(&match, &next));
            done += count;
        }
        cr_assert(lam_triple_match_at_end(&match));
        cr_assert_eq(rest.count + rest.value_count, 0);
        lam_triple_column_finish(&column);
        lam_schema_destroy(schema);
    }
}

/* --- Slices of all columns ------------------------------------------------------------------- */

/* What a record of a column is in bytes, by the definition. */
static uint64_t size_of_record(const lam_triple_column *column, size_t record) {
    const lam_field *leaf = column->leaf;
    bool levels = lam_field_max_definition(leaf) > 0 || lam_field_max_repetition(leaf) > 0;
    uint64_t size = levels ? column->starts[record + 1] - column->starts[record] : 0;
    for (size_t i = column->value_starts[record]; i < column->value_starts[record + 1]; i++)
        size += lam_field_physical_type(leaf) == LAM_PHYSICAL_BYTE_ARRAY
                    ? 4 + ((const lam_bytes *)column->triples.values)[i].size
                    : lam_element_size(leaf);
    return size;
}

Test(triple_batch, slices_know_their_bytes_and_the_record_where_so_many_have_come) {
    enum { LEAVES = 5 };
    lam_schema *schema = lam_test_schema(
        "message m { required int32 a; optional binary b; repeated int64 c; required binary d; "
        "optional group e { repeated group f { optional boolean g; } } }");
    lam_random random = lam_random_start(lam_test_seed(2));
    for (size_t round = 0; round < 300; round++) {
        lam_triple_column columns[LEAVES];
        lam_triple_batch batches[LEAVES];
        lam_triple_shape shape = {.record_count = 1 + (size_t)lam_random_below(&random, 1500),
                                  .null_percent = (unsigned)lam_random_below(&random, 101),
                                  .more_percent = (unsigned)lam_random_below(&random, 60),
                                  .bytes_max = 1 + (size_t)lam_random_below(&random, 50)};
        size_t most =
            shape.record_count < LAM_BATCH_RECORDS ? shape.record_count : LAM_BATCH_RECORDS;
        size_t count = 1 + (size_t)lam_random_below(&random, most);
        for (size_t i = 0; i < LEAVES; i++) {
            lam_triple_column_init(&columns[i], lam_schema_leaf(schema, i), &shape, &random);
            batches[i].rest = lam_triple_column_slice(&columns[i], 0, shape.record_count, &random);
        }
        uint64_t bytes = lam_triple_batches_cut(lam_kernels_get(), schema, batches, count), sum = 0;
        uint64_t wanted = 1 + lam_random_below(&random, bytes);
        size_t place = 0;
        for (size_t record = 0; record < count; record++) {
            place += sum < wanted;
            for (size_t i = 0; i < LEAVES; i++)
                sum += size_of_record(&columns[i], record);
        }
        cr_assert_eq(bytes, sum);
        cr_assert_eq(lam_triple_batches_find(schema, batches, wanted), place);
        for (size_t i = 0; i < LEAVES; i++) {
            cr_assert_eq(batches[i].next.count, columns[i].starts[count]);
            cr_assert_eq(batches[i].next.count + batches[i].after.count, batches[i].rest.count);
            lam_triple_column_finish(&columns[i]);
        }
    }
    lam_schema_destroy(schema);
}
