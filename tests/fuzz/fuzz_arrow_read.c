/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any file as Arrow arrays: every array is a right one, however the rows are cut into batches and
 * in whatever order columns are decoded; a read that skips gives the rest; rows where a field is
 * null and those where it is not are all rows. An input looks at one of these, so that many can be
 * tried in little time. (any_file.h)
 */
#include <errno.h>
#include <lamella/arrow.h>
#include <lamella/filter.h>
#include <lamella/reader.h>
#include <stdlib.h>

#include "arrow/array_flaw.h"
#include "fuzz/any_file.h"
#include "fuzz/harness.h"

enum { ROWS_MAX = 20000, BATCHES_MAX = 200 };

/* What the arrays of a stream come to, however they are cut. */
typedef struct stream_sums {
    int code;
    uint64_t rows;
    uint64_t slots; /* of all arrays of all levels */
    uint64_t nulls;
    bool cut; /* not read to its end */
} stream_sums;

static void add_array(stream_sums *sums, const struct ArrowArray *array) {
    sums->slots += (uint64_t)array->length;
    sums->nulls += (uint64_t)array->null_count;
    for (int64_t i = 0; i < array->n_children; i++)
        add_array(sums, array->children[i]);
}

/* Whether codes of errors are those that a file may bring about. */
static void judge_code(struct ArrowArrayStream *stream, int code, bool may_lack_memory) {
    if (code == 0)
        return;
    LAM_FUZZ_EXPECT(code == EINVAL || code == ENOSYS || code == EOVERFLOW ||
                    (code == ENOMEM && may_lack_memory));
    const char *message = stream->get_last_error(stream);
    LAM_FUZZ_EXPECT(message != NULL && message[0] != '\0' && strchr(message, '\n') == NULL);
}

static bool has_wide_lists(const lam_arrow_field *field) {
    if (field->type.kind == LAM_ARROW_FIXED_SIZE_LIST)
        return true;
    for (size_t i = 0; i < field->child_count; i++)
        if (has_wide_lists(&field->children[i]))
            return true;
    return false;
}

static void read_batches(struct ArrowArrayStream *stream, const lam_arrow_field *root,
                         uint64_t batch_rows, bool may_lack_memory, stream_sums *sums) {
    for (int batches = 1;; batches++) {
        struct ArrowArray array;
        sums->code = stream->get_next(stream, &array);
        judge_code(stream, sums->code, may_lack_memory);
        if (sums->code != 0 || array.release == NULL)
            return;
        const char *flaw = lam_array_flaw(root, &array);
        LAM_FUZZ_EXPECT(flaw == NULL);
        LAM_FUZZ_EXPECT(array.length > 0 && (uint64_t)array.length <= batch_rows);
        sums->rows += (uint64_t)array.length;
        add_array(sums, &array);
        array.release(&array);
        sums->cut = sums->rows > ROWS_MAX || batches == BATCHES_MAX;
        if (sums->cut)
            return;
    }
}

static stream_sums read_stream(const lam_fuzz_file *file, const lam_arrow_read_options *options) {
    stream_sums sums = {0};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    lam_arrow_field root;
    lam_arena arena;
    lam_allocator allocator = lam_fuzz_allocator();
    lam_error error = lam_error_none();
    lam_status status = lam_arrow_read_stream(file->reader, options, &stream, &error);
    if (!lam_fuzz_file_judge(file, status, &error)) {
        sums.code = EINVAL;
        return sums;
    }
    lam_arena_init(&arena, &allocator, 0);
    LAM_FUZZ_EXPECT(stream.get_schema(&stream, &schema) == 0);
    LAM_FUZZ_OK(lam_arrow_field_import(&schema, &arena, &root, &fault));
    schema.release(&schema);
    /* The limit holds for each column, and for what pads each list. */
    bool may_lack_memory =
        lam_schema_leaf_count(lam_reader_schema(file->reader)) > 8 || has_wide_lists(&root);
    read_batches(&stream, &root, options->batch_rows, may_lack_memory, &sums);
    stream.release(&stream);
    lam_arena_finish(&arena);
    return sums;
}

