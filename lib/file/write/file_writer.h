/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer from inside, for lam_arrow_writer and the choices of columns: rows are written leaf by
 * leaf, without a copy of all columns first. Between start_rows and end_rows each leaf gets all its
 * triples by one call of add_leaf.
 */
#ifndef LAM_FILE_WRITE_FILE_WRITER_H
#define LAM_FILE_WRITE_FILE_WRITER_H

#include <lamella/writer.h>

#include "file/write/row_group_write.h"

/* What a writer of another layer may share or continue. */
typedef struct lam_writer_inside {
    const lam_kernels *kernels; /* they change no byte of the file */
    lam_codec_context *codecs;  /* borrowed until close, for writers that work one at a time; NULL:
                                   of the writer's own */
    uint64_t offset;            /* bytes of the file that the output has already; 0: none, and the
                                   magic is written */
    bool is_scarce;             /* memory is, though no budget bounds the allocator: what a chunk
                                   took is given back when it has ended */
} lam_writer_inside;

/* As lam_writer_open. */
lam_status lam_writer_open_with(const lam_writer_inside *inside, const lam_schema *schema,
                                lam_output *output, const lam_writer_options *given,
                                lam_writer **ret_writer, lam_error *error);

/* Has a record written after each row group, before the first of them; see recovery_record.h. */
void lam_writer_start_records(lam_writer *writer, const uint8_t *file_id);
/* Everything written so far is durable: the records that follow say so. */
void lam_writer_note_sync(lam_writer *writer);
/* Bytes held for the footer and the page indexes, which grow with each row group. */
uint64_t lam_writer_metadata_bytes(const lam_writer *writer);
/* Of these, the bytes for a checkpoint footer. */
uint64_t lam_writer_footer_bytes(const lam_writer *writer);
/* Bytes held for the open row group, the shredder's excluded: an estimate of what it will take. */
uint64_t lam_writer_row_group_bytes(const lam_writer *writer);
/* Row groups that are written, and their rows. */
size_t lam_writer_row_group_count(const lam_writer *writer);
uint64_t lam_writer_rows_written(const lam_writer *writer);

const lam_allocator *lam_writer_allocator(const lam_writer *writer);

/* As lam_writer_write_triples, of triples that were checked, while no record is open. */
lam_status lam_writer_write_checked(lam_writer *writer, const lam_triples *columns,
                                    size_t record_count, lam_error *error);

/*
 * Starts rows that are written leaf by leaf, `left` of them still to come. Gives how many to write
 * at most before end_rows: at least 1, unless `left` is 0. STATE while a record is open, or when
 * the writer cannot go on.
 */
lam_status lam_writer_start_rows(lam_writer *writer, uint64_t left, size_t *ret_most,
                                 lam_error *error);
/*
 * Whether `rows` rows may be written between start_rows and end_rows, although that is more than
 * start_rows gave: no check that falls among them could end the row group or make the next ones
 * less. `bytes` is an upper bound of the bytes of all leaves: values in PLAIN, and 8 bytes a
 * triple. False unless the rows are complete batches of LAM_BATCH_RECORDS, as are those before.
 */
bool lam_writer_has_room(const lam_writer *writer, uint64_t rows, uint64_t bytes);
/*
 * Adds all triples that a leaf has for those rows. They are not checked: levels and counts are
 * trusted. Several threads may add to different leaves at once. The caller poisons the writer if
 * this fails.
 */
lam_status lam_writer_add_leaf(lam_writer *writer, size_t leaf_index, const lam_triples *triples,
                               lam_error *error);
/* What runs the tasks that add leaves. */
const lam_task_runner *lam_writer_runner(const lam_writer *writer);
/* Ends `rows` rows that every leaf has got. The file does not depend on how rows are split. */
lam_status lam_writer_end_rows(lam_writer *writer, size_t rows, lam_error *error);

/*
 * For a caller that cannot complete rows that it started: the writer accepts nothing but close from
 * then on. Returns `status`; `failure` describes it and is copied. LAM_STATUS_OK has no effect.
 */
lam_status lam_writer_poison(lam_writer *writer, lam_status status, const lam_error *failure,
                             lam_error *error);

/*
 * Finds the field for which a choice is made; `what` names it in the plural, for messages. STATE
 * once there are records, or when the writer cannot go on; NOT_FOUND.
 */
lam_status lam_writer_check_choice(const lam_writer *writer, const char *what, const char *path,
                                   const lam_field **ret_field, lam_error *error);
/* What lam_writer_set_encoding and lam_writer_set_bloom_filter require of a field; INVALID. */
lam_status lam_column_check_encoding(const lam_field *field, lam_encoding encoding,
                                     lam_error *error);
lam_status lam_column_check_bloom(const lam_field *field, double fpp, lam_error *error);
/* The open row group, to which choices of columns go. */
lam_row_group_writer *lam_writer_row_group(lam_writer *writer);

/* A key and its value, as bytes that need not end in a NUL. */
typedef struct lam_writer_key_value {
    lam_bytes key;
    lam_bytes value;
} lam_writer_key_value;

/*
 * Adds them to the key-value metadata, all or none. Copied; whether they are UTF-8 is not checked.
 */
lam_status lam_writer_add_key_values(lam_writer *writer, const lam_writer_key_value *key_values,
                                     size_t count, lam_error *error);

/* The same, as a footer has them: a key may have no value. */
lam_status lam_writer_copy_key_values(lam_writer *writer, const lam_meta_key_value_list *list,
                                      lam_error *error);
/* INVALID for a key or value that is not UTF-8. */
lam_status lam_writer_check_key_value(lam_bytes key, lam_bytes value, lam_error *error);

/*
 * Refuses a schema with a group that no reader understands as annotated, unless it is of a file or
 * a copy of one. INVALID, saying what to write instead; UNSUPPORTED, NOMEM.
 */
lam_status lam_writer_check_new_schema(const lam_schema *schema, const lam_allocator *allocator,
                                       lam_error *error);

#endif
