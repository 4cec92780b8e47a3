/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the journal of a log: rows of its files, as triples, become frames, collected until a
 * flush appends them to a storage file.
 *
 * The invariants: the file is the head and complete frames, up to an append that failed for more
 * than a full disk, after which no more is written; every ROWS comes after the frames of its file
 * and schema, since the last cut. A generation is the time between two cuts: a schema or file whose
 * generation is an older one is written again before its next rows. The sequence of frames never
 * goes back, even if frames are dropped before they were appended.
 */
#include "log/journal/journal_write.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/list.h"
#include "base/search.h"
#include "log/folder/storage_query.h"
#include "schema/tree.h"

enum { JOURNAL_KEEP_SIZE = 16 * LAM_JOURNAL_APPEND_SIZE }; /* bytes of a buffer that is kept */

/* A schema, and the FileMetaData of its frame. */
typedef struct journal_schema {
    lam_schema *schema;
    lam_buffer metadata;
    uint64_t generation; /* in which it was written last; 0: never */
} journal_schema;

/* A file, by its number. */
typedef struct journal_file {
    uint32_t number;
    uint32_t schema; /* index */
    uint8_t id[LAM_JOURNAL_ID_SIZE];
    char *path; /* NUL-terminated */
    uint64_t generation;
} journal_file;

struct lam_journal_writer {
    lam_allocator allocator;
    lam_storage storage;
    lam_storage_file file;
    char *path;   /* NUL-terminated, as the next */
    char *folder; /* that has it */
    lam_journal_stream stream;
    lam_buffer frames;                /* collected, not appended yet */
    LAM_LIST(journal_schema) schemas; /* by number */
    LAM_LIST(journal_file) files;     /* by ascending number */
    uint32_t next_file;               /* number */
    uint64_t generation;
    uint64_t file_size; /* bytes that are appended */
    uint8_t head[LAM_JOURNAL_HEAD_SIZE];
    bool has_ended; /* a file has, since the last cut */
    bool folder_synced;
    bool failed; /* poisoned: only close and remove are of use */
    lam_error failure;
};

/* --- Failures ------------------------------------------------------------------------------ */

static lam_status journal_check_writer(const lam_journal_writer *writer, lam_error *error) {
    if (writer->failed)
        LAM_FAIL(error, LAM_ERROR_CODE_WRITER_FAILED, "the journal failed earlier: %s",
                 writer->failure.message);
    return LAM_STATUS_OK;
}

