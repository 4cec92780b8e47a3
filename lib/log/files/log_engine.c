/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when records become durable: writes the rows of batches to the journal and to files,
 * makes checkpoints and syncs at the moments that the options demand, and counts the durable
 * records.
 *
 *     batch -> route -> journal                    -> sync each sync_ms, or at once
 *                    -> file: rows, row groups     -> checkpoint by rows, bytes, time -> sync
 *
 * The invariant: a record counts as durable when it is in a synced row group of a file whose name
 * is synced, too, or in the synced part of the journal; and the journal is cut back only when every
 * record is in such a row group. `durable` never shrinks. Every failure is final: a file that
 * failed may have incomplete data, and a sync that failed may have lost its data.
 */
#include "log/files/log_engine.h"

#include <string.h>

#include "base/alloc.h"
#include "base/entropy.h"
#include "base/error.h"
#include "log/files/log_keep.h"
#include "log/files/log_relief.h"
#include "schema/nesting.h"
#include "schema/schema_union.h"

enum {
    LOG_NS_PER_MS = 1000000,
    ENCODING_FACTOR = 4, /* bytes of memory that encoding a byte of a batch may take */
    ROW_GROUPS = 32000,  /* of a file, as RowGroup.ordinal is an i16, on which some readers rely */
    RETENTION_MS = 10000 /* between two looks for files that are too old, or for room */
};

/* --- Opening ------------------------------------------------------------------------------- */

/*
 * The journal of a folder has a name like its files; the journal of one file has the file's name.
 */
static lam_status start_journal(lam_log_engine *engine, const char *root, bool is_folder,
                                lam_error *error) {
    char name[LAM_LOG_NAME_MAX + 1];
    uint8_t id[LAM_JOURNAL_ID_SIZE];
    lam_entropy(id, sizeof id);
    lam_log_make_name(engine->settings, name);
    LAM_TRY(lam_log_path_mark(&engine->journal_path, is_folder ? root : "", is_folder ? name : root,
                              LAM_LOG_SUFFIX_JOURNAL, error));
    const lam_input *like = &engine->settings->like;
    return lam_journal_writer_create(&engine->settings->storage,
                                     (const char *)engine->journal_path.data,
                                     like->read_at != NULL ? like : NULL, id,
                                     &engine->settings->allocator, &engine->journal, error);
}

lam_status lam_log_engine_init(lam_log_engine *engine, lam_log_settings *settings,
                               lam_log_counts *counts, const lam_schema *schema, const char *root,
                               bool is_folder, lam_error *error) {
    memset(engine, 0, sizeof *engine);
    engine->settings = settings;
    engine->counts = counts;
    engine->last_sync = settings->clock.monotonic(settings->clock.state);
    lam_buffer_init(&engine->journal_path, &settings->allocator);
    if (settings->options.journal)
        LAM_TRY(start_journal(engine, root, is_folder, error));
    LAM_TRY(lam_log_files_init(&engine->files, settings, counts, engine->journal, root, is_folder,
                               error));
    return lam_log_engine_add_schema(engine, schema, error);
}

static void free_generation(lam_log_engine *engine, lam_log_generation *generation) {
    lam_route_destroy(generation->route);
    lam_partition_destroy(generation->partition);
    lam_schema_destroy(generation->schema);
    lam_free(&engine->settings->allocator, generation, sizeof *generation);
}

/*
 * In a later schema the leaf is still that of the first one: the path may lead elsewhere among more
 * fields.
 */
static lam_status add_partition(const lam_log_engine *engine, const lam_schema *schema,
                                lam_partition **ret_partition, lam_error *error) {
    const lam_log_settings *settings = engine->settings;
    const lam_allocator *allocator = &settings->allocator;
    if (engine->generations == NULL)
        return lam_partition_create(schema, settings->partition_by, settings->partition_format,
                                    allocator, ret_partition, error);
    const lam_field *leaf = lam_schema_field_like(schema, engine->generations->partition->leaf);
    if (leaf == NULL || lam_is_group(leaf))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the wider schema changes the field that records are partitioned by");
    return lam_partition_of_leaf(leaf, settings->partition_format, allocator, ret_partition, error);
}

