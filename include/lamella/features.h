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

/* The codec BROTLI. */
#define LAM_HAVE_BROTLI 1

/* The codecs LZ4_RAW, and LZ4 for reading. */
#define LAM_HAVE_LZ4 1

#endif
