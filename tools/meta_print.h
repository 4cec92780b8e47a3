/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the output of "lamella meta". */
#ifndef LAMELLA_TOOLS_META_PRINT_H
#define LAMELLA_TOOLS_META_PRINT_H

#include <lamella/lamella.h>

/* What is printed of a file. */
typedef struct meta_choice {
    const bool *leaves; /* NULL is all */
    uint64_t row_group; /* UINT64_MAX is all */
    bool is_verbose;
} meta_choice;

static inline bool meta_has_leaf(const meta_choice *choice, size_t leaf) {
    return choice->leaves == NULL || choice->leaves[leaf];
}

static inline bool meta_has_group(const meta_choice *choice, size_t row_group) {
    return choice->row_group == UINT64_MAX || choice->row_group == row_group;
}

/* The sum of two numbers of a footer, which may say anything: at most INT64_MAX. */
static inline int64_t meta_add(int64_t total, int64_t part) {
    return part < 0 ? total : total > INT64_MAX - part ? INT64_MAX : total + part;
}

/* "BYTE_ARRAY"; static. */
const char *meta_type_name(const lam_field *leaf);
/* The name of the codec, "UNKNOWN" for one that has none; static. */
const char *meta_codec_name(const lam_column_chunk_info *info);
/* "data", "dictionary"; static. */
const char *meta_page_type_name(lam_page_type type);

/* Prints all that is known of one chunk, a line each. */
lam_status meta_print_chunk(const lam_reader *reader, size_t row_group,
                            const lam_column_chunk_info *info, lam_error *error);

/* Prints the file as one object on one line; if verbose, with facts that only Bloom filters
 * themselves hold. Gives an exit status. */
int meta_print_json(const char *file, const lam_reader *reader, const meta_choice *choice);

#endif
