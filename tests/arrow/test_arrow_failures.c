/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever fails while arrays are read or written, at whichever call: the failure is told, what was
 * taken is given back once, and no file remains that looks complete.
 */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <lamella/arrow.h>
#include <lamella/reader.h>
#include <lamella/writer.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arrow/any_columns.h"
#include "arrow/array_flaw.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"

/* Instrumented, every third allocation must do: which are leaked is counted in any build. */
#if defined(__SANITIZE_ADDRESS__)
enum { ALLOCATION_STEP = 3 };
#else
enum { ALLOCATION_STEP = 1 };
#endif

enum { ROWS = 24, SLICE_ROWS = 10, GROUP_ROWS = 9, BATCH_ROWS = 5, HELD_MOST = ROWS };

static lam_any_columns columns_of(size_t family) {
    lam_random random = lam_random_start(lam_test_seed(family + 1));
    return lam_any_columns_of(family, ROWS, &random);
}

/* --- Writing ------------------------------------------------------------------------------- */

/* A folder of its own, so that whatever remains is seen. */
typedef struct test_folder {
    char path[100];
    char file[120];
} test_folder;

static test_folder new_folder(void) {
    test_folder folder;
    snprintf(folder.path, sizeof folder.path, "%s/lamella-arrow-XXXXXX", P_tmpdir);
    cr_assert_not_null(mkdtemp(folder.path));
    snprintf(folder.file, sizeof folder.file, "%s/a.parquet", folder.path);
    return folder;
}

