/*
 * Values that have a format of their own: JSON, BSON, geometries, and the parts of a VARIANT.
 * (LogicalTypes.md, sections "Embedded Types" and "Geospatial Types")
 */
#include <string.h>

#include "base/error.h"
#include "check/chunk_check.h"
#include "check/contents.h"

static bool is_within_variant(const lam_field *leaf) {
    const lam_field *field = leaf;
    while (field->index != 0) {
        field = lam_parent_of(field);
        if (field->logical_type.kind == LAM_LOGICAL_VARIANT)
            return true;
    }
    return false;
}

/* VariantShredding.md: what is not shredded is a "value", at the top and in each shredded group. */
static lam_content variant_content(const lam_field *leaf) {
    if (leaf->logical_type.kind != LAM_LOGICAL_NONE || !is_within_variant(leaf))
        return LAM_CONTENT_NONE;
    bool at_top = lam_parent_of(leaf)->logical_type.kind == LAM_LOGICAL_VARIANT;
    if (at_top && strcmp(leaf->name, "metadata") == 0)
        return LAM_CONTENT_VARIANT_METADATA;
    return strcmp(leaf->name, "value") == 0 ? LAM_CONTENT_VARIANT_VALUE : LAM_CONTENT_NONE;
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
        return variant_content(leaf);
    }
}

/* The rule that a content keeps. */
static lam_rule rule_of(lam_content content) {
    switch (content) {
    case LAM_CONTENT_JSON:
        return LAM_RULE_JSON;
    case LAM_CONTENT_BSON:
        return LAM_RULE_BSON;
    case LAM_CONTENT_VARIANT_METADATA:
        return LAM_RULE_VARIANT_METADATA;
    case LAM_CONTENT_VARIANT_VALUE:
        return LAM_RULE_VARIANT_BYTES;
    default:
        return LAM_RULE_WKB;
    }
}

static lam_status check_one(lam_chunk_check *chunk, lam_bytes value, lam_error *failure) {
    lam_buffer_clear(&chunk->nesting);
    switch (chunk->content) {
    case LAM_CONTENT_JSON:
        return lam_json_grammar_check(value, &chunk->nesting, failure);
    case LAM_CONTENT_BSON:
        return lam_bson_check(value, &chunk->nesting, failure);
    case LAM_CONTENT_VARIANT_METADATA:
        return lam_variant_metadata_check(value, failure);
    case LAM_CONTENT_VARIANT_VALUE:
        return lam_variant_value_check(value, failure);
    default:
        return lam_check_geometry(chunk, value, failure);
    }
}

/* Told once in a column chunk, with the beginning of the value. */
static lam_status tell(lam_chunk_check *chunk, lam_bytes value, lam_check_place place,
                       lam_status status, const lam_error *failure) {
    lam_rule rule =
        status == LAM_STATUS_UNSUPPORTED ? LAM_RULE_UNSUPPORTED : rule_of(chunk->content);
    if (status != LAM_STATUS_INVALID && status != LAM_STATUS_UNSUPPORTED)
        return lam_check_tell_failure(chunk->checker, rule, place, status, failure);
    if (!lam_check_once(chunk, rule))
        return LAM_STATUS_OK;
    if (rule == LAM_RULE_UNSUPPORTED)
        return lam_check_tell(chunk->checker, rule, place, "%s", failure->message);
    return lam_check_tell(chunk->checker, rule, place, "%s, in the value %s", failure->message,
                          lam_check_show(chunk->leaf, value).text);
}

lam_status lam_check_contents(lam_chunk_check *chunk, const void *values, size_t count,
                              lam_check_place place) {
    const lam_bytes *bytes = values;
    /* Of geometries each one says something about the statistics. */
    bool all = chunk->content == LAM_CONTENT_GEOMETRY;
    if (chunk->content == LAM_CONTENT_NONE || (!all && chunk->told[rule_of(chunk->content)]))
        return LAM_STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        lam_error failure = lam_error_none();
        lam_status status = check_one(chunk, bytes[i], &failure);
        if (status != LAM_STATUS_OK)
            LAM_TRY(tell(chunk, bytes[i], place, status, &failure));
        if (status != LAM_STATUS_OK && !all)
            return LAM_STATUS_OK;
    }
    return all ? lam_check_geometry_places(chunk, place) : LAM_STATUS_OK;
}
