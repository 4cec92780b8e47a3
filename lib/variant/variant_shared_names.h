/* Inside of the names that values share: the numbers of their table, and the field ids. */
#ifndef LAM_VARIANT_VARIANT_SHARED_NAMES_H
#define LAM_VARIANT_VARIANT_SHARED_NAMES_H

#include "variant/variant_names.h"

struct lam_variant_names {
    lam_allocator allocator;
    lam_variant_name_table table;
    uint32_t *ids;     /* by number, of the first `fixed` numbers */
    uint32_t *numbers; /* by id: the other way round */
    size_t fixed;
    size_t capacity; /* of both, and of `spare` */
    uint32_t *spare;
    bool is_sorted;
    lam_buffer metadata;
    size_t in_metadata; /* names that it has, plus 1; 0 when there is none yet */
};

/* Gives ids to the names that have none. NOMEM. */
lam_status lam_variant_names_fix(lam_variant_names *names, lam_error *error);

#endif
