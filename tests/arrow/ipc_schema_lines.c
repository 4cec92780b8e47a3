/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of ARROW:schema for another program to look at, one a line.
 *
 *     ipc_schema_lines SEED COUNT    of random schemas
 *     ipc_schema_lines               of the schemas whose values are on standard input, one a line
 *
 * A line is the value that the library writes, a tab, and the struct ArrowSchema that it exports,
 * as JSON with names and metadata in hexadecimal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/field/arrow_metadata.h"
#include "arrow/random_fields.h"
#include "arrow/schema/ipc_schema.h"

static lam_arena arena;

static void demand(lam_status status, const lam_error *error) {
    if (status == LAM_STATUS_OK)
        return;
    fprintf(stderr, "%s: %s\n", lam_status_name(status), error->message);
    exit(1);
}

static void print_hex(const void *bytes, size_t size) {
    putchar('"');
    for (size_t i = 0; i < size; i++)
        printf("%02x", ((const uint8_t *)bytes)[i]);
    putchar('"');
}

static void print_metadata(const char *metadata) {
    size_t size = 0;
    lam_arrow_metadata key_values;
    lam_error error = lam_error_none();
    if (metadata != NULL && lam_arrow_metadata_measure(metadata, SIZE_MAX, &size) != NULL)
        exit(1);
    demand(lam_arrow_metadata_import(metadata, size, &arena, &key_values, &error), &error);
    printf(", \"metadata\": [");
    for (size_t i = 0; i < key_values.count; i++) {
        printf("%s[", i == 0 ? "" : ", ");
        print_hex(key_values.key_values[i].key.data, key_values.key_values[i].key.size);
        printf(", ");
        print_hex(key_values.key_values[i].value.data, key_values.key_values[i].value.size);
        printf("]");
    }
    printf("]");
}

static void print_schema(const struct ArrowSchema *schema) {
    printf("{\"format\": \"%s\", \"name\": ", schema->format);
    print_hex(schema->name, strlen(schema->name));
    printf(", \"flags\": %" PRId64, schema->flags);
    print_metadata(schema->metadata);
    printf(", \"children\": [");
    for (int64_t i = 0; i < schema->n_children; i++) {
        printf("%s", i == 0 ? "" : ", ");
        print_schema(schema->children[i]);
    }
    printf("], \"dictionary\": ");
    if (schema->dictionary != NULL)
        print_schema(schema->dictionary);
    else
        printf("null");
    printf("}");
}

static void print_line(const lam_arrow_field *schema) {
    lam_allocator allocator = lam_allocator_default();
    lam_bytes value;
    lam_error error = lam_error_none();
    struct ArrowSchema exported;
    demand(lam_ipc_schema_write(schema, &arena, &value, &error), &error);
    printf("%.*s\t", (int)value.size, (const char *)value.data);
    demand(lam_arrow_field_export(schema, &allocator, &exported, &error), &error);
    print_schema(&exported);
    putchar('\n');
    exported.release(&exported);
}

static void print_random(uint64_t seed, unsigned long count) {
    lam_random random = lam_random_start(seed);
    for (unsigned long i = 0; i < count; i++) {
        lam_arrow_field schema = lam_random_schema(&random, &arena, 5);
        print_line(&schema);
        lam_arena_reset(&arena);
    }
}

static void print_given(void) {
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin) != NULL) {
        lam_bytes value = {(const uint8_t *)line, strcspn(line, "\n")};
        lam_arrow_field schema;
        lam_error error = lam_error_none();
        demand(lam_ipc_schema_read(value, &arena, &schema, &error), &error);
        print_line(&schema);
        lam_arena_reset(&arena);
    }
}

int main(int argc, char **argv) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena_init(&arena, &allocator, 0);
    if (argc == 3)
        print_random(strtoull(argv[1], NULL, 0), strtoul(argv[2], NULL, 0));
    else
        print_given();
    lam_arena_finish(&arena);
    return ferror(stdout) || fflush(stdout) != 0;
}
