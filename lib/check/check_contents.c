/*
 * Values that have a format of their own: JSON, BSON, geometries, and the metadata of a VARIANT,
 * whose values need more than one column (check_variants.c). (LogicalTypes.md, sections "Embedded
 * Types" and "Geospatial Types")
 */
#include <string.h>

#include "base/error.h"
#include "check/chunk_check.h"
#include "check/contents.h"
#include "variant/variant_validate.h"

static bool is_variant_metadata(const lam_field *leaf) {
    return leaf->logical_type.kind == LAM_LOGICAL_NONE &&
           lam_parent_of(leaf)->logical_type.kind == LAM_LOGICAL_VARIANT &&
           strcmp(leaf->name, "metadata") == 0;
}

lam_content lam_content_of(const lam_field *leaf) {
    if (leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY)
        return LAM_CONTENT_NONE;
    switch (leaf->logical_type.kind) {
    case LAM_LOGICAL_JSON:
        return LAM_CONTENT_JSON;
    case LAM_LOGICAL_BSON:
        return LAM_CONTENT_BSON;
    case LAM_LOGICAL_GEOMETRY:
    case LAM_LOGICAL_GEOGRAPHY:
        return LAM_CONTENT_GEOMETRY;
    default:
        return is_variant_metadata(leaf) ? LAM_CONTENT_VARIANT_METADATA : LAM_CONTENT_NONE;
    }
}

/* The rule that a content keeps. */
static lam_rule check_contents_rule_of(lam_content content) {
    switch (content) {
    case LAM_CONTENT_JSON:
        return LAM_RULE_JSON;
    case LAM_CONTENT_BSON:
        return LAM_RULE_BSON;
    case LAM_CONTENT_VARIANT_METADATA:
        return LAM_RULE_VARIANT_METADATA;
    default:
        return LAM_RULE_WKB;
    }
}

/*
 * VariantEncoding.md, section "Metadata encoding". Of another version is wrong, too: the annotation
 * states the version. `*ret_unsorted` says that only the claim of an order is wrong.
 */
static lam_status check_contents_metadata(lam_bytes metadata, bool *ret_unsorted,
                                          lam_error *failure) {
    lam_variant_names_view names;
    lam_status status = lam_variant_validate_names(metadata, 0, &names, failure);
    if (status == LAM_STATUS_CORRUPT) {
        status = lam_variant_validate_names(metadata, LAM_VARIANT_ACCEPT_ANY_NAMES, &names, NULL);
        *ret_unsorted = status == LAM_STATUS_OK;
    }
    return status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ? LAM_STATUS_INVALID
                                                                            : status;
}

static lam_status check_one(lam_chunk_check *chunk, lam_bytes value, bool *ret_unsorted,
                            lam_error *failure) {
    lam_buffer_clear(&chunk->nesting);
    switch (chunk->content) {
    case LAM_CONTENT_JSON:
        return lam_json_grammar_check(value, &chunk->nesting, failure);
    case LAM_CONTENT_BSON:
        return lam_bson_check(value, &chunk->nesting, failure);
    case LAM_CONTENT_VARIANT_METADATA:
        return check_contents_metadata(value, ret_unsorted, failure);
    default:
        return lam_check_geometry(chunk, value, failure);
    }
}

/* Told once in a column chunk, with the beginning of the value. */
static lam_status check_contents_report(lam_chunk_check *chunk, lam_bytes value,
                                        lam_check_location location, lam_status status,
                                        const lam_error *failure) {
    lam_rule rule = status == LAM_STATUS_UNSUPPORTED ? LAM_RULE_UNSUPPORTED
                                                     : check_contents_rule_of(chunk->content);
    if (status != LAM_STATUS_INVALID && status != LAM_STATUS_UNSUPPORTED)
        return lam_check_report_failure(chunk->checker, rule, location, status, failure);
    if (!lam_check_once(chunk, rule))
        return LAM_STATUS_OK;
    if (rule == LAM_RULE_UNSUPPORTED)
        return lam_check_report(chunk->checker, rule, location, "%s", failure->message);
    return lam_check_report(chunk->checker, rule, location, "%s, in the value %s", failure->message,
                            lam_check_show(chunk->leaf, value).text);
}

/* Some writers leave the one offset of an empty dictionary out, as in `01 00`. */
static lam_status report_empty_metadata(lam_chunk_check *chunk, lam_bytes metadata,
                                        lam_check_location location) {
    if (!lam_check_once(chunk, LAM_RULE_VARIANT_METADATA_EMPTY))
        return LAM_STATUS_OK;
    return lam_check_report(chunk->checker, LAM_RULE_VARIANT_METADATA_EMPTY, location,
                            "metadata of %zu bytes, without the one offset of an empty dictionary",
                            metadata.size);
}

/* Others say that names are in order, which are as they came. */
static lam_status report_unsorted_metadata(lam_chunk_check *chunk, lam_bytes metadata,
                                           lam_check_location location) {
    if (!lam_check_once(chunk, LAM_RULE_VARIANT_METADATA_ORDER))
        return LAM_STATUS_OK;
    return lam_check_report(
        chunk->checker, LAM_RULE_VARIANT_METADATA_ORDER, location,
        "names that are not sorted and unique, although the metadata says so, in the value %s",
        lam_check_show(chunk->leaf, metadata).text);
}

/* Metadata that readers make sense of, and that are not as they must be. */
static lam_status check_metadata_slips(lam_chunk_check *chunk, lam_bytes metadata, bool is_unsorted,
                                       lam_check_location location) {
    lam_variant_names_view names;
    if (is_unsorted)
        return report_unsorted_metadata(chunk, metadata, location);
    if (chunk->content != LAM_CONTENT_VARIANT_METADATA ||
        lam_variant_open_names(metadata, &names) != NULL || metadata.size != 1u + names.width)
        return LAM_STATUS_OK;
    return report_empty_metadata(chunk, metadata, location);
}

lam_status lam_check_contents(lam_chunk_check *chunk, const void *values, size_t count,
                              lam_check_location location) {
    const lam_bytes *bytes = values;
    /* Of geometries each one says something about the statistics. */
    bool all = chunk->content == LAM_CONTENT_GEOMETRY;
    if (chunk->content == LAM_CONTENT_NONE ||
        (!all && chunk->reported[check_contents_rule_of(chunk->content)]))
        return LAM_STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        lam_error failure = lam_error_none();
        bool is_unsorted = false;
        lam_status status = check_one(chunk, bytes[i], &is_unsorted, &failure);
        if (status != LAM_STATUS_OK)
            LAM_TRY(check_contents_report(chunk, bytes[i], location, status, &failure));
        if (status != LAM_STATUS_OK && !all)
            return LAM_STATUS_OK;
        LAM_TRY(check_metadata_slips(chunk, bytes[i], is_unsorted, location));
    }
    return all ? lam_check_geometry_bounds(chunk, location) : LAM_STATUS_OK;
}
