/* What the files that build a filter share. */
#ifndef LAM_FILTER_FILTER_BUILDER_H
#define LAM_FILTER_FILTER_BUILDER_H

#include "filter/filter_program.h"

struct lam_filter_builder {
    lam_allocator allocator;
    lam_schema *schema;
    lam_arena arena;  /* what the filter will hold */
    lam_buffer tests; /* lam_filter_test */
    lam_buffer steps; /* lam_filter_step */
    size_t height;    /* conditions that wait to be joined */
    size_t depth;     /* the most there were */
};

/* Adds a test, which is a condition that waits. On failure nothing is changed. LIMIT, NOMEM. */
lam_status lam_filter_builder_add(lam_filter_builder *builder, const lam_filter_test *test,
                                  lam_error *error);

#endif