/* Keeps a failure of the storage, after which the end of the file is unknown. */
static lam_status journal_poison(lam_journal_writer *writer, lam_status status,
                                 const lam_error *failure, lam_error *error) {
    if (status == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    writer->failed = true;
    writer->failure = *failure;
    if (error != NULL)
        *error = *failure;
    return status;
}

/* --- Create and close ---------------------------------------------------------------------- */

static lam_status journal_copy_text(const lam_allocator *allocator, const char *text, size_t size,
                                    char **ret_copy, lam_error *error) {
    void *memory;
    LAM_TRY(lam_alloc(allocator, size + 1, &memory, error));
    char *copy = memory;
    memcpy(copy, text, size);
    copy[size] = '\0';
    *ret_copy = copy;
    return LAM_STATUS_OK;
}

/* Copies the path, and the folder before its last '/': "/" or "." if that is empty. */
static lam_status journal_copy_path(lam_journal_writer *writer, const char *path,
                                    lam_error *error) {
    const char *slash = strrchr(path, '/');
    const char *folder = slash == NULL ? "." : path;
    size_t size = slash == NULL || slash == path ? 1 : (size_t)(slash - path);
    LAM_TRY(journal_copy_text(&writer->allocator, path, strlen(path), &writer->path, error));
    return journal_copy_text(&writer->allocator, folder, size, &writer->folder, error);
}

static void journal_free_text(const lam_allocator *allocator, char *text) {
    if (text != NULL)
        lam_free(allocator, text, strlen(text) + 1);
}

static lam_status journal_create_file(lam_journal_writer *writer, const lam_input *like,
                                      lam_error *error) {
    LAM_TRY(lam_storage_create_like(&writer->storage, writer->path, like, &writer->file, error));
    lam_status status =
        writer->file.append(writer->file.state, writer->head, sizeof writer->head, error);
    if (status != LAM_STATUS_OK) {
        /* What is left of the file is of no use; the failure to report is the first one. */
        lam_storage_file_close(&writer->file);
        (void)writer->storage.remove(writer->storage.state, writer->path, NULL);
    }
    writer->file_size = sizeof writer->head;
    return status;
}

lam_status lam_journal_writer_create(const lam_storage *storage, const char *path,
                                     const lam_input *like, const uint8_t *log_id,
                                     const lam_allocator *allocator,
                                     lam_journal_writer **ret_writer, lam_error *error) {
    lam_status status;
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_journal_writer *writer;
    LAM_TRY(LAM_NEW(&own, &writer, error));
    writer->allocator = own;
    writer->storage = *storage;
    writer->stream.seed = lam_journal_seed(log_id);
    lam_journal_head_write(log_id, writer->head);
    writer->generation = 1;
    lam_buffer_init(&writer->frames, &writer->allocator);
    LAM_LIST_INIT(&writer->schemas, &writer->allocator);
    LAM_LIST_INIT(&writer->files, &writer->allocator);
    LAM_TRY_OUT(journal_copy_path(writer, path, error));
    LAM_TRY_OUT(journal_create_file(writer, like, error));
    *ret_writer = writer;
out:
    if (status != LAM_STATUS_OK)
        lam_journal_writer_close(writer);
    return status;
}

void lam_journal_writer_close(lam_journal_writer *writer) {
    if (writer == NULL)
        return;
    for (size_t i = 0; i < writer->schemas.count; i++) {
        lam_schema_destroy(writer->schemas.items[i].schema);
        lam_buffer_finish(&writer->schemas.items[i].metadata);
    }
    for (size_t i = 0; i < writer->files.count; i++)
        journal_free_text(&writer->allocator, writer->files.items[i].path);
    lam_storage_file_close(&writer->file);
    journal_free_text(&writer->allocator, writer->path);
    journal_free_text(&writer->allocator, writer->folder);
    lam_buffer_finish(&writer->frames);
    LAM_LIST_FINISH(&writer->schemas);
    LAM_LIST_FINISH(&writer->files);
    lam_allocator allocator = writer->allocator;
    lam_free(&allocator, writer, sizeof *writer);
}

/* The file is closed first: some systems remove no open file. */
lam_status lam_journal_writer_remove(lam_journal_writer *writer, lam_error *error) {
    lam_error failure = lam_error_none();
    lam_storage_file_close(&writer->file);
    lam_status status = writer->storage.remove(writer->storage.state, writer->path, &failure);
    lam_journal_writer_close(writer);
    /* Without its lock it may have been removed by another start, which found that it has ended. */
    if (status == LAM_STATUS_OK || failure.code == LAM_ERROR_CODE_FILE_MISSING)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = failure;
    return status;
}

/* --- Schemas and files --------------------------------------------------------------------- */

lam_status lam_journal_writer_add_schema(lam_journal_writer *writer, const lam_schema *schema,
                                         const lam_meta_key_value_list *key_values,
                                         uint32_t *ret_schema, lam_error *error) {
    lam_status status;
    size_t number = writer->schemas.count;
    journal_schema entry = {0};
    lam_buffer_init(&entry.metadata, &writer->allocator);
    LAM_TRY_OUT(lam_journal_metadata_write(schema, key_values, &entry.metadata, error));
    if (number >= UINT32_MAX || entry.metadata.size >= LAM_JOURNAL_BODY_MAX / 2)
        LAM_FAIL_OUT(error, LAM_ERROR_CODE_SCHEMA_LIMIT, "the schema is too large for a journal");
    LAM_TRY_OUT(LAM_LIST_RESERVE(&writer->schemas, 1, error));
    entry.schema = lam_schema_share(schema);
    writer->schemas.items[writer->schemas.count++] = entry;
    *ret_schema = (uint32_t)number;
out:
    if (status != LAM_STATUS_OK)
        lam_buffer_finish(&entry.metadata);
    return status;
}

/* The path is checked here, by the frame that it would be in, so that rows never fail by it. */
static lam_status journal_check_path(const lam_journal_writer *writer, const char *path,
                                     lam_error *error) {
    lam_journal_stream stream = {0};
    lam_buffer frame;
    lam_buffer_init(&frame, &writer->allocator);
    lam_journal_file file = {.path = {(const uint8_t *)path, strlen(path)}};
    lam_status status = lam_journal_file_write(&stream, &file, &frame, error);
    lam_buffer_finish(&frame);
    return status;
}

lam_status lam_journal_writer_add_file(lam_journal_writer *writer, uint32_t schema,
                                       const uint8_t *file_id, const char *path, uint32_t *ret_file,
                                       lam_error *error) {
    journal_file file = {.number = writer->next_file, .schema = schema};
    if (schema >= writer->schemas.count)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the journal has no schema %u", (unsigned)schema);
    if (file.number == UINT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "too many files for a journal");
    LAM_TRY(journal_check_path(writer, path, error));
    memcpy(file.id, file_id, sizeof file.id);
    LAM_TRY(LAM_LIST_RESERVE(&writer->files, 1, error));
    LAM_TRY(journal_copy_text(&writer->allocator, path, strlen(path), &file.path, error));
    writer->files.items[writer->files.count++] = file;
    writer->next_file++;
    *ret_file = file.number;
    return LAM_STATUS_OK;
}

/* Bisects: numbers ascend, with gaps where files ended. NULL: none has the number. */
static journal_file *journal_find_file(const lam_journal_writer *writer, uint32_t number) {
    journal_file *files = writer->files.items;
    size_t at, count = writer->files.count;
    LAM_BISECT(at, 0, count, files[at].number < number);
    return at < count && files[at].number == number ? &files[at] : NULL;
}

void lam_journal_writer_forget_file(lam_journal_writer *writer, uint32_t file) {
    journal_file *found = journal_find_file(writer, file);
    if (found == NULL)
        return;
    journal_free_text(&writer->allocator, found->path);
    size_t after = --writer->files.count - (size_t)(found - writer->files.items);
    memmove(found, found + 1, after * sizeof *found);
}

static lam_status journal_fail_number(uint32_t file, lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_INVALID, "the journal has no file %u", (unsigned)file);
}

