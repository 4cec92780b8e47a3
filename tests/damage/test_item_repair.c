/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page headers with one wrong bit: they are read as they were, or as they are, and never as
 * something else.
 */
#include "damage/unfinished/item_repair.h"

#include <criterion/criterion.h>
#include <lamella/format.h>
#include <stdio.h>
#include <string.h>

#include "base/crc32.h"
#include "meta/compact.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"
#include "support/random.h"

enum {
    PAGES_MOST = 80,
    BODY = 48,
    HEADERS = 64,
    TRIAL_WORK = 64,
    ITEMS_LIMIT = 1 << 20,
    AHEAD = 4 << 10
};

/* Pages one behind the other, as a file without a footer has them. */
typedef struct header_file {
    lam_buffer bytes;
    size_t offsets[PAGES_MOST + 1];
    size_t header_sizes[PAGES_MOST];
    size_t count;
} header_file;

static void file_begin(header_file *file) {
    lam_allocator allocator = lam_allocator_default();
    memset(file, 0, sizeof *file);
    lam_buffer_init(&file->bytes, &allocator);
    cr_assert_eq(lam_buffer_append(&file->bytes, "PAR1", 4, NULL), LAM_STATUS_OK);
    file->offsets[0] = 4;
}

/* Adds a page with the header, whose sizes and checksum become those of the body. */
static void put_page(header_file *file, lam_meta_page_header header, lam_bytes body) {
    cr_assert_lt(file->count, PAGES_MOST);
    header.compressed_page_size = (int32_t)body.size;
    header.crc = (int32_t)lam_crc32(0, body.data, body.size);
    cr_assert_eq(lam_meta_write_page_header(&header, &file->bytes, NULL), LAM_STATUS_OK);
    file->header_sizes[file->count] = file->bytes.size - file->offsets[file->count];
    cr_assert_eq(lam_buffer_append(&file->bytes, body.data, body.size, NULL), LAM_STATUS_OK);
    file->offsets[++file->count] = file->bytes.size;
}

/* --- Headers --------------------------------------------------------------------------------- */

static const lam_meta_statistics page_statistics = {.has = LAM_META_STATISTICS_HAS_MAX_VALUE |
                                                           LAM_META_STATISTICS_HAS_MIN_VALUE |
                                                           LAM_META_STATISTICS_HAS_NULL_COUNT,
                                                    .null_count = 3,
                                                    .max_value = {(const uint8_t *)"zebra", 5},
                                                    .min_value = {(const uint8_t *)"ant", 3}};
static const lam_meta_data_page_header header_v1 = {.num_values = 150,
                                                    .encoding = LAM_ENCODING_PLAIN,
                                                    .definition_level_encoding = LAM_ENCODING_RLE,
                                                    .repetition_level_encoding = LAM_ENCODING_RLE};
static const lam_meta_data_page_header header_v1_statistics = {
    .has = 1u << 5, /* statistics */
    .num_values = 7,
    .encoding = LAM_ENCODING_PLAIN,
    .definition_level_encoding = LAM_ENCODING_RLE,
    .repetition_level_encoding = LAM_ENCODING_RLE,
    .statistics = &page_statistics};
static const lam_meta_data_page_header_v2 header_v2 = {.num_values = 300,
                                                       .num_nulls = 20,
                                                       .num_rows = 100,
                                                       .encoding = LAM_ENCODING_DELTA_BINARY_PACKED,
                                                       .definition_levels_byte_length = 9,
                                                       .repetition_levels_byte_length = 11,
                                                       .is_compressed = true};
static const lam_meta_data_page_header_v2 header_v2_stated = {
    .has = LAM_META_DATA_PAGE_HEADER_V2_HAS_IS_COMPRESSED,
    .num_values = 30,
    .num_rows = 30,
    .encoding = LAM_ENCODING_PLAIN,
    .is_compressed = true};
