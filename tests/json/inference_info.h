/* SPDX-License-Identifier: Apache-2.0 */
/* What an inference knows, for tests that need one member of it. */
#ifndef LAM_TESTS_JSON_INFERENCE_INFO_H
#define LAM_TESTS_JSON_INFERENCE_INFO_H

#include <lamella/json.h>
#include <stdlib.h>

static inline lam_json_inference_info lam_test_json_info(const lam_json_inference *inference) {
    lam_json_inference_info info = lam_json_inference_info_default();
    if (lam_json_inference_get_info(inference, &info, NULL) != LAM_STATUS_OK)
        abort();
    return info;
}

#endif
