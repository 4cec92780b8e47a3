/* SPDX-License-Identifier: Apache-2.0 */
/* Column chunks of which the footer says what is not so. */
#include <lamella/writer.h>

#include "check/forge_pages.h"

FORGED(check_chunk, a_chunk_without_metadata_is_lost, "chunk-metadata", file->no_indexes = true;
       x->chunk->meta_data = NULL)
FORGED(check_chunk, a_chunk_elsewhere_is_passed_over, "external-file",
       x->chunk->has |= LAM_META_COLUMN_CHUNK_HAS_FILE_PATH;
       x->chunk->file_path = forge_text("y"))
FORGED(check_chunk, an_encrypted_chunk_is_passed_over, "encrypted",
       static const lam_meta_column_crypto crypto = {.kind = LAM_META_COLUMN_CRYPTO_FOOTER_KEY};
       x->chunk->crypto_metadata = &crypto)
FORGED(check_chunk, the_path_is_that_of_the_column, "chunk-path",
       ((lam_bytes *)x->column->path_in_schema.items)[0] = forge_text("y"))
FORGED(check_chunk, the_path_has_all_names, "chunk-path", tags->column->path_in_schema.count = 2)
FORGED(check_chunk, the_type_is_that_of_the_column, "chunk-type",
       x->column->type = LAM_PHYSICAL_INT64)
FORGED(check_chunk, an_unknown_codec_is_passed_over, "unsupported", x->column->codec = 99)
FORGED(check_chunk, a_codec_that_nobody_used_does_not_uncompress, "page-body",
       x->column->codec = LAM_CODEC_SNAPPY - 1)
FORGED(check_chunk, a_chunk_lies_before_the_footer, "row-group-bytes chunk-range",
       x->column->total_compressed_size = 1 << 20)
FORGED(check_chunk, a_chunk_lies_behind_the_magic, "row-group-offset chunk-range",
       id->column->data_page_offset = 3)
FORGED(check_chunk, values_are_those_of_the_pages, "chunk-values", tags->column->num_values++)
FORGED(check_chunk, values_do_not_end_before_the_pages, "chunk-values", tags->column->num_values--)
FORGED(check_chunk, the_pages_fill_the_chunk, "row-group-bytes chunk-bytes range-overlap",
       tags->column->total_compressed_size += 5)
FORGED(check_chunk, a_page_ends_with_its_chunk, "row-group-bytes page-header",
       tags->column->total_compressed_size -= 5)
FORGED(check_chunk, uncompressed_bytes_are_summed, "row-group-bytes chunk-uncompressed",
       tags->column->total_uncompressed_size++)
FORGED(check_chunk, a_dictionary_offset_wants_a_dictionary, "dictionary-offset",
       x->column->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET)
FORGED(check_chunk, only_places_have_geospatial_statistics, "geospatial-statistics",
       static const lam_meta_geospatial_statistics none;
       x->column->geospatial_statistics = &none)

/* A file whose names are in a dictionary. */
static rich_chunk *with_dictionary(rich_file *file) {
    lam_writer_options options = forge_options(1, true, false);
    rich_file_init(file, &options);
    rich_chunk *name = &file->chunks[0][RICH_NAME];
    cr_assert_neq(name->column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET, 0);
    return name;
}

Test(check_chunk, a_dictionary_wants_its_offset) {
    rich_file file;
    rich_chunk *name = with_dictionary(&file);
    name->column->has &= ~(uint32_t)LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
    name->column->data_page_offset = name->column->dictionary_page_offset;
    forge_expect(&file, "dictionary-offset");
}

Test(check_chunk, a_dictionary_offset_of_0_is_a_slip) {
    rich_file file;
    rich_chunk *name = with_dictionary(&file);
    name->column->data_page_offset = name->column->dictionary_page_offset;
    name->column->dictionary_page_offset = 0;
    forge_expect(&file, "dictionary-offset");
}

