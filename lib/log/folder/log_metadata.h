/* SPDX-License-Identifier: Apache-2.0 */
/* The key-value metadata of a log's files. */
#ifndef LAM_LOG_FOLDER_LOG_METADATA_H
#define LAM_LOG_FOLDER_LOG_METADATA_H

#include <lamella/log.h>

#include "base/arena.h"
#include "meta/metadata.h"

/* Metadata that all files of a log state. */
typedef struct lam_log_metadata {
    lam_arena arena; /* holds the texts */
    lam_meta_key_value_list
        all; /* of files of the first schema: the options', then those of that schema */
    lam_meta_key_value_list some; /* of files of wider schemas: the options' alone */
} lam_log_metadata;

/*
 * Copies the key-values of the options, and those that belong to the log's schema. INVALID for text
 * of the options that is not UTF-8. finish is allowed after a failure.
 */
lam_status lam_log_metadata_init(lam_log_metadata *metadata, const lam_log_options *options,
                                 const lam_meta_key_value_list *of_schema,
                                 const lam_allocator *allocator, lam_error *error);
void lam_log_metadata_finish(lam_log_metadata *metadata);

/* Of `others` those whose keys `own` does not have; the list is in the arena, the texts are not. */
lam_status lam_log_metadata_missing(const lam_meta_key_value_list *own,
                                    const lam_meta_key_value_list *others, lam_arena *arena,
                                    lam_meta_key_value_list *ret_missing, lam_error *error);

/* Copies key-values with their texts into the arena. */
lam_status lam_log_metadata_copy(const lam_meta_key_value_list *from, lam_arena *arena,
                                 lam_meta_key_value_list *ret_copy, lam_error *error);

#endif
