/* SPDX-License-Identifier: Apache-2.0 */
/* The schema, and the order that it gives the values of a column. */
#ifndef LAM_CHECK_FOOTER_CHECK_SCHEMA_H
#define LAM_CHECK_FOOTER_CHECK_SCHEMA_H

#include "check/report/report.h"

/* Checks the schema's elements, their annotations and the column orders. */
lam_status lam_check_schema(lam_checker *checker);
/*
 * The column order of a leaf; an empty union, and `*ret_stated` false, when the footer has no
 * column orders, or not one for each column.
 */
int32_t lam_check_column_order(const lam_checker *checker, const lam_field *leaf, bool *ret_stated);

#endif
