/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of random files, divided: what is found is always what the file has, however much of it is
 * there, and whoever is out of memory or cannot read learns that.
 */
#include <criterion/criterion.h>
#include <lamella/format.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "damage/unfinished/page_division.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"

enum { PAGES_MOST = 80, LEAVES_MOST = 10, CHUNK_PAGES = 7, GROUPS_MOST = 5, ROUNDS = 1500 };

/* The pages of a file, and what they are. */
typedef struct random_file {
    lam_schema *schema;
    size_t leaf_count;
    lam_walked_page pages[PAGES_MOST];
    lam_page_fit fits[PAGES_MOST];
    size_t leaf_of[PAGES_MOST];
    size_t page_count;
    size_t starts[GROUPS_MOST * LEAVES_MOST + 1]; /* of all chunks, and the end */
    size_t group_count;
    uint64_t usual_rows; /* 0 if row groups differ */
    uint32_t encodings[LEAVES_MOST];
    size_t count_calls, fail_at; /* the call that fails, from 1; 0 never */
} random_file;

static const char *const division_shapes[] = {
    "message m { required int64 a; optional binary s; repeated int32 r; required boolean f; }",
    "message m { required int64 a; required int64 b; }",
    "message m { optional int64 a; optional int64 b; optional int64 c; }",
    "message m { repeated int64 a; repeated int64 b; }",
    "message m { required binary s; optional fixed_len_byte_array(5) x; required binary t; }",
    "message m { repeated int64 only; }",
    "message m { required int64 only; }",
    "message m { optional binary only; }",
    "message m { required int64 a; optional int64 b; required binary c; optional binary d;"
    "            required int32 e; optional int32 f; required boolean g; optional boolean h;"
    "            required double i; optional double j; }",
};
enum { DIVISION_SHAPES = sizeof division_shapes / sizeof *division_shapes };

static bool is_alike(const lam_field *a, const lam_field *b) {
    return lam_field_physical_type(a) == lam_field_physical_type(b) &&
           lam_field_max_definition(a) == lam_field_max_definition(b) &&
           lam_field_max_repetition(a) == lam_field_max_repetition(b);
}

/* Counts a page as one of a leaf, as far as it can be one. */
static lam_status count_random(void *state, size_t leaf_index, size_t page, lam_page_fit *ret_fit,
                               lam_error *error) {
    random_file *file = state;
    if (++file->count_calls == file->fail_at)
        LAM_FAIL(error, LAM_STATUS_IO, "no page to be counted");
    *ret_fit = file->fits[page];
    ret_fit->fits = is_alike(lam_schema_leaf(file->schema, leaf_index),
                             lam_schema_leaf(file->schema, file->leaf_of[page]));
    return LAM_STATUS_OK;
}

/* --- Random files ---------------------------------------------------------------------------- */

static int32_t random_encoding(lam_random *random, lam_physical_type type, bool has_dictionary) {
    if (has_dictionary && lam_random_chance(random, 80))
        return lam_random_chance(random, 80) ? LAM_ENCODING_RLE_DICTIONARY
                                             : LAM_ENCODING_PLAIN_DICTIONARY;
    if (lam_random_chance(random, 60))
        return LAM_ENCODING_PLAIN;
    switch (type) {
    case LAM_PHYSICAL_BOOLEAN:
        return LAM_ENCODING_RLE;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_INT64:
        return LAM_ENCODING_DELTA_BINARY_PACKED;
    case LAM_PHYSICAL_DOUBLE:
        return LAM_ENCODING_BYTE_STREAM_SPLIT;
    default:
        return LAM_ENCODING_DELTA_BYTE_ARRAY;
    }
}