static const lam_meta_dictionary_page_header header_dictionary = {
    .has = LAM_META_DICTIONARY_PAGE_HEADER_HAS_IS_SORTED,
    .num_values = 12,
    .encoding = LAM_ENCODING_PLAIN,
    .is_sorted = true};

static lam_meta_page_header header_of_kind(int kind) {
    lam_meta_page_header header = {.has = LAM_META_PAGE_HEADER_HAS_CRC,
                                   .uncompressed_page_size = 1000};
    header.type = kind < 2 ? LAM_PAGE_DATA : kind < 4 ? LAM_PAGE_DATA_V2 : LAM_PAGE_DICTIONARY;
    header.data_page_header = kind == 0 ? &header_v1 : kind == 1 ? &header_v1_statistics : NULL;
    header.data_page_header_v2 = kind == 2 ? &header_v2 : kind == 3 ? &header_v2_stated : NULL;
    header.dictionary_page_header = kind == 4 ? &header_dictionary : NULL;
    return header;
}

/* Three pages of one kind, 0 to 4, with bodies of random bytes. */
static void file_of_kind(header_file *file, int kind, bool has_crc) {
    lam_random random = lam_random_start(lam_test_seed(77));
    file_begin(file);
    for (int i = 0; i < 3; i++) {
        uint8_t body[BODY];
        for (size_t at = 0; at < sizeof body; at++)
            body[at] = (uint8_t)lam_random_next(&random);
        lam_meta_page_header header = header_of_kind(kind);
        header.has = has_crc ? header.has : 0;
        put_page(file, header, (lam_bytes){body, sizeof body});
    }
}

/* --- Walks ----------------------------------------------------------------------------------- */

/* A walk over a file, with a repair or without. */
typedef struct header_walk {
    lam_input input;
    lam_item_repair repair;
    lam_file_items items;
    bool repairs;
} header_walk;

static void walk_begin(header_walk *walk, const lam_input *input, const lam_allocator *allocator,
                       bool repairs) {
    walk->input = *input;
    walk->repairs = repairs;
    lam_item_repair_init(&walk->repair, &walk->input, allocator);
    lam_file_items_init(&walk->items, &walk->repair.patched.input, AHEAD, ITEMS_LIMIT, allocator);
}

static void walk_end(header_walk *walk) {
    lam_file_items_finish(&walk->items);
    lam_item_repair_finish(&walk->repair);
}

static lam_status walk_next(header_walk *walk, lam_file_item *item, lam_error *error) {
    return lam_item_repair_next(walk->repairs ? &walk->repair : NULL, &walk->items, item, error);
}

/* Bits that were turned over so far. */
static size_t count_repaired(const header_walk *walk) {
    uint8_t mine, theirs;
    size_t count = 0;
    for (uint64_t at = 0; at < walk->input.size; at++) {
        cr_assert_eq(walk->input.read_at(walk->input.state, at, 1, &mine, NULL), LAM_STATUS_OK);
        cr_assert_eq(walk->repair.patched.input.read_at(walk->repair.patched.input.state, at, 1,
                                                        &theirs, NULL),
                     LAM_STATUS_OK);
        for (unsigned differ = mine ^ theirs; differ != 0; differ &= differ - 1)
            count++;
    }
    return count;
}

/* What a walk over three pages found. */
typedef struct header_items {
    lam_file_item items[3];
    size_t count;
    bool all_are_sound;
    size_t repaired;
} header_items;

static header_items walk_all(lam_bytes bytes, bool repairs) {
    header_items found = {.all_are_sound = true};
    header_walk walk;
    lam_allocator allocator = lam_allocator_default();
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    walk_begin(&walk, &input, &allocator, repairs);
    while (found.count < 3) {
        lam_file_item *item = &found.items[found.count];
        bool is_sound = false;
        cr_assert_eq(walk_next(&walk, item, NULL), LAM_STATUS_OK);
        found.count++;
        if (item->kind == LAM_FILE_ITEM_PAGE)
            cr_assert_eq(lam_file_items_check_page(&walk.items, &item->page, &is_sound, NULL),
                         LAM_STATUS_OK);
        found.all_are_sound = found.all_are_sound && is_sound;
        if (item->kind < LAM_FILE_ITEM_PAGE)
            break;
    }
    found.repaired = count_repaired(&walk);
    walk_end(&walk);
    return found;
}

