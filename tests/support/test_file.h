/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in memory, for every test that needs one: written from records as text or from triples, to
 * an output that fails when it is told to, and opened again. What goes wrong ends the test with the
 * message.
 *
 *     lam_buffer bytes = lam_test_file(SCHEMA, "{id: 1} {id: 2}", NULL);
 *     lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
 *
 * What depends on the row is put row by row:
 *
 *     lam_test_writer file = lam_test_write(SCHEMA, LAM_TEST_WRITER(.page_rows = 3));
 *     for (int i = 0; i < 10; i++)
 *         lam_test_put(&file, "{id: %d, name: 'n%02d'}", i, i % 7);
 *     lam_buffer bytes = lam_test_written(&file);
 */
#ifndef LAM_TESTS_TEST_FILE_H
#define LAM_TESTS_TEST_FILE_H

#include <lamella/dremel.h>
#include <lamella/reader.h>
#include <lamella/writer.h>

#include "base/buffer.h"

/* Parses schema text; ends the test when it cannot. */
lam_schema *lam_test_parse(const char *text);
/* The same, for a schema of a file: a writer takes groups that only files have. */
lam_schema *lam_test_schema(const char *text);
/* The schema "vector group list { required float element; } required group g { required float
 * element; } required float a;", which no text can state (parquet-format#592). */
lam_schema *lam_test_vector_schema(void);

/* Where a file goes to. Zero it, set what is to fail, and keep it until the output is closed. */
typedef struct lam_trial_output {
    size_t fail_at_write; /* the write that fails, from 1; 0 never */
    bool fail_at_finish;
    lam_buffer bytes;
    size_t writes; /* so far, the failed one included */
    bool failed;
    bool finished;
    bool closed;
    size_t calls_after_end; /* writes and finishes after a failure, a finish or a close */
} lam_trial_output;

lam_output lam_trial_output_open(lam_trial_output *trial);
void lam_trial_output_free(lam_trial_output *trial);

/* Writer options, by the members that differ from the default. */
#define LAM_TEST_WRITER(...)                                                                       \
    &(lam_writer_options) {                                                                        \
        .struct_size = sizeof(lam_writer_options), __VA_ARGS__                                     \
    }

/* A file that is being written. */
typedef struct lam_test_writer {
    lam_trial_output *trial;
    lam_writer *writer;
    lam_record_sink sink;
} lam_test_writer;

/* Starts a file, of a schema's text or of a schema, which stays the caller's. */
lam_test_writer lam_test_write(const char *schema, const lam_writer_options *options);
lam_test_writer lam_test_write_as(const lam_schema *schema, const lam_writer_options *options);

/* Puts records, as text (record_text.h) that is made as printf makes it. */
void lam_test_put(lam_test_writer *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Puts rows, as the triples of each leaf. */
void lam_test_put_triples(lam_test_writer *file, const lam_triples *columns, size_t rows);

/* Finishes the file; lam_buffer_finish frees its bytes. */
lam_buffer lam_test_written(lam_test_writer *file);
/* Closes the file, finished or not, and frees what is written of it; no call came too late. */
void lam_test_drop(lam_test_writer *file);

/* A whole file. */
lam_buffer lam_test_file(const char *schema, const char *records,
                         const lam_writer_options *options);
lam_buffer lam_test_file_of(const char *schema, const lam_triples *columns, size_t rows,
                            const lam_writer_options *options);

/* Reader options, likewise. */
#define LAM_TEST_READER(...)                                                                       \
    &(lam_reader_options) {                                                                        \
        .struct_size = sizeof(lam_reader_options), __VA_ARGS__                                     \
    }

/* Opens a file in memory, which has to stay; `options` may be NULL. */
lam_reader *lam_test_open(const void *data, size_t size, const lam_reader_options *options);
/* The same of any input, which moves into the reader. */
lam_reader *lam_test_open_input(lam_input *input, const lam_reader_options *options);

#endif
