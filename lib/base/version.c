#include <lamella/common.h>

const char *lam_version(void) {
    return LAMELLA_VERSION;
}
