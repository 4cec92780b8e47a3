/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the interface lets threads do at the same time: read several streams of one reader, and
 * release what came out of them wherever it went to.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/arrow.h>
#include <lamella/column.h>
#include <lamella/scan.h>
#include <pthread.h>
#include <string.h>

#include "arrow/any_columns.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

/* Batches are large enough that their blocks serve again, whoever releases them. */
enum { ROWS = 6000, GROUP_ROWS = 2500, BATCH_ROWS = 1200, THREADS = 4 };

typedef struct thread_file {
    lam_any_columns columns;
    lam_failing_alloc counter;
    lam_allocator allocator;
    lam_reader *reader;
} thread_file;

static void open_file(thread_file *file, size_t family) {
    lam_random random = lam_random_start(lam_test_seed(family + 1));
    lam_reader_options options = lam_reader_options_default();
    memset(file, 0, sizeof *file);
    file->columns = lam_any_columns_of(family, ROWS, &random);
    lam_any_columns_write(&file->columns, GROUP_ROWS, 200);
    file->allocator = lam_failing_allocator(&file->counter);
    options.allocator = &file->allocator;
    file->reader = lam_test_open(file->columns.file.data, file->columns.file.size, &options);
}

static void close_file(thread_file *file) {
    lam_reader_close(file->reader);
    cr_assert_eq(file->counter.live_bytes, 0);
    cr_assert_eq(file->counter.wrong_sizes, 0);
    lam_any_columns_finish(&file->columns);
}

static struct ArrowArrayStream open_stream(const lam_reader *reader, uint32_t threads) {
    struct ArrowArrayStream stream;
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.batch_rows = BATCH_ROWS;
    options.thread_count = threads;
    cr_assert_eq(lam_arrow_read_stream(reader, &options, &stream, NULL), LAM_STATUS_OK);
    return stream;
}

static void start_thread(pthread_t *thread, void *(*run)(void *), void *state) {
    cr_assert_eq(pthread_create(thread, NULL, run, state), 0);
}

/* --- Several streams at once --------------------------------------------------------------- */

/* A sum over what an array says of itself, the same for the same rows in the same batches. */
static uint64_t sum_of(const struct ArrowArray *array) {
    uint64_t sum = (uint64_t)array->length * 31 + (uint64_t)array->null_count;
    for (int64_t i = 0; i < array->n_children; i++)
        sum = sum * 1000003 + sum_of(array->children[i]);
    if (array->dictionary != NULL)
        sum = sum * 1000003 + sum_of(array->dictionary);
    return sum;
}

typedef struct stream_user {
    const lam_reader *reader;
    uint32_t threads;
    int64_t rows;
    uint64_t sum;
} stream_user;

static void *use_stream(void *state) {
    stream_user *user = state;
    struct ArrowArrayStream stream = open_stream(user->reader, user->threads);
    struct ArrowSchema schema;
    struct ArrowArray array;
    cr_assert_eq(stream.get_schema(&stream, &schema), 0);
    schema.release(&schema);
    for (;;) {
        int code = stream.get_next(&stream, &array);
        cr_assert_eq(code, 0);
        if (array.release == NULL)
            break;
        user->rows += array.length;
        user->sum = user->sum * 1000003 + sum_of(&array);
        array.release(&array);
    }
    stream.release(&stream);
    return NULL;
}

static lam_status pass_verb(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status pass_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return pass_verb(state, error);
}

static lam_status pass_value(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)leaf;
    (void)value;
    return pass_verb(state, error);
}

/* Reads records meanwhile. */
static void *use_records(void *state) {
    const lam_reader *reader = state;
    lam_record_reader *records;
    uint64_t count = 0, rows;
    lam_record_sink nowhere = {NULL,       pass_verb, pass_group, pass_value,
                               pass_group, pass_verb, NULL};
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    do {
        cr_assert_eq(lam_record_reader_read(records, &nowhere, 7, &rows, NULL), LAM_STATUS_OK);
        count += rows;
    } while (rows > 0);
    lam_record_reader_close(records);
    cr_assert_eq(count, ROWS);
    return NULL;
}

Test(arrow_threads, streams_of_one_reader_run_at_once) {
    for (size_t family = 0; family < LAM_ANY_COLUMNS; family++) {
        thread_file file;
        open_file(&file, family);
        pthread_t threads[THREADS], other;
        stream_user users[THREADS];
        start_thread(&other, use_records, file.reader);
        for (uint32_t i = 0; i < THREADS; i++) {
            users[i] = (stream_user){.reader = file.reader, .threads = i};
            start_thread(&threads[i], use_stream, &users[i]);
        }
        for (size_t i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            cr_assert_eq(users[i].rows, ROWS);
            cr_assert_eq(users[i].sum, users[0].sum);
        }
        pthread_join(other, NULL);
        close_file(&file);
    }
}

