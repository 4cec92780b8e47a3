/* lamella meta: what the footer says. */
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "tool.h"

static const char help[] =
    "usage: lamella meta [options] FILE...\n"
    "\n"
    "Prints what the footer of each file says: version, writer, key-value metadata,\n"
    "and for each row group its rows and bytes, and for each of its column chunks the\n"
    "type, codec, encodings, number of values (nulls included), bytes as stored and\n"
    "uncompressed, and where its pages start. \"-\" is standard input.\n"
    "\n"
    "  lamella meta events.parquet\n"
    "\n"
    "options:\n"
    "  --json       print one object per file\n"
    "  -h, --help   print this page\n";

enum { LONGEST_VALUE = 200 }; /* of the key-value metadata, in the table */

static const char *codec_of(const lam_column_chunk_info *info) {
    return info->codec == LAM_CODEC_DEFAULT ? "UNKNOWN" : lam_codec_name(info->codec);
}

static const char *type_of(const lam_field *leaf) {
    static const char *const names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return names[lam_field_physical_type(leaf)];
}

static void print_encodings(uint32_t encodings, const char *quote, const char *separator) {
    const char *before = "";
    for (unsigned i = 0; i < 32; i++)
        if ((encodings >> i & 1) != 0) {
            tool_print("%s%s%s%s", before, quote, lam_encoding_name((lam_encoding)i), quote);
            before = separator;
        }
}

/* --- Table --------------------------------------------------------------------------------- */

static void print_head(const char *file, const lam_reader *reader) {
    const char *created_by = lam_reader_created_by(reader);
    tool_print("file:        %s\n", file);
    tool_print("size:        %" PRIu64 " bytes, footer %" PRIu32 " bytes\n",
               lam_reader_file_size(reader), lam_reader_footer_size(reader));
    tool_print("version:     %" PRId32 "\n", lam_reader_version(reader));
    tool_print("created by:  %s\n", created_by == NULL ? "-" : created_by);
    tool_print("rows:        %" PRIu64 " in %zu row groups\n", lam_reader_row_count(reader),
               lam_reader_row_group_count(reader));
    tool_print("columns:     %zu\n", lam_schema_leaf_count(lam_reader_schema(reader)));
    for (size_t i = 0; i < lam_reader_key_value_count(reader); i++) {
        const char *value = lam_reader_value(reader, i);
        tool_print("key:         %s = %.*s%s\n", lam_reader_key(reader, i), LONGEST_VALUE,
                   value == NULL ? "-" : value,
                   value != NULL && strlen(value) > LONGEST_VALUE ? "..." : "");
    }
}

static void print_chunk(const lam_column_chunk_info *info) {
    tool_print("  ");
    tool_print_path(info->leaf);
    tool_print("\n      %s, %s, ", type_of(info->leaf), codec_of(info));
    print_encodings(info->encodings, "", " ");
    tool_print("\n      %" PRId64 " values, %" PRId64 " bytes stored, %" PRId64
               " uncompressed\n      ",
               info->value_count, info->total_compressed_size, info->total_uncompressed_size);
    if (info->dictionary_page_offset >= 0)
        tool_print("dictionary at %" PRId64 ", ", info->dictionary_page_offset);
    tool_print("data pages at %" PRId64 "\n", info->data_page_offset);
    if (info->null_count >= 0)
        tool_print("      %" PRId64 " nulls\n", info->null_count);
}

static int print_table(const char *file, const lam_reader *reader) {
    int result = TOOL_OK;
    print_head(file, reader);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_error error = lam_error_none();
        lam_row_group_info group;
        if (lam_reader_row_group(reader, i, &group, &error) != LAM_STATUS_OK)
            return tool_fail(file, &error);
        tool_print("\nrow group %zu: %" PRIu64 " rows, %" PRId64 " bytes uncompressed\n", i,
                   group.row_count, group.total_byte_size);
        for (size_t leaf = 0; leaf < lam_schema_leaf_count(lam_reader_schema(reader)); leaf++) {
            lam_column_chunk_info info;
            if (lam_reader_column_chunk(reader, i, leaf, &info, &error) == LAM_STATUS_OK)
                print_chunk(&info);
            else
                result = tool_fail(file, &error);
        }
    }
    return result;
}