/* A generation without rows of the file needs no replay. */
lam_status lam_journal_writer_end_file(lam_journal_writer *writer, uint32_t file,
                                       lam_error *error) {
    LAM_TRY(journal_check_writer(writer, error));
    journal_file *found = journal_find_file(writer, file);
    if (found == NULL)
        return journal_fail_number(file, error);
    if (found->generation == writer->generation) {
        LAM_TRY(lam_journal_end_write(&writer->stream, file, &writer->frames, error));
        writer->has_ended = true;
    }
    lam_journal_writer_forget_file(writer, file);
    return LAM_STATUS_OK;
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* Collects the frames of a file and its schema, if this generation does not have them. */
static lam_status journal_introduce(lam_journal_writer *writer, journal_file *file,
                                    lam_error *error) {
    journal_schema *schema = &writer->schemas.items[file->schema];
    if (schema->generation != writer->generation) {
        LAM_TRY(lam_journal_schema_write(&writer->stream, file->schema,
                                         lam_buffer_bytes(&schema->metadata), &writer->frames,
                                         error));
        schema->generation = writer->generation;
    }
    if (file->generation != writer->generation) {
        lam_journal_file frame = {.number = file->number,
                                  .schema = file->schema,
                                  .path = {(const uint8_t *)file->path, strlen(file->path)}};
        memcpy(frame.id, file->id, sizeof frame.id);
        LAM_TRY(lam_journal_file_write(&writer->stream, &frame, &writer->frames, error));
        file->generation = writer->generation;
    }
    return LAM_STATUS_OK;
}

lam_status lam_journal_writer_add_rows(lam_journal_writer *writer, uint32_t file,
                                       uint64_t first_row, uint64_t first_record,
                                       const lam_triples *columns, size_t record_count,
                                       lam_error *error) {
    LAM_TRY(journal_check_writer(writer, error));
    journal_file *found = journal_find_file(writer, file);
    if (found == NULL)
        return journal_fail_number(file, error);
    if (record_count == 0)
        return LAM_STATUS_OK;
    if (record_count > UINT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "%zu records are too many for a journal",
                 record_count);
    LAM_TRY(journal_introduce(writer, found, error));
    lam_journal_rows rows = {file, (uint32_t)record_count, first_row, first_record};
    return lam_journal_rows_write(&writer->stream, writer->schemas.items[found->schema].schema,
                                  &rows, columns, &writer->frames, error);
}

bool lam_journal_writer_is_due(const lam_journal_writer *writer) {
    return writer->frames.size >= LAM_JOURNAL_APPEND_SIZE;
}

/* Empties the buffer, and frees it if a large record has left a large one. */
static void journal_clear(lam_buffer *frames) {
    lam_buffer_clear(frames);
    if (frames->capacity > JOURNAL_KEEP_SIZE)
        lam_buffer_finish(frames);
}

/* Takes back the appended bytes of frames for which the disk has no room; they stay collected. */
static bool journal_take_back(lam_journal_writer *writer, lam_status status,
                              const lam_error *failure) {
    return status == LAM_STATUS_IO && failure->code == LAM_ERROR_CODE_DISK_FULL &&
           writer->file.truncate(writer->file.state, writer->file_size, NULL) == LAM_STATUS_OK;
}

lam_status lam_journal_writer_flush(lam_journal_writer *writer, lam_error *error) {
    lam_error failure = lam_error_none();
    LAM_TRY(journal_check_writer(writer, error));
    if (writer->frames.size == 0)
        return LAM_STATUS_OK;
    lam_status status =
        writer->file.append(writer->file.state, writer->frames.data, writer->frames.size, &failure);
    if (journal_take_back(writer, status, &failure)) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    LAM_TRY(journal_poison(writer, status, &failure, error));
    writer->file_size += writer->frames.size;
    journal_clear(&writer->frames);
    return LAM_STATUS_OK;
}

/* --- Syncing and cutting ------------------------------------------------------------------- */

lam_status lam_journal_writer_sync(lam_journal_writer *writer, lam_error *error) {
    lam_error failure = lam_error_none();
    LAM_TRY(lam_journal_writer_flush(writer, error));
    lam_status status = writer->file.sync(writer->file.state, &failure);
    LAM_TRY(journal_poison(writer, status, &failure, error));
    if (!writer->folder_synced) {
        status = writer->storage.sync_folder(writer->storage.state, writer->folder, &failure);
        LAM_TRY(journal_poison(writer, status, &failure, error));
        writer->folder_synced = true;
    }
    return LAM_STATUS_OK;
}

/*
 * Creates the file again under its name. A power cut may leave any length between the two of a
 * truncation, and so rows of a file without the frame that says it has ended, which follows them:
 * somebody may have taken that file away, and a replay would make it again. A removal leaves all or
 * nothing. The new file has the rights of the old one.
 */
static lam_status journal_begin_anew(lam_journal_writer *writer, lam_error *error) {
    const lam_storage *storage = &writer->storage;
    lam_input like = {0};
    if (storage->create_like != NULL)
        LAM_TRY(storage->open_input(storage->state, writer->path, &like, error));
    lam_status status = storage->remove(storage->state, writer->path, error);
    if (status == LAM_STATUS_OK) {
        lam_storage_file_close(&writer->file);
        writer->folder_synced = false;
        status = journal_create_file(writer, &like, error);
    }
    lam_input_close(&like);
    return status;
}

lam_status lam_journal_writer_cut(lam_journal_writer *writer, lam_error *error) {
    lam_error failure = lam_error_none();
    LAM_TRY(journal_check_writer(writer, error));
    journal_clear(&writer->frames);
    writer->generation++;
    if (writer->file_size == LAM_JOURNAL_HEAD_SIZE)
        return LAM_STATUS_OK;
    lam_status status = writer->has_ended ? journal_begin_anew(writer, &failure)
                                          : writer->file.truncate(writer->file.state,
                                                                  LAM_JOURNAL_HEAD_SIZE, &failure);
    writer->has_ended = false;
    LAM_TRY(journal_poison(writer, status, &failure, error));
    writer->file_size = LAM_JOURNAL_HEAD_SIZE;
    return LAM_STATUS_OK;
}

bool lam_journal_writer_is_usable(const lam_journal_writer *writer) {
    return !writer->failed;
}

uint64_t lam_journal_writer_byte_count(const lam_journal_writer *writer) {
    return writer->file_size + writer->frames.size;
}
