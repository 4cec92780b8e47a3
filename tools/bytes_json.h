/* SPDX-License-Identifier: Apache-2.0 */
/* The map of a file's bytes as "lamella bytes --json" prints it. */
#ifndef LAMELLA_TOOLS_BYTES_JSON_H
#define LAMELLA_TOOLS_BYTES_JSON_H

#include <lamella/lamella.h>

/* What was printed. */
typedef struct bytes_seen {
    uint64_t unknown; /* ranges that are damaged or not understood */
} bytes_seen;

/* The part of the map to print. Zero and NULL mean all of it. */
typedef struct bytes_choice {
    const bool *leaves; /* per leaf of the schema; NULL: all */
    size_t leaf_count;
    bool has_row_group;
    uint64_t row_group;
    bool has_page;
    uint64_t page;     /* in each chunk */
    uint64_t depth;    /* ranges deeper than that are not printed; the top is 1; 0: all */
    bool lists_others; /* ranges not chosen are printed without insides; else left out */
    bytes_seen *seen;  /* counted up; NULL: not */
    /*
     * Asked for ranges that are chosen: false leaves this one out. May set `*expand` to false, so
     * that its inside is left out. NULL: all are printed.
     */
    bool (*wants)(void *state, const lam_byte_range *range, bool *expand);
    /* Prints more members of a range, with a comma before each; NULL: none. */
    void (*print_more)(void *state, const lam_byte_range *range);
    void *state;
} bytes_choice;

/* True if the range is printed; `*expand` becomes whether its inside is wanted. */
bool bytes_is_chosen(const bytes_choice *choice, const lam_byte_range *range, bool *expand);

/*
 * Prints one object: {"file":...,"size":...,"ranges":[...]}. Only members that apply are there; a
 * row group, column or page is stated if it differs from that of the range around.
 *
 *     kind, begin, length   always; kinds are those of lam_byte_kind_name
 *     label, value, note    texts
 *     row_group, column, page, first, count, bit_width, uncompressed_size, index   numbers
 *     children              the ranges inside, which cover this one
 *     uncompressed          instead, in a compressed page body: ranges that cover its uncompressed
 *                           bytes, in which their `begin` counts
 *
 * Calls nothing but tool_print and the public headers. On failure the object is not complete.
 */
lam_status bytes_print_json(const char *file, const lam_input *input,
                            const lam_byte_map_options *options, const bytes_choice *choice,
                            lam_error *error);

/* Prints bytes as hexadecimal digits. */
void bytes_print_hex(const uint8_t *bytes, size_t size);

/* Prints the ranges of a VARIANT in memory as such a list: [{...},...], metadata and value. */
lam_status bytes_print_variant_json(lam_bytes metadata, lam_bytes value,
                                    const lam_byte_map_options *options, const bytes_choice *choice,
                                    lam_error *error);

#endif
