/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unfinished files, and finished files that are continued: reading what a killed writer left,
 * making a complete file of it, copying row groups, and appending.
 */
#ifndef LAMELLA_RECOVER_H
#define LAMELLA_RECOVER_H

#include <lamella/common.h>
#include <lamella/reader.h>
#include <lamella/schema.h>
#include <lamella/storage.h>
#include <lamella/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What was found in a file, and what was lost. Counts are of the file; the journal has its own. */
typedef struct lam_recovery {
    size_t struct_size;
    uint64_t row_groups;      /* complete, and in the reader */
    uint64_t rows;            /* in them */
    uint64_t bytes;           /* of their column chunks */
    uint64_t lost_row_groups; /* described, but damaged or after a damaged one */
    uint64_t lost_rows;       /* in them */
    uint64_t lost_bytes;      /* in the file: in no row group of the reader, footer, page index or
                                 record; in the journal: after its last complete frame */
    uint64_t journal_rows;    /* recovered from the journal */
    bool has_footer;          /* the file was finished: nothing had to be recovered */
    bool is_complete;         /* no known loss */
    bool lacks_checksums;     /* some pages have none, so damage in them is not noticed */
    bool is_cut;              /* the last row group is cut, but in the reader (option keeps_cut) */
    bool follows_like;        /* the pages can be divided in several ways; the one taken is that in
                          which columns have the encodings that they have in `like` (likewise) */
} lam_recovery;

LAM_GROWING(lam_recovery);

/* How to recover. Zero means the default in every member. */
typedef struct lam_recover_options {
    size_t struct_size;
    const lam_allocator *allocator; /* copied; NULL is the C library's heap */
    const lam_storage *storage;     /* copied; NULL is lam_storage_files; openings from an input
                                       ignore it */
    const lam_schema *schema;       /* for files of other writers, which have no records of their
                                          row groups; NULL: what the file itself says */
    const lam_reader *like;         /* for the same purpose, a file of the same writer, for its
                                          schema and the layout of its row groups; or NULL */
    uint64_t memory_limit;          /* as in lam_reader_options */
    bool no_checksums;              /* do not compare checksums of pages */
    bool ignores_locks;             /* read files that another process may be writing */
    const lam_stop *stop;           /* or NULL; borrowed until the reader is closed */
    bool is_leftover;       /* its writer ended early: a footer at the end is trusted only if
                                 all pages before it are sound. lam_recover sets it for ".part" */
    uint64_t durable_bytes; /* the first bytes that are known to be durable, such as those of a
                                 finished file before an append: no footer in them can be torn.
                                 lam_recover sets it for files that an append in place left */
    bool keeps_cut;         /* for lam_salvage_open: with `schema` or `like`, the reader's last row
                                 group may be cut: it has only its first chunks, and the last of
                                 these only its first pages. It has the rows of its first chunk;
                                 reading what is missing fails. lam_recover ignores it */
    char unused[7];         /* padding of older programs, which may hold anything */
    /*
     * With `keeps_cut`: bytes that the input fails to read with IO count as damaged, as on a disk
     * with bad sectors. A footer in such bytes is lost, a page header in them ends the walk, and a
     * page with only its body in them stays, and fails when it is read. Every 4,096 bytes of a
     * failed read are tried once more by themselves. false: such a failure ends the call.
     * lam_recover ignores it.
     */
    bool passes_unreadable;
} lam_recover_options;

LAM_GROWING(lam_recover_options);