static bool is_same_item(const lam_file_item *a, const lam_file_item *b) {
    const lam_walked_page *x = &a->page, *y = &b->page;
    return a->kind == b->kind && a->offset == b->offset && a->size == b->size &&
           x->header_size == y->header_size && x->crc == y->crc && x->type == y->type &&
           x->compressed_size == y->compressed_size &&
           x->uncompressed_size == y->uncompressed_size && x->encoding == y->encoding &&
           x->value_count == y->value_count && x->null_count == y->null_count &&
           x->row_count == y->row_count && x->definition_bytes == y->definition_bytes &&
           x->repetition_bytes == y->repetition_bytes && x->is_compressed == y->is_compressed;
}

static bool is_same_walk(const header_items *a, const header_items *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = is_same_item(&a->items[i], &b->items[i]);
    return same;
}

/* What became of the bits of one header, each turned over alone. */
typedef struct flip_counts {
    size_t repaired;
    size_t harmless; /* the page matches its checksum as it is */
    size_t given_up;
} flip_counts;

static flip_counts flip_each_bit(header_file *file) {
    flip_counts counts = {0};
    const header_items whole = walk_all(lam_buffer_bytes(&file->bytes), true);
    cr_assert(whole.count == 3 && whole.all_are_sound && whole.repaired == 0);
    for (size_t bit = 0; bit < 8 * file->header_sizes[1]; bit++) {
        uint8_t *byte = &file->bytes.data[file->offsets[1] + bit / 8];
        *byte ^= (uint8_t)(1u << bit % 8);
        const header_items as_is = walk_all(lam_buffer_bytes(&file->bytes), false);
        const header_items found = walk_all(lam_buffer_bytes(&file->bytes), true);
        *byte ^= (uint8_t)(1u << bit % 8);
        cr_assert_eq(as_is.repaired, 0);
        cr_assert_leq(found.repaired, 1);
        if (found.repaired > 0)
            cr_assert(is_same_walk(&found, &whole), "bit %zu", bit);
        else
            cr_assert(is_same_walk(&found, &as_is), "bit %zu", bit);
        counts.repaired += found.repaired;
        counts.harmless += found.repaired == 0 && as_is.all_are_sound;
        counts.given_up += found.repaired == 0 && !as_is.all_are_sound;
    }
    return counts;
}

/* --- Tests ----------------------------------------------------------------------------------- */

Test(item_repair, each_bit_of_a_header_is_turned_back_or_left) {
    for (int kind = 0; kind < 5; kind++) {
        header_file file;
        file_of_kind(&file, kind, true);
        flip_counts counts = flip_each_bit(&file);
        cr_assert_gt(counts.repaired, 20 * counts.given_up, "kind %d: %zu, %zu of %zu", kind,
                     counts.repaired, counts.given_up, 8 * file.header_sizes[1]);
        cr_assert_gt(counts.harmless, 0); /* such as those of a number of values */
        lam_buffer_finish(&file.bytes);
    }
}

Test(item_repair, a_header_without_a_checksum_stays_as_it_is) {
    for (int kind = 0; kind < 5; kind++) {
        header_file file;
        file_of_kind(&file, kind, false);
        cr_assert_eq(flip_each_bit(&file).repaired, 0, "kind %d", kind);
        lam_buffer_finish(&file.bytes);
    }
}

