/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of what "lamella meta" prints. */
#ifndef LAMELLA_TOOLS_META_PRINT_H
#define LAMELLA_TOOLS_META_PRINT_H

#include <lamella/lamella.h>

/* "BYTE_ARRAY"; static. */
const char *meta_type_name(const lam_field *leaf);
/* The name of the codec, "UNKNOWN" for one that has none; static. */
const char *meta_codec_name(const lam_column_chunk_info *info);
/* "data", "dictionary"; static. */
const char *meta_page_type_name(lam_page_type type);

/* Prints all that is known of one chunk, a line each. */
lam_status meta_print_chunk(const lam_reader *reader, size_t row_group,
                            const lam_column_chunk_info *info, lam_error *error);

/* Prints all of a file as one object on one line; `reads_filters` adds what only Bloom filters
 * themselves tell. Gives an exit status. */
int meta_print_json(const char *file, const lam_reader *reader, bool reads_filters);

#endif