/*
 * Opens a file that may be unfinished. If it has a sound footer at its end, it is opened as by
 * lam_reader_open; bytes inside a page that look like a footer are data, not a footer. Otherwise
 * the file is walked from its first page, by the sizes in page headers and the record that this
 * library's logs write after each row group; magic numbers are never searched for. The reader then
 * has the row groups that are complete and match their checksums. A damaged row group is left out
 * if a later record says that it was durable; otherwise the file ends there, since nothing after it
 * was durable.
 *
 * Files of other writers are read up to the last footer between their row groups. Files with
 * neither footers nor records need `schema` or `like`: their pages are divided into column chunks,
 * one for each leaf of a row group in order, and the reader has the row groups that all possible
 * divisions share. CORRUPT when nothing says what the pages hold, when they do not fit the schema,
 * or when even the first row group is ambiguous, as with columns of one type without dictionaries;
 * `like` resolves that if all of its row groups but the last have the same number of rows. The
 * codec is that of `like`, or the only one that decompresses the pages. On success the input moves
 * into the reader; on failure it stays with the caller. `options` may be NULL.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_open_unfinished(lam_input *input,
                                                               const lam_recover_options *options,
                                                               lam_reader **ret_reader,
                                                               lam_recovery *ret_recovery,
                                                               lam_error *error);

/*
 * Copies `count` row groups of a file, starting at `first`, byte by byte, after those that the
 * writer has: pages, Bloom filters, page indexes and statistics. The open row group is ended first.
 * The metadata of the copy is true: bounds in another order than the writer's, and metadata that
 * the writer of the file is known to get wrong, are left out; sizes of chunks are taken from the
 * headers of their pages, all of which are read. The reader is only used during the call.
 *
 * INVALID when the schemas differ in more than the name of the message and field ids, naming the
 * first field that does; nothing is written then. UNSUPPORTED or CORRUPT for a chunk that is
 * encrypted, in another file, or not where its footer says, whose page headers cannot be read or do
 * not hold its values, or whose pages have a fault that readers correct by the name of the file's
 * writer, or are V2 pages that begin inside records; an offset index to V1 pages that do so is left
 * out. The row groups before it are copied, and the writer can be used further.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_copy_row_groups(lam_writer *writer,
                                                               const lam_reader *reader,
                                                               size_t first, size_t count,
                                                               lam_error *error);

/*
 * Makes a complete file `target` from the unfinished file `path` and the rows that a journal has
 * beyond it: journals are found in the file's folder, and above it as long as folders are named
 * NAME=VALUE. Row groups are copied as they are; a finished file is copied entirely. The target
 * appears when it is durable, and must not exist (FILE_EXISTS), unless it already is, byte for
 * byte, what would be made, as after a second recovery; original and journal stay. A file whose
 * append in place was interrupted may be its own target: the recovered file takes its place, with
 * the complete row groups, and its note "_NAME.append" is removed; if the file is complete already,
 * only the note is removed. If the file is missing, the target is made from its journal alone; if
 * `path` ends in ".part", the journal knows it by the name before that, without a "_" at its
 * beginning. If `path` is a link, it is followed; if `target` is one, it is in the way. The new
 * file has the permissions, owner and group of the original, as far as the process may give them;
 * journals and notes count if they belong to this user or to the original's owner.
 *
 * CORRUPT when no row can be recovered: LEFTOVER_EMPTY for a ".part" without a single complete
 * page, in which no record was ever durable, as after a crash right after its creation; another
 * code when bytes are lost. FILE_BUSY while its writer runs. `ret_recovery` is set on success.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_recover(const char *path, const char *target,
                                                const lam_recover_options *options,
                                                lam_recovery *ret_recovery, lam_error *error);

/* How to append. */
typedef enum lam_append_manner {
    LAM_APPEND_DEFAULT, /* ANEW */
    LAM_APPEND_ANEW, /* the row groups of the file are copied into a new one, which takes its name
                           when the writer is finished */
    LAM_APPEND_IN_PLACE /* row groups follow the old footer, which stays as dead bytes. Until the
                           writer is finished, lam_recover can repair the file, beside which
                           "_NAME.append" holds its old size */
} lam_append_manner;

/*
 * Opens a writer that continues the finished file `path`, whoever wrote it, with its schema and
 * key-value metadata. INVALID when `schema`, which may be NULL, differs from that of the file; the
 * message names the first field that does; UNSUPPORTED or CORRUPT when a chunk is encrypted, in
 * another file or not where its footer says; FILE_BUSY while another writer has it. `storage` may
 * be NULL and is copied. Page checksums are always written, and IN_PLACE a record after each row
 * group. Without a successful finish ANEW leaves the file as it is. A link leads to the file; a new
 * file has the permissions, owner and group of the old one, as far as the process may give them.
 */
LAM_PUBLIC LAM_NODISCARD lam_status
lam_writer_open_append(const char *path, const lam_schema *schema, lam_append_manner manner,
                       const lam_storage *storage, const lam_writer_options *options,
                       lam_writer **ret_writer, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
