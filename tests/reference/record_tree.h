/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as trees in memory, for tests: made at random, driven into sinks, built by a sink,
 * projected, compared. Simple rather than fast; it may recurse.
 */
#ifndef LAM_TESTS_RECORD_TREE_H
#define LAM_TESTS_RECORD_TREE_H

#include <lamella/record.h>

#include "base/arena.h"
#include "support/random.h"

typedef struct lam_tree_field lam_tree_field;

/* One element of a field: the value of a leaf, or the fields of a group, one per child. */
typedef struct lam_tree_item {
    lam_value value;
    lam_tree_field *fields;
} lam_tree_item;

/* All elements of one field in its group: at most one when the field is not repeated. */
struct lam_tree_field {
    size_t count;
    lam_tree_item *items;
};

/* Memory from the arena, cleared; ends the test when there is none. */
void *lam_tree_alloc(lam_arena *arena, size_t count, size_t size);

/* An empty item for a field, and one more at the end of a field's items. */
lam_tree_item lam_tree_item_empty(const lam_field *field, lam_arena *arena);
lam_tree_item *lam_tree_append(lam_tree_field *items, const lam_field *field, lam_arena *arena);

/* A schema of any shape: up to 8 levels deep, now and then up to `depth_max`; any physical
 * types. */
lam_schema *lam_tree_random_schema(lam_random *random, size_t depth_max);

/* A record of the schema; `presence` of 100 optional fields are there. */
lam_tree_item lam_tree_random(lam_random *random, const lam_schema *schema, unsigned presence,
                              lam_arena *arena);

/*
 * Sends a record to a sink. With `random`, the fields of each group come in any order, otherwise in
 * schema order. With `apart`, elements of repeated fields come with other fields between them.
 */
lam_status lam_tree_drive(const lam_schema *schema, const lam_tree_item *record,
                          const lam_record_sink *sink, lam_random *random, bool apart,
                          lam_error *error);

/* What is left of a record when only some leaves are read. */
lam_tree_item lam_tree_project(const lam_field *field, const lam_tree_item *item,
                               const bool *leaves, lam_arena *arena);

bool lam_tree_equals(const lam_field *field, const lam_tree_item *a, const lam_tree_item *b);
bool lam_tree_value_equals(const lam_field *leaf, lam_value a, lam_value b);

/* A sink that keeps the records it gets, and notices fields that do not come in schema order. */
typedef struct lam_tree_builder {
    const lam_schema *schema;
    lam_arena *arena;
    lam_tree_field records;
    lam_tree_item *open[LAM_SCHEMA_DEPTH_MAX + 2];
    size_t last[LAM_SCHEMA_DEPTH_MAX + 2]; /* per open group: ordinal of its last field, plus one */
    size_t depth;
    size_t ended;      /* whole records */
    size_t misordered; /* fields before an earlier one, or twice without being repeated */
} lam_tree_builder;

void lam_tree_builder_init(lam_tree_builder *builder, const lam_schema *schema, lam_arena *arena);
lam_record_sink lam_tree_builder_sink(lam_tree_builder *builder);

#endif
