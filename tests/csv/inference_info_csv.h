/* SPDX-License-Identifier: Apache-2.0 */
/* What an inference knows, for tests that need one member of it. */
#ifndef LAM_TESTS_CSV_INFERENCE_INFO_CSV_H
#define LAM_TESTS_CSV_INFERENCE_INFO_CSV_H

#include <lamella/csv.h>
#include <stdlib.h>

static inline lam_csv_inference_info lam_test_csv_info(const lam_csv_inference *inference) {
    lam_csv_inference_info info = lam_csv_inference_info_default();
    if (lam_csv_inference_get_info(inference, &info, NULL) != LAM_STATUS_OK)
        abort();
    return info;
}

#endif
