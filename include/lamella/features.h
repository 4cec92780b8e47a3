/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version of these headers, and what the library behind them was built with.
 *
 * A build can leave out parts of the library. LAM_HAVE_JSON and the other LAM_HAVE_ macros are 1
 * where the library has the part and are not defined where it lacks it: test them with #ifdef.
 * lam_feature_is_supported() answers the same for the library that is linked at run time. In the
 * source tree this file names every part; a build writes a copy that names the parts it has, and
 * this copy is what it installs.
 */
#ifndef LAMELLA_FEATURES_H
#define LAMELLA_FEATURES_H

#define LAM_VERSION_MAJOR 0
#define LAM_VERSION_MINOR 2
#define LAM_VERSION_PATCH 0
#define LAM_VERSION_STRING "0.2.0"

/* One number that grows with each version: 1002003 for 1.2.3. */
#define LAM_VERSION_NUMBER                                                                         \
    (LAM_VERSION_MAJOR * 1000000 + LAM_VERSION_MINOR * 1000 + LAM_VERSION_PATCH)

/* Records as JSON: <lamella/json.h> is there, and its functions are. */
#define LAM_HAVE_JSON 1

/* Files keep the Arrow schema under ARROW:schema, and what they keep is used. */
#define LAM_HAVE_ARROW_SCHEMA 1

/* Columns through the Arrow C data interface: <lamella/arrow.h> is there. */
#define LAM_HAVE_ARROW 1

/* Delimited text: <lamella/csv.h> is there. */
#define LAM_HAVE_CSV 1

/* Conditions from text: <lamella/filter_text.h> is there; without it options that are given one
 * are UNSUPPORTED. */
#define LAM_HAVE_FILTER_TEXT 1

/* Columns of a VARIANT chosen from a sample: <lamella/variant_inference.h> is there. */
#define LAM_HAVE_VARIANT_INFERENCE 1

/* Verifying files: <lamella/check.h> is there. */
#define LAM_HAVE_CHECK 1

/* Files made of other files: <lamella/rewrite.h> is there. */
#define LAM_HAVE_REWRITE 1

/* Files that were not finished: <lamella/recover.h> is there. */
#define LAM_HAVE_RECOVER 1

/* What is left of damaged files: <lamella/salvage.h> is there. */
#define LAM_HAVE_SALVAGE 1

/* Every byte of a file: <lamella/byte_map.h> is there. */
#define LAM_HAVE_BYTE_MAP 1

/* Logs: <lamella/log.h> is there; with LAM_HAVE_ARROW <lamella/log_arrays.h>, too. */
#define LAM_HAVE_LOG 1

/* The codec SNAPPY. */
#define LAM_HAVE_SNAPPY 1

/* The codec GZIP. */
#define LAM_HAVE_GZIP 1

/* The codec BROTLI. */
#define LAM_HAVE_BROTLI 1

/* The codecs LZ4_RAW, and LZ4 for reading. */
#define LAM_HAVE_LZ4 1

#endif
