/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes what a user may want to know about inferred fields: those whose kinds clash, with two lines
 * that show it, those that no type holds, those that became a MAP or a VARIANT because there were
 * too many, and the long array of the only record.
 *
 * Nodes know the lines. Notices about the limit are made when it is reached, those about clashes
 * each time a schema is made; the first stay before the second. Paths are in an arena that lives as
 * long as the inference.
 */
#include "base/error.h"
#include "base/options.h"
#include "json/infer/json_infer.h"

lam_status lam_json_notice_add(lam_json_inference *inference, uint32_t index,
                               lam_json_notice_kind kind, lam_error *error) {
    const lam_inferred_node *node = &inference->nodes[index];
    lam_json_notice notice = lam_json_notice_default();
    notice.kind = kind;
    LAM_TRY(lam_json_node_path(inference, index, &notice.path, error));
    if (kind == LAM_JSON_NOTICE_CLASH) {
        notice.values[0] = lam_json_kind_name(node->kind);
        notice.values[1] = lam_json_kind_name(node->clash_kind);
        notice.lines[0] = node->line;
        notice.lines[1] = node->clash_line;
        notice.sources[0] = node->source;
        notice.sources[1] = node->clash_source;
        notice.records[0] = node->record;
        notice.records[1] = node->clash_record;
    } else if (kind == LAM_JSON_NOTICE_ARRAY) {
        notice.count = inference->nodes[node->element].objects;
    } else if (kind == LAM_JSON_NOTICE_EMPTY || kind == LAM_JSON_NOTICE_NUMBERS) {
        notice.lines[0] = node->line;
        notice.sources[0] = node->source;
        notice.records[0] = node->record;
    }
    return lam_buffer_append(&inference->notices, &notice, sizeof notice, error);
}

lam_status lam_json_notice_add_limit(lam_json_inference *inference, uint32_t index,
                                     lam_error *error) {
    LAM_TRY(lam_json_notice_add(inference, index,
                                index == 0                       ? LAM_JSON_NOTICE_RECORDS
                                : inference->nodes[index].is_map ? LAM_JSON_NOTICE_MAP
                                                                 : LAM_JSON_NOTICE_VARIANT,
                                error));
    inference->limit_notices++;
    return LAM_STATUS_OK;
}

lam_status lam_json_inference_notice(const lam_json_inference *inference, size_t index,
                                     lam_json_notice *ret_notice, lam_error *error) {
    const lam_json_notice *notices = (const void *)inference->notices.data;
    size_t count = inference->notices.size / sizeof *notices;
    if (index >= count)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no notice %zu: there are %zu", index, count);
    return LAM_INFO_WRITE(lam_json_notice, &notices[index], ret_notice, error);
}
