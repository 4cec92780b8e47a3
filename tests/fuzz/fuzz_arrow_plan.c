/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parquet schemas beside Arrow schemas that say what they were written from, and parameters of
 * extension types. No original schema makes a file unreadable, and what is written is read back.
 *
 *     0, size in 2 bytes, a value of ARROW:schema, message text
 *     1, size in 2 bytes, a message that becomes such a value, message text
 *     2, an extension type, parameters
 */
#include <lamella/arrow.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/array/arrow_plan.h"
#include "arrow/field/arrow_metadata_edit.h"
#include "arrow/schema/arrow_original.h"
#include "base/base64.h"
#include "base/bytes.h"
#include "file/write/file_writer.h"
#include "fuzz/harness.h"

static lam_allocator allocator;

/* --- Files without rows ----------------------------------------------------------------------- */

typedef struct empty_file {
    lam_output output; /* a view of the writer's */
    lam_writer *writer;
    lam_reader *reader;
} empty_file;

static void open_file(empty_file *file, const lam_schema *schema, const char *value) {
    lam_writer_options write = lam_writer_options_default();
    lam_reader_options read = lam_reader_options_default();
    lam_output output;
    write.allocator = &allocator;
    read.allocator = &allocator;
    LAM_FUZZ_OK(lam_output_memory(&allocator, &output, &fault));
    file->output = output;
    LAM_FUZZ_OK(lam_writer_open(schema, &output, &write, &file->writer, &fault));
    if (value != NULL) { /* any bytes, which callers of the library cannot give it */
        lam_writer_key_value pair = {{(const uint8_t *)"ARROW:schema", strlen("ARROW:schema")},
                                     {(const uint8_t *)value, strlen(value)}};
        LAM_FUZZ_OK(lam_writer_add_key_values(file->writer, &pair, 1, &fault));
    }
    LAM_FUZZ_OK(lam_writer_finish(file->writer, &fault));
    lam_bytes bytes = lam_output_memory_bytes(&file->output);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    LAM_FUZZ_OK(lam_reader_open(&input, &read, &file->reader, &fault));
}

static void close_file(empty_file *file) {
    lam_reader_close(file->reader);
    lam_writer_close(file->writer);
}

/* --- Plans ------------------------------------------------------------------------------------ */

static void look_at(const lam_arrow_plan *plan, const lam_arrow_node *node) {
    char path[64];
    lam_arrow_field copy = *node->field;
    LAM_FUZZ_EXPECT(lam_arrow_field_complete(&copy) == NULL);
    LAM_FUZZ_EXPECT(node->child_count == node->field->child_count);
    LAM_FUZZ_EXPECT(node->slot_definition <= node->present_definition);
    if (node->shape == LAM_ARROW_NODE_VALUE) {
        LAM_FUZZ_EXPECT(plan->leaves[node->first_leaf] == node);
        LAM_FUZZ_EXPECT(node->present_definition == lam_field_max_definition(node->leaf));
        LAM_FUZZ_EXPECT(node->slot_repetition == lam_field_max_repetition(node->leaf));
        lam_arrow_node_path(plan, node, path, sizeof path);
    }
    for (size_t i = 0; i < node->child_count; i++)
        look_at(plan, &node->children[i]);
}

/* Writes what was read, where it can be written; a file may hold what the writer refuses. */
static void write_again(const lam_reader *reader, const lam_arrow_read_options *options) {
    struct ArrowSchema exported;
    lam_schema *parquet;
    lam_error error = lam_error_none();
    LAM_FUZZ_OK(lam_arrow_export_schema(reader, options, &exported, &fault));
    if (lam_fuzz_judge(lam_arrow_import_schema(&exported, &allocator, &parquet, &error), &error,
                       LAM_FUZZ_OF_CALLER))
        lam_schema_destroy(parquet);
    exported.release(&exported);
}

static void read_plan(const lam_reader *reader, bool ignore) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    lam_arrow_plan plan;
    lam_error error = lam_error_none();
    options.arrow_schema = ignore ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    /* A decimal of more digits than Arrow has is the one column without Arrow form. */
    if (!lam_fuzz_judge(lam_arrow_plan_read(&plan, reader, &options, &allocator, &error), &error,
                        1 << LAM_STATUS_UNSUPPORTED))
        return;
    look_at(&plan, &plan.root);
    lam_arrow_plan_finish(&plan);
    write_again(reader, &options);
}

static void read_file(const char *value, lam_bytes message) {
    empty_file file;
    lam_schema *schema;
    lam_error error = lam_error_none();
    if (!lam_fuzz_judge(
            lam_schema_parse((const char *)message.data, message.size, &allocator, &schema, &error),
            &error, LAM_FUZZ_OF_CALLER))
        return;
    open_file(&file, schema, value);
    read_plan(file.reader, false);
    read_plan(file.reader, true);
    close_file(&file);
    lam_schema_destroy(schema);
}

/* Bytes as the text of a pair, which ends with the first NUL; free() it. */
static char *text_of(lam_bytes bytes) {
    char *text = lam_fuzz_block(bytes.size + 1);
    if (bytes.size > 0)
        memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    return text;
}

