/* SPDX-License-Identifier: Apache-2.0 */
/* Footers that state wrong or odd places: each byte still belongs to one range. */
#include "byte_map/file/file_extents.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_map/byte_tiles.h"
#include "file/file_sample.h"
#include "file/read/footer.h"
#include "support/file_info.h"
#include "support/shared.h"
#include "support/whole_footer.h"

TestSuite(file_extents);

/* A file whose footer is changed, and the lines of the ranges at its top. */
typedef struct changed_file {
    lam_file_sample sample;
    lam_footer_change change;
    lam_reader *reader;
    lam_buffer bytes;
    char lines[2000];
    size_t size;
} changed_file;

/* The numbers 0 to 19 in each column, with a Bloom filter. */
static void write_with_blooms(lam_file_sample *sample, const lam_writer_options *options) {
    static const char *const paths[] = {"a", "b", "c"};
    lam_test_writer file = lam_test_write_as(sample->schema, options);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(lam_writer_set_bloom_filter(file.writer, paths[i], 0.01, 20, NULL),
                     LAM_STATUS_OK);
    for (int i = 0; i < 20; i++)
        lam_test_put(&file, "{a: %d, b: %d, c: %d}", i, i, i);
    sample->bytes = lam_test_written(&file);
}

static void begin_change_of(changed_file *file, bool has_bloom) {
    lam_random random = lam_random_start(6);
    lam_writer_options options = lam_writer_options_default();
    memset(file, 0, sizeof *file);
    options.page_index = LAM_SWITCH_OFF;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_file_sample_init(
        &file->sample,
        lam_test_schema("message m { required int32 a; required int32 b; required int32 c; }"), 20,
        50, &random);
    if (has_bloom)
        write_with_blooms(&file->sample, &options);
    else
        lam_file_sample_write(&file->sample, &options, NULL);
    file->reader = lam_file_sample_open(&file->sample, NULL);
    lam_footer_change_begin(&file->change, file->reader);
}

static void begin_change(changed_file *file) {
    begin_change_of(file, false);
}

static lam_status add_line(void *state, const lam_byte_range *range) {
    changed_file *file = state;
    if (range->depth > 0)
        return LAM_STATUS_OK;
    int size = snprintf(file->lines + file->size, sizeof file->lines - file->size, "%s %s%s\n",
                        lam_byte_kind_name(range->kind), range->label == NULL ? "" : range->label,
                        range->length == 0 ? " (no bytes)" : "");
    cr_assert(size > 0 && (size_t)size < sizeof file->lines - file->size);
    file->size += (size_t)size;
    return LAM_STATUS_OK;
}

static void end_change(changed_file *file, const char *lines) {
    lam_allocator allocator = lam_allocator_default();
    lam_byte_tiles tiles = {.each = add_line, .state = file};
    uint64_t footer = file->sample.bytes.size - 8 - lam_test_file_info(file->reader).footer_size;
    lam_buffer_init(&file->bytes, &allocator);
    cr_assert_eq(lam_buffer_append(&file->bytes, file->sample.bytes.data, (size_t)footer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&file->change.meta, &file->bytes, NULL), LAM_STATUS_OK);
    lam_byte_tiles outline = {.depth = 1};
    lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&file->bytes), "changed");
    lam_byte_tiles_expect(&outline, lam_buffer_bytes(&file->bytes), "changed");
    lam_byte_tiles_expect_ends(lam_buffer_bytes(&file->bytes), "changed");
    cr_expect_str_eq(file->lines, lines, "%s", file->lines);
    lam_buffer_finish(&file->bytes);
    lam_footer_change_end(&file->change);
    lam_reader_close(file->reader);
    lam_file_sample_finish(&file->sample);
}

