/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map of a file: every byte belongs to a range, and ranges form a tree.
 *
 *     file    magic | column chunk | column chunk | gap | offset index | footer | length | magic
 *     chunk   page | page | page
 *     page    header | repetition levels | definition levels | body
 *     body    values, in the bytes that uncompressing gives
 *     value   of a VARIANT: header | field ids | offsets | value | value
 *     header  one range for each Thrift field
 *
 * The ranges at depth 0 cover the file from its first byte to its last, without overlap, and those
 * inside of a range cover it in the same way. Bytes that belong to nothing are a gap; those that
 * cannot be understood are of kind UNKNOWN, with the reason, and the walk continues after them.
 * (README.md of the format, "File format"; parquet.thrift; Encodings.md; AlpEncoding.md;
 * PageIndex.md; BloomFilter.md; VariantEncoding.md)
 */
#ifndef LAMELLA_BYTE_MAP_H
#define LAMELLA_BYTE_MAP_H

#include <lamella/common.h>
#include <lamella/io.h>
#include <lamella/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the bytes of a range are, in the words of the format. */
typedef enum lam_byte_kind {
    LAM_BYTE_UNKNOWN = 0,       /* damaged or not understood: see the note */
    LAM_BYTE_GAP = 1,           /* of no chunk, index or footer that the footer refers to; in a
                                   VARIANT: of no field or element */
    LAM_BYTE_PADDING = 2,       /* fills up a group, a miniblock or an alignment */
    LAM_BYTE_ENCRYPTED = 3,     /* (Encryption.md) */
    LAM_BYTE_MAGIC = 4,         /* PAR1, PARE, PLAM */
    LAM_BYTE_FOOTER = 5,        /* FileMetaData, or FileCryptoMetaData and what it encrypts */
    LAM_BYTE_FOOTER_LENGTH = 6, /* 4 bytes, little endian */
    LAM_BYTE_COLUMN_CHUNK = 7,
    LAM_BYTE_COLUMN_INDEX = 8,
    LAM_BYTE_OFFSET_INDEX = 9,
    LAM_BYTE_BLOOM_FILTER = 10,
    LAM_BYTE_RECOVERY_RECORD = 11, /* of a log, between row groups */
    LAM_BYTE_NUMBER = 12,          /* a number of fixed size: in a recovery record, a checksum; in
                                      a decimal of a VARIANT, its scale and its unscaled number */
    /* Structs of Thrift's compact protocol. */
    LAM_BYTE_STRUCT = 20,     /* its label is the name */
    LAM_BYTE_FIELD = 21,      /* its head and its value */
    LAM_BYTE_FIELD_HEAD = 22, /* id and type */
    LAM_BYTE_LIST_HEAD = 23,  /* count and type of the elements */
    LAM_BYTE_ELEMENT = 24,    /* of a list */
    LAM_BYTE_STOP = 25,       /* the 0 that ends a struct */
    /* Pages. */
    LAM_BYTE_PAGE = 30,
    LAM_BYTE_PAGE_HEADER = 31,
    LAM_BYTE_PAGE_BODY = 32, /* of V2 pages: without the levels before it */
    LAM_BYTE_REPETITION_LEVELS = 33,
    LAM_BYTE_DEFINITION_LEVELS = 34,
    LAM_BYTE_RUNS_LENGTH = 35, /* 4 bytes, little endian, before runs of V1 levels and booleans */
    LAM_BYTE_VALUES = 36,      /* its label is the encoding */
    /* The hybrid of runs and packed bits. */
    LAM_BYTE_BIT_WIDTH = 40,
    LAM_BYTE_RLE_RUN = 41,
    LAM_BYTE_BIT_PACKED_RUN = 42,
    LAM_BYTE_RUN_HEADER = 43,
    LAM_BYTE_RUN_VALUE = 44,
    LAM_BYTE_PACKED_GROUP = 45, /* up to 8 numbers, side by side */
    /* Values by themselves. */
    LAM_BYTE_VALUE = 50,
    LAM_BYTE_VALUE_LENGTH = 51, /* 4 bytes, little endian, of a PLAIN BYTE_ARRAY */
    LAM_BYTE_VALUE_BYTES = 52,
    LAM_BYTE_STREAM = 53, /* one byte of each value: BYTE_STREAM_SPLIT */
    /* Differences. */
    LAM_BYTE_DELTAS = 60, /* a stream of DELTA_BINARY_PACKED: values, or lengths */
    LAM_BYTE_DELTA_HEADER = 61,
    LAM_BYTE_VARINT = 62, /* a field of that header, or a block's minimum */
    LAM_BYTE_DELTA_BLOCK = 63,
    LAM_BYTE_MINIBLOCK = 64,
    /* ALP. */
    LAM_BYTE_ALP_HEADER = 70,
    LAM_BYTE_ALP_OFFSETS = 71,
    LAM_BYTE_ALP_VECTOR = 72,
    LAM_BYTE_ALP_PACKED = 73,
    LAM_BYTE_ALP_EXCEPTIONS = 74, /* positions, then values */
    /* Bloom filters. */
    LAM_BYTE_BLOOM_HEADER = 80,
    LAM_BYTE_BLOOM_BITSET = 81,
    LAM_BYTE_BLOOM_BLOCK = 82, /* 8 words of 32 bits */
    /* VARIANTs: the values of `metadata` and `value` columns. (VariantEncoding.md) */
    LAM_BYTE_VARIANT_METADATA = 90, /* header, count, offsets and names of the dictionary */
    LAM_BYTE_VARIANT_VALUE = 91,    /* its label is the type; values may be inside values */
    LAM_BYTE_VARIANT_HEADER = 92,   /* one byte: type and sizes, or version, order and sizes */
    LAM_BYTE_VARIANT_COUNT = 93,    /* of names, fields or elements */
    LAM_BYTE_VARIANT_IDS = 94,      /* the list of them */
    LAM_BYTE_VARIANT_ID = 95,       /* of a field: the number of its name in the dictionary */
    LAM_BYTE_VARIANT_OFFSETS = 96,  /* the list of them */
    LAM_BYTE_VARIANT_OFFSET = 97,   /* of a name or value, from the first byte of all of them */
    LAM_BYTE_VARIANT_NAME = 98
} lam_byte_kind;