/* --- JSON ---------------------------------------------------------------------------------- */

static void print_text_or_null(const char *text) {
    if (text == NULL)
        tool_print("null");
    else
        tool_print_text(text, strlen(text));
}

static void print_member(const char *name, int64_t number) {
    if (number >= 0)
        tool_print(",\"%s\":%" PRId64, name, number);
}

static void print_chunk_json(const lam_column_chunk_info *info) {
    tool_print("{\"path\":");
    tool_print_path_json(info->leaf);
    tool_print(",\"type\":\"%s\",\"codec\":\"%s\",\"encodings\":[", type_of(info->leaf),
               codec_of(info));
    print_encodings(info->encodings, "\"", ",");
    tool_print("]");
    print_member("values", info->value_count);
    print_member("nulls", info->null_count);
    print_member("total_compressed_size", info->total_compressed_size);
    print_member("total_uncompressed_size", info->total_uncompressed_size);
    print_member("dictionary_page_offset", info->dictionary_page_offset);
    print_member("data_page_offset", info->data_page_offset);
    print_member("offset_index_offset", info->offset_index_offset);
    print_member("column_index_offset", info->column_index_offset);
    print_member("bloom_filter_offset", info->bloom_filter_offset);
    tool_print("}");
}

static void print_head_json(const char *file, const lam_reader *reader) {
    tool_print("{\"file\":");
    tool_print_text(file, strlen(file));
    tool_print(",\"size\":%" PRIu64 ",\"footer_size\":%" PRIu32 ",\"version\":%" PRId32,
               lam_reader_file_size(reader), lam_reader_footer_size(reader),
               lam_reader_version(reader));
    tool_print(",\"created_by\":");
    print_text_or_null(lam_reader_created_by(reader));
    tool_print(",\"rows\":%" PRIu64 ",\"key_value_metadata\":[", lam_reader_row_count(reader));
    for (size_t i = 0; i < lam_reader_key_value_count(reader); i++) {
        tool_print(i == 0 ? "{\"key\":" : ",{\"key\":");
        print_text_or_null(lam_reader_key(reader, i));
        tool_print(",\"value\":");
        print_text_or_null(lam_reader_value(reader, i));
        tool_print("}");
    }
    tool_print("],\"row_groups\":[");
}

static int print_json(const char *file, const lam_reader *reader) {
    int result = TOOL_OK;
    print_head_json(file, reader);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_error error = lam_error_none();
        lam_row_group_info group = {0};
        if (lam_reader_row_group(reader, i, &group, &error) != LAM_STATUS_OK)
            return tool_fail(file, &error);
        tool_print("%s{\"rows\":%" PRIu64, i == 0 ? "" : ",", group.row_count);
        print_member("total_byte_size", group.total_byte_size);
        print_member("total_compressed_size", group.total_compressed_size);
        print_member("file_offset", group.file_offset);
        tool_print(",\"columns\":[");
        for (size_t leaf = 0; leaf < lam_schema_leaf_count(lam_reader_schema(reader)); leaf++) {
            lam_column_chunk_info info;
            tool_print(leaf == 0 ? "" : ",");
            if (lam_reader_column_chunk(reader, i, leaf, &info, &error) == LAM_STATUS_OK) {
                print_chunk_json(&info);
            } else {
                tool_print("null");
                result = tool_fail(file, &error);
            }
        }
        tool_print("]}");
    }
    tool_print("]}\n");
    return result;
}

static int print_meta(const char *file, void *state) {
    const bool *json = state;
    lam_reader *reader;
    int result = tool_open(file, &reader);
    if (result != TOOL_OK)
        return result;
    result = *json ? print_json(file, reader) : print_table(file, reader);
    lam_reader_close(reader);
    return result;
}

static int run(int argc, char **argv) {
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    bool json = false;
    int option, result;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (tool_common_option(&tool_meta, option, argv, &result))
            return result;
        json = true;
    }
    return tool_each_file(&tool_meta, argc - optind, argv + optind, print_meta, &json);
}

const tool_command tool_meta = {"meta", "print what the footer says", help, run};
