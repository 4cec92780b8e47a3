/* Comparisons with parts of VARIANTs. */
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "filter/filter_builder.h"
#include "filter/filter_part.h"

/* By class, then by value. */
static int order_literals(const void *state, const void *a, const void *b) {
    const lam_typed_literal *x = a, *y = b;
    (void)state;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return lam_typed_literal_order(x, y);
}

/* Cuts a sorted list into those of the classes. */
static void split(const lam_typed_literal *literals, size_t count, lam_filter_part *part) {
    for (size_t i = 0; i < count; i++) {
        lam_typed_literal_list *list = &part->literals[literals[i].kind];
        if (list->count++ == 0)
            list->items = &literals[i];
    }
}

static lam_status check_lists(const lam_filter_part *part, lam_error *error) {
    for (size_t i = 0; i < LAM_LITERAL_CLASS_COUNT; i++)
        if (part->comparison != LAM_TEST_IN && part->literals[i].count > 1)
            LAM_FAIL(error, LAM_STATUS_INVALID, "several values of one class for one comparison");
    return LAM_STATUS_OK;
}

static lam_status add_comparison(lam_filter_builder *builder, const lam_variant_location *location,
                                 lam_filter_part *part, lam_error *error) {
    lam_filter_test test = {0};
    lam_variant_kind kind;
    LAM_TRY(lam_filter_part_find(location, &builder->arena, part, &kind, error));
    LAM_TRY(lam_filter_part_leaf_test(part, kind, &builder->arena, &test, error));
    return lam_filter_builder_add(builder, &test, error);
}

lam_status lam_filter_builder_compare_part(lam_filter_builder *builder, const char *path,
                                           lam_filter_operator operation, lam_typed_literal *literals,
                                           size_t count, lam_error *error) {
    lam_variant_location location;
    void *memory;
    LAM_TRY(lam_filter_locate_part(builder->schema, path, &location, error));
    LAM_TRY(lam_arena_array(&builder->arena, 1, sizeof(lam_filter_part), &memory, error));
    lam_filter_part *part = memory;
    part->question = LAM_PART_COMPARES;
    part->comparison = lam_test_kind_of(operation);
    lam_sort(literals, count, sizeof *literals, order_literals, NULL);
    split(literals, count, part);
    LAM_TRY(check_lists(part, error));
    return add_comparison(builder, &location, part, error);
}

lam_status lam_filter_builder_variant_compare(lam_filter_builder *builder, const char *path,
                                              lam_filter_operator operation,
                                              const lam_variant_scalar *values, size_t count,
                                              lam_error *error) {
    void *memory;
    if ((unsigned)operation > LAM_FILTER_GREATER_OR_EQUAL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no operator has the number %d", (int)operation);
    LAM_TRY(lam_arena_array(&builder->arena, count, sizeof(lam_typed_literal), &memory, error));
    lam_typed_literal *literals = memory;
    for (size_t i = 0; i < count; i++)
        LAM_TRY(lam_typed_literal_of_scalar(&values[i], &builder->arena, &literals[i], error));
    return lam_filter_builder_compare_part(builder, path, operation, literals, count, error);
}