static lam_walked_page *add_page(random_file *file, size_t leaf, lam_page_type type,
                                 int32_t value_count) {
    const lam_field *field = lam_schema_leaf(file->schema, leaf);
    lam_physical_type physical = lam_field_physical_type(field);
    int32_t width = physical == LAM_PHYSICAL_INT32                                      ? 4
                    : physical == LAM_PHYSICAL_INT64 || physical == LAM_PHYSICAL_DOUBLE ? 8
                                                                                        : 5;
    lam_walked_page *page = &file->pages[file->page_count];
    *page = (lam_walked_page){.header_size = 20,
                              .offset = 4 + 1000 * file->page_count,
                              .compressed_size = width * value_count,
                              .uncompressed_size = width * value_count,
                              .type = type,
                              .encoding = LAM_ENCODING_PLAIN,
                              .value_count = value_count,
                              .is_sound = true};
    if (type == LAM_PAGE_DATA_V2) {
        page->definition_bytes = lam_field_max_definition(field) > 0 ? 2 : 0;
        page->repetition_bytes = lam_field_max_repetition(field) > 0 ? 2 : 0;
    }
    file->leaf_of[file->page_count++] = leaf;
    return page;
}

/* Adds a chunk of some pages. */
static void add_chunk(random_file *file, lam_random *random, size_t leaf, uint64_t rows) {
    const lam_field *field = lam_schema_leaf(file->schema, leaf);
    lam_physical_type physical = lam_field_physical_type(field);
    bool repeats = lam_field_max_repetition(field) > 0, is_v2 = lam_random_chance(random, 30);
    bool has_dictionary = physical != LAM_PHYSICAL_BOOLEAN && lam_random_chance(random, 40);
    size_t first = file->page_count;
    if (has_dictionary)
        add_page(file, leaf, LAM_PAGE_DICTIONARY, 1 + (int32_t)lam_random_below(random, 4));
    bool begins = true;
    do {
        bool is_last = file->page_count - first + 2 >= CHUNK_PAGES;
        bool goes_on = repeats && !is_v2 && !begins && !is_last && lam_random_chance(random, 30);
        uint64_t some =
            is_last || lam_random_chance(random, 60) ? rows : lam_random_below(random, rows);
        if (goes_on) /* a page inside of the last row */
            some = 0;
        lam_page_fit *fit = &file->fits[file->page_count];
        *fit = (lam_page_fit){true, !goes_on, some};
        lam_walked_page *page = add_page(file, leaf, is_v2 ? LAM_PAGE_DATA_V2 : LAM_PAGE_DATA,
                                         (int32_t)some + (repeats ? 2 : 0));
        page->encoding = random_encoding(random, physical, has_dictionary);
        file->encodings[leaf] |= 1u << page->encoding;
        rows -= some;
        begins = goes_on || some == 0;
    } while (rows > 0 ||
             (file->page_count - first + 1 < CHUNK_PAGES && lam_random_chance(random, 5)));
    file->pages[first].begins_new = first == 0 || lam_random_chance(random, 10);
}

/* Makes a file with as many row groups as there is room for. */
static void make_random(random_file *file, lam_random *random, const char *shape) {
    memset(file, 0, sizeof *file);
    file->schema = lam_test_schema(shape);
    file->leaf_count = lam_schema_leaf_count(file->schema);
    size_t groups = 1 + (size_t)lam_random_below(random, GROUPS_MOST);
    bool is_usual = lam_random_chance(random, 50);
    uint64_t usual = 1 + lam_random_below(random, 5);
    file->usual_rows = is_usual && groups > 1 ? usual : 0;
    for (size_t g = 0; g < groups && file->page_count + CHUNK_PAGES * file->leaf_count < PAGES_MOST;
         g++) {
        bool is_last = g + 1 == groups;
        uint64_t rows = !is_usual ? lam_random_below(random, 6)
                        : is_last ? 1 + lam_random_below(random, usual)
                                  : usual;
        for (size_t leaf = 0; leaf < file->leaf_count; leaf++) {
            file->starts[file->group_count * file->leaf_count + leaf] = file->page_count;
            add_chunk(file, random, leaf, rows);
        }
        file->group_count++;
        file->starts[file->group_count * file->leaf_count] = file->page_count;
    }
}

/* --- What is found --------------------------------------------------------------------------- */

typedef struct found_division {
    lam_status status;
    lam_error error;
    lam_buffer starts;
    lam_buffer cut;
} found_division;