static void run_backwards(void *state, void (*task)(void *context, size_t index), void *context,
                          size_t count) {
    (void)state;
    while (count > 0)
        task(context, --count);
}

static stream_sums read_filtered(const lam_fuzz_file *file, const char *path, bool is_null,
                                 bool no_pruning) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_allocator allocator = lam_fuzz_allocator();
    stream_sums sums = {.code = EINVAL};
    LAM_FUZZ_OK(
        lam_filter_builder_create(lam_reader_schema(file->reader), &allocator, &builder, &fault));
    if (lam_filter_builder_is_null(builder, path, is_null, NULL) == LAM_STATUS_OK) {
        LAM_FUZZ_OK(lam_filter_builder_finish(builder, &filter, &fault));
        options.filter = filter;
        options.pruning = no_pruning ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        options.batch_rows = 1000;
        sums = read_stream(file, &options);
        lam_filter_destroy(filter);
    }
    lam_filter_builder_destroy(builder);
    return sums;
}

/* The path of some field; false when there is none that can be named. */
static bool some_path(const lam_fuzz_file *file, const lam_field **ret_leaf, char *path,
                      size_t size) {
    const lam_schema *schema = lam_reader_schema(file->reader);
    size_t leaf_count = lam_schema_leaf_count(schema);
    if (leaf_count == 0)
        return false;
    *ret_leaf = lam_schema_leaf(schema, file->seed / 8 % leaf_count);
    return lam_field_path(*ret_leaf, path, size) < size &&
           lam_schema_find(schema, path) == *ret_leaf; /* names may hold dots */
}

/* --- Ways ---------------------------------------------------------------------------------- */

typedef struct read_trial {
    const lam_fuzz_file *file;
    lam_arrow_read_options options;
} read_trial;

static stream_sums read_whole(const read_trial *trial) {
    lam_arrow_read_options options = trial->options;
    options.batch_rows = 4096;
    return read_stream(trial->file, &options);
}

static bool are_whole(const stream_sums *a, const stream_sums *b) {
    return a->code == 0 && b->code == 0 && !a->cut && !b->cut;
}

static void read_pieces(const read_trial *trial) {
    lam_executor executor = {NULL, run_backwards};
    lam_arrow_read_options options = trial->options;
    options.executor = &executor;
    stream_sums whole = read_whole(trial), pieces = read_stream(trial->file, &options);
    if (are_whole(&whole, &pieces))
        LAM_FUZZ_EXPECT(whole.rows == pieces.rows && whole.slots == pieces.slots &&
                        whole.nulls == pieces.nulls);
}

static void read_rest(const read_trial *trial) {
    lam_arrow_read_options options = trial->options;
    options.skip_rows = 1 + trial->file->seed % 100;
    stream_sums whole = read_whole(trial), rest = read_stream(trial->file, &options);
    if (are_whole(&whole, &rest))
        LAM_FUZZ_EXPECT(rest.rows ==
                        (whole.rows > options.skip_rows ? whole.rows - options.skip_rows : 0));
}

/* Any field but those inside of lists, which may be null and not in one row. */
static void read_both(const read_trial *trial) {
    const lam_field *leaf;
    char path[300];
    if (!some_path(trial->file, &leaf, path, sizeof path))
        return;
    stream_sums nulls = read_filtered(trial->file, path, true, true);
    stream_sums others = read_filtered(trial->file, path, false, true);
    if (lam_field_max_repetition(leaf) > 0 || !are_whole(&nulls, &others))
        return;
    stream_sums whole = read_whole(trial);
    if (are_whole(&whole, &whole))
        LAM_FUZZ_EXPECT(nulls.rows + others.rows == whole.rows);
}

