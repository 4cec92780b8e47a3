/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives nodes their types if the caller's path leads to them only by dots in names: takes the given
 * types, and sets those of nodes. Such a node waits until all records were seen, as one with the
 * path name by name may still come.
 *
 * A given type always goes to one node, or the inference fails and says which two the path may
 * mean.
 */
#include "base/error.h"
#include "json/infer/json_infer.h"

static lam_status json_node_refuse_dotted(lam_json_inference *inference, uint32_t first,
                                          uint32_t second, const lam_json_column *given,
                                          lam_error *error) {
    const char *paths[2];
    LAM_TRY(lam_json_node_path(inference, first, &paths[0], error));
    LAM_TRY(lam_json_node_path(inference, second, &paths[1], error));
    LAM_FAIL(error, LAM_ERROR_CODE_FIELD_AMBIGUOUS, "'%.60s' is ambiguous: %.60s, %.60s",
             given->path, paths[0], paths[1]);
}

lam_status lam_json_node_give_dotted(lam_json_inference *inference, lam_error *error) {
    size_t count = inference->node_count;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t number = inference->nodes[i].dotted, given = inference->nodes[i].given;
        if (number == 0 || inference->nodes[i].is_dead || (given != 0 && given != number) ||
            inference->given_seen[number - 1] == LAM_JSON_GIVEN_BY_NAMES)
            continue;
        for (uint32_t k = 1; k < i; k++)
            if (inference->nodes[k].given == number)
                return json_node_refuse_dotted(inference, k, i, &inference->given[number - 1],
                                               error);
        if (given != 0)
            continue;
        lam_json_node_give(inference, i, number);
        if (inference->nodes[i].is_map)
            LAM_TRY(lam_json_make_map(inference, i, error));
    }
    return LAM_STATUS_OK;
}
