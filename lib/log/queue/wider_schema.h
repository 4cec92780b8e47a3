/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas that follow each other in a log. */
#ifndef LAM_LOG_QUEUE_WIDER_SCHEMA_H
#define LAM_LOG_QUEUE_WIDER_SCHEMA_H

#include <lamella/schema.h>

/* INVALID, with the leaf, when a record of the present schema is not one of the wider one. */
lam_status lam_log_schema_check_wider(const lam_schema *present, const lam_schema *wider,
                                      const lam_allocator *allocator, lam_error *error);

#endif
