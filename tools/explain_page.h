/* SPDX-License-Identifier: Apache-2.0 */
/* The page of `explain` around its data: one HTML file that needs no other. */
#ifndef LAMELLA_TOOLS_EXPLAIN_PAGE_H
#define LAMELLA_TOOLS_EXPLAIN_PAGE_H

#include <lamella/io.h>

/*
 * Made by tools/explain/pack.py from the sources beside it: the page up to its data, the text from
 * its data to the end, and the sizes of both.
 */
extern const unsigned char explain_page_head[], explain_page_tail[];
extern const size_t explain_page_head_size, explain_page_tail_size;

/*
 * Writes the page with a JSON object in it: no byte of the object ends the element that holds it,
 * whatever its strings.
 */
lam_status explain_write_page(lam_bytes json, lam_output *output, lam_error *error);

#endif
