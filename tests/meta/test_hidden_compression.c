#include "meta/hidden_compression.h"

#include <criterion/criterion.h>
#include <string.h>

static bool hides(const char *created_by) {
    lam_meta_file file = {.has = LAM_META_FILE_HAS_CREATED_BY};
    file.created_by = (lam_bytes){(const uint8_t *)created_by, strlen(created_by)};
    return lam_meta_hides_compression(&file);
}

Test(hidden_compression, arrow_before_its_own_name_hid_it) {
    lam_meta_file nobody = {0};
    cr_assert(hides("parquet-cpp version 1.5.1-SNAPSHOT"));
    cr_assert(hides("parquet-cpp version 1.3.2"));
    cr_assert_not(hides("parquet-cpp-arrow version 4.0.0"));
    cr_assert_not(hides("parquet-mr version 1.5.1"));
    cr_assert_not(hides("parquet-cpp"));
    cr_assert_not(hides(""));
    cr_assert_not(lam_meta_hides_compression(&nobody));
}
