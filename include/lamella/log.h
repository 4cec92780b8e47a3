/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logging: records go into a folder of Parquet files, and acknowledged records survive crashes and
 * power cuts.
 *
 *     producer --shred--> batch --queue--> journal, open files --checkpoint, sync--> durable
 *                                              |--rotate--> <prefix>-<UTC>-<id>.parquet
 *
 * A file that is being written is "_NAME.part", and the journal "_NAME.journal": readers of folders
 * skip names that begin with "_". It is a Parquet file up to its last checkpoint footer, and can be
 * recovered (recover.h) up to its last row group; with a journal, up to the last synced record.
 * docs/logging.md says what survives what, and what it costs.
 */
#ifndef LAMELLA_LOG_H
#define LAMELLA_LOG_H

#include <lamella/common.h>
#include <lamella/record.h>
#include <lamella/schema.h>
#include <lamella/stop.h>
#include <lamella/storage.h>
#include <lamella/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* When written bytes are made to survive a power cut. A kill of the process needs no sync. */
typedef enum lam_log_sync {
    LAM_LOG_SYNC_DEFAULT,    /* INTERVAL with a journal, CHECKPOINT without */
    LAM_LOG_SYNC_NEVER,      /* survives a kill, not a power cut; files are not synced at all */
    LAM_LOG_SYNC_CHECKPOINT, /* at each checkpoint */
    LAM_LOG_SYNC_INTERVAL,   /* every sync_ms, and at each checkpoint */
    LAM_LOG_SYNC_RECORD      /* `end` returns when the record is durable; needs the journal */
} lam_log_sync;

/* What `end` does while the queue is full. */
typedef enum lam_log_full {
    LAM_LOG_FULL_DEFAULT,     /* BLOCK */
    LAM_LOG_FULL_BLOCK,       /* waits for room */
    LAM_LOG_FULL_DROP_NEWEST, /* drops the batch of records that has no room, and counts it */
    LAM_LOG_FULL_DROP_OLDEST  /* drops the oldest batch of the queue, and counts it */
} lam_log_full;

/* What becomes of the files that a predecessor left unfinished, when a log is opened. */
typedef enum lam_log_leftovers {
    LAM_LOG_LEFTOVERS_DEFAULT, /* RECOVER */
    LAM_LOG_LEFTOVERS_RECOVER, /* make finished files of them, replay journals, and remove what was
                                  recovered. What cannot be recovered stays, with ".bad" at the end
                                  of its name. Leftovers of earlier builds, without a "_" at the
                                  start of their names, are recovered as well */
    LAM_LOG_LEFTOVERS_KEEP     /* leave them as they are */
} lam_log_leftovers;

/* A finished file of the log, for the callback; borrowed for the call. Grows at its end. */
typedef struct lam_log_file {
    const char *path; /* as the storage knows it */
    uint64_t bytes;
    uint64_t records;
    bool is_recovered; /* made from what a predecessor left */
} lam_log_file;

/* A pair for the key-value metadata of files. */
typedef struct lam_log_key_value {
    const char *key;
    const char *value; /* or NULL */
} lam_log_key_value;