lam_status lam_log_engine_add_schema(lam_log_engine *engine, const lam_schema *schema,
                                     lam_error *error) {
    const lam_log_settings *settings = engine->settings;
    lam_status status;
    lam_log_generation *generation;
    LAM_TRY(LAM_NEW(&settings->allocator, &generation, error));
    generation->schema = lam_schema_share(schema);
    generation->key_values =
        engine->generations == NULL ? &settings->metadata.all : &settings->metadata.some;
    if (settings->partition_by != NULL)
        LAM_TRY_OUT(add_partition(engine, schema, &generation->partition, error));
    LAM_TRY_OUT(lam_route_create(schema, generation->partition, &settings->allocator,
                                 &generation->route, error));
    if (engine->journal != NULL)
        LAM_TRY_OUT(lam_journal_writer_add_schema(engine->journal, schema, generation->key_values,
                                                  &generation->journal_schema, error));
    generation->older = engine->generations;
    engine->generations = generation;
out:
    if (status != LAM_STATUS_OK)
        free_generation(engine, generation);
    return status;
}

void lam_log_engine_finish(lam_log_engine *engine) {
    if (engine->settings == NULL)
        return;
    lam_log_files_finish(&engine->files);
    lam_journal_writer_close(engine->journal);
    while (engine->generations != NULL) {
        lam_log_generation *next = engine->generations->older;
        free_generation(engine, engine->generations);
        engine->generations = next;
    }
    lam_buffer_finish(&engine->journal_path);
    memset(engine, 0, sizeof *engine);
}

/* --- Durability ---------------------------------------------------------------------------- */

static uint64_t monotonic_now(const lam_log_engine *engine) {
    const lam_clock *clock = &engine->settings->clock;
    return clock->monotonic(clock->state);
}

static bool never_syncs(const lam_log_engine *engine) {
    return engine->settings->options.sync == LAM_LOG_SYNC_NEVER;
}

/* Counts the records that became durable, and reports them; `path` was written last. */
static void note_durable(lam_log_engine *engine, const char *path) {
    const lam_log_options *options = &engine->settings->options;
    uint64_t durable = lam_log_files_first_lost(&engine->files, never_syncs(engine));
    if (durable > engine->next_record)
        durable = engine->next_record;
    if (durable < engine->journal_kept)
        durable = engine->journal_kept;
    uint64_t before = atomic_load(&engine->counts->durable);
    if (durable <= before)
        return;
    atomic_store(&engine->counts->durable, durable);
    if (options->on_durable != NULL)
        options->on_durable(options->callback_state, durable, path);
}

/*
 * Appends what the journal has collected, so that it survives a kill; with `syncs`, which a log
 * that never syncs does not request, a power cut.
 */
static lam_status keep_journal(lam_log_engine *engine, bool syncs, lam_error *error) {
    if (engine->journal == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_relief_keep(&engine->files, syncs, error));
    atomic_fetch_add(&engine->counts->syncs, syncs);
    if (syncs || never_syncs(engine))
        engine->journal_kept = engine->journaled;
    atomic_store(&engine->counts->journal_bytes, lam_journal_writer_byte_count(engine->journal));
    return LAM_STATUS_OK;
}

/* Syncs all that is written: the journal, and files with row groups that are not synced. */
static lam_status sync_all(lam_log_engine *engine, uint64_t now, lam_error *error) {
    const char *path = (const char *)engine->journal_path.data;
    LAM_TRY(keep_journal(engine, true, error));
    for (size_t i = 0; i < engine->files.count; i++) {
        lam_log_writer *file = engine->files.open[i];
        if (file->unsynced == UINT64_MAX)
            continue;
        LAM_TRY(lam_log_relief_sync(&engine->files, file, error));
        path = (const char *)file->open_path.data;
    }
    engine->last_sync = now;
    engine->needs_sync = false;
    note_durable(engine, path);
    return LAM_STATUS_OK;
}