static size_t count_files(const test_folder *folder) {
    DIR *entries = opendir(folder->path);
    size_t count = 0;
    cr_assert_not_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static lam_writer_options writing(const lam_allocator *allocator) {
    lam_writer_options options = lam_writer_options_default();
    options.allocator = allocator;
    options.row_group_rows = GROUP_ROWS;
    options.page_rows = 4;
    return options;
}

static lam_status write_file(const lam_any_columns *columns, struct ArrowArrayStream *stream,
                             const lam_allocator *allocator, const test_folder *folder,
                             lam_error *error) {
    lam_writer_options options = writing(allocator);
    (void)columns;
    unlink(folder->file);
    lam_status status = lam_arrow_write_file(folder->file, stream, &options, NULL, error);
    cr_assert_eq(count_files(folder), status == LAM_STATUS_OK);
    return status;
}

/* Array by array, with a schema of its own. */
static lam_status write_arrays(lam_writer *writer, struct ArrowArrayStream *stream,
                               lam_error *error) {
    lam_arrow_writer *arrow;
    struct ArrowSchema schema;
    struct ArrowArray array;
    if (stream->get_schema(stream, &schema) != 0)
        return LAM_STATUS_IO;
    lam_status status = lam_arrow_writer_create(writer, &schema, NULL, &arrow, error);
    schema.release(&schema);
    if (status != LAM_STATUS_OK)
        return status;
    while (status == LAM_STATUS_OK) {
        if (stream->get_next(stream, &array) != 0)
            status = LAM_STATUS_IO;
        else if (array.release == NULL)
            break;
        else
            status = lam_arrow_write_array(arrow, &array, error);
        if (status != LAM_STATUS_IO)
            array.release(&array);
    }
    lam_arrow_writer_destroy(arrow);
    return status;
}

typedef lam_status write_way(lam_writer *writer, struct ArrowArrayStream *stream, lam_error *error);

static lam_status write_stream(lam_writer *writer, struct ArrowArrayStream *stream,
                               lam_error *error) {
    return lam_arrow_write_stream(writer, stream, NULL, error);
}

static lam_status write_through(const lam_any_columns *columns, struct ArrowArrayStream *stream,
                                const lam_allocator *allocator, size_t fail_at_write,
                                write_way *way, lam_error *error) {
    lam_writer *writer;
    lam_trial_output trial = {.fail_at_write = fail_at_write};
    lam_output output = lam_trial_output_open(&trial);
    lam_writer_options options = writing(allocator);
    lam_status status = lam_writer_open(columns->schema, &output, &options, &writer, error);
    if (status != LAM_STATUS_OK) {
        lam_output_close(&output);
        return status;
    }
    status = way(writer, stream, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    else if (trial.failed)
        cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_STATE);
    lam_writer_close(writer);
    cr_assert(trial.closed);
    cr_assert_eq(trial.finished, status == LAM_STATUS_OK);
    cr_assert_eq(trial.calls_after_end, 0);
    lam_trial_output_free(&trial);
    return status;
}

/* Writes in one of three ways, and looks whether the books of the source are settled. */
static lam_status write_once(const lam_any_columns *columns, int way, lam_array_source *source,
                             const lam_allocator *allocator, const test_folder *folder,
                             lam_error *error) {
    struct ArrowArrayStream stream = lam_array_source_open(source);
    lam_status status = way == 0 ? write_file(columns, &stream, allocator, folder, error)
                                 : write_through(columns, &stream, allocator, 0,
                                                 way == 1 ? write_stream : write_arrays, error);
    cr_assert_eq(source->streams_released, 0, "the stream is the caller's");
    cr_assert(lam_array_source_is_released(source));
    stream.release(&stream);
    lam_array_source_close(source);
    return status;
}

Test(arrow_failures, writing_with_any_allocation_failing_gives_all_back_and_leaves_no_file) {
    test_folder folder = new_folder();
    for (size_t family = 0; family < LAM_ANY_COLUMNS; family++) {
        lam_any_columns columns = columns_of(family);
        for (int way = 0; way < 3; way++) {
            lam_status status = LAM_STATUS_NOMEM;
            size_t n = 1;
            for (; status != LAM_STATUS_OK; n += ALLOCATION_STEP) {
                lam_failing_alloc counter = {.fail_at = n};
                lam_allocator allocator = lam_failing_allocator(&counter);
                lam_error error = lam_error_none();
                lam_array_source source = lam_any_columns_source(&columns, SLICE_ROWS);
                status = write_once(&columns, way, &source, &allocator, &folder, &error);
                cr_assert_eq(status, counter.requests < n ? LAM_STATUS_OK : LAM_STATUS_NOMEM,
                             "family %zu, way %d, request %zu: %s", family, way, n, error.message);
                cr_assert_eq(error.status, status);
                cr_assert_eq(counter.live_bytes, 0, "family %zu, way %d, request %zu", family, way,
                             n);
                cr_assert_eq(counter.wrong_sizes, 0);
            }
            cr_assert_gt(n, 100);
        }
        lam_any_columns_finish(&columns);
    }
    unlink(folder.file);
    cr_assert_eq(rmdir(folder.path), 0);
}

Test(arrow_failures, a_source_that_fails_at_any_call_fails_the_writing_with_its_own_words) {
    test_folder folder = new_folder();
    lam_any_columns columns = columns_of(0);
    for (int way = 0; way < 2; way++) {
        lam_status status = LAM_STATUS_IO;
        size_t n = 1;
        for (; status != LAM_STATUS_OK; n++) {
            lam_error error = lam_error_none();
            lam_array_source source = lam_any_columns_source(&columns, SLICE_ROWS);
            source.fail_at = n;
            status = write_once(&columns, way, &source, NULL, &folder, &error);
            cr_assert_eq(status, source.calls < n ? LAM_STATUS_OK : LAM_STATUS_IO);
            if (status != LAM_STATUS_OK)
                cr_assert_not_null(strstr(error.message, LAM_SOURCE_FAILURE), "%s", error.message);
        }
        cr_assert_eq(n - 1, 1 + (ROWS + SLICE_ROWS - 1) / SLICE_ROWS + 1 + 1); /* ends, succeeds */
    }
    unlink(folder.file);
    rmdir(folder.path);
    lam_any_columns_finish(&columns);
}

Test(arrow_failures, a_write_that_fails_fails_the_stream_and_its_writer) {
    for (size_t family = 0; family < LAM_ANY_COLUMNS; family++) {
        lam_any_columns columns = columns_of(family);
        lam_status status = LAM_STATUS_IO;
        for (size_t n = 1; status != LAM_STATUS_OK; n++) {
            lam_error error = lam_error_none();
            lam_array_source source = lam_any_columns_source(&columns, SLICE_ROWS);
            struct ArrowArrayStream stream = lam_array_source_open(&source);
            status = write_through(&columns, &stream, NULL, n, write_stream, &error);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO);
            cr_assert_eq(status == LAM_STATUS_IO,
                         strstr(error.message, "no space left on trial") != NULL, "%s",
                         error.message);
            cr_assert(lam_array_source_is_released(&source));
            stream.release(&stream);
            lam_array_source_close(&source);
        }
        lam_any_columns_finish(&columns);
    }
}