/* How to log. Zero means the default in every member; values out of range are INVALID. */
typedef struct lam_log_options {
    size_t struct_size;
    const lam_allocator *allocator;   /* copied; NULL is the C library's heap */
    const lam_writer_options *writer; /* how files are written, copied; NULL for the defaults.
                                           Its allocator and stop are ignored; page checksums are
                                           always written */
    const lam_storage *storage;       /* copied; NULL is lam_storage_files */
    const lam_clock *clock;           /* copied; NULL: those of the operating system */
    const char *prefix;               /* of the names of files, copied; without '/' and '=', and no
                                           '.' or '_' at its beginning; NULL is "log" */
    const char *partition_by;         /* path of a leaf that decides the folder of a
                                           record; NULL: one folder. It must not be repeated; DATE,
                                           TIMESTAMP, a string, an integer or BOOLEAN */
    const char *partition_format;     /* folders from that leaf, in UTC: "date=%Y-%m-%d/hour=%H".
                                           %Y %m %d %H %M %S %j of dates and timestamps; %v is the
                                           value of any leaf; %% is %. NULL: "NAME=%v" with the name
                                           of the leaf. A null goes to
                                           "__HIVE_DEFAULT_PARTITION__"; a name of more than 200
                                           bytes is cut, and ends in a hash of the value */
    uint32_t open_files;              /* at most, least recently used closed first; 0 is 16 */
    lam_log_sync sync;                /* see above */
    uint64_t sync_ms;                 /* of SYNC_INTERVAL; 0 is 1000. Any other number needs that or
                                           a journal */
    uint64_t checkpoint_rows;         /* a checkpoint of a file after these rows, bytes written */
    uint64_t checkpoint_bytes;        /*   and buffered, or milliseconds since its first record */
    uint64_t checkpoint_ms;           /*   that has no checkpoint; 0: not for this reason. All 0:
                                           each 10 s without a journal, never with one */
    uint64_t rotate_bytes;            /* a file ends when it is about to be this large; 0 is
                                           256 MiB */
    uint64_t rotate_ms;               /* or this long after it was opened; 0: never */
    uint64_t keep_bytes;              /* oldest final files of this prefix are removed until all
                                           have no more than these bytes, but the youngest; those
                                           of this log after all others. 0: all stay */
    uint64_t keep_ms;                 /* final files are removed this long after the time in their
                                           name; 0: never */
    uint64_t memory_limit;            /* bytes of everything that the log holds; row groups and
                                           files end early to stay below it, and leftovers that
                                           take more stay (recovering may have 8 MiB). 0 is 64 MiB;
                                           the least is 2 MiB, and what one row group of the schema
                                           needs */
    bool journal;                     /* keep records that are in no row group yet in a journal */
    bool background;                  /* encode, compress, write and sync in a thread of the log's
                                           own; else in the calls, and what time demands in
                                           lam_log_poll */
    lam_log_full when_full;           /* with `background` */
    lam_log_leftovers leftovers;
    uint64_t journal_bytes; /* row groups end to cut the journal back when it is this
                                           large; 0 is 64 MiB */
    uint64_t queue_bytes;   /* of the queue; 0 is a quarter of the memory limit */
    void *callback_state;   /* of the callbacks, which a thread of the log may call, one
                                           at a time; they must not call the log */
    void (*on_file)(void *callback_state, const lam_log_file *file); /* a file is final; or NULL */
    void (*on_durable)(void *callback_state, uint64_t durable, const char *path); /* `durable` grew,
                                           with the file that was synced last; or NULL */
    const lam_log_key_value *key_values; /* for the footer of each file, copied; or NULL */
    size_t key_value_count;
    const lam_stop *stop; /* asked while leftovers are recovered, and those that are not yet stay
                              as they are; a log of one file is not opened then (CANCELLED).
                              Borrowed for the call; NULL: none */
    /*
     * The oldest finished files of this prefix are removed until the file system of the folder has
     * this many bytes free, or this share of its size, 0 to 100 percent; 0: all stay. Checked when
     * the log is opened, when a file ends, every ten seconds, and when a write finds the disk full,
     * which is then tried again. The youngest file stays. A log of a folder only.
     */
    uint64_t keep_free_bytes;
    uint64_t keep_free_percent;
    /* How much of the file system around a folder is free, and how large it is, in bytes. NULL is
     * what the system says, and needs lam_storage_files. */
    lam_status (*measure_disk)(void *callback_state, const char *path, uint64_t *ret_free,
                               uint64_t *ret_size, lam_error *error);
    /* Retention has removed a file of this size, perhaps while the log is opened; or NULL. */
    void (*on_removed)(void *callback_state, const char *path, uint64_t bytes);
} lam_log_options;

LAM_GROWING(lam_log_options);

/*
 * Records on their way to a folder. With `background`, every call but close may be made from any
 * thread at any time; without it, from one thread at a time.
 */
typedef struct lam_log lam_log;

/*
 * Opens a log that writes files into the folder `path`, which is created if its parent exists. The
 * schema is shared; `options` may be NULL. Leftovers of the same prefix are recovered first, as the
 * options say. IO when the folder cannot be written, INVALID for options out of range and a path of
 * a partition that leads to no leaf of its types, NOT_FOUND for one that leads nowhere, LIMIT for a
 * memory limit that is too small for the schema, NOMEM. Free it with lam_log_close.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_open(const lam_schema *schema, const char *path,
                                                 const lam_log_options *options, lam_log **ret_log,
                                                 lam_error *error);
/*
 * The same for one file, without partitions and rotation: it appears under `path` when the log is
 * finished, and is "_NAME.part" in its folder until then. IO (FILE_EXISTS) when `path` exists, IO
 * (FILE_BUSY) when another log writes it; it is created and locked at once, and has no rows if no
 * record comes. A leftover "_NAME.part" is continued: the new one begins with its rows. LIMIT when
 * reading it takes more than the memory limit; it then stays as it is.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_open_file(const lam_schema *schema, const char *path,
                                                      const lam_log_options *options,
                                                      lam_log **ret_log, lam_error *error);

/* --- Records ------------------------------------------------------------------------------- */

/* One source of records; used by one thread at a time. A log may have many. */
typedef struct lam_log_producer lam_log_producer;

/*
 * The schema of its records is the schema of the log at this moment. The log must outlive it. STATE
 * for a log that is finished, NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_producer_create(lam_log *log,
                                                            lam_log_producer **ret_producer,
                                                            lam_error *error);
/*
 * The verbs; valid until destroy. Values are checked as lam_record_checker does; a failed verb
 * drops only the open record. `end` fails with LIMIT for a record that does not fit the memory
 * limit. Once the log itself has failed (`has_failed` of lam_log_info), every call repeats its
 * first failure: status, code, os_error, place and message.
 */