/* Cuts the journal back if all its records are in row groups that are as durable as they get. */
static lam_status cut_journal(lam_log_engine *engine, lam_error *error) {
    if (engine->journal == NULL || engine->journaled == 0 ||
        lam_log_files_first_lost(&engine->files, never_syncs(engine)) < engine->journaled)
        return LAM_STATUS_OK;
    LAM_TRY(lam_journal_writer_cut(engine->journal, error));
    engine->journaled = 0;
    atomic_store(&engine->counts->journal_bytes, lam_journal_writer_byte_count(engine->journal));
    return LAM_STATUS_OK;
}

static lam_status checkpoint_file(lam_log_engine *engine, lam_log_writer *file, bool needs_footer,
                                  lam_error *error) {
    LAM_TRY(lam_log_relief_checkpoint(&engine->files, file, needs_footer, error));
    note_durable(engine, (const char *)file->open_path.data);
    return LAM_STATUS_OK;
}

/* Checkpoints of all files, with footers, and the journal is empty. */
static lam_status checkpoint_files(lam_log_engine *engine, lam_error *error) {
    for (size_t i = 0; i < engine->files.count; i++)
        LAM_TRY(checkpoint_file(engine, engine->files.open[i], true, error));
    return cut_journal(engine, error);
}

lam_status lam_log_engine_checkpoint(lam_log_engine *engine, lam_error *error) {
    LAM_TRY(checkpoint_files(engine, error));
    engine->needs_sync = false;
    return LAM_STATUS_OK;
}

/* --- Records ------------------------------------------------------------------------------- */

static lam_status engine_end_file(lam_log_engine *engine, size_t index, lam_error *error) {
    LAM_TRY(lam_log_files_end(&engine->files, index, error));
    note_durable(engine, engine->files.root);
    return LAM_STATUS_OK;
}

/* Bytes that ending a file may take beyond those held: its footer is complete in memory, and grows
 * there. */
static uint64_t room_to_end(const lam_log_engine *engine) {
    uint64_t most = 0;
    for (size_t i = 0; i < engine->files.count; i++) {
        uint64_t bytes = lam_writer_metadata_bytes(engine->files.open[i]->writer);
        most = bytes > most ? bytes : most;
    }
    return 2 * most;
}

/*
 * Ends row groups and files until a batch of `bytes` can be encoded: the largest row groups first,
 * then the least recently used files, as all of their memory is freed. The only open file continues
 * while its metadata are small, and that of a log of one file in any case.
 */