/* Damages a byte of the second page's header, which was `was`, counted from the header's end. */
static header_items walk_damaged(header_file *file, size_t from_end, uint8_t was, uint8_t damaged) {
    uint8_t *byte = &file->bytes.data[file->offsets[1] + file->header_sizes[1] - from_end];
    cr_assert_eq(*byte, was, "%x", *byte);
    *byte = damaged;
    const header_items found = walk_all(lam_buffer_bytes(&file->bytes), true);
    *byte = was;
    return found;
}

/*
 * A flag has the type 1 or 2 for true or false, of which the types 0 and 3 are one bit away. Behind
 * an encoding, it may be the high bits of that.
 */
Test(item_repair, a_bit_that_may_mean_two_things_is_left) {
    for (int kind = 3; kind < 5; kind++) {
        header_file file;
        file_of_kind(&file, kind, true);
        header_items found = walk_damaged(&file, 3, 0x11, 0x10);
        cr_assert_eq(found.repaired, 0);
        cr_assert_eq(found.count, 2);
        cr_assert_eq(found.items[1].kind, LAM_FILE_ITEM_UNKNOWN);
        lam_buffer_finish(&file.bytes);
    }
}

/* Whether a bound is exact is nothing that a walk tells. */
Test(item_repair, a_bit_that_says_the_same_of_the_page_either_way_is_turned_over) {
    header_file file;
    uint8_t body[BODY] = {2};
    lam_meta_statistics statistics = page_statistics;
    lam_meta_data_page_header data = header_v1_statistics;
    lam_meta_page_header header = header_of_kind(1);
    statistics.has |= LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT;
    statistics.is_max_value_exact = true;
    data.statistics = &statistics;
    header.data_page_header = &data;
    file_begin(&file);
    for (int i = 0; i < 3; i++)
        put_page(&file, header, (lam_bytes){body, sizeof body});
    const header_items whole = walk_all(lam_buffer_bytes(&file.bytes), true);
    header_items found = walk_damaged(&file, 4, 0x11, 0x10);
    cr_assert_eq(found.repaired, 1);
    cr_assert(is_same_walk(&found, &whole));
    lam_buffer_finish(&file.bytes);
}

/* Turns a bit of the checksum of a page of kind 0 over. */
static void damage_crc(header_file *file, size_t page) {
    uint8_t *header = file->bytes.data + file->offsets[page];
    uint32_t number = 0;
    size_t crc = 1;
    for (; number < 3; number++) { /* behind the type and two sizes */
        while (header[crc] >= 0x80)
            crc++;
        crc += 2;
    }
    header[crc] ^= 0x10;
}

