/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the version of the library that is linked, and the optional features that its build has.
 * In: a feature's number, also one of a later version. Out: yes or no.
 *
 * The same facts as <lamella/features.h> at compile time; a program that loads the library finds
 * out here whether what it was compiled for is there.
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
    default:
        return false;
    }
}
