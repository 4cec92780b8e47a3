/* The version of the library, and the parts that its build has: features.h at run time. */
#include <lamella/common.h>

const char *lam_version(void) {
    return LAM_VERSION_STRING;
}

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
