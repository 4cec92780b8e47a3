/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the version of the library that is linked, and whether its build has an optional feature,
 * by the feature's number, also one of a later version.
 *
 * These are always the facts that <lamella/features.h> has at compile time; a program that loads
 * the library finds out here whether it has the features that the program was compiled for.
 */
#include <lamella/common.h>

const char *lam_version(void) {
    return LAM_VERSION_STRING;
}

/* No table: the macros decide at compile time which cases exist. */
bool lam_feature_is_supported(lam_feature feature) {
    switch (feature) {
#ifdef LAM_HAVE_JSON
    case LAM_FEATURE_JSON:
        return true;
#endif
#ifdef LAM_HAVE_ARROW_SCHEMA
    case LAM_FEATURE_ARROW_SCHEMA:
        return true;
#endif
#ifdef LAM_HAVE_BROTLI
    case LAM_FEATURE_BROTLI:
        return true;
#endif
#ifdef LAM_HAVE_LZ4
    case LAM_FEATURE_LZ4:
        return true;
#endif
#ifdef LAM_HAVE_ARROW
    case LAM_FEATURE_ARROW:
        return true;
#endif
#ifdef LAM_HAVE_CSV
    case LAM_FEATURE_CSV:
        return true;
#endif
#ifdef LAM_HAVE_FILTER_TEXT
    case LAM_FEATURE_FILTER_TEXT:
        return true;
#endif
#ifdef LAM_HAVE_VARIANT_INFERENCE
    case LAM_FEATURE_VARIANT_INFERENCE:
        return true;
#endif
#ifdef LAM_HAVE_CHECK
    case LAM_FEATURE_CHECK:
        return true;
#endif
#ifdef LAM_HAVE_REWRITE
    case LAM_FEATURE_REWRITE:
        return true;
#endif
#ifdef LAM_HAVE_RECOVER
    case LAM_FEATURE_RECOVER:
        return true;
#endif
#ifdef LAM_HAVE_SALVAGE
    case LAM_FEATURE_SALVAGE:
        return true;
#endif
#ifdef LAM_HAVE_BYTE_MAP
    case LAM_FEATURE_BYTE_MAP:
        return true;
#endif
#ifdef LAM_HAVE_LOG
    case LAM_FEATURE_LOG:
        return true;
#endif
#ifdef LAM_HAVE_SNAPPY
    case LAM_FEATURE_SNAPPY:
        return true;
#endif
#ifdef LAM_HAVE_GZIP
    case LAM_FEATURE_GZIP:
        return true;
#endif
    default:
        return false;
    }
}