static found_division divide_random(random_file *file, size_t page_count, bool keeps_cut,
                                    bool has_encodings, const lam_allocator *allocator) {
    found_division found = {.error = lam_error_none()};
    lam_page_division division = {file->pages,
                                  page_count,
                                  file->schema,
                                  file->usual_rows,
                                  page_count == file->page_count,
                                  count_random,
                                  file,
                                  allocator,
                                  has_encodings ? file->encodings : NULL,
                                  NULL};
    lam_buffer_init(&found.starts, allocator);
    lam_buffer_init(&found.cut, allocator);
    file->count_calls = 0;
    found.status = lam_page_division_find(&division, &found.starts, keeps_cut ? &found.cut : NULL,
                                          &found.error);
    return found;
}

static void drop_division(found_division *found) {
    lam_buffer_finish(&found->starts);
    lam_buffer_finish(&found->cut);
}

static size_t count_of(const lam_buffer *list) {
    return list->size / sizeof(size_t);
}

static size_t item_of(const lam_buffer *list, size_t i) {
    return ((const size_t *)(const void *)list->data)[i];
}

/* True when a chunk of the file begins at a page. */
static bool begins_chunk(const random_file *file, size_t page) {
    size_t i = 0, count = file->group_count * file->leaf_count;
    while (i < count && file->starts[i] != page)
        i++;
    return i < count;
}

/* Demands that what was found is what the file has, as far as its first pages show it. */
static void expect_true(const random_file *file, size_t page_count, const found_division *found) {
    if (found->status == LAM_STATUS_CORRUPT) {
        cr_assert_not_null(strstr(found->error.message, "more than one way"), "%s",
                           found->error.message);
        return;
    }
    cr_assert_eq(found->status, LAM_STATUS_OK, "%s", found->error.message);
    size_t count = count_of(&found->starts), cut = count_of(&found->cut);
    cr_assert_gt(count, 0);
    cr_assert_leq(item_of(&found->starts, count - 1), page_count);
    if (file->leaf_count == 1) { /* row groups may be one */
        for (size_t i = 0; i + 1 < count; i++)
            cr_assert(begins_chunk(file, item_of(&found->starts, i)));
        cr_assert(cut == 0 || cut == 2);
        return;
    }
    cr_assert_eq((count - 1) % file->leaf_count, 0);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(item_of(&found->starts, i), file->starts[i], "%zu", i);
    for (size_t i = 0; i + 1 < cut; i++)
        cr_assert_eq(item_of(&found->cut, i), file->starts[count - 1 + i], "%zu", i);
    if (cut > 0) {
        cr_assert(cut >= 2 && cut <= file->leaf_count + 1);
        cr_assert_leq(item_of(&found->cut, cut - 1), file->starts[count - 1 + cut - 1]);
        cr_assert_leq(item_of(&found->cut, cut - 1), page_count);
    }
}

/* --- Tests ----------------------------------------------------------------------------------- */

Test(division_search, what_is_found_is_what_the_file_has) {
    uint64_t seed = lam_test_seed(20);
    lam_random random = lam_random_start(seed);
    lam_allocator heap = lam_allocator_default();
    size_t divided = 0, whole = 0;
    fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    for (size_t round = 0; round < ROUNDS; round++) {
        random_file file;
        make_random(&file, &random, division_shapes[round % DIVISION_SHAPES]);
        size_t page_count = lam_random_chance(&random, 50)
                                ? file.page_count
                                : (size_t)lam_random_below(&random, file.page_count);
        for (int kind = 0; kind < 4; kind++) {
            found_division found =
                divide_random(&file, page_count, kind % 2 == 1, kind / 2 == 1, &heap);
            expect_true(&file, page_count, &found);
            if (found.status == LAM_STATUS_OK) {
                divided += count_of(&found.starts) > 1;
                whole += item_of(&found.starts, count_of(&found.starts) - 1) == page_count;
            }
            drop_division(&found);
        }
        lam_schema_destroy(file.schema);
    }
    cr_assert_gt(divided, ROUNDS);
    cr_assert_gt(whole, ROUNDS);
}