Test(item_repair, only_so_many_headers_of_a_file_are_tried) {
    header_file file;
    header_walk walk;
    uint8_t body[BODY];
    lam_allocator allocator = lam_allocator_default();
    memset(body, 9, sizeof body);
    file_begin(&file);
    for (size_t i = 0; i < HEADERS + 3; i++) {
        put_page(&file, header_of_kind(0), (lam_bytes){body, sizeof body});
        damage_crc(&file, i);
    }
    lam_input input = lam_input_memory(file.bytes.data, file.bytes.size);
    walk_begin(&walk, &input, &allocator, true);
    for (size_t i = 0; i < file.count; i++) {
        lam_file_item item;
        bool is_sound;
        cr_assert_eq(walk_next(&walk, &item, NULL), LAM_STATUS_OK);
        cr_assert_eq(item.kind, LAM_FILE_ITEM_PAGE, "%zu", i);
        cr_assert_eq(item.offset, file.offsets[i]);
        cr_assert_eq(lam_file_items_check_page(&walk.items, &item.page, &is_sound, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(is_sound, i < HEADERS, "%zu", i);
    }
    cr_assert_eq(count_repaired(&walk), HEADERS);
    walk_end(&walk);
    lam_buffer_finish(&file.bytes);
}

/* The number of values is negative: only its lowest bit can be wrong, and the body is the same. */
Test(item_repair, no_more_bytes_are_read_than_the_work_that_is_left) {
    for (uint64_t missing = 0; missing < 2; missing++) {
        header_file file;
        header_walk walk;
        lam_file_item item;
        lam_allocator allocator = lam_allocator_default();
        file_of_kind(&file, 4, true);
        uint8_t *count = &file.bytes.data[file.offsets[0] + file.header_sizes[0] - 6];
        cr_assert_eq(*count, 24); /* 12 */
        *count ^= 1;
        lam_input input = lam_input_memory(file.bytes.data, file.bytes.size);
        walk_begin(&walk, &input, &allocator, true);
        size_t bit = 8 * (file.header_sizes[0] - 6);
        walk.repair.headers.work_left = (bit + 1) * TRIAL_WORK + BODY + 1 - missing;
        cr_assert_eq(walk_next(&walk, &item, NULL), LAM_STATUS_OK);
        cr_assert_eq(item.kind, missing == 0 ? LAM_FILE_ITEM_PAGE : LAM_FILE_ITEM_UNKNOWN);
        cr_assert_eq(walk.repair.headers.work_left, 0);
        cr_assert_eq(count_repaired(&walk), 1 - missing);
        walk_end(&walk);
        lam_buffer_finish(&file.bytes);
    }
}

/* The bound of the work is one for small files, and grows with large ones. */
Test(item_repair, the_work_grows_with_the_file) {
    header_walk walk;
    lam_allocator allocator = lam_allocator_default();
    uint64_t work[2];
    for (int i = 0; i < 2; i++) {
        lam_input input = lam_input_memory("PAR1", 4);
        input.size = i == 0 ? 4 : (uint64_t)1 << 40;
        walk_begin(&walk, &input, &allocator, true);
        work[i] = walk.repair.headers.work_left;
        walk_end(&walk);
    }
    cr_assert_gt(work[0], 1 << 20);
    cr_assert_gt(work[1], (uint64_t)1 << 40);
}

/* A size that reaches behind the end of the file, and a page that was cut there. */
Test(item_repair, an_item_that_the_file_ends_in_is_repaired_if_it_is_not_cut) {
    header_file file;
    file_of_kind(&file, 0, true);
    size_t last = file.offsets[2], end = file.offsets[3];
    const header_items whole = walk_all(lam_buffer_bytes(&file.bytes), true);
    uint8_t *size = NULL;
    for (size_t at = last; at < end && size == NULL; at++)
        if (file.bytes.data[at] == 2 * BODY)
            size = &file.bytes.data[at];
    cr_assert_not_null(size);
    *size ^= 0x02; /* 49 bytes */
    header_items found = walk_all(lam_buffer_bytes(&file.bytes), true);
    cr_assert(found.repaired == 1 && is_same_walk(&found, &whole));
    *size ^= 0x02;
    for (size_t cut = last + 1; cut < end; cut++) {
        found = walk_all((lam_bytes){file.bytes.data, cut}, true);
        cr_assert_eq(found.items[2].kind, LAM_FILE_ITEM_TORN, "at %zu", cut);
        cr_assert_eq(found.repaired, 0);
    }
    found = walk_all((lam_bytes){file.bytes.data, last}, true);
    cr_assert_eq(found.items[2].kind, LAM_FILE_ITEM_END);
    lam_buffer_finish(&file.bytes);
}

/* Writes a page whose statistics have `size` bytes, with one bit wrong; is that repaired? */
static bool repairs_long_header(size_t size, bool at_start) {
    static uint8_t text[8 << 10];
    uint8_t body[BODY] = {1};
    header_file file;
    lam_meta_statistics statistics = page_statistics;
    lam_meta_data_page_header data = header_v1_statistics;
    lam_meta_page_header header = header_of_kind(1);
    memset(text, 'x', sizeof text);
    statistics.max_value = (lam_bytes){text, size};
    data.statistics = &statistics;
    header.data_page_header = &data;
    file_begin(&file);
    put_page(&file, header, (lam_bytes){body, sizeof body});
    /* The type of the page, or the type of what ends the header: nothing. */
    size_t at = at_start ? 1 : file.header_sizes[0] - 1;
    file.bytes.data[file.offsets[0] + at] ^= at_start ? 0x02 : 0x08;
    header_items found = walk_all(lam_buffer_bytes(&file.bytes), true);
    cr_assert(found.repaired == 0 || found.items[0].page.header_size == file.header_sizes[0]);
    lam_buffer_finish(&file.bytes);
    return found.repaired == 1;
}

Test(item_repair, the_first_bits_of_a_long_header_are_tried) {
    cr_assert(repairs_long_header(10, true));
    cr_assert(repairs_long_header(10, false));
    cr_assert(repairs_long_header(1000, true));
    cr_assert_not(repairs_long_header(1000, false));
    cr_assert_not(repairs_long_header(5000, true)); /* longer than what is looked at */
}

/* --- Failures -------------------------------------------------------------------------------- */

/*
 * Two large pages between small ones, so that their bodies are read in pieces: one that cannot be
 * read, and one that does not match its checksum.
 */
static void file_of_large_pages(header_file *file, size_t large) {
    static uint8_t body[200 << 10];
    lam_random random = lam_random_start(lam_test_seed(5));
    for (size_t at = 0; at < sizeof body; at++)
        body[at] = (uint8_t)lam_random_next(&random);
    file_begin(file);
    put_page(file, header_of_kind(0), (lam_bytes){body, BODY});
    put_page(file, header_of_kind(1), (lam_bytes){body, large});
    put_page(file, header_of_kind(2), (lam_bytes){body, BODY});
    put_page(file, header_of_kind(0), (lam_bytes){body, large});
    file->bytes.data[file->offsets[1] + 1] ^= 0x08; /* the type: there is no 4 */
    damage_crc(file, 3);
}

/* Walks to the end, or to a failure; demands the pages as they were. */
static lam_status walk_failing(const header_file *file, const lam_input *input,
                               const lam_allocator *allocator, lam_error *error) {
    header_walk walk;
    lam_status status = LAM_STATUS_OK;
    walk_begin(&walk, input, allocator, true);
    for (size_t i = 0; i < file->count && status == LAM_STATUS_OK; i++) {
        lam_file_item item;
        status = walk_next(&walk, &item, error);
        if (status == LAM_STATUS_OK)
            cr_assert(item.kind == LAM_FILE_ITEM_PAGE && item.offset == file->offsets[i] &&
                      item.size == file->offsets[i + 1] - file->offsets[i]);
    }
    walk_end(&walk);
    return status;
}

Test(item_repair, a_read_that_fails_is_reported) {
    header_file file;
    lam_allocator allocator = lam_allocator_default();
    file_of_large_pages(&file, 200 << 10);
    lam_ending_input ending = {.file = lam_buffer_bytes(&file.bytes)};
    lam_input input = lam_ending_input_of(&ending);
    cr_assert_eq(walk_failing(&file, &input, &allocator, NULL), LAM_STATUS_OK);
    size_t reads = ending.reads;
    cr_assert_gt(reads, 4);
    for (size_t number = 1; number <= reads; number++) {
        lam_error error = lam_error_none();
        lam_ending_input_again(&ending, number, 0);
        cr_assert_eq(walk_failing(&file, &input, &allocator, &error), LAM_STATUS_IO, "%zu", number);
        cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
    }
    lam_buffer_finish(&file.bytes);
}

Test(item_repair, memory_that_runs_out_is_reported) {
    header_file file;
    file_of_large_pages(&file, 300);
    lam_ending_input ending = {.file = lam_buffer_bytes(&file.bytes)};
    lam_input input = lam_ending_input_of(&ending);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t number = 1; status == LAM_STATUS_NOMEM; number += 1 + number / 50) {
        for (int has_error = 0; has_error < 2; has_error++) {
            lam_failing_alloc counter = {.fail_at = number};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_error error = lam_error_none();
            status = walk_failing(&file, &input, &allocator, has_error ? &error : NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu", number);
            if (has_error)
                cr_assert_eq(error.status, status, "%zu", number);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
        }
        cr_assert(number > 5 || status == LAM_STATUS_NOMEM);
    }
    lam_buffer_finish(&file.bytes);
}

/* --- Bytes that cannot be read --------------------------------------------------------------- */

enum { GAP_SECTOR = 4096 };

/* Two pages of a kind, of which the second one begins so many bytes before a sector. */
static void file_around_sector(header_file *file, int kind, bool has_crc, size_t before) {
    uint8_t body[GAP_SECTOR];
    lam_meta_page_header header = header_of_kind(0);
    size_t filled = GAP_SECTOR - 300;
    header.has = 0; /* a checksum takes as many bytes as its number */
    memset(body, 7, sizeof body);
    for (int again = 0; again < 2; again++) {
        file_begin(file);
        put_page(file, header, (lam_bytes){body, filled});
        filled += GAP_SECTOR - before - file->bytes.size;
        if (again == 0)
            lam_buffer_finish(&file->bytes);
    }
    cr_assert_eq(file->bytes.size, GAP_SECTOR - before);
    header = header_of_kind(kind);
    header.has = has_crc ? header.has : 0;
    put_page(file, header, (lam_bytes){body, 2 * BODY});
}

/* What the second page is while the sector behind its first bytes cannot be read. */
static lam_file_item second_beside_gap(header_file *file, bool *ret_found_damage) {
    lam_allocator allocator = lam_allocator_default();
    lam_ending_input ending = {.file = lam_buffer_bytes(&file->bytes)};
    lam_input input = lam_ending_input_of(&ending);
    header_walk walk;
    lam_file_item item;
    ending.gap_begin = GAP_SECTOR;
    ending.gap_end = GAP_SECTOR + 1;
    walk_begin(&walk, &input, &allocator, true);
    walk.repair.patched.passes_gaps = true;
    cr_assert_eq(walk_next(&walk, &item, NULL), LAM_STATUS_OK);
    cr_assert_eq(item.kind, LAM_FILE_ITEM_PAGE);
    cr_assert_eq(walk_next(&walk, &item, NULL), LAM_STATUS_OK);
    cr_assert_eq(item.offset, file->offsets[1]);
    cr_assert_eq(walk.items.next, file->offsets[item.kind == LAM_FILE_ITEM_PAGE ? file->count : 1]);
    *ret_found_damage = walk.repair.found_damage;
    walk_end(&walk);
    return item;
}

/* Zeros end structs: a header was as short as its bytes that could be read. */
Test(item_repair, a_header_that_is_read_in_part_is_none_and_a_body_is_damaged) {
    for (int kind = 0; kind < 10; kind++) {
        size_t header_size = 1;
        for (size_t before = 1; before < header_size + 4; before++) {
            header_file file;
            bool found_damage, has_crc = kind < 5;
            file_around_sector(&file, kind % 5, has_crc, before);
            header_size = file.header_sizes[1];
            lam_file_item item = second_beside_gap(&file, &found_damage);
            bool is_page = before >= header_size;
            cr_assert_eq(item.kind, is_page ? LAM_FILE_ITEM_PAGE : LAM_FILE_ITEM_UNKNOWN,
                         "kind %d: %zu of %zu", kind, before, header_size);
            cr_assert_eq(item.begun,
                         before >= LAM_FILE_ITEM_PEEK ? LAM_FILE_ITEM_PAGE : LAM_FILE_ITEM_UNKNOWN);
            cr_assert_eq(found_damage, is_page && has_crc);
            lam_buffer_finish(&file.bytes);
        }
    }
}
