/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of a damaged file: which rows of which columns can be read page by page, and a sound
 * file of them.
 *
 * A page is lost when it does not match its checksum, does not decode, or has no readable header; a
 * damaged dictionary page loses the pages that refer to it. Later pages can be read if it is proven
 * that they are pages, and which rows they have: by the offset index; or by the headers of all
 * pages, if their rows and values add up to those of the chunk, or at least their values, with rows
 * counted from both ends of the chunk. Nothing is searched for after an unreadable header, because
 * a page found there may be bytes of a value. In a repeated column without an offset index, the
 * record before a lost page may continue in it, and is lost too. A row that is given is the row
 * that was written, as far as checksums can show; without checksums, as far as pages decode.
 *
 * A page header with one wrong bit is repaired if flipping exactly that bit gives a page that
 * matches its checksum, or decodes, and has the rows that it must have. So is the header of a page
 * with a checksum if the wrong bytes are the same in all headers of the chunk.
 */
#ifndef LAMELLA_SALVAGE_H
#define LAMELLA_SALVAGE_H

#include <lamella/common.h>
#include <lamella/reader.h>
#include <lamella/scan.h>
#include <lamella/schema.h>
#include <lamella/stop.h>
#include <lamella/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of rows in which a column is lost. Rows that have lost all columns are left out. */
typedef enum lam_salvage_manner {
    LAM_SALVAGE_DEFAULT, /* NULLS */
    LAM_SALVAGE_NULLS,   /* the lost field is null if it is optional; otherwise the nearest optional
                             group around it, with all of its fields; otherwise the row is left out.
                             A repeated field is never made empty instead, and a VARIANT is null as
                             a whole. Lists and groups keep their entries as long as one of their
                             columns can be read */
    LAM_SALVAGE_LEAVE_OUT, /* rows that have lost any column are left out */
    LAM_SALVAGE_OPTIONAL   /* as NULLS, but required fields that would have a row left out become
                              optional in the file that is written */
} lam_salvage_manner;

/* How to salvage. Zero means the default in every member. */
typedef struct lam_salvage_options {
    size_t struct_size;
    const lam_allocator *allocator; /* copied; NULL is that of the reader */
    lam_salvage_manner manner;
    const bool *leaves;   /* one for each leaf: only these are read, the others count as sound;
                             NULL: all. Borrowed for the call of open */
    const lam_stop *stop; /* borrowed until close; NULL: that of the reader */
    /*
     * Pages that the input fails to read with IO are lost, as on a disk with bad sectors: every
     * 4,096 bytes of a failed read are tried once more by themselves. What can be read once must be
     * readable until close. false: such a failure ends the call, and may be gone the next time.
     */
    bool passes_unreadable;
} lam_salvage_options;

LAM_GROWING(lam_salvage_options);

/* Rows of a column that are lost. */
typedef struct lam_salvage_loss {
    size_t struct_size;
    size_t row_group;
    size_t leaf_index;
    uint64_t first_row; /* in the row group */
    uint64_t row_count;
    size_t page_count;   /* damaged pages; bytes that are not known to be pages count as one; 0 if
                          the pages are sound, but nothing says which rows they have */
    int64_t offset;      /* of the first of them in the file */
    lam_error_code code; /* why that page cannot be read */
    const char *message; /* the same in words; borrowed until close */
    const lam_error *error; /* all of it, with the place; borrowed until close */
} lam_salvage_loss;

LAM_GROWING(lam_salvage_loss);

/* Rows of one row group that have lost the same columns. */
typedef struct lam_salvage_rows {
    size_t struct_size;
    size_t row_group;
    uint64_t first_row; /* in the row group */
    uint64_t row_count;
    size_t columns_lost; /* that cannot be read */
    bool is_left_out;    /* not written */
} lam_salvage_rows;

LAM_GROWING(lam_salvage_rows);

/* The totals. A cell is the value or null of one column in one row. */
typedef struct lam_salvage_report {
    size_t struct_size;
    uint64_t row_count;      /* of the file */
    uint64_t rows_left_out;  /* not written */
    uint64_t cells;          /* of the file */
    uint64_t cells_lost;     /* cannot be read, or their row is not known */
    uint64_t cells_given_up; /* can be read, but are null or left out beside lost ones */
    uint64_t pages_damaged;
    uint64_t pages_unplaced; /* sound, but their rows are not known */
    uint64_t headers_repaired;
    uint64_t bytes_unknown; /* in column chunks, but in no known page */
    uint64_t rows_unknown;  /* counted by the footer, but in none of its row groups */
} lam_salvage_report;

LAM_GROWING(lam_salvage_report);

typedef struct lam_salvage lam_salvage;

/*
 * Reads all of a file, page by page. The reader is borrowed until close; its page checksums are
 * compared whatever its options say. Damage is not a failure. IO unless it is passed, NOMEM,
 * CANCELLED, LIMIT for the memory limit of the reader. `options` may be NULL.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_open(const lam_reader *reader,
                                                     const lam_salvage_options *options,
                                                     lam_salvage **ret_salvage, lam_error *error);
/* NULL is allowed. */
LAM_PUBLIC void lam_salvage_close(lam_salvage *salvage);

/*
 * The same file, as a reader that continues after damaged pages: once the lost rows are skipped, it
 * can read those after them; reading a lost row fails. Borrowed until close.
 */
LAM_PUBLIC const lam_reader *lam_salvage_reader(const lam_salvage *salvage);

/* Gives losses by row group, then column, then row. NOT_FOUND after the last one. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_loss_at(const lam_salvage *salvage, size_t index,
                                                        lam_salvage_loss *ret_loss,
                                                        lam_error *error);
/* Gives all rows of the file, in order. NOT_FOUND after the last ones. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_rows_at(const lam_salvage *salvage, size_t index,
                                                        lam_salvage_rows *ret_rows,
                                                        lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_report_of(const lam_salvage *salvage,
                                                          lam_salvage_report *ret_report,
                                                          lam_error *error);

/*
 * Opens the remaining records, with the leaves that are marked; NULL: all. There are none before
 * lam_salvage_go_to. Both are borrowed until the record reader is closed.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_open_records(const lam_salvage *salvage,
                                                             const bool *leaves,
                                                             lam_record_reader **ret_records,
                                                             lam_error *error);
/*
 * Goes to the rows that lam_salvage_rows_at gives for `index`. `records`, which
 * lam_salvage_open_records has opened, then has only their records, without the leaves that are
 * lost in them, and releases the writer that it borrows. `ret_leaves`, with an element
 * for each leaf of the file, gets true for those that are not lost: a writer of the records takes
 * those of them that `records` was opened for. Ranges may come in any order, ascending being
 * fastest; each may be read in part. After a failed read `records` continues with the
 * next range. NOT_FOUND after the last range, NOMEM, CANCELLED.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_go_to(const lam_salvage *salvage,
                                                      lam_record_reader *records, size_t index,
                                                      bool *ret_leaves, lam_error *error);

/* The schema of what is written: that of the file, or one with more optional fields. Borrowed. */
LAM_PUBLIC const lam_schema *lam_salvage_schema(const lam_salvage *salvage);
/*
 * Writes everything that is left, with the row groups and the key-value metadata of the file. The
 * writer was opened with lam_salvage_schema, and is not finished. Values are re-encoded;
 * statistics, page indexes and ARROW:schema are rebuilt and never copied, because they have no
 * checksums. INVALID for a writer of another schema.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_write(const lam_salvage *salvage,
                                                      lam_writer *writer, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
