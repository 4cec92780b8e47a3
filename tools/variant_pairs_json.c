/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a VARIANT with its pairs as JSON: takes pairs in preorder, and the assembled value, and
 * gives one object (see variant_pairs_json.h). The output for a page is always bounded, however
 * large the values are, and `is_cut` says whether any was left out.
 */
#define _POSIX_C_SOURCE 200809L
#include "variant_pairs_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes_json.h"
#include "tool.h"

enum {
    VARIANTS_MOST = 100,
    RANGES_MOST = 6000,
    BESIDE_MOST = 100,
    DATA_MOST = 128 << 10, /* of ranges that are printed with their bytes */
    DATA_OF_RANGE_MOST = 256,
    TEXT_MOST = 256 << 10, /* of values as JSON */
    TEXT_OF_VALUE_MOST = 8 << 10
};

/* --- Bytes --------------------------------------------------------------------------------- */

static bool wants_range(void *state, const lam_byte_range *range, bool *expand) {
    variant_pairs_json *printer = state;
    bool is_wanted = range->depth < VARIANT_PAIRS_DEPTH_MOST && printer->ranges < RANGES_MOST;
    if (range->depth == 0 && printer->without_metadata &&
        range->kind == LAM_BYTE_VARIANT_METADATA) {
        *expand = false;
        return false;
    }
    if (is_wanted) {
        is_wanted = range->depth == 0 || printer->beside[range->depth]++ < BESIDE_MOST;
        printer->beside[range->depth + 1] = 0;
    }
    printer->ranges += is_wanted;
    printer->is_cut |= !is_wanted;
    *expand &= is_wanted;
    return is_wanted;
}

static void print_bytes_of(void *state, const lam_byte_range *range) {
    variant_pairs_json *printer = state;
    size_t size =
        range->length < DATA_OF_RANGE_MOST ? (size_t)range->length : (size_t)DATA_OF_RANGE_MOST;
    if (range->is_expandable || size == 0 || printer->data_size + size > DATA_MOST)
        return;
    printer->data_size += size;
    tool_print(",\"hex\":\"");
    bytes_print_hex(range->bytes, size);
    tool_print("\"");
}

/* Prints "size":... and, for a page, ,"ranges":[...]. */
static void print_ranges(variant_pairs_json *printer, lam_bytes metadata, lam_bytes value,
                         bool without_metadata) {
    lam_error error = lam_error_none();
    lam_byte_map_options options = lam_byte_map_options_default();
    bytes_choice choice = {.wants = wants_range, .print_more = print_bytes_of, .state = printer};
    printer->without_metadata = without_metadata;
    tool_print("\"size\":%zu", without_metadata ? value.size : metadata.size);
    if (!printer->is_bounded)
        return;
    tool_print(",\"ranges\":");
    if (bytes_print_variant_json(metadata, value, &options, &choice, &error) != LAM_STATUS_OK)
        printer->failure(&error);
}

/* --- Values -------------------------------------------------------------------------------- */

/* Prints a member with text that is JSON, or the size of one that is too long. */
static void print_json_member(variant_pairs_json *printer, const char *name, const char *text,
                              size_t size) {
    if (printer->is_bounded &&
        (size > TEXT_OF_VALUE_MOST || printer->text_size + size > TEXT_MOST)) {
        tool_print(",\"%s_size\":%zu", name, size);
        printer->is_cut = true;
        return;
    }
    printer->text_size += size;
    tool_print(",\"%s\":%.*s", name, (int)size, text);
}

static void print_variant_member(variant_pairs_json *printer, const char *name,
                                 lam_variant variant) {
    lam_error error = lam_error_none();
    char *text = variant_pairs_value_text(variant, &error);
    if (text != NULL)
        print_json_member(printer, name, text, strlen(text));
    free(text);
}

static void print_field_member(const char *name, const lam_field *field) {
    if (field == NULL)
        return;
    tool_print(",\"%s\":", name);
    tool_print_path_json(field);
}

/* --- Pairs --------------------------------------------------------------------------------- */

static void print_pair(variant_pairs_json *printer, const variant_found *found,
                       const variant_pair *pair) {
    const char *name = lam_field_name(pair->group);
    variant_rule rule = variant_rule_of(pair, found->metadata);
    tool_print("{\"rule\":\"%s\",", variant_rule_name(rule));
    if (!printer->is_bounded)
        tool_print("\"words\":\"%s\",", variant_rule_words(rule));
    tool_print("\"group\":");
    tool_print_path_json(pair->group);
    if (pair->parent != SIZE_MAX)
        tool_print(",\"parent\":%zu", pair->parent);
    if (pair->parent != SIZE_MAX && pair->is_element) {
        tool_print(",\"element\":%zu", pair->index);
    } else if (pair->parent != SIZE_MAX) {
        tool_print(",\"name\":");
        tool_print_text(name, strlen(name));
    }
    print_field_member("value_field", pair->value_field);
    print_field_member("typed_field", pair->typed_field);
    if (pair->has_value) {
        lam_variant value = {found->metadata, pair->value};
        tool_print(",\"value\":{");
        print_ranges(printer, found->metadata, pair->value, true);
        print_variant_member(printer, "json", value);
        tool_print("}");
    }
    if (pair->has_typed)
        tool_print(",\"is_typed\":true");
    if (pair->typed_text != NULL)
        print_json_member(printer, "typed", pair->typed_text, strlen(pair->typed_text));
    if (pair->element_count > 0)
        tool_print(",\"elements\":%zu", pair->element_count);
    tool_print("}");
}

static bool is_same(lam_bytes a, lam_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The assembled value, with its bytes unless they are those of the columns. */
static void print_assembled(variant_pairs_json *printer, const variant_found *found) {
    lam_variant whole = found->assembled;
    if (found->failure != NULL) {
        tool_print(",\"failure\":");
        tool_print_text(found->failure->message, strlen(found->failure->message));
        return;
    }
    print_variant_member(printer, "result", whole);
    if (is_same(whole.metadata, found->metadata) && is_same(whole.value, found->pairs[0].value))
        return;
    tool_print(",\"assembled\":{\"has_new_names\":%s,\"value_size\":%zu,",
               is_same(whole.metadata, found->metadata) ? "false" : "true", whole.value.size);
    print_ranges(printer, whole.metadata, whole.value, false);
    tool_print("}");
}

void variant_pairs_print_json(variant_pairs_json *printer, const variant_found *found) {
    if (printer->is_bounded &&
        (printer->variants >= VARIANTS_MOST || printer->ranges >= RANGES_MOST)) {
        printer->is_cut = true;
        return;
    }
    tool_print("%s{", printer->is_bounded && printer->variants > 0 ? "," : "");
    printer->variants++;
    if (!printer->is_bounded)
        tool_print("\"machine\":\"variants\",");
    tool_print("\"record\":%" PRIu64 ",\"group\":", found->record);
    tool_print_path_json(found->group);
    if (found->has_metadata) {
        tool_print(",\"metadata\":{");
        print_ranges(printer, found->metadata, (lam_bytes){NULL, 0}, false);
        tool_print("}");
    }
    tool_print(",\"pairs\":[");
    for (size_t i = 0; i < found->pair_count; i++) {
        tool_print(i == 0 ? "" : ",");
        print_pair(printer, found, &found->pairs[i]);
    }
    tool_print("]");
    if (found->pairs_left_out > 0)
        tool_print(",\"pairs_left_out\":%zu", found->pairs_left_out);
    print_assembled(printer, found);
    tool_print(printer->is_bounded ? "}" : "}\n");
}
