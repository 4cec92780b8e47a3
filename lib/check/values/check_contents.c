/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks values that have a format of their own: JSON, BSON, geometries, and the metadata of a
 * VARIANT. The values of VARIANTs need more than one column and are checked in check_variants.c.
 *
 * Takes batches of BYTE_ARRAY values of one leaf. Each rule is reported once in a column chunk,
 * with the beginning of the value; after that, further values are not even parsed, except for
 * geometries, because each of them counts towards the bounding box and the list of types.
 * (LogicalTypes.md, sections "Embedded Types" and "Geospatial Types")
 */
#include "check/values/check_contents.h"

#include <string.h>

#include "base/error.h"
#include "check/content/content_bson.h"
#include "check/report/shown_value.h"
#include "check/values/check_geospatial.h"
#include "text/json_grammar.h"
#include "variant/value/variant_validate.h"

/* The field is known by its name and position; it has no annotation. */
static bool is_variant_metadata(const lam_field *leaf) {
    return leaf->logical_type.kind == LAM_LOGICAL_NONE &&
           lam_parent_of(leaf)->logical_type.kind == LAM_LOGICAL_VARIANT &&
           strcmp(leaf->name, "metadata") == 0;
}

/*
 * Formats exist only in BYTE_ARRAY; on another physical type, the annotation itself is the error.
 */
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

/* The rule that covers a format. */
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
 * Checks the metadata of a VARIANT. Another version is wrong too, because the annotation states
 * version 1. `*ret_unsorted` is true when everything holds but the claim that the names are sorted:
 * the metadata is checked a second time without it. (VariantEncoding.md, "Metadata encoding")
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

/* Checks one value; a defect is INVALID, which the caller reports. */
static lam_status check_one(lam_chunk_check *chunk, lam_bytes value, bool *ret_unsorted,
                            lam_error *failure) {
    lam_buffer_clear(&chunk->content.nesting);
    switch (chunk->content.format) {
    case LAM_CONTENT_JSON:
        return lam_json_grammar_check(value, &chunk->content.nesting, failure);
    case LAM_CONTENT_BSON:
        return lam_bson_check(value, &chunk->content.nesting, failure);
    case LAM_CONTENT_VARIANT_METADATA:
        return check_contents_metadata(value, ret_unsorted, failure);
    default:
        return lam_check_geometry(chunk, value, failure);
    }
}

/*
 * Reports a defect once in a column chunk, with the beginning of the value. Want of memory is
 * passed on.
 */
static lam_status check_contents_report(lam_chunk_check *chunk, lam_bytes value,
                                        lam_check_location location, lam_status status,
                                        const lam_error *failure) {
    lam_rule rule = status == LAM_STATUS_UNSUPPORTED
                        ? LAM_RULE_UNSUPPORTED
                        : check_contents_rule_of(chunk->content.format);
    if (status != LAM_STATUS_INVALID && status != LAM_STATUS_UNSUPPORTED)
        return lam_check_report_failure(chunk->checker, rule, location, status, failure);
    if (!lam_check_once(chunk, rule))
        return LAM_STATUS_OK;
    if (rule == LAM_RULE_UNSUPPORTED)
        return lam_check_report(chunk->checker, rule, location, "%s", failure->message);
    return lam_check_report(chunk->checker, rule, location, "%s, in the value %s", failure->message,
                            lam_check_show(chunk->leaf, value).text);
}

/*
 * Some writers leave out the one offset of an empty dictionary:
 *
 *   01 00 00    version 1, no names, offset 0
 *   01 00       the same without the offset
 */
static lam_status report_empty_metadata(lam_chunk_check *chunk, lam_bytes metadata,
                                        lam_check_location location) {
    if (!lam_check_once(chunk, LAM_RULE_VARIANT_METADATA_EMPTY))
        return LAM_STATUS_OK;
    return lam_check_report(chunk->checker, LAM_RULE_VARIANT_METADATA_EMPTY, location,
                            "metadata of %zu bytes, without the one offset of an empty dictionary",
                            metadata.size);
}

/* Others set the bit sorted_strings although the names are in the order of their first use. */
static lam_status report_unsorted_metadata(lam_chunk_check *chunk, lam_bytes metadata,
                                           lam_check_location location) {
    if (!lam_check_once(chunk, LAM_RULE_VARIANT_METADATA_ORDER))
        return LAM_STATUS_OK;
    return lam_check_report(
        chunk->checker, LAM_RULE_VARIANT_METADATA_ORDER, location,
        "names that are not sorted and unique, although the metadata says so, in the value %s",
        lam_check_show(chunk->leaf, metadata).text);
}

/* Reports departures in metadata that readers understand nevertheless: warnings. */
static lam_status check_metadata_slips(lam_chunk_check *chunk, lam_bytes metadata, bool is_unsorted,
                                       lam_check_location location) {
    lam_variant_names_view names;
    if (is_unsorted)
        return report_unsorted_metadata(chunk, metadata, location);
    if (chunk->content.format != LAM_CONTENT_VARIANT_METADATA)
        return LAM_STATUS_OK;
    (void)lam_variant_open_names(metadata, &names); /* the metadata have been found good */
    if (metadata.size != 1u + names.width)
        return LAM_STATUS_OK;
    return report_empty_metadata(chunk, metadata, location);
}

lam_status lam_check_contents(lam_chunk_check *chunk, const void *values, size_t count,
                              lam_check_location location) {
    const lam_bytes *bytes = values;
    /* Each geometry contributes to the statistics, even after one that is wrong. */
    bool all = chunk->content.format == LAM_CONTENT_GEOMETRY;
    if (chunk->content.format == LAM_CONTENT_NONE ||
        (!all && chunk->reported[check_contents_rule_of(chunk->content.format)]))
        return LAM_STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        lam_error failure = lam_error_none();
        /* Set by metadata of a VARIANT only. */
        bool is_unsorted = false;
        lam_status status = check_one(chunk, bytes[i], &is_unsorted, &failure);
        if (status != LAM_STATUS_OK)
            LAM_TRY(check_contents_report(chunk, bytes[i], location, status, &failure));
        /* The rule is reported: the other values of the chunk are not parsed. */
        if (status != LAM_STATUS_OK && !all)
            return LAM_STATUS_OK;
        LAM_TRY(check_metadata_slips(chunk, bytes[i], is_unsorted, location));
    }
    return all ? lam_check_geometry_bounds(chunk, location) : LAM_STATUS_OK;
}