Test(file_extents, a_sound_footer_leaves_nothing_over) {
    changed_file file;
    begin_change(&file);
    end_change(&file, "magic PAR1\ncolumn_chunk a\ncolumn_chunk b\ncolumn_chunk c\n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

Test(file_extents, chunks_that_overlap_give_each_byte_to_the_first) {
    changed_file file;
    begin_change(&file);
    lam_footer_change_column(&file.change, 0, 0)->total_compressed_size += 10;
    end_change(&file, "magic PAR1\ncolumn_chunk a\nunknown \ncolumn_chunk c\n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

Test(file_extents, a_chunk_inside_of_another_has_no_bytes_of_its_own) {
    changed_file file;
    begin_change(&file);
    lam_meta_column *b = lam_footer_change_column(&file.change, 0, 1);
    const lam_meta_column *a = lam_footer_change_column(&file.change, 0, 0);
    b->data_page_offset = a->data_page_offset + 1;
    b->total_compressed_size = 3;
    end_change(&file, "magic PAR1\ncolumn_chunk a\nunknown  (no bytes)\ngap \ncolumn_chunk c\n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

Test(file_extents, a_chunk_that_is_too_short_leaves_a_gap) {
    changed_file file;
    begin_change(&file);
    lam_footer_change_column(&file.change, 0, 2)->total_compressed_size -= 5;
    end_change(&file, "magic PAR1\ncolumn_chunk a\ncolumn_chunk b\ncolumn_chunk c\ngap \n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

Test(file_extents, chunks_that_cannot_be_become_gaps) {
    changed_file file;
    begin_change(&file);
    lam_footer_change_column(&file.change, 0, 1)->total_compressed_size = INT64_MAX;
    lam_footer_change_column(&file.change, 0, 2)->data_page_offset = -1;
    end_change(&file, "magic PAR1\ncolumn_chunk a\ngap \nfooter FileMetaData\nfooter_length \n"
                      "magic PAR1\n");
}

Test(file_extents, a_chunk_without_values_takes_no_bytes_of_others) {
    changed_file file;
    begin_change(&file);
    lam_meta_column *b = lam_footer_change_column(&file.change, 0, 1);
    b->num_values = 0;
    b->data_page_offset = 4;
    end_change(&file, "magic PAR1\ncolumn_chunk a\ngap \ncolumn_chunk c\n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

Test(file_extents, a_chunk_without_values_takes_no_bytes_of_the_next) {
    changed_file file;
    begin_change(&file);
    lam_meta_column *b = lam_footer_change_column(&file.change, 0, 1);
    b->num_values = 0;
    b->total_compressed_size += 1;
    end_change(&file, "magic PAR1\ncolumn_chunk a\ngap \ncolumn_chunk c\n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

/* Values that no page has are not sought behind a chunk without a dictionary. */
Test(file_extents, a_chunk_that_lacks_values_ends_where_its_pages_do) {
    changed_file file;
    begin_change(&file);
    lam_meta_column *b = lam_footer_change_column(&file.change, 0, 1);
    b->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
    b->dictionary_page_offset = b->data_page_offset;
    b->num_values += 5;
    lam_footer_change_column(&file.change, 0, 2)->data_page_offset = -1;
    end_change(&file, "magic PAR1\ncolumn_chunk a\ncolumn_chunk b\ngap \n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

/* Places that no file can have, and those of other files. */
Test(file_extents, impossible_places_are_left_out) {
    static const struct {
        int64_t offset;
        int32_t length;
        int64_t bloom;
    } cases[] = {{-1, 4, -1}, {4, -1, INT64_MAX}, {4, 0, -4}, {INT64_MAX, 4, INT64_MIN}};
    static const char lines[] = "magic PAR1\ncolumn_chunk a\ncolumn_chunk b\ncolumn_chunk c\n"
                                "footer FileMetaData\nfooter_length \nmagic PAR1\n";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        changed_file file;
        begin_change(&file);
        lam_meta_column_chunk *chunk = lam_footer_change_chunk(&file.change, 0, 0);
        lam_meta_column *column = lam_footer_change_column(&file.change, 0, 0);
        chunk->has |= LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                      LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH |
                      LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                      LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH;
        chunk->offset_index_offset = chunk->column_index_offset = cases[i].offset;
        chunk->offset_index_length = chunk->column_index_length = cases[i].length;
        column->has |= LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET;
        column->bloom_filter_offset = cases[i].bloom;
        end_change(&file, lines);
    }
}

Test(file_extents, a_chunk_of_another_file_is_not_sought_here) {
    changed_file file;
    begin_change(&file);
    lam_meta_column_chunk *chunk = lam_footer_change_chunk(&file.change, 0, 1);
    chunk->has |= LAM_META_COLUMN_CHUNK_HAS_FILE_PATH;
    chunk->file_path = (lam_bytes){(const uint8_t *)"other", 5};
    end_change(&file, "magic PAR1\ncolumn_chunk a\ngap \ncolumn_chunk c\n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

/* Names of columns are the file's: as many bytes are shown as there is room for. */
Test(file_extents, a_path_may_have_an_empty_name_or_a_long_one) {
    static uint8_t letters[600];
    char expected[2000], path[512];
    changed_file file;
    begin_change(&file);
    memset(letters, 'x', sizeof letters);
    lam_bytes names[] = {{NULL, 0}, {letters, sizeof letters}, {letters, 1}};
    lam_footer_change_column(&file.change, 0, 1)->path_in_schema = (lam_meta_bytes_list){names, 3};
    memset(path, 'x', sizeof path);
    memcpy(path, "\"\".", 3);
    path[sizeof path - 1] = '\0';
    snprintf(expected, sizeof expected,
             "magic PAR1\ncolumn_chunk a\ncolumn_chunk %s\ncolumn_chunk c\n"
             "footer FileMetaData\nfooter_length \nmagic PAR1\n",
             path);
    end_change(&file, expected);
}

/* --- Encryption ---------------------------------------------------------------------------- */

/* Nothing of an encrypted column is read: neither its pages nor the header of its filter. */
Test(file_extents, an_encrypted_column_is_a_range_of_the_stated_size) {
    static const lam_meta_column_crypto crypto = {.kind = LAM_META_COLUMN_CRYPTO_FOOTER_KEY};
    changed_file file;
    begin_change_of(&file, true);
    lam_meta_column_chunk *chunk = lam_footer_change_chunk(&file.change, 0, 0);
    lam_meta_column *a = lam_footer_change_column(&file.change, 0, 0);
    chunk->crypto_metadata = &crypto;
    a->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
    a->dictionary_page_offset = a->data_page_offset;
    a->total_compressed_size -= 1;
    a->has &= ~(uint32_t)LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
    chunk = lam_footer_change_chunk(&file.change, 0, 1);
    chunk->crypto_metadata = &crypto;
    end_change(&file, "magic PAR1\ncolumn_chunk a\ngap \ncolumn_chunk b\ncolumn_chunk c\ngap \n"
                      "bloom_filter \nbloom_filter \n"
                      "footer FileMetaData\nfooter_length \nmagic PAR1\n");
}

/* --- Order --------------------------------------------------------------------------------- */

Test(file_extents, have_one_order_whatever_the_one_they_came_in) {
    static const lam_file_extent sorted[] = {
        {4, 9, 0, 0, LAM_BYTE_COLUMN_CHUNK, false, false},
        {4, 9, 0, 1, LAM_BYTE_COLUMN_CHUNK, false, false},
        {4, 9, 1, 0, LAM_BYTE_COLUMN_CHUNK, false, false},
        {4, 9, 0, 0, LAM_BYTE_COLUMN_INDEX, false, false},
        {4, 9, 0, 0, LAM_BYTE_COLUMN_CHUNK, false, true},
        {5, 9, 0, 0, LAM_BYTE_COLUMN_CHUNK, false, false},
    };
    enum { COUNT = sizeof sorted / sizeof sorted[0] };
    lam_allocator allocator = lam_allocator_default();
    for (size_t from = 0; from <= COUNT; from++) {
        lam_buffer extents;
        lam_buffer_init(&extents, &allocator);
        for (size_t i = 0; i < COUNT && from < COUNT; i++)
            cr_assert_eq(lam_buffer_append(&extents,
                                           &sorted[(from + i * (1 + 4 * (from & 1))) % COUNT],
                                           sizeof sorted[0], NULL),
                         LAM_STATUS_OK);
        lam_file_extents_sort(&extents);
        cr_assert_eq(extents.size, from < COUNT ? sizeof sorted : 0);
        const lam_file_extent *found = (const lam_file_extent *)(const void *)extents.data;
        for (size_t i = 0; i < extents.size / sizeof sorted[0]; i++) {
            cr_assert_eq(found[i].begin, sorted[i].begin);
            cr_assert_eq(found[i].is_weak, sorted[i].is_weak);
            cr_assert_eq(found[i].kind, sorted[i].kind);
            cr_assert_eq(found[i].row_group, sorted[i].row_group);
            cr_assert_eq(found[i].column, sorted[i].column);
        }
        lam_buffer_finish(&extents);
    }
}

/* The end of a chunk is sought by counting the values of its pages down from what is stated: these
 * counts wrapped around. */
Test(file_extents, a_chunk_with_an_impossible_number_of_values_has_its_bytes) {
    const int64_t counts[] = {INT64_MIN, -1, INT64_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        changed_file file;
        begin_change(&file);
        lam_footer_change_column(&file.change, 0, 1)->num_values = counts[i];
        end_change(&file, "magic PAR1\ncolumn_chunk a\ncolumn_chunk b\ncolumn_chunk c\n"
                          "footer FileMetaData\nfooter_length \nmagic PAR1\n");
    }
}

/* PARQUET-816: the size of a chunk may leave out the header of its dictionary page. */
static lam_status keep_first_chunk(void *state, const lam_byte_range *range) {
    uint64_t *length = state;
    if (range->kind == LAM_BYTE_COLUMN_CHUNK && range->column == 0)
        *length = range->length;
    return LAM_STATUS_OK;
}

Test(file_extents, a_chunk_may_leave_out_the_header_of_its_dictionary) {
    static const char name[] = "parquet-testing/data/alltypes_dictionary.parquet";
    lam_allocator allocator = lam_allocator_default();
    lam_footer_change change;
    lam_page_list *pages;
    lam_page_info page = lam_page_info_default();
    lam_buffer bytes;
    size_t size;
    bool more;
    uint64_t found = 0;
    lam_byte_tiles tiles = {.each = keep_first_chunk, .state = &found};
    if (!lam_test_shared_exists(name))
        cr_skip_test("no shared data");
    char *whole = lam_test_read_file(lam_test_shared(name), &size);
    lam_reader *reader = lam_test_open(whole, size, NULL);
    cr_assert_eq(lam_page_list_open(reader, 0, 0, &pages, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_page_list_next(pages, &page, &more, NULL), LAM_STATUS_OK);
    cr_assert_eq(page.type, LAM_PAGE_DICTIONARY);
    lam_page_list_close(pages);
    lam_footer_change_begin(&change, reader);
    lam_meta_column *column = lam_footer_change_column(&change, 0, 0);
    int64_t stated = column->total_compressed_size;
    column->total_compressed_size -= page.header_size;
    lam_buffer_init(&bytes, &allocator);
    cr_assert_eq(
        lam_buffer_append(&bytes, whole, size - 8 - lam_test_file_info(reader).footer_size, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&change.meta, &bytes, NULL), LAM_STATUS_OK);
    lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&bytes), "short");
    cr_assert_eq(found, (uint64_t)stated);
    cr_assert_eq(tiles.counts[LAM_BYTE_UNKNOWN], 0, "%s", tiles.unknown);
    lam_footer_change_end(&change);
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
    free(whole);
}

/* --- Bloom filters ------------------------------------------------------------------------- */

/* What is wrong with the place that a footer states of the last column's filter. */
typedef enum bloom_wrong {
    BLOOM_SOUND,
    BLOOM_WITHOUT_LENGTH,
    BLOOM_WITHOUT_LENGTH_IN_DATA,
    BLOOM_WITHOUT_LENGTH_AT_THE_END,
    BLOOM_WITHOUT_LENGTH_BELOW_ZERO,
    BLOOM_TOO_LONG,
    BLOOM_CUT_IN_BLOCK,
    BLOOM_CUT_IN_HEADER,
    BLOOM_OF_NO_HEADER
} bloom_wrong;

static void spoil_bloom(changed_file *file, bloom_wrong wrong) {
    lam_meta_column *c = lam_footer_change_column(&file->change, 0, 2);
    const lam_meta_column *a = lam_footer_change_column(&file->change, 0, 0);
    bool has_length = wrong < BLOOM_WITHOUT_LENGTH || wrong > BLOOM_WITHOUT_LENGTH_BELOW_ZERO;
    if (!has_length)
        c->has &= ~(uint32_t)LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
    if (wrong == BLOOM_WITHOUT_LENGTH_IN_DATA)
        c->bloom_filter_offset = a->data_page_offset + 1;
    if (wrong == BLOOM_WITHOUT_LENGTH_AT_THE_END) { /* which has no room for a header */
        c->bloom_filter_offset += c->bloom_filter_length - 1;
        file->sample.bytes.data[c->bloom_filter_offset] = 0x15;
    }
    if (wrong == BLOOM_WITHOUT_LENGTH_BELOW_ZERO)
        file->sample.bytes.data[c->bloom_filter_offset + 1] |= 1; /* of a zigzag number */
    if (wrong == BLOOM_CUT_IN_BLOCK)
        c->bloom_filter_length -= 5;
    if (wrong == BLOOM_CUT_IN_HEADER)
        c->bloom_filter_length = 1;
    if (wrong == BLOOM_OF_NO_HEADER)
        file->sample.bytes.data[c->bloom_filter_offset] = 0xFF;
    if (wrong == BLOOM_TOO_LONG) { /* the next filter begins where this one ends */
        lam_meta_column *b = lam_footer_change_column(&file->change, 0, 1);
        b->bloom_filter_length += c->bloom_filter_length;
        c->has &= ~(uint32_t)LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET;
    }
}

/* The header says how long a filter is, and what does not agree with it is named. */
Test(file_extents, a_bloom_filter_whose_length_is_wrong_is_shown_as_far_as_it_goes) {
    static const struct {
        bloom_wrong wrong;
        const char *note; /* of the first unknown range; NULL: none is */
        uint64_t filters, gaps;
    } cases[] = {
        {BLOOM_SOUND, NULL, 3, 0},
        {BLOOM_WITHOUT_LENGTH, NULL, 3, 0},
        {BLOOM_WITHOUT_LENGTH_IN_DATA, NULL, 3, 1},    /* found in the gap */
        {BLOOM_WITHOUT_LENGTH_AT_THE_END, NULL, 3, 1}, /* likewise */
        {BLOOM_WITHOUT_LENGTH_BELOW_ZERO, NULL, 2, 1}, /* a gap */
        {BLOOM_TOO_LONG, "bytes behind the bitset", 2, 0},
        {BLOOM_CUT_IN_BLOCK, "a bitset is made of blocks of 32 bytes", 3, 1},
        {BLOOM_CUT_IN_HEADER, "the bytes end inside", 3, 1},
        {BLOOM_OF_NO_HEADER, "", 3, 0},
    };
    lam_allocator allocator = lam_allocator_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        changed_file file;
        lam_byte_tiles tiles = {.depth = 0};
        begin_change_of(&file, true);
        spoil_bloom(&file, cases[i].wrong);
        uint64_t footer = file.sample.bytes.size - 8 - lam_test_file_info(file.reader).footer_size;
        lam_buffer_init(&file.bytes, &allocator);
        cr_assert_eq(lam_buffer_append(&file.bytes, file.sample.bytes.data, (size_t)footer, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_footer_write(&file.change.meta, &file.bytes, NULL), LAM_STATUS_OK);
        lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&file.bytes), "bloom");
        lam_byte_tiles_expect_ends(lam_buffer_bytes(&file.bytes), "bloom");
        cr_expect_eq(tiles.counts[LAM_BYTE_BLOOM_FILTER], cases[i].filters, "case %zu: %d", i,
                     (int)tiles.counts[LAM_BYTE_BLOOM_FILTER]);
        cr_expect_eq(tiles.counts[LAM_BYTE_GAP], cases[i].gaps, "case %zu: %d gaps", i,
                     (int)tiles.counts[LAM_BYTE_GAP]);
        cr_expect_eq(tiles.counts[LAM_BYTE_UNKNOWN] > 0, cases[i].note != NULL, "case %zu: %s", i,
                     tiles.unknown);
        cr_expect(cases[i].note == NULL || strstr(tiles.unknown, cases[i].note) != NULL,
                  "case %zu: %s", i, tiles.unknown);
        lam_buffer_finish(&file.bytes);
        lam_footer_change_end(&file.change);
        lam_reader_close(file.reader);
        lam_file_sample_finish(&file.sample);
    }
}
