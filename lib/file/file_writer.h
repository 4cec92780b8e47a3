/* The writer from inside: rows column by column, without a copy of all columns first. */
#ifndef LAM_FILE_FILE_WRITER_H
#define LAM_FILE_FILE_WRITER_H

#include <lamella/writer.h>

#include "file/row_group_write.h"

/* As lam_writer_open, with kernels of the caller's choice, which change no byte of the file. */
lam_status lam_writer_open_with(const lam_kernels *kernels, const lam_schema *schema,
                                lam_output *output, const lam_writer_options *given,
                                lam_writer **ret_writer, lam_error *error);

/* The kernels that the writer's columns use. */
const lam_kernels *lam_writer_kernels(const lam_writer *writer);

const lam_allocator *lam_writer_allocator(const lam_writer *writer);

/*
 * Starts on rows that are written leaf by leaf, with `left` of them to come: gives how many at most
 * are written before end_rows, at least 1 unless there are none. STATE while a record is open, or
 * when the writer cannot go on.
 */
lam_status lam_writer_start_rows(lam_writer *writer, uint64_t left, size_t *ret_most,
                                 lam_error *error);
/* Adds all triples that a leaf has for those rows. They are not looked at: levels and counts are
 * the caller's word. */
lam_status lam_writer_add_leaf(lam_writer *writer, size_t leaf_index, const lam_triples *triples,
                               lam_error *error);
/* Ends `rows` rows, of which every leaf has been added. How rows are cut does not show. */
lam_status lam_writer_end_rows(lam_writer *writer, size_t rows, lam_error *error);

/* For a caller that cannot go on with rows that it started: the writer is of no more use. Returns
 * `status`; `failure` says what it was. */
lam_status lam_writer_poison(lam_writer *writer, lam_status status, const lam_error *failure,
                             lam_error *error);

/* Finds the field for which `what`, a plural, is chosen. STATE once there are records, NOT_FOUND.
 */
lam_status lam_writer_check_choice(const lam_writer *writer, const char *what, const char *path,
                                   const lam_field **ret_field, lam_error *error);
lam_row_group_writer *lam_writer_row_group(lam_writer *writer);

/* Adds pairs of bytes to the key-value metadata, all of them or none. */
typedef struct lam_writer_key_value {
    lam_bytes key;
    lam_bytes value;
} lam_writer_key_value;

lam_status lam_writer_add_key_values(lam_writer *writer, const lam_writer_key_value *key_values,
                                     size_t count, lam_error *error);

#endif
