/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory with one column of any type, in any encoding, for any Arrow type. */
#ifndef LAMELLA_BENCH_LEAF_SAMPLE_H
#define LAMELLA_BENCH_LEAF_SAMPLE_H

#include <lamella/lamella.h>

/* What the values are. */
typedef enum leaf_values {
    LEAF_VALUES_NUMBERS,   /* 0 to `limit` - 1 */
    LEAF_VALUES_SIGNED,    /* -limit / 2 to limit / 2 - 1 */
    LEAF_VALUES_REALS,     /* with two decimal digits */
    LEAF_VALUES_BITS,      /* signed, of `limit` bits, the most significant byte first */
    LEAF_VALUES_HALVES,    /* 16-bit floats from 1 to 2 */
    LEAF_VALUES_INTERVALS, /* INTERVAL: months, days, milliseconds */
    LEAF_VALUES_INSTANTS,  /* INT96: the day and the nanoseconds of a time of these years */
    LEAF_VALUES_TEXT       /* letters, a third of `limit` to almost twice as many */
} leaf_values;

/* A column as it is in the file, and as it is wanted as an array. */
typedef struct leaf_kind {
    const char *leaf;    /* as in message text: "int32", "fixed_len_byte_array(7)" */
    const char *logical; /* likewise, "DECIMAL(9,2)"; "" for none */
    const char *format;  /* of the Arrow array; of its values if it has a dictionary */
    leaf_values values;
    uint64_t limit;
    lam_physical_type type;
    const char *kin; /* bytes of an element of the Arrow array, or how long strings are */
    bool dictionary; /* wanted as a dictionary array */
} leaf_kind;

/*
 * Writes `count` rows of the kind, with one dictionary and one row group, uncompressed and without
 * checksums. With `nulls` a twentieth of the rows are null; without, the column is required. If
 * `encoding` is RLE_DICTIONARY, there are 1,000 different values; with delta encodings, numbers
 * rise. `hint` is the value of ARROW:schema, or NULL. False if the encoding cannot hold the kind.
 */
bool leaf_sample_write(const leaf_kind *kind, lam_encoding encoding, bool nulls, size_t count,
                       const char *hint, lam_output *ret_file);

/* The value of ARROW:schema for one column of this Arrow format, named "a"; to be freed. */
char *leaf_sample_hint(const char *format);

#endif
