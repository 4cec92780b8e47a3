/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes files whose values hold what a salvage looks for: whole pages with right checksums,
 * headers, footers, recovery records. Then it damages them at random.
 */
#include "damage/forged_file.h"

#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/record.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "file/file_sample.h"
#include "file/write/recovery_record.h"
#include "meta/compact.h"

enum { FORGERIES = 6, NOISE_MOST = 60 };

static const char shape[] = "message m { required int64 k; required int64 n;"
                            "            optional binary s; repeated binary r; }";

/* What values are made of. */
typedef struct forgeries {
    lam_bytes pages[FORGED_LEAVES][FORGERIES]; /* whole pages of a leaf */
    lam_bytes others[FORGERIES];               /* what is no page */
} forgeries;

static lam_bytes keep(lam_forged_file *file, const void *data, size_t size) {
    uint8_t *copy;
    cr_assert_eq(lam_arena_bytes(&file->arena, size + 1, &copy, NULL), LAM_STATUS_OK);
    memcpy(copy, data, size);
    return (lam_bytes){copy, size};
}

/* --- Writing ------------------------------------------------------------------------------- */

static void put_row(const lam_forged_file *file, const lam_record_sink *sink, size_t row) {
    const lam_schema *schema = file->schema;
    (void)lam_begin(sink, NULL);
    (void)lam_put_int64(sink, lam_schema_leaf(schema, FORGED_NUMBERS), file->numbers[row], NULL);
    (void)lam_put_int64(sink, lam_schema_leaf(schema, FORGED_ROWS), (int64_t)row, NULL);
    if (file->texts[row].data != NULL)
        (void)lam_put_lam_bytes(sink, lam_schema_leaf(schema, FORGED_TEXTS), file->texts[row],
                                NULL);
    for (size_t i = 0; i < file->list_sizes[row]; i++)
        (void)lam_put_lam_bytes(sink, lam_schema_leaf(schema, FORGED_LISTS), file->lists[row][i],
                                NULL);
    cr_assert_eq(lam_end(sink, NULL), LAM_STATUS_OK);
}

static lam_buffer write_rows(const lam_forged_file *file, const lam_writer_options *options,
                             size_t rows, size_t group_rows) {
    lam_test_writer written = lam_test_write_as(file->schema, options);
    for (size_t row = 0; row < rows; row++) {
        if (row > 0 && row % group_rows == 0)
            cr_assert_eq(lam_writer_end_row_group(written.writer, NULL), LAM_STATUS_OK);
        put_row(file, &written.sink, row);
    }
    return lam_test_written(&written);
}

/* Calls for each page of a file. */
static void each_page(const lam_buffer *bytes,
                      void (*each)(void *state, size_t group, size_t leaf,
                                   const lam_page_info *page),
                      void *state) {
    lam_reader *reader = lam_test_open(bytes->data, bytes->size, NULL);
    for (size_t i = 0; i < FORGED_LEAVES * lam_reader_row_group_count(reader); i++) {
        lam_page_list *list;
        lam_page_info page = lam_page_info_default();
        bool more = true;
        size_t group = i / FORGED_LEAVES, leaf = i % FORGED_LEAVES;
        cr_assert_eq(lam_page_list_open(reader, group, leaf, &list, NULL), LAM_STATUS_OK);
        while (lam_page_list_next(list, &page, &more, NULL) == LAM_STATUS_OK && more)
            each(state, group, leaf, &page);
        lam_page_list_close(list);
    }
    lam_reader_close(reader);
}

/* --- Forging ------------------------------------------------------------------------------- */

typedef struct forge {
    lam_forged_file *file;
    forgeries *made;
    const lam_buffer *bytes;
    size_t number;
} forge;

static void take_forgery(void *state, size_t group, size_t leaf, const lam_page_info *page) {
    const forge *f = state;
    (void)group;
    size_t size = (size_t)page->header_size + (size_t)page->compressed_size;
    f->made->pages[leaf][f->number] = keep(f->file, f->bytes->data + page->offset, size);
}