/* A message in its frame, as base64; free() it. */
static char *value_of(lam_bytes message) {
    uint8_t *framed = lam_fuzz_block(8 + message.size);
    lam_store_le32(framed, UINT32_MAX);
    lam_store_le32(framed + 4, (uint32_t)message.size);
    if (message.size > 0)
        memcpy(framed + 8, message.data, message.size);
    char *text = lam_fuzz_block((8 + message.size + 2) / 3 * 4 + 1);
    text[lam_base64_print(framed, 8 + message.size, text)] = '\0';
    free(framed);
    return text;
}

/* --- Parameters ------------------------------------------------------------------------------- */

static lam_arrow_field named(const char *name, lam_arrow_type type, lam_arrow_field *children,
                             size_t count) {
    lam_arrow_field field;
    memset(&field, 0, sizeof field);
    field.name = name;
    field.type = type;
    field.children = children;
    field.child_count = count;
    return field;
}

static lam_arrow_type kind(lam_arrow_kind kind, int32_t fixed_size) {
    lam_arrow_type type;
    memset(&type, 0, sizeof type);
    type.kind = kind;
    type.fixed_size = fixed_size;
    return type;
}

/* A column of an extension type over the storage that it wants, with any parameters. */
static void write_extension(size_t which, lam_bytes parameters) {
    static const char *const names[] = {"arrow.json",
                                        "arrow.opaque",
                                        "arrow.fixed_shape_tensor",
                                        "arrow.variable_shape_tensor",
                                        "geoarrow.wkb",
                                        "arrow.parquet.variant"};
    lam_arrow_field number = named("item", kind(LAM_ARROW_INT32, 0), NULL, 0);
    lam_arrow_field tensor[] = {named("data", kind(LAM_ARROW_LIST, 0), &number, 1),
                                named("shape", kind(LAM_ARROW_FIXED_SIZE_LIST, 3), &number, 1)};
    lam_arrow_field variant[] = {named("metadata", kind(LAM_ARROW_BINARY, 0), NULL, 0),
                                 named("value", kind(LAM_ARROW_BINARY, 0), NULL, 0)};
    lam_arrow_field columns[] = {
        named("c", kind(LAM_ARROW_STRING, 0), NULL, 0),
        named("c", kind(LAM_ARROW_NULL, 0), NULL, 0),
        named("c", kind(LAM_ARROW_FIXED_SIZE_LIST, 6), &number, 1),
        named("c", kind(LAM_ARROW_STRUCT, 0), tensor, 2),
        named("c", kind(LAM_ARROW_BINARY, 0), NULL, 0),
        named("c", kind(LAM_ARROW_STRUCT, 0), variant, 2),
    };
    which %= sizeof names / sizeof names[0];
    lam_arrow_key_value pairs[] = {
        {lam_arrow_text(LAM_ARROW_EXTENSION_NAME_KEY), lam_arrow_text(names[which])},
        {lam_arrow_text(LAM_ARROW_EXTENSION_METADATA_KEY), parameters}};
    columns[which].metadata = (lam_arrow_metadata){2, pairs};
    lam_arrow_field root = named("", kind(LAM_ARROW_STRUCT, 0), &columns[which], 1);
    struct ArrowSchema exported;
    lam_arrow_plan written, read;
    lam_schema *parquet;
    empty_file file;
    lam_error error = lam_error_none();
    LAM_FUZZ_OK(lam_arrow_field_export(&root, &allocator, &exported, &fault));
    lam_status status = lam_arrow_plan_write(&written, &exported, &allocator, &parquet, &error);
    exported.release(&exported);
    if (!lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER))
        return;
    open_file(&file, parquet, NULL);
    LAM_FUZZ_OK(lam_arrow_plan_read(&read, file.reader, NULL, &allocator, &fault));
    LAM_FUZZ_OK(lam_arrow_original_restore(&read, &written.schema, &fault));
    const lam_arrow_field *found = &read.schema.children[0];
    const lam_bytes *again =
        lam_arrow_metadata_find(&found->metadata, LAM_ARROW_EXTENSION_METADATA_KEY);
    LAM_FUZZ_EXPECT(lam_arrow_type_equals(&found->type, &columns[which].type));
    LAM_FUZZ_EXPECT(lam_arrow_bytes_equal(lam_arrow_extension_name(found), names[which]));
    LAM_FUZZ_EXPECT(again != NULL && again->size == parameters.size);
    LAM_FUZZ_EXPECT(parameters.size == 0 ||
                    memcmp(again->data, parameters.data, parameters.size) == 0);
    lam_arrow_plan_finish(&read);
    lam_arrow_plan_finish(&written);
    close_file(&file);
    lam_schema_destroy(parquet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    lam_bytes bytes;
    allocator = lam_fuzz_allocator();
    uint64_t way = lam_fuzz_number(&input, 1) % 3;
    size_t number = (size_t)lam_fuzz_number(&input, way == 2 ? 1 : 2);
    uint8_t *block = lam_fuzz_rest(&input, &bytes);
    if (way == 2) {
        write_extension(number, bytes);
    } else {
        lam_bytes original = {bytes.data, number < bytes.size ? number : bytes.size};
        lam_bytes message = {bytes.data + original.size, bytes.size - original.size};
        char *value = way == 0 ? text_of(original) : value_of(original);
        read_file(value, message);
        free(value);
    }
    free(block);
    lam_fuzz_expect_no_leak();
    return 0;
}