/* A disk that is full after so many bytes. */
Test(arrow_failures, a_file_for_which_there_is_no_room_is_not_there) {
    test_folder folder = new_folder();
    struct rlimit before;
    lam_any_columns columns = columns_of(0);
    lam_status status = LAM_STATUS_IO;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    size_t failed = 0;
    for (rlim_t room = 0; status != LAM_STATUS_OK; room += 97, failed++) {
        struct rlimit limit = {room, before.rlim_max};
        lam_error error = lam_error_none();
        lam_array_source source = lam_any_columns_source(&columns, SLICE_ROWS);
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        status = write_once(&columns, 0, &source, NULL, &folder, &error);
        setrlimit(RLIMIT_FSIZE, &before);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO, "%s", error.message);
    }
    cr_assert_gt(failed, 20);
    unlink(folder.file);
    rmdir(folder.path);
    lam_any_columns_finish(&columns);
}

/* --- Reading ------------------------------------------------------------------------------- */

/* Two threads that take tasks in turn, made for each call. */
typedef struct shared_tasks {
    pthread_mutex_t mutex;
    void (*task)(void *context, size_t index);
    void *context;
    size_t next;
    size_t count;
} shared_tasks;

static void *take_tasks(void *state) {
    shared_tasks *tasks = state;
    pthread_mutex_lock(&tasks->mutex);
    while (tasks->next < tasks->count) {
        size_t index = tasks->next++;
        pthread_mutex_unlock(&tasks->mutex);
        tasks->task(tasks->context, index);
        pthread_mutex_lock(&tasks->mutex);
    }
    pthread_mutex_unlock(&tasks->mutex);
    return NULL;
}

static void run_on_two_threads(void *state, void (*task)(void *context, size_t index),
                               void *context, size_t count) {
    shared_tasks tasks = {PTHREAD_MUTEX_INITIALIZER, task, context, 0, count};
    pthread_t other;
    (void)state;
    cr_assert_eq(pthread_create(&other, NULL, take_tasks, &tasks), 0);
    take_tasks(&tasks);
    pthread_join(other, NULL);
}

static const lam_executor two_threads = {NULL, run_on_two_threads};

/* A file whose read that is asked for fails, and every one behind it. */
typedef struct failing_input {
    lam_bytes bytes;
    size_t fail_at; /* from 1; 0 never */
    size_t reads;
    pthread_mutex_t mutex;
} failing_input;

static lam_status failing_read(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    failing_input *input = state;
    lam_error failure = lam_error_none();
    failure.status = LAM_STATUS_IO;
    strcpy(failure.message, "the disk is gone");
    pthread_mutex_lock(&input->mutex);
    bool fails = ++input->reads >= input->fail_at && input->fail_at > 0;
    pthread_mutex_unlock(&input->mutex);
    if (fails) {
        if (error != NULL)
            *error = failure;
        return LAM_STATUS_IO;
    }
    memcpy(buffer, input->bytes.data + offset, size);
    return LAM_STATUS_OK;
}

typedef struct read_way {
    uint32_t threads;
    const lam_executor *executor;
    bool as_dictionaries; /* what can be a dictionary is one */
} read_way;