/* Headers of pages without values, which lead to what follows them. */
static lam_bytes forge_empty_pages(lam_forged_file *file, size_t count) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer bytes;
    lam_meta_data_page_header v1 = {.definition_level_encoding = 3, .repetition_level_encoding = 3};
    lam_meta_page_header header = {
        .has = file->options.page_crc == LAM_SWITCH_ON ? LAM_META_PAGE_HEADER_HAS_CRC : 0,
        .data_page_header = &v1};
    lam_buffer_init(&bytes, &allocator);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(lam_meta_write_page_header(&header, &bytes, NULL), LAM_STATUS_OK);
    lam_bytes kept = keep(file, bytes.data, bytes.size);
    lam_buffer_finish(&bytes);
    return kept;
}

/* A record of a row group, or of a whole file, as logs have them behind their pages. */
static lam_bytes forge_record(lam_forged_file *file, lam_bytes body, lam_recovery_kind kind) {
    lam_allocator allocator = lam_allocator_default();
    lam_recovery_header header = {.kind = kind, .synced = 4};
    lam_buffer bytes;
    lam_buffer_init(&bytes, &allocator);
    cr_assert_eq(lam_recovery_record_write(&header, body, &bytes, NULL), LAM_STATUS_OK);
    lam_bytes kept = keep(file, bytes.data, bytes.size);
    lam_buffer_finish(&bytes);
    return kept;
}

/* Writes files of forged cells, and keeps their pages and footers. */
static void forge_all(lam_forged_file *file, forgeries *made, lam_random *random) {
    lam_writer_options options = file->options;
    options.dictionary = LAM_SWITCH_OFF;
    options.delta = LAM_SWITCH_OFF;
    options.page_rows = FORGED_MOST_ROWS;
    for (size_t i = 0; i < FORGERIES; i++) {
        size_t rows = i < FORGERIES / 2 ? (size_t)file->options.page_rows
                                        : 1 + (size_t)lam_random_below(random, 20);
        for (size_t row = 0; row < rows; row++) {
            char text[40];
            int size = snprintf(text, sizeof text, FORGED_TEXT " %llx",
                                (unsigned long long)lam_random_next(random));
            file->numbers[row] = FORGED_NUMBER;
            file->texts[row] = keep(file, text, (size_t)size);
            file->lists[row][0] = file->texts[row];
            file->list_sizes[row] = 1;
        }
        lam_buffer bytes = write_rows(file, &options, rows, rows);
        forge f = {file, made, &bytes, i};
        each_page(&bytes, take_forgery, &f);
        size_t footer =
            8 + (size_t)bytes.data[bytes.size - 8] + ((size_t)bytes.data[bytes.size - 7] << 8);
        lam_bytes tail = {bytes.data + bytes.size - footer, footer};
        lam_bytes struct_only = {tail.data, footer - 8};
        made->others[i] = i == 0   ? keep(file, bytes.data, bytes.size)
                          : i == 1 ? keep(file, tail.data, tail.size)
                          : i < 4
                              ? forge_record(file, struct_only, (lam_recovery_kind)(i - 1))
                              : forge_empty_pages(file, 1 + (size_t)lam_random_below(random, 20));
        lam_buffer_finish(&bytes);
    }
}

/* A value that begins with its row, and may end with forged pages. */
static lam_bytes make_value(lam_forged_file *file, const forgeries *made, size_t leaf, size_t row,
                            lam_random *random) {
    uint8_t bytes[20000];
    size_t size = (size_t)snprintf((char *)bytes, sizeof bytes, "row %zu ", row);
    for (size_t noise = (size_t)lam_random_below(random, NOISE_MOST); noise > 0; noise--)
        bytes[size++] = (uint8_t)lam_random_below(random, 256);
    size_t pieces = (row + 1) % file->options.page_rows == 0 ? 3 : lam_random_below(random, 3);
    if (lam_random_chance(random, 30) && pieces < 3)
        pieces = 0;
    for (size_t i = 0; i < pieces; i++) {
        size_t number = (size_t)lam_random_below(random, FORGERIES);
        bool is_page = i + 1 == pieces || lam_random_chance(random, 50);
        lam_bytes piece = is_page ? made->pages[leaf][number] : made->others[number];
        if (size + piece.size > sizeof bytes)
            continue;
        memcpy(bytes + size, piece.data, piece.size);
        size += piece.size;
    }
    return keep(file, bytes, size);
}