/* --- Releases on other threads ------------------------------------------------------------- */

enum { PARTS_MOST = 64 * (ROWS / BATCH_ROWS + 3) };

/* Arrays that wait for somebody to release them. */
typedef struct waste {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct ArrowArray parts[PARTS_MOST];
    size_t count;
    bool is_over;
} waste;

static void throw_away(waste *bin, struct ArrowArray *part) {
    pthread_mutex_lock(&bin->mutex);
    cr_assert(bin->count < PARTS_MOST);
    bin->parts[bin->count++] = *part;
    part->release = NULL; /* it has moved */
    pthread_cond_signal(&bin->changed);
    pthread_mutex_unlock(&bin->mutex);
}

static void *release_parts(void *state) {
    waste *bin = state;
    pthread_mutex_lock(&bin->mutex);
    for (;;) {
        while (bin->count == 0 && !bin->is_over)
            pthread_cond_wait(&bin->changed, &bin->mutex);
        if (bin->count == 0)
            break;
        struct ArrowArray part = bin->parts[--bin->count];
        pthread_mutex_unlock(&bin->mutex);
        part.release(&part);
        pthread_mutex_lock(&bin->mutex);
    }
    pthread_mutex_unlock(&bin->mutex);
    return NULL;
}

/* A batch in pieces: dictionaries and children moved out, each to whoever is free. */
static void throw_away_in_pieces(waste *bin, struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_children; i += 2) {
        struct ArrowArray *child = array->children[i];
        if (child->dictionary != NULL)
            throw_away(bin, child->dictionary);
        if (child->n_children > 0)
            throw_away(bin, child->children[child->n_children - 1]);
        throw_away(bin, child);
    }
    throw_away(bin, array);
}

Test(arrow_threads, arrays_are_released_by_others_while_the_stream_goes_on_and_is_gone) {
    for (size_t family = 0; family < LAM_ANY_COLUMNS; family++) {
        for (uint32_t pool = 1; pool <= 3; pool += 2) {
            thread_file file;
            open_file(&file, family);
            waste bin = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, .count = 0};
            pthread_t threads[2];
            struct ArrowArray array;
            struct ArrowArrayStream stream = open_stream(file.reader, pool);
            start_thread(&threads[0], release_parts, &bin);
            start_thread(&threads[1], release_parts, &bin);
            for (;;) {
                cr_assert_eq(stream.get_next(&stream, &array), 0);
                if (array.release == NULL)
                    break;
                throw_away_in_pieces(&bin, &array);
            }
            stream.release(&stream);
            pthread_mutex_lock(&bin.mutex);
            bin.is_over = true;
            pthread_cond_broadcast(&bin.changed);
            pthread_mutex_unlock(&bin.mutex);
            pthread_join(threads[0], NULL);
            pthread_join(threads[1], NULL);
            close_file(&file);
        }
    }
}

/* --- A stream that moves to another thread ------------------------------------------------- */

static void *release_stream(void *state) {
    struct ArrowArrayStream *stream = state;
    stream->release(stream);
    return NULL;
}

static void *release_schema(void *state) {
    struct ArrowSchema *schema = state;
    schema->release(schema);
    return NULL;
}

/* Each stop leaves a different number of arrays behind, which outlive stream and reader. */
Test(arrow_threads, a_stream_and_its_schema_are_released_early_and_elsewhere) {
    enum { STOPS = 8 };
    for (size_t stop = 0; stop < STOPS; stop++) {
        thread_file file;
        open_file(&file, stop % LAM_ANY_COLUMNS);
        pthread_t threads[2];
        struct ArrowArray arrays[STOPS];
        struct ArrowSchema schema;
        struct ArrowArrayStream stream = open_stream(file.reader, 1 + (uint32_t)stop % 3);
        cr_assert_eq(stream.get_schema(&stream, &schema), 0);
        for (size_t i = 0; i < stop; i++)
            cr_assert_eq(stream.get_next(&stream, &arrays[i]), 0);
        start_thread(&threads[0], release_stream, &stream);
        start_thread(&threads[1], release_schema, &schema);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        cr_assert_null(stream.release);
        cr_assert_null(schema.release);
        lam_reader_close(file.reader);
        file.reader = NULL;
        for (size_t i = 1; i < stop; i += 2)
            arrays[i].release(&arrays[i]);
        for (size_t i = 0; i < stop; i += 2)
            arrays[i].release(&arrays[i]);
        close_file(&file);
    }
}
