/* SPDX-License-Identifier: Apache-2.0 */
/* What the first bytes of an item decide, wherever the file ends behind them. */
#include "damage/unfinished/file_item.h"

#include <criterion/criterion.h>
#include <lamella/format.h>
#include <string.h>

#include "meta/compact.h"
#include "support/ending_input.h"

enum { LIMIT = 1 << 20, AHEAD = 64 };

/* The first item of a file that begins with the magic and goes on with these bytes. */
static lam_file_item first_item(lam_bytes bytes) {
    lam_allocator heap = lam_allocator_default();
    lam_buffer file;
    lam_file_items items;
    lam_file_item item;
    lam_buffer_init(&file, &heap);
    cr_assert_eq(lam_buffer_append(&file, "PAR1", 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(&file, bytes.data, bytes.size, NULL), LAM_STATUS_OK);
    lam_input input = lam_input_memory(file.data, file.size);
    lam_file_items_init(&items, &input, AHEAD, LIMIT, &heap);
    cr_assert_eq(lam_file_items_next(&items, &item, NULL), LAM_STATUS_OK);
    cr_assert_eq(items.next, 4 + (item.kind < LAM_FILE_ITEM_PAGE ? 0 : item.size));
    lam_file_items_finish(&items);
    lam_buffer_finish(&file);
    return item;
}

#define BYTES(literal)                                                                             \
    { (const uint8_t *)(literal), sizeof(literal) - 1 }

Test(file_item, the_first_bytes_decide_what_an_item_is) {
    static const struct {
        lam_bytes bytes;
        lam_file_item_kind kind;
    } cases[] = {
        {BYTES(""), LAM_FILE_ITEM_END},
        {BYTES("P"), LAM_FILE_ITEM_TORN},
        {BYTES("\x15"), LAM_FILE_ITEM_TORN},
        {BYTES("\x19"), LAM_FILE_ITEM_TORN},
        {BYTES("\x26"), LAM_FILE_ITEM_TORN},
        {BYTES("\x16"), LAM_FILE_ITEM_UNKNOWN},
        {BYTES("\x16\x00\x15"), LAM_FILE_ITEM_UNKNOWN},
        {BYTES("\x19\x11"), LAM_FILE_ITEM_TORN},
        {BYTES("\x19\x12"), LAM_FILE_ITEM_TORN},
        {BYTES("\x19\x1C"), LAM_FILE_ITEM_TORN},
        {BYTES("\x19\x15"), LAM_FILE_ITEM_UNKNOWN},
        {BYTES("\x15\x80"), LAM_FILE_ITEM_TORN},
        {BYTES("\x15\x80\x80\x01"), LAM_FILE_ITEM_TORN},
        {BYTES("\x15\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"), LAM_FILE_ITEM_UNKNOWN},
        {BYTES("\x15\x00\x15"), LAM_FILE_ITEM_TORN},
        {BYTES("\x15\x00\x16"), LAM_FILE_ITEM_UNKNOWN},
        {BYTES("\x15\x00\x19"), LAM_FILE_ITEM_TORN},
        {BYTES("\x26\x00\x1C"), LAM_FILE_ITEM_TORN},
        {BYTES("\x26\x00\x15"), LAM_FILE_ITEM_UNKNOWN},
        {BYTES("\x26\x08\x1C\x00\x00"), LAM_FILE_ITEM_COLUMN},
        {BYTES("\x15\x00\x19\x15\x00\x00"), LAM_FILE_ITEM_COLUMN},
        {BYTES("\x15\x00\x19\x1C\x00\x00\x06\0\0\0PAR1"), LAM_FILE_ITEM_FOOTER},
        {BYTES("\x15\x00\x19\x1C\x00\x00\x07\0\0\0PAR1"), LAM_FILE_ITEM_UNKNOWN},
        {BYTES("\x15\x00\x19\x1C\x00\x00\x06\0\0\0PAR2"), LAM_FILE_ITEM_UNKNOWN},
        {BYTES("\x15\x00\x19\x1C\x00\x00\x06\0\0\0PAR"), LAM_FILE_ITEM_TORN},
        {BYTES("\x15\x00\x1C\x1C\x00\x00\x1C\x1C\x00\x00\x1C\x1C\x00\x00\x00"),
         LAM_FILE_ITEM_UNKNOWN}, /* a filter without bytes */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_file_item item = first_item(cases[i].bytes);
        cr_assert_eq(item.kind, cases[i].kind, "%zu: %d", i, (int)item.kind);
        cr_assert_eq(item.offset, 4);
        if (item.kind == LAM_FILE_ITEM_TORN)
            cr_assert_eq(item.size, cases[i].bytes.size);
    }
}

/* A header that does not say what its type needs, or that says what cannot be, is no page. */
Test(file_item, a_page_states_what_its_type_needs) {
    const lam_meta_data_page_header v1 = {.num_values = 1};
    const lam_meta_data_page_header_v2 v2 = {.num_values = 1, .is_compressed = true};
    const lam_meta_dictionary_page_header dictionary = {.num_values = 1};
    const lam_meta_data_page_header negative = {.num_values = -1};
    const struct {
        lam_meta_page_header header;
        bool fits;
    } cases[] = {
        {{.type = LAM_PAGE_DATA, .data_page_header = &v1}, true},
        {{.type = LAM_PAGE_DATA_V2, .data_page_header_v2 = &v2}, true},
        {{.type = LAM_PAGE_DICTIONARY, .dictionary_page_header = &dictionary}, true},
        {{.type = LAM_PAGE_INDEX, .data_page_header = &v1}, false},
        {{.type = LAM_PAGE_DATA, .data_page_header = &negative}, false},
        {{.type = LAM_PAGE_DATA, .data_page_header = &v1, .compressed_page_size = -1}, false},
        {{.type = LAM_PAGE_DATA, .data_page_header = &v1, .uncompressed_page_size = -1}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_walked_page page = {0};
        cr_assert_eq(lam_walked_page_fill(&cases[i].header, &page), cases[i].fits, "%zu", i);
    }
}

/* A read that fails while an item is looked at is no end of the file, at whichever read. */
Test(file_item, a_read_that_fails_is_reported) {
    static const uint8_t filter[] = {0x15, 0x40, 0x1C, 0x1C, 0x00, 0x00, 0x1C, 0x1C,
                                     0x00, 0x00, 0x1C, 0x1C, 0x00, 0x00, 0x00};
    static const uint8_t zeros[32] = {0};
    static const uint8_t footer[] = {0x15, 0x00, 0x19, 0x1C, 0x00, 0x00, 0x06,
                                     0,    0,    0,    'P',  'A',  'R',  '1'};
    lam_allocator heap = lam_allocator_default();
    lam_recovery_header header = {.kind = LAM_RECOVERY_END};
    lam_buffer file;
    lam_buffer_init(&file, &heap);
    cr_assert_eq(lam_buffer_append(&file, "PAR1", 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(&file, filter, sizeof filter, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(&file, zeros, sizeof zeros, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_recovery_record_write(&header, (lam_bytes){zeros, sizeof zeros}, &file, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(&file, footer, sizeof footer, NULL), LAM_STATUS_OK);
    lam_ending_input ending = {.file = lam_buffer_bytes(&file)};
    lam_input input = lam_ending_input_of(&ending);
    lam_status status = LAM_STATUS_IO;
    for (size_t number = 1; status == LAM_STATUS_IO; number++) {
        static const lam_file_item_kind kinds[] = {LAM_FILE_ITEM_BLOOM, LAM_FILE_ITEM_RECORD,
                                                   LAM_FILE_ITEM_FOOTER, LAM_FILE_ITEM_END};
        lam_file_items items;
        lam_error error = lam_error_none();
        lam_ending_input_again(&ending, number, 0);
        lam_file_items_init(&items, &input, 1, LIMIT, &heap);
        status = LAM_STATUS_OK;
        for (size_t i = 0; i < 4 && status == LAM_STATUS_OK; i++) {
            lam_file_item item;
            status = lam_file_items_next(&items, &item, &error);
            cr_assert(status == LAM_STATUS_IO || item.kind == kinds[i], "%zu", i);
        }
        cr_assert_str_eq(error.message, status == LAM_STATUS_IO ? LAM_ENDING_MESSAGE : "");
        lam_file_items_finish(&items);
    }
    cr_assert_eq(status, LAM_STATUS_OK);
    lam_buffer_finish(&file);
}
