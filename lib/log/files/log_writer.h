/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One open file of a log: a writer, the storage file below it, and which of its records would
 * survive a kill or a power cut.
 *
 *     records   | durable | in row groups, not synced | in the open row group |
 *     rows      0                               written_rows                 rows
 */
#ifndef LAM_LOG_FILES_LOG_WRITER_H
#define LAM_LOG_FILES_LOG_WRITER_H

#include <lamella/storage.h>

#include "codec/codec.h"
#include "file/write/file_writer.h"
#include "file/write/recovery_record.h"
#include "log/folder/log_name.h"

/* Records of the log that a call writes: `first + i`, or `first + indexes[i]`. */
typedef struct lam_log_sequence {
    uint64_t first;
    const uint32_t *indexes; /* or NULL */
} lam_log_sequence;

typedef struct lam_log_writer {
    lam_allocator allocator;
    const lam_storage *storage; /* borrowed */
    lam_buffer folder;          /* of the file, NUL-terminated */
    lam_buffer path;            /* of the file under its final name, NUL-terminated */
    lam_buffer open_path;       /* the same as "_NAME.part" */
    lam_buffer key;             /* of the file among the open ones: the partition's folder */
    const void *generation;     /* likewise: which schema its records have */
    uint8_t id[LAM_RECOVERY_ID_SIZE];
    uint32_t journal_file; /* its number in the journal, if there is one */
    lam_storage_file file;
    lam_writer *writer;
    uint64_t rows;
    uint64_t written_rows;
    uint64_t checkpoint_rows; /* rows, and bytes of the file, at the last checkpoint */
    uint64_t checkpoint_bytes;
    uint64_t pending;      /* the first record that is in no row group; UINT64_MAX: none */
    uint64_t unsynced;     /* the first record in a row group that is not synced; likewise */
    uint64_t footer_end;   /* bytes of the file up to the last checkpoint footer */
    uint64_t footer_bytes; /* of checkpoint footers */
    uint64_t synced_bytes;
    uint64_t journal_bytes; /* of records in the open row group: no more than that */
    double size_ratio;      /* of the bytes of row groups to their estimate */
    uint64_t opened_at;     /* monotonic, nanoseconds */
    uint64_t unsaved_since; /* when the first record came that has no checkpoint; UINT64_MAX */
    uint64_t last_used;     /* number of the write, for the least recently used */
    bool is_synced_name;    /* the folder was synced since the file was created */
    bool never_syncs;
    bool has_ended; /* it is complete */
} lam_log_writer;

/* How a file is opened. All is borrowed for the call, except what lam_log_writer borrows. */
typedef struct lam_log_writer_options {
    const lam_storage *storage;
    const lam_input *like; /* whose rights the file gets; NULL: those of any new file */
    const char *folder;    /* exists */
    const char *path;      /* final; "_NAME.part" must not exist */
    const lam_schema *schema;
    const lam_writer_options *writer; /* its allocator is the one to use */
    const lam_meta_key_value_list *key_values;
    lam_codec_context *codecs; /* shared by all files of the log; borrowed until close */
    bool is_scarce;            /* memory, for a writer inside it */
    bool never_syncs;          /* not at its end either */
    uint64_t now;              /* monotonic */
} lam_log_writer_options;

/* Creates "_NAME.part" and starts a file with records in it. FILE_EXISTS. */
lam_status lam_log_writer_open(const lam_log_writer_options *options, lam_log_writer **ret_file,
                               lam_error *error);

/* Writes records whose triples were checked. */
lam_status lam_log_writer_write(lam_log_writer *file, const lam_triples *columns,
                                size_t record_count, const lam_log_sequence *sequence, uint64_t now,
                                lam_error *error);

/* Ends the open row group, to free its memory; that is no checkpoint. */
lam_status lam_log_writer_end_row_group(lam_log_writer *file, lam_error *error);

/* Counts rows that came past lam_log_writer_write, from a file before this one. */
lam_status lam_log_writer_resume(lam_log_writer *file, lam_error *error);

/*
 * Ends the open row group. With `needs_footer` a footer follows in any case, else while all footers
 * between row groups together are at most 16 KiB, or 2 % of the file.
 */
lam_status lam_log_writer_checkpoint(lam_log_writer *file, bool needs_footer, lam_error *error);

/* Makes all that is written durable, and the name, too. A failure is final. */
lam_status lam_log_writer_sync(lam_log_writer *file, lam_error *error);

/*
 * Writes the remaining rows and the last footer, and syncs: "_NAME.part" is then complete. The
 * handle is only of use for its numbers, for publish and for close.
 */
lam_status lam_log_writer_end(lam_log_writer *file, lam_error *error);
/* Gives a file that has ended its final name, and syncs the folder. FILE_EXISTS if it is taken. */
lam_status lam_log_writer_publish(lam_log_writer *file, lam_error *error);

/* Frees the handle; a file that is not finished stays under its name with ".part". NULL is
 * allowed. */
void lam_log_writer_close(lam_log_writer *file);

/* Bytes that the file would have if it were finished now, as far as that can be known. */
uint64_t lam_log_writer_expected_bytes(const lam_log_writer *file);
/* Bytes written so far. */
uint64_t lam_log_writer_bytes(const lam_log_writer *file);

/* The final path, and the present one. */
static inline const char *lam_log_writer_path(const lam_log_writer *file) {
    return (const char *)file->path.data;
}

#endif