static bool is_same_list(const lam_buffer *a, const lam_buffer *b) {
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* The search that ran out of memory, or could not read, is none that found less. */
Test(division_search, a_failure_is_reported_and_is_no_division) {
    lam_random random = lam_random_start(lam_test_seed(21));
    lam_allocator heap = lam_allocator_default();
    size_t starved = 0, unread = 0;
    for (size_t round = 0; round < 6 * DIVISION_SHAPES; round++) {
        random_file file;
        make_random(&file, &random, division_shapes[round % DIVISION_SHAPES]);
        size_t page_count = round / DIVISION_SHAPES % 2 == 0
                                ? file.page_count
                                : (size_t)lam_random_below(&random, file.page_count);
        found_division want = divide_random(&file, page_count, true, false, &heap);
        size_t calls = file.count_calls;
        for (size_t number = 1;; number++) {
            lam_failing_alloc counter = {.fail_at = number};
            lam_allocator allocator = lam_failing_allocator(&counter);
            found_division found = divide_random(&file, page_count, true, false, &allocator);
            bool is_over = counter.requests < number;
            if (is_over)
                cr_assert(found.status == want.status &&
                          is_same_list(&found.starts, &want.starts) &&
                          is_same_list(&found.cut, &want.cut));
            else
                cr_assert_eq(found.status, LAM_STATUS_NOMEM, "%zu", number);
            starved += !is_over;
            drop_division(&found);
            cr_assert_eq(counter.live_bytes, 0);
            if (is_over)
                break;
        }
        for (file.fail_at = 1; file.fail_at <= calls; file.fail_at += 1 + file.fail_at / 4) {
            found_division found = divide_random(&file, page_count, true, false, &heap);
            cr_assert_eq(found.status, LAM_STATUS_IO);
            cr_assert_str_eq(found.error.message, "no page to be counted");
            unread++;
            drop_division(&found);
        }
        drop_division(&want);
        lam_schema_destroy(file.schema);
    }
    cr_assert_gt(starved, 100);
    cr_assert_gt(unread, 100);
}

/* --- Pages that cannot be of a leaf ---------------------------------------------------------- */

static lam_status count_none(void *state, size_t leaf_index, size_t page, lam_page_fit *ret_fit,
                             lam_error *error) {
    (void)leaf_index;
    (void)error;
    const lam_walked_page *pages = state;
    *ret_fit = (lam_page_fit){true, pages[page].row_count != 0, (uint64_t)pages[page].value_count};
    return LAM_STATUS_OK;
}

/* Divides pages as those of one leaf. */
static lam_status divide_one(const char *shape, lam_walked_page *pages, size_t count,
                             const uint32_t *encodings, lam_buffer *cut, lam_error *error) {
    lam_allocator heap = lam_allocator_default();
    lam_schema *schema = lam_test_schema(shape);
    lam_page_division division = {pages,      count, schema, 0,         false,
                                  count_none, pages, &heap,  encodings, NULL};
    lam_buffer starts;
    lam_buffer_init(&starts, &heap);
    lam_status status = lam_page_division_find(&division, &starts, cut, error);
    lam_buffer_finish(&starts);
    lam_schema_destroy(schema);
    return status;
}

Test(division_search, a_page_is_ruled_out_where_no_reader_could_read_it) {
    const lam_walked_page v1 = {.offset = 4,
                                .uncompressed_size = 40,
                                .type = LAM_PAGE_DATA,
                                .encoding = LAM_ENCODING_PLAIN,
                                .value_count = 5};
    lam_walked_page v2 = v1, wide = v1, indexes = v1, dictionary = v1, rle = v1, strange = v1;
    lam_walked_page levels = v1, records = v1, negative = v1, below = v1;
    v2.type = levels.type = records.type = negative.type = below.type = LAM_PAGE_DATA_V2;
    levels.definition_bytes = 2;
    records.repetition_bytes = 2;
    negative.definition_bytes = -1;
    below.repetition_bytes = -1;
    wide.uncompressed_size = 41;
    indexes.encoding = LAM_ENCODING_PLAIN_DICTIONARY;
    dictionary.type = LAM_PAGE_DICTIONARY;
    rle.encoding = LAM_ENCODING_RLE;
    strange.encoding = 77;
    const struct {
        lam_walked_page page;
        const char *shape;
        bool fits;
    } cases[] = {
        {v1, "message m { required int64 a; }", true},
        {wide, "message m { required int64 a; }", false},
        {wide, "message m { optional int64 a; }", true},
        {v2, "message m { required int64 a; }", true},
        {levels, "message m { required int64 a; }", false},
        {levels, "message m { optional int64 a; }", true},
        {records, "message m { optional int64 a; }", false},
        {records, "message m { repeated int64 a; }", true},
        {negative, "message m { repeated int64 a; }", false},
        {below, "message m { repeated int64 a; }", false},
        {indexes, "message m { required int64 a; }", false},
        {dictionary, "message m { required int64 a; }", true},
        {dictionary, "message m { required int32 a; }", false},
        {dictionary, "message m { required boolean a; }", false},
        {dictionary, "message m { required binary a; }", true},
        {rle, "message m { required boolean a; }", true},
        {rle, "message m { required int64 a; }", false},
        {strange, "message m { required int64 a; }", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_walked_page page = cases[i].page;
        lam_error error = lam_error_none();
        page.row_count = 1;
        lam_status status = divide_one(cases[i].shape, &page, 1, NULL, NULL, &error);
        cr_assert_eq(status, cases[i].fits ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "%zu", i);
        cr_assert_str_eq(error.message,
                         cases[i].fits ? ""
                                       : "the page at offset 4 cannot be one of the only column");
    }
}

/* Encodings count where pages say them, and not where nobody knows them. */
Test(division_search, a_page_in_an_encoding_that_its_leaf_has_not_is_ruled_out) {
    static const uint32_t only_delta[] = {1u << LAM_ENCODING_DELTA_BINARY_PACKED};
    static const struct {
        lam_page_type type;
        int32_t encoding;
        bool fits;
    } cases[] = {{LAM_PAGE_DATA, LAM_ENCODING_DELTA_BINARY_PACKED, true},
                 {LAM_PAGE_DATA, LAM_ENCODING_PLAIN, false},
                 {LAM_PAGE_DATA, LAM_ENCODING_BYTE_STREAM_SPLIT, false},
                 {LAM_PAGE_DICTIONARY, LAM_ENCODING_PLAIN, true},
                 {LAM_PAGE_DATA, LAM_ENCODING_ALP + 1, false},
                 {LAM_PAGE_DATA, -1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_walked_page page = {.uncompressed_size = 40,
                                .type = cases[i].type,
                                .encoding = cases[i].encoding,
                                .value_count = 5};
        lam_status status =
            divide_one("message m { required int64 a; }", &page, 1, only_delta, NULL, NULL);
        cr_assert_eq(status, cases[i].fits ? LAM_STATUS_OK : LAM_STATUS_CORRUPT, "%zu", i);
    }
}

/* The last row of a leaf that repeats may go on in a page that is lost. */
Test(division_search, the_last_chunk_of_one_leaf_may_be_cut) {
    lam_allocator heap = lam_allocator_default();
    for (int is_v2 = 0; is_v2 < 2; is_v2++) {
        lam_walked_page pages[2] = {{.type = is_v2 ? LAM_PAGE_DATA_V2 : LAM_PAGE_DATA,
                                     .encoding = LAM_ENCODING_PLAIN,
                                     .value_count = 2,
                                     .row_count = 1}};
        lam_buffer cut;
        pages[1] = pages[0];
        lam_buffer_init(&cut, &heap);
        cr_assert_eq(divide_one("message m { repeated int64 a; }", pages, 2, NULL, &cut, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(count_of(&cut), is_v2 ? 0 : 2);
        if (!is_v2)
            cr_assert(item_of(&cut, 0) == 0 && item_of(&cut, 1) == 2);
        lam_buffer_finish(&cut);
    }
}

Test(division_search, a_schema_without_columns_divides_nothing) {
    lam_error error = lam_error_none();
    cr_assert_eq(divide_one("message m { }", NULL, 0, NULL, NULL, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "the schema has no columns");
}