Test(check_chunk, the_data_pages_begin_where_it_is_said) {
    rich_file file;
    rich_chunk *name = with_dictionary(&file);
    name->column->data_page_offset++;
    forge_expect(&file, "data-page-offset");
}

/* --- Sizes without the header of the dictionary page, as old writers stated them ------------- */

/* A file whose names have a dictionary; gives the size of its header. */
static size_t dictionary_header(rich_file *file, rich_chunk **ret_name) {
    rich_chunk *name = with_dictionary(file);
    size_t start = (size_t)name->column->dictionary_page_offset, size;
    lam_meta_page_header header;
    lam_bytes bytes = {file->data.data + start, file->data.size - start};
    cr_assert_eq(lam_meta_read_page_header(bytes, &file->arena, &header, &size, NULL),
                 LAM_STATUS_OK);
    *ret_name = name;
    return size;
}

static void shorten(rich_file *file, rich_chunk *name, size_t bytes) {
    name->column->total_compressed_size -= (int64_t)bytes;
    file->groups[0].total_compressed_size -= (int64_t)bytes;
}

/* The size of a chunk was taken at its word, and its last page was an error. */
Test(check_chunk, a_dictionary_header_that_the_size_leaves_out_is_a_slip) {
    rich_file file;
    rich_chunk *name;
    size_t header = dictionary_header(&file, &name);
    rich_file_finish(&file);
    for (size_t hidden = 1; hidden <= header; hidden++) {
        dictionary_header(&file, &name);
        shorten(&file, name, hidden);
        forge_expect(&file, "chunk-bytes-header");
    }
    dictionary_header(&file, &name);
    shorten(&file, name, header + 1);
    forge_expect(&file, "page-header");
}

/* Puts a field that nobody knows at the end of the dictionary's header, of LONG bytes in all. */
static void lengthen_header(rich_file *file, rich_chunk *name, size_t header) {
    enum { LONG = 64 };
    uint8_t field[LONG] = {0xF8, LONG - 2}; /* a binary, 15 ids further */
    size_t location = (size_t)name->column->dictionary_page_offset + header - 1;
    cr_assert_eq(lam_buffer_reserve(&file->data, LONG, NULL), LAM_STATUS_OK);
    memmove(file->data.data + location + LONG, file->data.data + location,
            file->data.size - location);
    memcpy(file->data.data + location, field, LONG);
    file->data.size += LONG;
    for (int group = 0; group < RICH_GROUPS; group++) {
        file->groups[group].file_offset +=
            file->groups[group].file_offset > (int64_t)location ? LONG : 0;
        for (int leaf = 0; leaf < RICH_LEAVES; leaf++) {
            lam_meta_column *column = file->chunks[group][leaf].column;
            column->data_page_offset += column->data_page_offset > (int64_t)location ? LONG : 0;
            column->dictionary_page_offset +=
                column->dictionary_page_offset > (int64_t)location ? LONG : 0;
        }
    }
    name->column->total_compressed_size += LONG;
    name->column->total_uncompressed_size += LONG;
    file->groups[0].total_compressed_size += LONG;
    file->groups[0].total_byte_size += LONG;
}

/* Then all of the last page may be hidden, to its first byte and beyond. */
Test(check_chunk, a_long_dictionary_header_hides_whole_pages) {
    rich_file file;
    rich_chunk *name;
    size_t header = dictionary_header(&file, &name);
    int64_t last = (int64_t)name->page_offsets[2] - name->column->dictionary_page_offset;
    int64_t last_size = name->column->total_compressed_size - last;
    rich_file_finish(&file);
    cr_assert_lt(last_size, (int64_t)header + 64);
    for (size_t hidden = 0; hidden <= header + 65; hidden++) {
        dictionary_header(&file, &name);
        forge_say_nothing(&file);
        lengthen_header(&file, name, header);
        shorten(&file, name, hidden);
        if (hidden == 0)
            forge_expect(&file, "");
        else if (hidden <= header + 64)
            forge_expect(&file, "chunk-bytes-header");
        else
            forge_expect(&file, "chunk-values chunk-uncompressed chunk-rows");
    }
}

