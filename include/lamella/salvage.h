/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of a damaged file: which rows of which columns can be read page by page, and a sound
 * file of them.
 *
 * A page is lost when it does not match its checksum, does not decode, or has no header that can be
 * read; a damaged dictionary page loses the pages that refer to it. Pages behind it go on if it is
 * proven that they are pages, and which rows they have: by the offset index; or by the headers of
 * all pages, if their rows and values add up to those of the chunk, or their values alone, and rows
 * are counted from both ends of the chunk. Nothing is searched for behind a header that cannot be
 * read, as a page that is found may be bytes of a value. In a repeated column without an offset
 * index, the record before a lost page may go on in it, and is lost, too. A row that is given is
 * the row that was written, as far as checksums can show; without checksums, as far as pages
 * decode.
 *
 * A page header in which one bit is wrong is repaired, if turning over exactly that bit makes a
 * page that matches its checksum, or decodes, and has the rows that it must have; so is one of a
 * page with a checksum in which bytes are wrong that are the same in all headers of the chunk.
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
    LAM_SALVAGE_DEFAULT,   /* NULLS */
    LAM_SALVAGE_NULLS,     /* the lost field is null where it is optional; else the nearest optional
                             group around it, with all of its fields, is null; else the row is left
                             out. A repeated field is never made empty instead, and of a VARIANT all
                             is null or nothing. Lists and groups keep their entries as long as one
                             column of them can be read */
    LAM_SALVAGE_LEAVE_OUT, /* rows that have lost any column are left out */
    LAM_SALVAGE_OPTIONAL   /* as NULLS, but required fields that would have a row left out become
                              optional in the file that is written */
} lam_salvage_manner;

/* How to salvage. Zero means the default in every member. */
typedef struct lam_salvage_options {
    size_t struct_size;
    const lam_allocator *allocator; /* copied; NULL is that of the reader */
    lam_salvage_manner manner;
    const bool *leaves;   /* one for each leaf: only these are read, and the others count as whole;
                             NULL: all. Borrowed for the call of open */
    const lam_stop *stop; /* borrowed until close; NULL: that of the reader */
    /*
     * Pages that the input fails to read with IO are lost, as on a disk with bad sectors: each
     * 4,096 bytes of what fails are tried once more by themselves. What can be read once must be
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
    size_t page_count;      /* damaged pages; bytes that are not known to be pages count as one, and
                          0 are damaged where nothing states the rows of the pages */
    int64_t offset;         /* of the first of them in the file */
    lam_error_code code;    /* why that one cannot be read */
    const char *message;    /* the same in words; borrowed until close */
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

/* All of it in numbers. Cells are values or nulls of one column in one row. */
typedef struct lam_salvage_report {
    size_t struct_size;
    uint64_t row_count;      /* of the file */
    uint64_t rows_left_out;  /* not written */
    uint64_t cells;          /* of the file */
    uint64_t cells_lost;     /* that cannot be read, or whose row is not known */
    uint64_t cells_given_up; /* that can be read, and are null or left out beside lost ones */
    uint64_t pages_damaged;
    uint64_t pages_unplaced; /* that are sound, and whose rows are not known */
    uint64_t headers_repaired;
    uint64_t bytes_unknown; /* of column chunks, in nothing that is known to be a page */
    uint64_t rows_unknown;  /* that the footer counts, and no row group of it has */
} lam_salvage_report;

LAM_GROWING(lam_salvage_report);

typedef struct lam_salvage lam_salvage;

/*
 * Reads all of a file, page by page. The reader is borrowed until close; its page checksums are
 * compared whatever its options say. Damage is no failure: IO unless it is passed, NOMEM,
 * CANCELLED, LIMIT for the memory limit of the reader. `options` may be NULL.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_open(const lam_reader *reader,
                                                     const lam_salvage_options *options,
                                                     lam_salvage **ret_salvage, lam_error *error);
/* NULL is allowed. */
LAM_PUBLIC void lam_salvage_close(lam_salvage *salvage);

/*
 * The same file, as a reader that goes on behind damaged pages: whatever skips over the lost rows
 * can read those behind them, and reading a lost row fails. Borrowed until close.
 */
LAM_PUBLIC const lam_reader *lam_salvage_reader(const lam_salvage *salvage);

/* Gives losses by row group, then column, then row. NOT_FOUND behind the last one. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_loss_at(const lam_salvage *salvage, size_t index,
                                                        lam_salvage_loss *ret_loss,
                                                        lam_error *error);
/* Gives all rows of the file, in order. NOT_FOUND behind the last ones. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_rows_at(const lam_salvage *salvage, size_t index,
                                                        lam_salvage_rows *ret_rows,
                                                        lam_error *error);
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_report_of(const lam_salvage *salvage,
                                                          lam_salvage_report *ret_report,
                                                          lam_error *error);

/*
 * Opens the records that are left, of the leaves that are marked; NULL: all. There are none before
 * lam_salvage_go_to. Both are borrowed until the record reader is closed.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_open_records(const lam_salvage *salvage,
                                                             const bool *leaves,
                                                             lam_record_reader **ret_records,
                                                             lam_error *error);
/*
 * Goes to the rows that lam_salvage_rows_at gives for `index`. `records`, which
 * lam_salvage_open_records has opened, has their records alone from here on, without the leaves
 * that are lost in them, and lets go of the writer that it borrows. `ret_leaves`, with an element
 * for each leaf of the file, gets true for those that are not lost: a writer of the records takes
 * the ones of these that `records` was opened for. Ranges may come in any order, and are read
 * fastest in their own; each may be read in part. After a failed read `records` goes on with the
 * next range. NOT_FOUND behind the last range, NOMEM, CANCELLED.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_go_to(const lam_salvage *salvage,
                                                      lam_record_reader *records, size_t index,
                                                      bool *ret_leaves, lam_error *error);

/* The schema of what is written: that of the file, or one with more optional fields. Borrowed. */
LAM_PUBLIC const lam_schema *lam_salvage_schema(const lam_salvage *salvage);
/*
 * Writes all that is left, with the row groups and the key-value metadata of the file. The writer
 * was opened with lam_salvage_schema, and is not finished. All values are encoded anew, and so are
 * statistics, page indexes and ARROW:schema, of which nothing is taken over: they have no
 * checksums. INVALID for a writer of another schema.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_salvage_write(const lam_salvage *salvage,
                                                      lam_writer *writer, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