static const read_way read_ways[] = {{1, NULL, false}, {3, NULL, true}, {1, &two_threads, false}};
enum { READ_WAYS = sizeof read_ways / sizeof read_ways[0], LEAVES_MOST = 32 };

/* What a stream gave so far, held until the end. */
typedef struct held_arrays {
    struct ArrowArray arrays[HELD_MOST];
    struct ArrowArray moved[HELD_MOST]; /* the first child of each, out of its parent */
    size_t count;
} held_arrays;

static void hold(held_arrays *held, struct ArrowArray array) {
    cr_assert(held->count < HELD_MOST);
    held->moved[held->count] = *array.children[0];
    array.children[0]->release = NULL;
    held->arrays[held->count++] = array;
}

/* The last first, parents before what was moved out of them. */
static void release_held(held_arrays *held) {
    while (held->count > 0) {
        struct ArrowArray *array = &held->arrays[--held->count];
        struct ArrowArray *moved = &held->moved[held->count];
        array->release(array);
        cr_assert_null(array->release);
        moved->release(moved);
        cr_assert_null(moved->release);
    }
}

static int read_stream(struct ArrowArrayStream *stream, const lam_arrow_field *field,
                       held_arrays *held) {
    struct ArrowSchema schema;
    struct ArrowArray array;
    int64_t rows = 0;
    int code = stream->get_schema(stream, &schema);
    if (code != 0)
        return code;
    schema.release(&schema);
    for (;;) {
        code = stream->get_next(stream, &array);
        if (code != 0 || array.release == NULL)
            break;
        const char *flaw = lam_array_flaw(field, &array);
        cr_assert_null(flaw, "%s", flaw);
        rows += array.length;
        hold(held, array);
    }
    if (code != 0)
        cr_assert_eq(stream->get_next(stream, &array), code, "it fails ever after");
    else
        cr_assert_eq(rows, ROWS);
    cr_assert_eq(code != 0, stream->get_last_error(stream) != NULL);
    return code;
}

/* The code that a callback would give for a status of opening. */
static int code_of(lam_status status) {
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM || status == LAM_STATUS_IO);
    return status == LAM_STATUS_OK ? 0 : status == LAM_STATUS_NOMEM ? ENOMEM : EIO;
}

/* From opening the file to the release of the last array, which all else is gone before. */
static int read_once(failing_input *bytes, const read_way *way, const lam_arrow_field *field,
                     const lam_allocator *allocator) {
    lam_input input = {bytes, bytes->bytes.size, failing_read, NULL, NULL};
    lam_reader_options reading = lam_reader_options_default();
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    lam_reader *reader;
    lam_error error = lam_error_none();
    bool dictionaries[LEAVES_MOST] = {false};
    held_arrays held = {.count = 0};
    reading.allocator = allocator;
    options.batch_rows = BATCH_ROWS;
    options.thread_count = way->threads;
    options.executor = way->executor;
    int code = code_of(lam_reader_open(&input, &reading, &reader, &error));
    if (code != 0)
        return code;
    const lam_schema *schema = lam_reader_schema(reader);
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++)
        dictionaries[i] =
            lam_field_physical_type(lam_schema_leaf(schema, i)) == LAM_PHYSICAL_BYTE_ARRAY;
    options.dictionary_leaves = way->as_dictionaries ? dictionaries : NULL;
    code = code_of(lam_arrow_read_stream(reader, &options, &stream, &error));
    if (code == 0) {
        code = read_stream(&stream, field, &held);
        stream.release(&stream);
        cr_assert_null(stream.release);
    }
    lam_reader_close(reader);
    release_held(&held);
    return code;
}

