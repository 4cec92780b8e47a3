/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that were not finished, and finished files that go on: reading what a killed writer left,
 * making a whole file of it, copying row groups, and appending.
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

/* What was found in a file, and what was not. Bytes and rows of row groups; the journal apart. */
typedef struct lam_recovery {
    size_t struct_size;
    uint64_t row_groups;      /* that are whole, and given */
    uint64_t rows;            /* in them */
    uint64_t bytes;           /* of their column chunks */
    uint64_t lost_row_groups; /* that are described, and are damaged or behind a damaged one */
    uint64_t lost_rows;       /* in them */
    uint64_t lost_bytes;      /* of the file that belong to no row group that is given, nor to a
                                 footer, a page index or a record; and of the journal, behind its
                                 last whole frame */
    uint64_t journal_rows;    /* that came from the journal */
    bool has_footer;          /* the file was finished: nothing had to be recovered */
    bool is_complete;         /* nothing was lost that is known of */
    bool lacks_checksums;     /* some pages have none, and damage in them is not noticed */
    bool is_cut;              /* the last row group is cut, and given (option keeps_cut) */
    bool follows_like; /* the pages can be divided in several ways, of which the one was taken in
                          which columns have the encodings that they have in `like` (likewise) */
} lam_recovery;

LAM_GROWING(lam_recovery);

/* How to recover. Zero means the default in every member. */
typedef struct lam_recover_options {
    size_t struct_size;
    const lam_allocator *allocator; /* copied; NULL is the C library's heap */
    const lam_storage *storage;     /* copied; NULL is lam_storage_files; openings from an input
                                       ignore it */
    const lam_schema *schema;       /* for files without records of their row groups, as other
                                          writers leave them; NULL: what the file states itself */
    const lam_reader *like;         /* a file of the same writer, for the same use: its schema,
                                          and how it lays out its row groups; or NULL */
    uint64_t memory_limit;          /* as in lam_reader_options */
    bool no_checksums;              /* believe pages without comparing their checksums */
    bool ignores_locks;             /* read files that another process may be writing */
    const lam_stop *stop;           /* or NULL; borrowed until the reader is closed */
    bool is_leftover;       /* its writer ended early: a footer at the end is believed only if
                                 all pages before it are whole. lam_recover sets it for ".part" */
    uint64_t durable_bytes; /* of the start of the file, such as those of a finished file that was
                                 appended to: footers in them cannot be torn. lam_recover sets it
                                 for files that an append in place left */
    bool keeps_cut;         /* for lam_salvage_open: with `schema` or `like`, the reader's last row
                                 group may be one of which only the first chunks are there, and the
                                 first pages of the last of them. It has the rows of its first
                                 chunk; reading what is not there fails. lam_recover ignores it */
    char unused[7];         /* padding of older programs, which may hold anything */
    /*
     * With `keeps_cut`: what the input fails to read with IO is damaged, as on a disk with bad
     * sectors. A footer in such bytes is lost, a page header in them ends the walk, and a page of
     * which only the body is in them stays, and fails when it is read. Each 4,096 bytes of what
     * fails are tried once more by themselves. false: such a failure ends the call. lam_recover
     * ignores it.
     */
    bool passes_unreadable;
} lam_recover_options;

LAM_GROWING(lam_recover_options);