static lam_status make_room(lam_log_engine *engine, uint64_t bytes, lam_error *error) {
    const lam_log_settings *settings = engine->settings;
    lam_log_files *files = &engine->files;
    uint64_t target = lam_log_memory_target(settings);
    uint64_t needed = bytes * ENCODING_FACTOR;
    while (files->count > 0 &&
           lam_budget_used(&settings->budget) + needed + room_to_end(engine) > target) {
        lam_log_writer *fullest = files->open[lam_log_files_fullest(files)];
        size_t oldest = lam_log_files_oldest(files);
        if (lam_writer_row_group_bytes(fullest->writer) >= target / 16) {
            LAM_TRY(lam_log_writer_end_row_group(fullest, error));
            continue;
        }
        uint64_t least = lam_budget_used(&settings->budget) + bytes + room_to_end(engine);
        bool has_metadata = lam_writer_metadata_bytes(files->open[oldest]->writer) >= target / 8;
        if (!files->is_folder ||
            (files->count == 1 && !has_metadata && least <= settings->options.memory_limit))
            break; /* the memory is buffers, which the next file would need as well */
        if (files->count == 1 && !has_metadata && fullest->pending != UINT64_MAX) {
            LAM_TRY(lam_log_writer_end_row_group(fullest, error));
            continue;
        }
        LAM_TRY(engine_end_file(engine, oldest, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Adds the records of one partition to the journal, where they are collected: they are appended
 * once the file has them, too.
 */
static lam_status journal_group(const lam_log_engine *engine, lam_log_writer *file,
                                const lam_route_group *group, uint64_t first_record,
                                lam_error *error) {
    uint64_t before = lam_journal_writer_byte_count(engine->journal);
    LAM_TRY(
        lam_journal_writer_add_rows(engine->journal, file->journal_file, file->rows,
                                    first_record + (group->records != NULL ? group->records[0] : 0),
                                    group->columns, group->record_count, error));
    file->journal_bytes += lam_journal_writer_byte_count(engine->journal) - before;
    return LAM_STATUS_OK;
}

/* Writes the records of one partition, and ends its row group or file when it is large enough. */
static lam_status write_group(lam_log_engine *engine, const lam_log_generation *generation,
                              const lam_route_group *group, uint64_t first_record, uint64_t now,
                              lam_error *error) {
    const lam_log_options *options = &engine->settings->options;
    const lam_log_sequence sequence = {first_record, group->records};
    lam_log_writer *file;
    LAM_TRY(lam_log_files_find(&engine->files, generation, group, now, &file, error));
    if (engine->journal != NULL)
        LAM_TRY(journal_group(engine, file, group, first_record, error));
    LAM_TRY(lam_log_writer_write(file, group->columns, group->record_count, &sequence, now, error));
    uint64_t expected = lam_log_writer_expected_bytes(file);
    if (expected >= options->rotate_bytes ||
        (engine->files.is_folder && lam_writer_row_group_count(file->writer) >= ROW_GROUPS)) {
        size_t index = 0;
        while (engine->files.open[index] != file)
            index++;
        return engine_end_file(engine, index, error);
    }
    uint64_t new_rows = file->rows - file->checkpoint_rows;
    if ((options->checkpoint_rows > 0 && new_rows >= options->checkpoint_rows) ||
        (options->checkpoint_bytes > 0 &&
         expected - file->checkpoint_bytes >= options->checkpoint_bytes))
        return checkpoint_file(engine, file, false, error);
    return LAM_STATUS_OK;
}

/* Bytes of the open files, for other threads. */
static void engine_count_bytes(lam_log_engine *engine) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < engine->files.count; i++)
        bytes += lam_log_writer_bytes(engine->files.open[i]);
    atomic_store(&engine->counts->open_bytes, bytes);
}

static lam_status end_all_files(lam_log_engine *engine, lam_error *error) {
    while (engine->files.count > 0)
        LAM_TRY(engine_end_file(engine, engine->files.count - 1, error));
    return LAM_STATUS_OK;
}

/*
 * Keeps the journal small enough, and off a disk that has no room for its row groups; `bytes` are
 * those of a batch.
 */
static lam_status tend_journal(lam_log_engine *engine, uint64_t bytes, lam_error *error) {
    bool ends = false;
    if (engine->journal == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_relief_run(&engine->files, bytes, &ends, error));
    if (ends && engine->files.is_folder)
        LAM_TRY(end_all_files(engine, error));
    LAM_TRY(cut_journal(engine, error));
    return lam_journal_writer_is_due(engine->journal) ? keep_journal(engine, false, error)
                                                      : LAM_STATUS_OK;
}

lam_status lam_log_engine_write(lam_log_engine *engine, const lam_log_generation *generation,
                                const lam_triples *columns, size_t record_count, uint64_t bytes,
                                lam_error *error) {
    uint64_t now = monotonic_now(engine);
    uint64_t first_record = engine->next_record;
    LAM_TRY(make_room(engine, bytes, error));
    LAM_TRY(lam_route_split(generation->route, columns, record_count, error));
    if (!engine->needs_sync && engine->settings->options.sync == LAM_LOG_SYNC_INTERVAL)
        engine->last_sync = now; /* no records were waiting: the interval begins with these */
    engine->needs_sync = true;
    for (size_t i = 0; i < lam_route_count(generation->route); i++) {
        const lam_route_group group = lam_route_at(generation->route, i);
        LAM_TRY(write_group(engine, generation, &group, first_record, now, error));
    }
    /* Not before: none of them counts as durable until all partitions of the batch are written. */
    engine->next_record += record_count;
    engine->journaled = engine->next_record;
    return tend_journal(engine, bytes, error);
}

/* With SYNC_RECORD that is a sync, else the journal reaches the operating system. */
lam_status lam_log_engine_commit(lam_log_engine *engine, lam_error *error) {
    const lam_log_options *options = &engine->settings->options;
    engine_count_bytes(engine);
    if (options->sync == LAM_LOG_SYNC_RECORD)
        return sync_all(engine, monotonic_now(engine), error);
    LAM_TRY(keep_journal(engine, false, error));
    note_durable(engine, engine->files.root);
    return LAM_STATUS_OK;
}

/* --- Time ---------------------------------------------------------------------------------- */

/* The moment `ms` after `from`. */
static uint64_t moment_after(uint64_t from, uint64_t ms) {
    return from + ms * LOG_NS_PER_MS;
}

static uint64_t earlier_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Ends or checkpoints one file if it is time; `*index` moves on unless the file ended. */
static lam_status poll_file(lam_log_engine *engine, size_t *index, uint64_t now, uint64_t *due,
                            lam_error *error) {
    const lam_log_options *options = &engine->settings->options;
    lam_log_writer *file = engine->files.open[*index];
    if (options->rotate_ms > 0) {
        uint64_t at = moment_after(file->opened_at, options->rotate_ms);
        if (now >= at)
            return engine_end_file(engine, *index, error);
        *due = earlier_of(*due, at);
    }
    if (options->checkpoint_ms > 0 && file->unsaved_since != UINT64_MAX) {
        uint64_t at = moment_after(file->unsaved_since, options->checkpoint_ms);
        if (now >= at)
            LAM_TRY(checkpoint_file(engine, file, false, error));
        else
            *due = earlier_of(*due, at);
    }
    ++*index;
    return LAM_STATUS_OK;
}

lam_status lam_log_engine_poll(lam_log_engine *engine, uint64_t *ret_due, lam_error *error) {
    const lam_log_options *options = &engine->settings->options;
    uint64_t now = monotonic_now(engine);
    uint64_t due = UINT64_MAX;
    for (size_t i = 0; i < engine->files.count;)
        LAM_TRY(poll_file(engine, &i, now, &due, error));
    if (engine->needs_sync && options->sync == LAM_LOG_SYNC_INTERVAL) {
        uint64_t at = moment_after(engine->last_sync, options->sync_ms);
        if (now >= at)
            LAM_TRY(sync_all(engine, now, error));
        else
            due = earlier_of(due, at);
    }
    if (lam_log_keep_has_moments(options)) {
        if (now >= engine->next_retention) {
            lam_log_keep_run(engine->settings->keep);
            engine->next_retention = moment_after(now, RETENTION_MS);
        }
        due = earlier_of(due, engine->next_retention);
    }
    LAM_TRY(cut_journal(engine, error));
    engine_count_bytes(engine);
    *ret_due = due;
    return LAM_STATUS_OK;
}

lam_status lam_log_engine_rotate(lam_log_engine *engine, lam_error *error) {
    LAM_TRY(end_all_files(engine, error));
    LAM_TRY(cut_journal(engine, error));
    engine_count_bytes(engine);
    engine->needs_sync = false;
    return LAM_STATUS_OK;
}

lam_status lam_log_engine_end(lam_log_engine *engine, lam_error *error) {
    LAM_TRY(end_all_files(engine, error));
    engine_count_bytes(engine);
    engine->needs_sync = false;
    lam_journal_writer *journal = engine->journal;
    engine->journal = NULL;
    engine->files.journal = NULL;
    return journal != NULL ? lam_journal_writer_remove(journal, error) : LAM_STATUS_OK;
}
