/* SPDX-License-Identifier: Apache-2.0 */
/* Random requests: what a consumer may ask of columns, and what must come of it. */
#ifndef LAM_TESTS_RANDOM_REQUESTS_H
#define LAM_TESTS_RANDOM_REQUESTS_H

#include "arrow/field/arrow_field.h"
#include "support/random.h"

/*
 * Makes a request for a struct of columns as which a file is read, none with an extension type:
 * fields in another order, some left out, some that no column has, types that must be given and
 * types that must not. `ret_expected` is the struct as it must then be read, but that indexes of 8
 * and 16 bits may be int32. All is in `arena`.
 */
lam_arrow_field lam_random_request(lam_random *random, lam_arena *arena,
                                   const lam_arrow_field *columns, lam_arrow_field *ret_expected);

#endif
