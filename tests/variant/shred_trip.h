/* SPDX-License-Identifier: Apache-2.0 */
/* Values to columns and back, through shredder, columns, assembler: what the tests of both
 * share. */
#ifndef LAM_TESTS_SHRED_TRIP_H
#define LAM_TESTS_SHRED_TRIP_H

#include <lamella/dremel.h>

#include "support/random.h"
#include "support/test_file.h"
#include "variant/shredding_judge.h"
#include "variant_help.h"

static inline lam_schema *schema_of(const char *text) {
    return lam_test_parse(text);
}

static inline const lam_field *field_of(const lam_schema *schema, const char *path) {
    const lam_field *field = lam_schema_find(schema, path);
    cr_assert_not_null(field, "%s", path);
    return field;
}

/* --- Columns back to records ------------------------------------------------------------------ */

typedef struct column_source {
    lam_triples triples;
    bool given;
} column_source;

static inline lam_status read_column(void *state, lam_triples *ret_triples, lam_error *error) {
    column_source *source = state;
    lam_triples none = {0};
    (void)error;
    *ret_triples = source->given ? none : source->triples;
    source->given = true;
    return LAM_STATUS_OK;
}

/* Drives a sink with the records that a shredder holds. */
static inline lam_status assemble_records(const lam_schema *schema, const lam_shredder *shredder,
                                          const lam_record_sink *sink, lam_error *error) {
    size_t count = lam_schema_leaf_count(schema), records;
    column_source *columns = calloc(count, sizeof *columns);
    lam_triple_source *sources = calloc(count, sizeof *sources);
    lam_assembler *assembler;
    for (size_t i = 0; i < count; i++) {
        columns[i].triples = lam_shredder_triples(shredder, i);
        sources[i].state = &columns[i];
        sources[i].read = read_column;
    }
    lam_status status = lam_assembler_create(schema, NULL, sources, NULL, &assembler, error);
    if (status == LAM_STATUS_OK) {
        status = lam_assembler_read(assembler, sink, SIZE_MAX, &records, error);
        lam_assembler_destroy(assembler);
    }
    free(columns);
    free(sources);
    return status;
}

/* --- A sink that keeps values ----------------------------------------------------------------- */

enum { KEPT_MAX = 64 };

typedef struct kept_values {
    lam_variant values[KEPT_MAX];
    size_t count;
    size_t records;
    size_t events; /* of fields outside of VARIANTs */
} kept_values;

static inline lam_variant keep_variant(lam_variant variant) {
    lam_variant kept = {
        {exact_block(variant.metadata.data, variant.metadata.size), variant.metadata.size},
        {exact_block(variant.value.data, variant.value.size), variant.value.size}};
    return kept;
}

static inline lam_status kept_begin(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static inline lam_status kept_end(void *state, lam_error *error) {
    (void)error;
    ((kept_values *)state)->records++;
    return LAM_STATUS_OK;
}

static inline lam_status kept_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    (void)error;
    ((kept_values *)state)->events++;
    return LAM_STATUS_OK;
}

static inline lam_status kept_put(void *state, const lam_field *leaf, lam_value value,
                                  lam_error *error) {
    (void)value;
    return kept_group(state, leaf, error);
}

static inline lam_status kept_variant(void *state, const lam_field *group, lam_variant variant,
                                      lam_error *error) {
    kept_values *kept = state;
    (void)group;
    (void)error;
    cr_assert_lt(kept->count, KEPT_MAX);
    kept->values[kept->count++] = keep_variant(variant);
    return LAM_STATUS_OK;
}

static inline lam_variant_sink kept_sink(kept_values *kept) {
    lam_variant_sink sink = {{kept, kept_begin, kept_group, kept_put, kept_group, kept_end, NULL},
                             kept_variant};
    return sink;
}

static inline void free_kept(kept_values *kept) {
    for (size_t i = 0; i < kept->count; i++)
        free_variant(kept->values[i]);
    memset(kept, 0, sizeof *kept);
}

/* The values that columns stand for. */
static inline lam_status assemble_values(const lam_schema *schema, const lam_shredder *shredder,
                                         bool tolerate, kept_values *kept, lam_error *error) {
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    lam_variant_sink next = kept_sink(kept);
    lam_variant_assembler *middle;
    options.tolerate_conflicts = tolerate;
    lam_status status =
        lam_variant_assembler_create(schema, NULL, &options, &next, NULL, &middle, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_record_sink sink = lam_variant_assembler_sink(middle);
    status = assemble_records(schema, shredder, &sink, error);
    lam_variant_assembler_destroy(middle);
    return status;
}

/* --- What columns hold ------------------------------------------------------------------------ */

/* The values of a leaf, with spaces between: "-" for a null, numbers, text, or hex of other
 * bytes. */
static inline void print_column(const lam_schema *schema, const lam_shredder *shredder,
                                const char *path, char *text, size_t room) {
    const lam_field *leaf = field_of(schema, path);
    lam_triples triples = lam_shredder_triples(shredder, lam_field_first_leaf(leaf));
    uint8_t most = lam_field_max_definition(leaf);
    size_t value = 0, at = 0;
    bool is_text = lam_field_logical_type(leaf)->kind == LAM_LOGICAL_STRING;
    text[0] = '\0';
    for (size_t i = 0; i < triples.count; i++) {
        at += (size_t)snprintf(text + at, room - at, "%s", i == 0 ? "" : " ");
        if (triples.definition != NULL && triples.definition[i] < most) {
            at += (size_t)snprintf(text + at, room - at, "-%u", triples.definition[i]);
            continue;
        }
        lam_value found = lam_triples_value(&triples, leaf, value++);
        if (lam_field_physical_type(leaf) == LAM_PHYSICAL_INT64)
            at += (size_t)snprintf(text + at, room - at, "%lld", (long long)found.int64);
        else if (lam_field_physical_type(leaf) == LAM_PHYSICAL_INT32)
            at += (size_t)snprintf(text + at, room - at, "%d", (int)found.int32);
        else if (lam_field_physical_type(leaf) == LAM_PHYSICAL_DOUBLE)
            at += (size_t)snprintf(text + at, room - at, "%g", found.float64);
        else if (is_text)
            at += (size_t)snprintf(text + at, room - at, "%.*s", (int)found.bytes.size,
                                   (const char *)found.bytes.data);
        else
            for (size_t k = 0; k < found.bytes.size; k++)
                at += (size_t)snprintf(text + at, room - at, "%02X", found.bytes.data[k]);
        cr_assert_lt(at, room);
    }
}

static inline void expect_column(const lam_schema *schema, const lam_shredder *shredder,
                                 const char *path, const char *expected) {
    char text[4096];
    print_column(schema, shredder, path, text, sizeof text);
    cr_expect_str_eq(text, expected, "%s: %s", path, text);
}

#endif
