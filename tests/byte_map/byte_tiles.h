/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks over a file and demands that ranges cover what is around them: the top the file, what is
 * inside of a range that range, and what is inside of a compressed body its uncompressed bytes.
 */
#ifndef LAM_TESTS_BYTE_TILES_H
#define LAM_TESTS_BYTE_TILES_H

#include <lamella/byte_map.h>

/* What a walk came to. */
typedef struct lam_byte_tiles {
    uint64_t ranges;
    uint64_t counts[LAM_BYTE_VARIANT_NAME + 1]; /* ranges by kind */
    char unknown[512];                          /* the first note of an UNKNOWN range */
    /* Filled in by the caller, each may be NULL or 0: */
    lam_status (*each)(void *state, const lam_byte_range *range);
    void *state;
    uint32_t depth;    /* ranges below are not expanded; 0: all are */
    uint64_t fail_at;  /* the range at which the visitor fails, from 1 */
    bool is_hands_off; /* bytes in memory are not compared with the file's */
} lam_byte_tiles;

/*
 * Ends the test when ranges leave a byte out or have it twice, when bytes in memory are not those
 * of the file, or a text is no UTF-8. Gives the status of the walk; `name` is for messages.
 */
lam_status lam_byte_tiles_walk(lam_byte_tiles *tiles, const lam_input *input,
                               const lam_byte_map_options *options, const char *name,
                               lam_error *error);

/* The same for a VARIANT in memory: its metadata and its value are covered. */
lam_status lam_byte_tiles_walk_variant(lam_byte_tiles *tiles, lam_bytes metadata, lam_bytes value,
                                       const lam_byte_map_options *options, const char *name,
                                       lam_error *error);

/* The same for a file in memory, of which the walk must succeed. */
void lam_byte_tiles_expect(lam_byte_tiles *tiles, lam_bytes file, const char *name);

/*
 * Demands that a walk over the file ends with the failure of its visitor at the first ranges of
 * each kind and label, with that of its input at any read, and when it is stopped.
 */
void lam_byte_tiles_expect_ends(lam_bytes file, const char *name);

#endif
