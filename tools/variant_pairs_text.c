/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a VARIANT with its pairs: takes pairs in preorder, and the assembled value, and gives one
 * line for each pair (see variant_pairs_text.h). Names and values from a file are only ever printed
 * as they are if a terminal shows them as text.
 */
#define _POSIX_C_SOURCE 200809L
#include "variant_pairs_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_screen.h"

static bool is_plain_name(const char *name) {
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    while (isalnum((unsigned char)*name) || *name == '_')
        name++;
    return *name == '\0';
}

/* "$.to[0]": the pairs around come before it, and are as deep as the schema at most. */
static void print_path(const variant_found *found, size_t index) {
    const variant_pair *pair = &found->pairs[index];
    const char *name = lam_field_name(pair->group);
    if (pair->parent == SIZE_MAX) {
        tool_print("$");
        return;
    }
    print_path(found, pair->parent);
    if (pair->is_element) {
        tool_print("[%zu]", pair->index);
    } else if (is_plain_name(name)) {
        tool_print(".%s", name);
    } else {
        tool_print("[\"");
        tool_print_shown(name, strlen(name));
        tool_print("\"]");
    }
}

/* A value as JSON, or the number of its bytes if that cannot be printed. */
static void print_value(lam_variant variant) {
    lam_error error = lam_error_none();
    char *text = variant_pairs_value_text(variant, &error);
    if (text != NULL)
        tool_print_shown(text, strlen(text));
    else
        tool_print("of %zu bytes (%s)", variant.value.size, error.message);
    free(text);
}

static void print_typed(const variant_pair *pair) {
    tool_print("typed_value ");
    if (pair->typed_text != NULL)
        tool_print_shown(pair->typed_text, strlen(pair->typed_text));
    else if (lam_field_logical_type(pair->typed_field)->kind == LAM_LOGICAL_LIST)
        tool_print("of %zu element%s", pair->element_count, tool_s(pair->element_count));
    else
        tool_print("{}");
}

static void print_pair_line(const variant_found *found, size_t index) {
    const variant_pair *pair = &found->pairs[index];
    tool_print("  ");
    print_path(found, index);
    tool_print("  ");
    if (pair->has_value) {
        tool_print("value ");
        print_value((lam_variant){found->metadata, pair->value});
        tool_print(pair->has_typed ? ", " : "");
    }
    if (pair->has_typed)
        print_typed(pair);
    if (!pair->has_value && !pair->has_typed)
        tool_print("null");
    tool_print("  -- %s\n", variant_rule_words(variant_rule_of(pair, found->metadata)));
}

void variant_pairs_print_text(const variant_found *found) {
    char *path = tool_path_of(found->group);
    tool_print("record %" PRIu64 ", ", found->record);
    tool_print_shown(path, strlen(path));
    tool_print("\n");
    free(path);
    for (size_t i = 0; i < found->pair_count; i++)
        print_pair_line(found, i);
    if (found->failure != NULL) {
        tool_print("  cannot be put together: ");
        tool_print_shown(found->failure->message, strlen(found->failure->message));
    } else {
        tool_print("  = ");
        print_value(found->assembled);
    }
    tool_print("\n");
}