static void read_pruned(const read_trial *trial) {
    const lam_field *leaf;
    char path[300];
    if (some_path(trial->file, &leaf, path, sizeof path))
        read_filtered(trial->file, path, trial->file->seed / 4 % 2 == 0, false);
}

static void choose_dictionaries(const lam_fuzz_file *file, bool *dictionaries) {
    const lam_schema *schema = lam_reader_schema(file->reader);
    uint32_t seed = file->seed;
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        const lam_field *leaf = lam_schema_leaf(schema, i);
        lam_logical_kind kind = lam_field_logical_type(leaf)->kind;
        dictionaries[i] = seed >> 31 == 1 &&
                          lam_field_physical_type(leaf) == LAM_PHYSICAL_BYTE_ARRAY &&
                          kind != LAM_LOGICAL_DECIMAL && kind != LAM_LOGICAL_UNKNOWN;
        seed = seed * 1664525u + 1013904223u;
    }
}

/* Asks for other kinds of strings and lists, and for names that elements do not have. */
static void ask_for_others(struct ArrowSchema *schema, bool is_element) {
    static const char *const kinds[][2] = {
        {"u", "vu"},   {"U", "u"},   {"z", "vz"},    {"Z", "z"},   {"+l", "+vL"},
        {"+L", "+vl"}, {"l", "tDn"}, {"tdD", "tdm"}, {"tin", "n"},
    };
    struct ArrowSchema *values = schema->dictionary != NULL ? schema->dictionary : schema;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(values->format, kinds[i][0]) == 0) {
            values->format = kinds[i][1];
            break;
        }
    if (is_element)
        schema->name = "item";
    bool is_list = schema->format[0] == '+' && schema->format[1] != 's';
    for (int64_t i = 0; i < schema->n_children; i++)
        ask_for_others(schema->children[i], is_list);
}

/* A request that was made from the schema of the file; false when there is none. */
static bool choose_request(const lam_fuzz_file *file, struct ArrowSchema *ret_schema) {
    lam_error error = lam_error_none();
    if (file->seed % 7 > 1 ||
        lam_arrow_export_schema(file->reader, NULL, ret_schema, &error) != LAM_STATUS_OK)
        return false;
    ask_for_others(ret_schema, false);
    return true;
}

/* A file as it stands, whose seed is that of "AR1", is read in pieces. */
static void read_one_way(const lam_fuzz_file *file) {
    static const uint64_t batches[] = {7, 1, 64, 1000};
    size_t leaf_count = lam_schema_leaf_count(lam_reader_schema(file->reader));
    bool *dictionaries = calloc(leaf_count + 1, sizeof *dictionaries);
    if (dictionaries == NULL)
        abort();
    choose_dictionaries(file, dictionaries);
    read_trial trial = {file, lam_arrow_read_options_default()};
    trial.options.arrow_schema = file->seed % 5 == 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    trial.options.dictionary_leaves = file->seed % 3 == 0 ? dictionaries : NULL;
    trial.options.batch_rows = batches[file->seed / 16 % 4];
    if (trial.options.dictionary_leaves == NULL && file->seed % 11 == 0)
        trial.options.dictionaries = LAM_SWITCH_OFF;
    struct ArrowSchema requested;
    bool is_asked = choose_request(file, &requested);
    trial.options.requested = is_asked ? &requested : NULL;
    if (file->choice & LAM_FUZZ_FILE_SKIP)
        read_rest(&trial);
    else if (file->seed % 4 == 0)
        read_both(&trial);
    else if (file->seed % 4 == 2)
        read_pruned(&trial);
    else
        read_pieces(&trial);
    if (is_asked)
        requested.release(&requested);
    free(dictionaries);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_file file;
    lam_fuzz_file_open(&file, data, size);
    if (file.reader != NULL)
        read_one_way(&file);
    lam_fuzz_file_close(&file);
    lam_fuzz_expect_no_leak();
    return 0;
}
