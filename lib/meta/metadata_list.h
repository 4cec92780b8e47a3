/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of plain elements, as the structs of metadata.h have them. */
#ifndef LAM_META_METADATA_LIST_H
#define LAM_META_METADATA_LIST_H

#include <lamella/common.h>

/* Lists of plain elements. `items` may be NULL if `count` is 0. */
typedef struct lam_meta_bool_list {
    const bool *items;
    uint32_t count;
} lam_meta_bool_list;

typedef struct lam_meta_i32_list {
    const int32_t *items;
    uint32_t count;
} lam_meta_i32_list;

typedef struct lam_meta_i64_list {
    const int64_t *items;
    uint32_t count;
} lam_meta_i64_list;

typedef struct lam_meta_bytes_list {
    const lam_bytes *items;
    uint32_t count;
} lam_meta_bytes_list;

#endif