Test(check_chunk, values_that_lack_behind_a_dictionary_are_not_looked_for_elsewhere) {
    rich_file file;
    rich_chunk *name = with_dictionary(&file);
    name->column->num_values++;
    forge_expect(&file, "chunk-values");
}

Test(check_chunk, a_damaged_page_behind_a_dictionary_does_not_move_the_end) {
    rich_file file;
    rich_chunk *name = with_dictionary(&file);
    file.data.data[name->page_offsets[2]] = 0x1E; /* no field of a page header */
    forge_expect(&file, "page-header");
}

/* Zeros behind the last page were an error, like anything else there. */
Test(check_chunk, zeros_behind_the_last_page_are_a_warning) {
    static const uint8_t numbers[12];
    static const uint8_t rest[9] = {0};
    for (int i = 0; i < 2; i++) {
        lam_page_sections sections = {
            .value_count = 3, .row_count = 3, .values = {numbers, sizeof numbers}};
        forge_pages forge;
        forge_pages_start(&forge, "message m { required int32 a; }", 1);
        forge_pages_add(&forge, &sections, 0);
        for (int n = 0; n < 1000; n++)
            cr_assert_eq(lam_buffer_append(&forge.made.pages, rest, sizeof rest, NULL),
                         LAM_STATUS_OK);
        forge.made.pages.data[forge.made.pages.size - 1] = (uint8_t)i;
        forge_pages_expect(&forge, 3, 3, "chunk-bytes chunk-uncompressed", i == 1);
    }
}

FORGED(check_chunk, a_path_has_a_name, "chunk-path", x->column->path_in_schema.count = 0)
FORGED(check_chunk, a_name_without_letters_is_a_name, "",
       ((lam_meta_schema_element *)file->meta.schema.items)[RICH_LEAVES + 2].name.size = 0;
       for (int i = 0; i < RICH_GROUPS;
            i++)((lam_bytes *)file->chunks[i][RICH_X].column->path_in_schema.items)[0]
           .size = 0)

/* --- Chunks without values ------------------------------------------------------------------- */

/* What a chunk without values says of its place: pages there are checked, if it can be. */
static void empty(rich_file *file, rich_chunk *chunk) {
    forge_say_nothing(file);
    chunk->column->num_values = 0;
}

FORGED(check_chunk, pages_of_a_chunk_without_values_are_checked, "chunk-values", empty(file, x))
FORGED(check_chunk, a_chunk_without_values_may_have_no_bytes,
       "row-group-bytes chunk-uncompressed chunk-rows", empty(file, x);
       x->column->total_compressed_size = 0)
FORGED(check_chunk, a_chunk_without_values_may_begin_in_the_magic, "chunk-uncompressed chunk-rows",
       empty(file, x);
       x->column->data_page_offset = 3)
FORGED(check_chunk, a_chunk_without_values_may_begin_before_the_file,
       "chunk-uncompressed chunk-rows", empty(file, x);
       x->column->data_page_offset = INT64_MIN)
FORGED(check_chunk, a_chunk_without_values_may_end_behind_the_file,
       "row-group-bytes chunk-uncompressed chunk-rows", empty(file, x);
       x->column->total_compressed_size = INT64_MAX)
FORGED(check_chunk, a_chunk_without_values_has_no_dictionary_before_the_file,
       "dictionary-offset chunk-values", empty(file, x);
       x->column->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
       x->column->dictionary_page_offset = -4)
FORGED(check_chunk, a_chunk_without_values_begins_with_its_dictionary,
       "data-page-offset dictionary-offset chunk-values", empty(file, x);
       x->column->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
       x->column->dictionary_page_offset = x->column->data_page_offset;
       x->column->data_page_offset = 0)