/* Lays a forged page into the last numbers of each page, eight bytes of it in each. */
static void forge_numbers(lam_forged_file *file, const forgeries *made, lam_random *random) {
    size_t page_rows = (size_t)file->options.page_rows;
    for (size_t row = 0; row < file->rows; row++)
        file->numbers[row] = (int64_t)row;
    for (size_t end = page_rows; end <= file->rows; end += page_rows) {
        lam_bytes page = made->pages[FORGED_NUMBERS][lam_random_below(random, FORGERIES)];
        uint8_t room[8 * FORGED_MOST_ROWS] = {0};
        size_t numbers = (page.size + 7) / 8;
        if (numbers > page_rows)
            continue;
        memcpy(room + 8 * numbers - page.size, page.data, page.size);
        for (size_t i = 0; i < numbers; i++)
            memcpy(&file->numbers[end - numbers + i], room + 8 * i, 8);
    }
}

/* --- The file ------------------------------------------------------------------------------ */

static void choose_options(lam_forged_file *file, lam_random *random) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_UNCOMPRESSED,
                                       LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    lam_writer_options *options = &file->options;
    *options = lam_writer_options_default();
    options->codec = codecs[lam_random_below(random, 4)];
    options->page_rows = 2 + lam_random_below(random, 40);
    options->data_page_version = 1 + (int32_t)lam_random_below(random, 2);
    options->page_crc = lam_random_chance(random, 60) ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options->page_index = lam_random_chance(random, 25) ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options->dictionary = lam_random_chance(random, 25) ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options->delta = lam_random_chance(random, 25) ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    file->rows = 20 + (size_t)lam_random_below(random, FORGED_MOST_ROWS - 20);
    file->group_rows = file->rows / (1 + (size_t)lam_random_below(random, 3)) + 1;
}

static void note_page(void *state, size_t group, size_t leaf, const lam_page_info *page) {
    lam_forged_file *file = state;
    cr_assert_lt(file->page_count, FORGED_MOST_PAGES);
    lam_forged_page *noted = &file->pages[file->page_count];
    const lam_forged_page *last = file->page_count > 0 ? noted - 1 : NULL;
    bool goes_on = last != NULL && last->row_group == group && last->leaf == leaf;
    *noted = (lam_forged_page){.row_group = group,
                               .leaf = leaf,
                               .is_dictionary = page->type == LAM_PAGE_DICTIONARY,
                               .begin = (uint64_t)page->offset};
    noted->body = noted->begin + (uint64_t)page->header_size;
    noted->end = noted->body + (uint64_t)page->compressed_size;
    noted->first_row = goes_on ? last->end_row : group * file->group_rows;
    noted->end_row = noted->first_row + (noted->is_dictionary ? 0 : (uint64_t)page->value_count);
    file->pages_end = noted->end > file->pages_end ? noted->end : file->pages_end;
    file->page_count++;
}

void lam_forged_file_make(lam_forged_file *file, lam_random *random) {
    lam_allocator allocator = lam_allocator_default();
    forgeries made;
    memset(file, 0, sizeof *file);
    memset(&made, 0, sizeof made);
    lam_arena_init(&file->arena, &allocator, 0);
    file->schema = lam_test_schema(shape);
    choose_options(file, random);
    forge_all(file, &made, random);
    for (size_t row = 0; row < file->rows; row++) {
        file->texts[row] = (lam_bytes){NULL, 0};
        if (lam_random_chance(random, 90))
            file->texts[row] = make_value(file, &made, FORGED_TEXTS, row, random);
        file->list_sizes[row] = (size_t)lam_random_below(random, 3);
        for (size_t i = 0; i < file->list_sizes[row]; i++)
            file->lists[row][i] = make_value(file, &made, FORGED_LISTS, row, random);
    }
    forge_numbers(file, &made, random);
    file->bytes = write_rows(file, &file->options, file->rows, file->group_rows);
    each_page(&file->bytes, note_page, file);
}

void lam_forged_file_finish(lam_forged_file *file) {
    lam_buffer_finish(&file->bytes);
    lam_arena_finish(&file->arena);
    lam_schema_destroy(file->schema);
}

/* --- Damage -------------------------------------------------------------------------------- */

static void set_range(uint64_t range[2], uint64_t begin, uint64_t end) {
    range[0] = begin;
    range[1] = end;
}

/* Where a forged page of the leaf stands in the body of a page; 0 for nowhere. */
static uint64_t find_forged(const lam_forged_file *file, const lam_forged_page *page,
                            lam_random *random) {
    uint64_t found = 0;
    for (uint64_t at = page->body + 8; at + 24 < page->end; at++) {
        const uint8_t *bytes = file->bytes.data + at;
        if (bytes[0] == 0x15 && (bytes[1] == 0 || bytes[1] == 6) && bytes[2] == 0x15 &&
            (found == 0 || lam_random_chance(random, 40)))
            found = at;
    }
    return found;
}