LAM_PUBLIC lam_record_sink lam_log_producer_sink(lam_log_producer *producer);
/* Hands over what it holds; an open record is dropped. NULL is allowed. */
LAM_PUBLIC void lam_log_producer_destroy(lam_log_producer *producer);

/* The verbs of a producer of the log's own, for programs with one. */
LAM_PUBLIC lam_record_sink lam_log_sink(lam_log *log);

/*
 * Writes complete records as triples of the log's present schema, borrowed for the call, with the
 * errors of lam_writer_write_triples and of `end`.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_write_triples(lam_log *log, const lam_triples *columns,
                                                          size_t record_count, lam_error *error);

/* The schema of records that a new producer takes. Borrowed until lam_log_widen or close. */
LAM_PUBLIC const lam_schema *lam_log_schema(const lam_log *log);

/*
 * Gives new producers a wider schema, which holds each record of the present one: it may have more
 * fields, another order, and types that the union of both has (dataset.h), double for an int64 or
 * an optional field for a required one. Records of older producers, that of lam_log_sink included,
 * continue in files of their own schema. INVALID names the first field that does not agree; STATE
 * for a log of one file.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_widen(lam_log *log, const lam_schema *schema,
                                                  lam_error *error);

/* --- Time and durability ------------------------------------------------------------------- */

/*
 * Does whatever is due: checkpoints, syncs, rotation, retention. `ret_wait_ms`, which may be NULL,
 * gets the number of milliseconds after which to call again at the latest; UINT64_MAX: nothing is
 * pending.
 * With `background` it does nothing. The first failure of the log, IO for one of its storage.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_poll(lam_log *log, uint64_t *ret_wait_ms,
                                                 lam_error *error);

/*
 * Makes every record that ended before the call durable (with SYNC_NEVER: survive a kill), each
 * open file with a footer at its end. Records of a producer with an open record follow when that
 * ends. Errors as of lam_log_poll.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_checkpoint(lam_log *log, lam_error *error);
/* Requests the same soon: by the background thread, or in the next poll or `end`. A signal handler
 * may call it. */
LAM_PUBLIC void lam_log_request_checkpoint(lam_log *log);
/*
 * Ends all open files; the next records begin new ones. STATE for a log of one file; errors as of
 * lam_log_poll.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_rotate(lam_log *log, lam_error *error);

/* Numbers since open. */
typedef struct lam_log_info {
    size_t struct_size;
    uint64_t accepted;  /* records whose `end` succeeded */
    uint64_t durable;   /* of these, records that survive a power cut now; with SYNC_NEVER, a kill.
                            The oldest ones: the first `durable` records in the order of acceptance,
                            dropped ones not counted; with several producers, triples or arrays the
                            first ones of each */
    uint64_t dropped;   /* by the policy of the full queue */
    uint64_t recovered; /* that predecessors left: not counted above */
    uint64_t files;     /* that are final */
    uint64_t removed_files;      /* by retention */
    uint64_t retention_failures; /* times that a file could not be removed */
    uint64_t bytes;              /* written, to all files */
    uint64_t journal_bytes;
    uint64_t checkpoints;
    uint64_t syncs;
    uint64_t memory; /* held now */
    uint64_t memory_peak;
    uint64_t queued; /* records in batches and the queue */
    uint32_t open_files;
    bool has_failed;
    char unused[3];       /* padding of older programs */
    uint64_t passed_over; /* at the start: files with the name of a leftover that are links, belong
                             to another user, or have a second name: left, or moved to ".bad" */
    uint64_t unrecovered; /* at the start: leftovers that stay as they are, because recovering them
                             would exceed the memory limit, or a stop was requested */
    uint64_t put_aside;   /* at the start: leftovers of this user that cannot be read, which get
                             ".bad" at the end of their names: they may hold durable rows */
    uint64_t incomplete;  /* at the start, of a folder: files made from leftovers that had lost
                             something, as lam_recovery says: their ends, which were not durable,
                             unless the disk is damaged */
} lam_log_info;

LAM_GROWING(lam_log_info);

/* Any thread. INVALID for an info without a size. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_get_info(lam_log *log, lam_log_info *ret_info,
                                                     lam_error *error);

/*
 * Writes what is held, and ends all files. The time that this takes is bounded by the memory limit:
 * no more than that is left to encode and write. Producers may still exist, but their records are
 * refused from now on. STATE, and nothing is ended, when one of them has an open record.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_finish(lam_log *log, lam_error *error);
/*
 * Frees the log; all its producers must be destroyed. Without a successful finish it leaves what a
 * kill would leave. NULL is allowed.
 */
LAM_PUBLIC void lam_log_close(lam_log *log);

#ifdef __cplusplus
}
#endif

#endif