/*
 * Opens a file that may be unfinished. With a sound footer at its end it is opened as by
 * lam_reader_open; a footer that lies inside of a page is a value of that page, and none. Else the
 * file is walked from its first page on: page headers by their sizes, and the record that this
 * library's logs write behind each row group; magic numbers are never searched for. The reader then
 * has the row groups that are whole and match their checksums. A damaged row group is left out if a
 * later record states that it was durable; else it is the end, since nothing behind it was.
 *
 * Files of other writers are read up to the last footer between their row groups. Files with
 * neither footers nor records need `schema` or `like`: their pages are divided into the column
 * chunks that they must be, each row group one chunk for each leaf in order, and the reader has the
 * row groups that every possible division has in common. CORRUPT when nothing states what the pages
 * hold, when they cannot be what the schema says, or when already the first row group is
 * ambiguous, as columns of one type without dictionaries are; `like` resolves that where all of its
 * row groups but the last one have the same rows. The codec is that of `like`, or the only one that
 * uncompresses the pages. On success the input moves into the reader; on failure it
 * stays with the caller. `options` may be NULL.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_open_unfinished(lam_input *input,
                                                               const lam_recover_options *options,
                                                               lam_reader **ret_reader,
                                                               lam_recovery *ret_recovery,
                                                               lam_error *error);

/*
 * Copies `count` row groups of a file from `first` on, byte by byte, behind those that the writer
 * has: pages, Bloom filters, page indexes and statistics. The open row group ends before. What is
 * stated of them stays true: bounds that are in another order than the writer's, and metadata that
 * the writer of the file is known to get wrong, are left out; sizes of chunks are those that the
 * headers of their pages have, all of which are read. The reader is only used during the call.
 *
 * INVALID when the schemas differ in more than the name of the message and field ids, naming the
 * first field that does; nothing is written then. UNSUPPORTED or CORRUPT for a chunk that is
 * encrypted, in another file, or not where its footer says, whose page headers cannot be read or do
 * not hold its values, or whose pages have a fault that readers correct by the name of the file's
 * writer, or are V2 pages that begin inside of records; an offset index to V1 pages that do so is
 * left out. The row groups before it are copied, and the writer can go on.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_writer_copy_row_groups(lam_writer *writer,
                                                               const lam_reader *reader,
                                                               size_t first, size_t count,
                                                               lam_error *error);

/*
 * Makes a whole file `target` of the unfinished file `path`, and of the rows that a journal has
 * beyond it: journals are found in the file's folder, and above it as long as folders are named
 * NAME=VALUE. Row groups are copied as they are; a file that is finished already is copied as a
 * whole. The target appears when it is durable, and must not exist (FILE_EXISTS) unless it is, byte
 * by byte, what would be made, as when the same is recovered twice; original and journal stay. A
 * file whose append in place was interrupted may be its own target: the recovered file takes its
 * place, with the row groups that are whole, and its note "_NAME.append" is removed; if the file is
 * whole already, only that. A file that is missing is made from its journal alone; if `path` ends
 * with ".part", the journal knows it by the name before that, without a "_" at its beginning. A
 * link as `path` leads to the file; one as `target` is in the way. The new file has the
 * permissions, owner and group of the original, as far as the process may give them; journals and
 * notes count if they are this user's or the original's owner's.
 *
 * CORRUPT when no row can be had: LEFTOVER_EMPTY for a ".part" of which not one page is whole, so
 * that no record in it was ever durable, as a crash leaves it behind its creation; another code
 * when bytes are lost. FILE_BUSY while its writer runs.
 * `ret_recovery` is set on success.
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
                           writer is finished the file is one that lam_recover repairs, with
                           "_NAME.append" beside it, which has the file's old size */
} lam_append_manner;

/*
 * Opens a writer that continues the finished file `path`, whoever wrote it, with its schema and
 * key-value metadata. INVALID when `schema`, which may be NULL, differs from that of the file,
 * naming the first field that does; UNSUPPORTED or CORRUPT when a chunk is encrypted, in another
 * file or not where its footer says; FILE_BUSY while somebody else writes it. `storage` may be NULL
 * and is copied. Page checksums are always written, and IN_PLACE a record behind each row group.
 * Without a successful finish ANEW leaves the file as it is. A link leads to the file; a new file
 * has the permissions, owner and group of the old one, as far as the process may give them.
 */
LAM_PUBLIC LAM_NODISCARD lam_status
lam_writer_open_append(const char *path, const lam_schema *schema, lam_append_manner manner,
                       const lam_storage *storage, const lam_writer_options *options,
                       lam_writer **ret_writer, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
