/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VARIANTs of the sample: their pairs of columns with the rule that applies to each, their
 * bytes as ranges, and the assembled values. In: a file and a choice. Out: members of the page's
 * object:
 *
 *     "variant_rules": {"missing": "value and typed_value are both null: ...", ...}
 *     "variants": [{"record", "group", "metadata", "pairs": [{"rule", "value", ...}], "result",
 *                   "assembled", "failure"}]
 *
 * The invariant: values are printed by the library, as cat and bytes print them, and only so much
 * of them as a page can hold; what is left out is counted. A value that cannot be assembled, so
 * that its record cannot be printed, is shown with its bytes all the same. (VariantShredding.md)
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes_json.h"
#include "explain_sample.h"
#include "tool.h"
#include "variant_pairs.h"

enum {
    VARIANTS_MOST = 100,
    RANGES_MOST = 6000,
    BESIDE_MOST = 100,
    DATA_MOST = 128 << 10, /* of ranges that are printed with their bytes */
    DATA_OF_RANGE_MOST = 256,
    TEXT_MOST = 256 << 10, /* of values as JSON */
    TEXT_OF_VALUE_MOST = 8 << 10,
    DEPTH_MOST = 128
};

typedef struct variant_printer {
    size_t variants;
    size_t ranges;
    size_t data_size;
    size_t text_size;
    size_t beside[DEPTH_MOST + 1];
    bool without_metadata; /* of the VARIANT that is printed */
    bool is_cut;
} variant_printer;

/* --- Bytes --------------------------------------------------------------------------------- */

static bool wants_range(void *state, const lam_byte_range *range, bool *expand) {
    variant_printer *printer = state;
    bool is_wanted = range->depth < DEPTH_MOST && printer->ranges < RANGES_MOST;
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
    variant_printer *printer = state;
    size_t size =
        range->length < DATA_OF_RANGE_MOST ? (size_t)range->length : (size_t)DATA_OF_RANGE_MOST;
    if (range->is_expandable || size == 0 || printer->data_size + size > DATA_MOST)
        return;
    printer->data_size += size;
    tool_print(",\"hex\":\"");
    explain_print_hex(range->bytes, size);
    tool_print("\"");
}

/* Prints "size":...,"ranges":[...]. */
static void print_ranges(variant_printer *printer, lam_bytes metadata, lam_bytes value,
                         bool without_metadata) {
    lam_error error = lam_error_none();
    lam_byte_map_options options = lam_byte_map_options_default();
    bytes_choice choice = {.wants = wants_range, .print_more = print_bytes_of, .state = printer};
    printer->without_metadata = without_metadata;
    tool_print("\"size\":%zu,\"ranges\":", without_metadata ? value.size : metadata.size);
    if (bytes_print_variant_json(metadata, value, &options, &choice, &error) != LAM_STATUS_OK)
        explain_note_failure(NULL, &error);
}

/* --- Values -------------------------------------------------------------------------------- */

/* Prints a member with text that is JSON, or the size of what is too long. */
static void print_json_member(variant_printer *printer, const char *name, const char *text,
                              size_t size) {
    if (size > TEXT_OF_VALUE_MOST || printer->text_size + size > TEXT_MOST) {
        tool_print(",\"%s_size\":%zu", name, size);
        printer->is_cut = true;
        return;
    }
    printer->text_size += size;
    tool_print(",\"%s\":%.*s", name, (int)size, text);
}

static void print_variant_member(variant_printer *printer, const char *name, lam_variant variant) {
    lam_output text;
    lam_error error = lam_error_none();
    lam_status status = lam_output_memory(NULL, &text, &error);
    if (status == LAM_STATUS_OK) {
        status = lam_json_print_variant(variant, LAM_JSON_VARIANT_VALUE, LAM_JSON_BINARY_BASE64,
                                        &text, &error);
        lam_bytes json = lam_output_memory_bytes(&text);
        if (status == LAM_STATUS_OK)
            print_json_member(printer, name, (const char *)json.data, json.size);
        lam_output_close(&text);
    }
    if (status == LAM_STATUS_NOMEM)
        explain_note_failure(NULL, &error);
}

static void print_field_member(const char *name, const lam_field *field) {
    if (field == NULL)
        return;
    tool_print(",\"%s\":", name);
    tool_print_path_json(field);
}

/* --- Pairs --------------------------------------------------------------------------------- */

static void print_pair(variant_printer *printer, const variant_found *found,
                       const variant_pair *pair) {
    const char *name = lam_field_name(pair->group);
    tool_print("{\"rule\":\"%s\",\"group\":", variant_rule_name(variant_rule_of(pair)));
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
static void print_assembled(variant_printer *printer, const variant_found *found) {
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

static void print_found(void *state, const variant_found *found) {
    variant_printer *printer = state;
    if (printer->variants >= VARIANTS_MOST || printer->ranges >= RANGES_MOST) {
        printer->is_cut = true;
        return;
    }
    tool_print("%s{\"record\":%" PRIu64 ",\"group\":", printer->variants++ == 0 ? "" : ",",
               found->record);
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
    tool_print("}");
}

/* --- The sample ---------------------------------------------------------------------------- */

static bool has_variant(const lam_field *field) {
    if (lam_field_logical_type(field)->kind == LAM_LOGICAL_VARIANT)
        return true;
    for (size_t i = 0; i < lam_field_child_count(field); i++)
        if (has_variant(lam_field_child(field, i)))
            return true;
    return false;
}

static lam_status read_variants(const lam_reader *reader, const explain_sample *sample,
                                variant_printer *printer, lam_error *error) {
    lam_record_reader *records;
    variant_pairs *pairs;
    lam_scan_options scan = lam_scan_options_default();
    uint64_t count, first = sample->row_group_first + sample->first;
    scan.leaves = sample->leaves;
    lam_status status = variant_pairs_create(lam_reader_schema(reader), sample->leaves, first,
                                             print_found, printer, &pairs, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_record_sink sink = variant_pairs_sink(pairs);
    status = lam_record_reader_open_scan(reader, &scan, &records, error);
    if (status == LAM_STATUS_OK) {
        status = lam_record_reader_skip(records, first, &count, error);
        for (uint64_t i = 0; i < sample->chosen_count && status == LAM_STATUS_OK; i++)
            status = lam_record_reader_read(records, &sink, 1, &count, error);
        lam_record_reader_close(records);
    }
    variant_pairs_destroy(pairs);
    return status;
}

static void print_rules(void) {
    tool_print(",\"variant_rules\":{");
    for (int rule = 0; rule < VARIANT_RULE_COUNT; rule++)
        tool_print("%s\"%s\":\"%s\"", rule == 0 ? "" : ",", variant_rule_name((variant_rule)rule),
                   variant_rule_words((variant_rule)rule));
    tool_print("}");
}

void explain_print_variants(const lam_reader *reader, const explain_sample *sample) {
    variant_printer printer = {0};
    lam_error error = lam_error_none();
    if (!has_variant(lam_schema_root(lam_reader_schema(reader))))
        return;
    print_rules();
    tool_print(",\"variants\":[");
    if (sample->has_row_group && sample->leaf_count > 0 &&
        read_variants(reader, sample, &printer, &error) != LAM_STATUS_OK)
        explain_note_failure(NULL, &error);
    tool_print("]");
    if (printer.is_cut)
        explain_note(NULL, "Of VARIANTs only as much is taken apart as a page can hold; lamella "
                           "bytes --all prints every byte of them.");
}