/* Gives a header other sizes, in as many bytes: its page ends where a forged one begins. */
static bool steer(const lam_forged_file *file, lam_buffer *bytes, const lam_forged_page *page,
                  lam_random *random) {
    uint64_t at = find_forged(file, page, random);
    uint8_t *header = bytes->data + page->begin;
    size_t position = 3, sizes = file->options.codec == LAM_CODEC_UNCOMPRESSED ? 2 : 1;
    if (at == 0)
        return false;
    for (size_t field = 0; field < 2; field++) {
        uint64_t number = 2 * (at - page->body); /* zigzag */
        bool is_set = field + sizes >= 2;
        do {
            bool more = (header[position] & 0x80) != 0;
            if (is_set)
                header[position] = (uint8_t)((number & 0x7F) | (more ? 0x80 : 0));
            number >>= 7;
            if (!more)
                break;
            position++;
        } while (true);
        if (is_set && number > 0)
            return false;
        position += 2; /* and the head of the next field */
    }
    return true;
}

lam_forged_damage lam_forged_file_damage(const lam_forged_file *file, lam_random *random,
                                         lam_buffer *ret_bytes, uint64_t ret_ranges[2][2]) {
    lam_forged_damage kind = (lam_forged_damage)lam_random_below(random, FORGED_DAMAGES);
    const lam_forged_page *page = &file->pages[lam_random_below(random, file->page_count)];
    uint64_t size = file->bytes.size, header = page->body - page->begin, begin, end;
    lam_buffer_clear(ret_bytes);
    cr_assert_eq(lam_buffer_append(ret_bytes, file->bytes.data, (size_t)size, NULL), LAM_STATUS_OK);
    uint8_t *bytes = ret_bytes->data;
    memset(ret_ranges, 0, 4 * sizeof(uint64_t));
    switch (kind) {
    case FORGED_BIT:
        begin = 4 + lam_random_below(random, size - 4);
        bytes[begin] ^= (uint8_t)(1u << lam_random_below(random, 8));
        set_range(ret_ranges[0], begin, begin + 1);
        break;
    case FORGED_HEADER_BIT:
        begin = page->begin + lam_random_below(random, header);
        bytes[begin] ^= (uint8_t)(1u << lam_random_below(random, 8));
        set_range(ret_ranges[0], begin, begin + 1);
        break;
    case FORGED_HEADER_BYTES:
        begin = page->begin + lam_random_below(random, header - 3);
        end = begin + 1 + lam_random_below(random, 4);
        end = end < page->body ? end : page->body;
        for (uint64_t at = begin; at < end; at++)
            bytes[at] = (uint8_t)lam_random_below(random, 256);
        set_range(ret_ranges[0], begin, end);
        break;
    case FORGED_HEADER_ZEROS:
        memset(bytes + page->begin, 0, (size_t)header);
        set_range(ret_ranges[0], page->begin, page->body);
        break;
    case FORGED_SMALL_SECTOR:
    case FORGED_LARGE_SECTOR:
        end = kind == FORGED_SMALL_SECTOR ? 512 : 4096;
        begin = lam_random_below(random, size / end + 1) * end;
        end = begin + end < size ? begin + end : size;
        begin = begin < 4 ? 4 : begin;
        memset(bytes + begin, 0, (size_t)(end - begin));
        set_range(ret_ranges[0], begin, end);
        break;
    case FORGED_SWAP:
        if (size < 2048)
            break;
        begin = 512 * (1 + lam_random_below(random, size / 512 - 2));
        end = 512 * (1 + lam_random_below(random, size / 512 - 2));
        memcpy(bytes + begin, file->bytes.data + end, 512);
        memcpy(bytes + end, file->bytes.data + begin, 512);
        set_range(ret_ranges[0], begin, begin + 512);
        set_range(ret_ranges[1], end, end + 512);
        break;
    default:
        if (!steer(file, ret_bytes, page, random))
            memcpy(bytes, file->bytes.data, (size_t)size);
        set_range(ret_ranges[0], page->begin, page->body);
        break;
    }
    return kind;
}
