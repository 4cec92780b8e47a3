/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format's own numbers: physical types, repetitions, encodings, codecs and page types, as
 * parquet.thrift enumerates them, with their names.
 */
#ifndef LAMELLA_FORMAT_H
#define LAMELLA_FORMAT_H

#include <lamella/common.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a value is stored; numbered as in the format's `enum Type`. */
typedef enum lam_physical_type {
    LAM_PHYSICAL_BOOLEAN = 0,
    LAM_PHYSICAL_INT32 = 1,
    LAM_PHYSICAL_INT64 = 2,
    LAM_PHYSICAL_INT96 = 3,
    LAM_PHYSICAL_FLOAT = 4,
    LAM_PHYSICAL_DOUBLE = 5,
    LAM_PHYSICAL_BYTE_ARRAY = 6,
    LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY = 7,
    LAM_PHYSICAL_GROUP = 8 /* a field with children, no column of its own */
} lam_physical_type;

/* How often a field occurs in its parent; numbered as in the format's FieldRepetitionType. */
typedef enum lam_repetition {
    LAM_REPETITION_REQUIRED = 0,
    LAM_REPETITION_OPTIONAL = 1,
    LAM_REPETITION_REPEATED = 2,
    LAM_REPETITION_VECTOR = 3 /* proposed (parquet-format#592): only in schemas of files; columns
                                 at or below such a field are UNSUPPORTED */
} lam_repetition;

/* The unit of a TIME or TIMESTAMP. (LogicalTypes.md, "Temporal Types") */
typedef enum lam_time_unit {
    LAM_TIME_UNIT_MILLIS = 1,
    LAM_TIME_UNIT_MICROS = 2,
    LAM_TIME_UNIT_NANOS = 3
} lam_time_unit;

/* How pages are compressed. (Compression.md) */
typedef enum lam_codec {
    LAM_CODEC_DEFAULT = 0, /* ZSTD */
    LAM_CODEC_UNCOMPRESSED,
    LAM_CODEC_SNAPPY,
    LAM_CODEC_GZIP,
    LAM_CODEC_LZO,
    LAM_CODEC_BROTLI,
    LAM_CODEC_LZ4,
    LAM_CODEC_ZSTD,
    LAM_CODEC_LZ4_RAW
} lam_codec;

/* The name of a codec in the format's spelling, "ZSTD"; static. "UNKNOWN" when out of range. */
LAM_PUBLIC const char *lam_codec_name(lam_codec codec);

/*
 * True when this build reads (writes) pages compressed with the codec; false for DEFAULT and for an
 * unknown number.
 */
LAM_PUBLIC bool lam_codec_is_readable(lam_codec codec);
LAM_PUBLIC bool lam_codec_is_writable(lam_codec codec);

/* Encodings of values and levels; numbered as in the format's `enum Encoding`. */
typedef enum lam_encoding {
    LAM_ENCODING_PLAIN = 0,
    LAM_ENCODING_PLAIN_DICTIONARY = 2,
    LAM_ENCODING_RLE = 3,
    LAM_ENCODING_BIT_PACKED = 4,
    LAM_ENCODING_DELTA_BINARY_PACKED = 5,
    LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY = 6,
    LAM_ENCODING_DELTA_BYTE_ARRAY = 7,
    LAM_ENCODING_RLE_DICTIONARY = 8,
    LAM_ENCODING_BYTE_STREAM_SPLIT = 9,
    LAM_ENCODING_ALP = 10
} lam_encoding;

/* The name of an encoding in the format's spelling; "UNKNOWN" when out of range; static. */
LAM_PUBLIC const char *lam_encoding_name(lam_encoding encoding);

/* What a page holds; numbered as in the format's `enum PageType`. */
typedef enum lam_page_type {
    LAM_PAGE_DATA = 0,
    LAM_PAGE_INDEX = 1,
    LAM_PAGE_DICTIONARY = 2,
    LAM_PAGE_DATA_V2 = 3
} lam_page_type;

#ifdef __cplusplus
}
#endif

#endif