/* The field of the arrays that come: as the file says, or with dictionaries. */
static lam_arrow_field field_of(const lam_any_columns *columns, const read_way *way,
                                lam_arena *arena) {
    struct ArrowSchema schema;
    lam_arrow_field field;
    bool dictionaries[LEAVES_MOST] = {false};
    lam_arrow_read_options options = lam_arrow_read_options_default();
    lam_reader *reader = lam_test_open(columns->file.data, columns->file.size, NULL);
    for (size_t i = 0; i < lam_schema_leaf_count(columns->schema); i++)
        dictionaries[i] =
            lam_field_physical_type(lam_schema_leaf(columns->schema, i)) == LAM_PHYSICAL_BYTE_ARRAY;
    options.dictionary_leaves = way->as_dictionaries ? dictionaries : NULL;
    cr_assert_eq(lam_arrow_export_schema(reader, &options, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_field_import(&schema, arena, &field, NULL), LAM_STATUS_OK);
    schema.release(&schema);
    lam_reader_close(reader);
    return field;
}

static void fail_reads(lam_any_columns *columns, const read_way *way,
                       const lam_arrow_field *field) {
    failing_input input = {lam_buffer_bytes(&columns->file), 0, 0, PTHREAD_MUTEX_INITIALIZER};
    int code = EIO;
    size_t n = 1;
    for (; code != 0; n++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        input.fail_at = n;
        input.reads = 0;
        code = read_once(&input, way, field, &allocator);
        cr_assert_eq(code, input.reads < n ? 0 : EIO, "read %zu", n);
        cr_assert_eq(counter.live_bytes, 0, "read %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    cr_assert_gt(n, 20);
}

static void fail_allocations(lam_any_columns *columns, const read_way *way,
                             const lam_arrow_field *field) {
    failing_input input = {lam_buffer_bytes(&columns->file), 0, 0, PTHREAD_MUTEX_INITIALIZER};
    int code = ENOMEM;
    size_t n = 1;
    for (; code != 0; n += ALLOCATION_STEP) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        code = read_once(&input, way, field, &allocator);
        cr_assert_eq(code, counter.requests < n ? 0 : ENOMEM, "request %zu", n);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    cr_assert_gt(n, 200);
}

static void each_read_way(void (*fail)(lam_any_columns *, const read_way *,
                                       const lam_arrow_field *)) {
    for (size_t family = 0; family < LAM_ANY_COLUMNS; family++) {
        lam_any_columns columns = columns_of(family);
        lam_any_columns_write(&columns, GROUP_ROWS, 4);
        for (size_t i = 0; i < READ_WAYS; i++) {
            lam_arrow_field field = field_of(&columns, &read_ways[i], &columns.arena);
            fail(&columns, &read_ways[i], &field);
        }
        lam_any_columns_finish(&columns);
    }
}

Test(arrow_failures, reading_with_any_allocation_failing_gives_all_back) {
    each_read_way(fail_allocations);
}

Test(arrow_failures, reading_with_any_read_failing_gives_all_back) {
    each_read_way(fail_reads);
}

Test(arrow_failures, a_stream_that_opens_its_file_closes_it_when_any_allocation_fails) {
    test_folder folder = new_folder();
    lam_any_columns columns = columns_of(2);
    lam_array_source source = lam_any_columns_source(&columns, SLICE_ROWS);
    struct ArrowArrayStream stream = lam_array_source_open(&source);
    cr_assert_eq(write_file(&columns, &stream, NULL, &folder, NULL), LAM_STATUS_OK);
    stream.release(&stream);
    lam_array_source_close(&source);
    int code = ENOMEM, free_before = dup(0);
    close(free_before);
    for (size_t n = 1; code != 0; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader_options reading = lam_reader_options_default();
        reading.allocator = &allocator;
        lam_arrow_read_options options = lam_arrow_read_options_default();
        options.batch_rows = BATCH_ROWS;
        held_arrays held = {.count = 0};
        code = code_of(lam_arrow_read_file(folder.file, &reading, &options, &stream, NULL));
        if (code == 0) {
            code = read_stream(&stream, columns.field, &held);
            stream.release(&stream);
        }
        int free_now = dup(0);
        close(free_now);
        cr_assert_eq(free_now, free_before, "a file is left open");
        release_held(&held);
        cr_assert_eq(code, counter.requests < n ? 0 : ENOMEM, "request %zu", n);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
    }
    unlink(folder.file);
    rmdir(folder.path);
    lam_any_columns_finish(&columns);
}