/* The name of a kind in lower case, "page_header"; "unknown" for other numbers; static. */
LAM_PUBLIC const char *lam_byte_kind_name(lam_byte_kind kind);

/*
 * One range of bytes. Numbers that it does not have are -1, texts NULL. All pointers are borrowed
 * until the visitor returns. Later versions add members at the end.
 */
typedef struct lam_byte_range {
    lam_byte_kind kind;
    uint32_t depth;     /* 0 at the top; what is inside of a range has one more */
    bool is_expandable; /* something may be inside */
    bool is_in_body;    /* `begin` counts in the uncompressed bytes of the page body around it */
    uint64_t begin;     /* byte in the file, or in those uncompressed bytes */
    uint64_t length;    /* bytes; 0 is possible */
    const char *label;  /* name of a column, field, struct, encoding or codec; UTF-8 if that is */
    const char *value;  /* what the bytes mean, as text: number, string, levels */
    const char *note;   /* why bytes are unknown, or what is wrong with them */
    int32_t row_group;  /* from 0 */
    int32_t column;     /* leaf index in schema order, from 0 */
    int64_t page;       /* in the chunk, from 0, the dictionary page counted */
    int64_t first;      /* of numbered contents, the number of the first: see below */
    int64_t count;      /* how many there are */
    int32_t bit_width;  /* of packed numbers */
    int64_t uncompressed_size; /* of a compressed page body: what is inside covers these bytes */
    const uint8_t *bytes;      /* all `length` bytes, where they are in memory; else NULL */
    int64_t index; /* in a VARIANT, from 0: of a name in the dictionary, a field in its object, an
                      element in its array, and of their ids and offsets */
} lam_byte_range;

/*
 * Contents are numbered so that record, triple, page and byte can be joined. A column chunk has
 * `count` triples. A data page begins with triple `first` of its chunk and has `count`. Ranges of
 * levels have those of triple `first` of their page and after; ranges of values, indexes, lengths
 * and differences belong to value `first` of their page and after, where nulls have no value. In a
 * dictionary page these are its entries. A packed number `i` of a range is in bits i * bit_width to
 * (i + 1) * bit_width - 1 of its bytes, the lowest bit of a byte first; the deprecated BIT_PACKED
 * levels have the highest first. The elements of a Thrift list are numbered as well.
 */

/*
 * Called for each range, before those inside of it. `*expand` is true where something may be
 * inside; setting it to false passes over that, and spares the work. A failure ends the walk with
 * its status.
 */
typedef lam_status (*lam_byte_visitor)(void *state, const lam_byte_range *range, bool *expand,
                                       lam_error *error);

/* Zero means the default in every member. */
typedef struct lam_byte_map_options {
    size_t struct_size;
    const lam_allocator *allocator; /* NULL is the C library's heap */
    uint64_t memory_limit;          /* bytes that the walk may hold; default: 64 MiB, or 8 times the
                                       file's size, whichever is more */
    const lam_stop *stop;           /* borrowed for the call; NULL: never */
} lam_byte_map_options;

LAM_GROWING(lam_byte_map_options);

/*
 * Visits the ranges of a file, parents before what is inside of them, in the order of their bytes.
 * Any bytes are a file: damage is reported as UNKNOWN ranges. The footer is held in memory, and of
 * an expanded page both forms; metadata above the memory limit are ranges with a note. `options`
 * may be NULL. Fails with the visitor's status, and with IO, NOMEM, CANCELLED; LIMIT if the footer
 * needs more than the memory limit. The input stays the caller's.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_byte_map_walk(const lam_input *input,
                                                      const lam_byte_map_options *options,
                                                      lam_byte_visitor visitor, void *state,
                                                      lam_error *error);

/*
 * Visits the ranges of a VARIANT in memory in the same way: at depth 0 its metadata, unless that
 * has no bytes, and its value, each with `begin` 0. The texts of field ids have the names as well.
 * Any bytes are a VARIANT; objects and arrays are opened up to 64 levels deep. `options` may be
 * NULL. Fails with the visitor's status, and with NOMEM, CANCELLED. (VariantEncoding.md)
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_byte_map_walk_variant(lam_bytes metadata, lam_bytes value,
                                                              const lam_byte_map_options *options,
                                                              lam_byte_visitor visitor, void *state,
                                                              lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
