/* SPDX-License-Identifier: Apache-2.0 */
/* Text of partition folders: escaping, and the texts of directives. */
#ifndef LAM_DATASET_PARTITION_PARTITION_FOLDER_H
#define LAM_DATASET_PARTITION_PARTITION_FOLDER_H

#include "dataset/partition/partition.h"

/* Before the letter of a directive in the names of a partition. */
enum { LAM_FOLDER_DIRECTIVE = 1 };

/* Appends bytes as a folder's name has them, with %XX for those that could be misread. */
lam_status lam_folder_escape(lam_buffer *out, const uint8_t *bytes, size_t size, lam_error *error);

#endif
