/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Continues the finished file of a path, in one of two manners, with a writer whose footer will
 * describe the old row groups and the new ones.
 *
 *     anew       PATH --row groups--> a file beside it (log_target.h) --replace--> PATH
 *     in place   _NAME.append: size   PATH: old row groups  old footer | new row groups  footer
 *
 * The invariant: at any moment PATH is complete, or _NAME.append says how much of it is; a note
 * beside a complete file is removed by the next append. An append in place that is given up cuts
 * the file back to that size. The file is locked all the while.
 */
#include <lamella/recover.h>

#include <string.h>

#include "base/alloc.h"
#include "base/entropy.h"
#include "base/error.h"
#include "base/options.h"
#include "file/copy/row_group_copy.h"
#include "file/copy/row_group_keep.h"
#include "file/read/file_reader.h"
#include "file/write/writer_options.h"
#include "io/storage_copy.h"
#include "log/folder/append_note.h"
#include "log/folder/log_name.h"
#include "log/folder/log_target.h"
#include "log/folder/storage_query.h"

/* The output of the writer, and what it needs besides the file. */
typedef struct append_output {
    lam_allocator allocator;
    lam_storage storage;
    lam_storage_file file; /* the original: locked, and in place appended to */
    lam_log_target target; /* anew */
    lam_buffer path;       /* of the file itself if a link was given; NUL-terminated, as the next */
    lam_buffer note;       /* path of the note */
    lam_buffer folder;
    uint64_t size; /* of the original */
    bool is_anew;
    bool has_note; /* in place: the note is written, and the file may have more bytes */
    bool is_whole;
} append_output;

/* --- The output ---------------------------------------------------------------------------- */

static const char *note_of(const append_output *append) {
    return (const char *)append->note.data;
}

/* The file to append to. In place the note precedes its first byte, written or copied. */
static lam_status begin_bytes(append_output *append, lam_storage_file **ret_file,
                              lam_error *error) {
    *ret_file = append->is_anew ? &append->target.file : &append->file;
    if (append->is_anew || append->has_note)
        return LAM_STATUS_OK;
    LAM_TRY(lam_append_note_write(&append->storage, note_of(append),
                                  (const char *)append->folder.data, append->size, error));
    append->has_note = true;
    return LAM_STATUS_OK;
}

static lam_status append_write(void *state, const void *data, size_t size, lam_error *error) {
    lam_storage_file *file;
    LAM_TRY(begin_bytes(state, &file, error));
    return file->append(file->state, data, size, error);
}

static lam_status append_copy(void *state, const lam_input *input, uint64_t offset, uint64_t size,
                              lam_error *error) {
    lam_storage_file *file;
    LAM_TRY(begin_bytes(state, &file, error));
    return lam_storage_copy(file, input, offset, size, error);
}

static lam_status remove_note(const append_output *append, lam_error *error) {
    const lam_storage *storage = &append->storage;
    LAM_TRY(storage->remove(storage->state, note_of(append), error));
    return storage->sync_folder(storage->state, (const char *)append->folder.data, error);
}

static lam_status append_finish(void *state, lam_error *error) {
    append_output *append = state;
    if (append->is_anew)
        return lam_log_target_replace(&append->target, error);
    LAM_TRY(append->file.sync(append->file.state, error));
    append->is_whole = true;
    return remove_note(append, error);
}

/* Cuts an append in place back that was not finished; when that fails the note stays. */
static void give_up(append_output *append) {
    if (append->file.truncate(append->file.state, append->size, NULL) == LAM_STATUS_OK &&
        append->file.sync(append->file.state, NULL) == LAM_STATUS_OK)
        (void)remove_note(append, NULL);
}

static void append_close(void *state) {
    append_output *append = state;
    lam_allocator allocator = append->allocator;
    if (append->has_note && !append->is_whole)
        give_up(append);
    lam_log_target_finish(&append->target);
    lam_storage_file_close(&append->file);
    lam_buffer_finish(&append->path);
    lam_buffer_finish(&append->note);
    lam_buffer_finish(&append->folder);
    lam_free(&allocator, append, sizeof *append);
}

/* --- Opening ------------------------------------------------------------------------------- */

static lam_status create_append(const char *path, const lam_storage *storage,
                                const lam_allocator *allocator, append_output **ret_append,
                                lam_error *error) {
    lam_status status;
    append_output *append;
    LAM_TRY(LAM_NEW(allocator, &append, error));
    append->allocator = *allocator;
    append->storage = *storage;
    lam_buffer_init(&append->path, allocator);
    lam_buffer_init(&append->note, allocator);
    lam_buffer_init(&append->folder, allocator);
    LAM_TRY_OUT(lam_storage_resolve(storage, path, &append->path, error));
    const char *real = (const char *)append->path.data;
    LAM_TRY_OUT(lam_append_note_path(&append->note, real, error));
    LAM_TRY_OUT(lam_log_folder_of(&append->folder, real, error));
    LAM_TRY_OUT(storage->open(storage->state, real, &append->file, &append->size, error));
    *ret_append = append;
out:
    if (status != LAM_STATUS_OK)
        append_close(append);
    return status;
}

/* Opens the writer on the output; the output is the writer's own on success. */
static lam_status open_writer(append_output *append, const lam_reader *reader,
                              const lam_writer_options *given, lam_writer **ret_writer,
                              lam_error *error) {
    lam_status status;
    lam_writer *writer;
    lam_writer_options options = *given;
    uint8_t id[LAM_RECOVERY_ID_SIZE];
    lam_output output = {append, append_write, append_finish, append_close};
    const lam_writer_inside inside = {lam_kernels_get(), NULL, append->is_anew ? 0 : append->size,
                                      false};
    if (options.compat == LAM_COMPAT_DEFAULT)
        options.compat = lam_writer_compat_of(lam_reader_schema(reader));
    LAM_TRY(lam_writer_open_with(&inside, lam_reader_schema(reader), &output, &options, &writer,
                                 error));
    lam_writer_set_copy(writer, append_copy, append);
    if (append->is_anew) {
        LAM_TRY_OUT(lam_writer_keep_key_values(writer, reader, error));
        LAM_TRY_OUT(lam_writer_copy_row_groups(writer, reader, 0,
                                               lam_reader_row_group_count(reader), error));
    } else {
        lam_entropy(id, sizeof id);
        lam_writer_start_records(writer, id);
        LAM_TRY_OUT(lam_writer_keep_row_groups(writer, reader, error));
    }
    *ret_writer = writer;
    return LAM_STATUS_OK;
out:
    lam_writer_release_output(writer); /* the caller closes it */
    lam_writer_close(writer);
    return status;
}

/*
 * Refuses a file that an interrupted append has made longer. A footer at its end is no proof that
 * everything before it reached the disk: page indexes and Bloom filters have no checksums. A note
 * that is torn, or states the file's present size, is older than the first appended byte, and is
 * removed.
 */
static lam_status check_note(const append_output *append, const lam_input *original,
                             lam_error *error) {
    const lam_storage *storage = &append->storage;
    uint64_t size;
    lam_append_note note;
    lam_buffer found;
    lam_status status;
    lam_buffer_init(&found, &append->allocator);
    LAM_TRY_OUT(lam_append_note_find(storage, (const char *)append->path.data, original, &found,
                                     &note, &size, error));
    if (note == LAM_APPEND_NOTE_WHOLE && size != append->size)
        LAM_FAIL_OUT(error, LAM_ERROR_CODE_FILE_EXISTS,
                     "%s: an append was interrupted: recover the file first, in place",
                     (const char *)found.data);
    if (note != LAM_APPEND_NOTE_NONE)
        LAM_TRY_OUT(storage->remove(storage->state, (const char *)found.data, error));
out:
    lam_buffer_finish(&found);
    return status;
}

/* The new file beside the original, with the same rights; leftovers of killed runs are removed. */
static lam_status create_target(append_output *append, const lam_input *original,
                                lam_error *error) {
    const char *path = (const char *)append->path.data;
    if (!append->is_anew)
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_target_clean(&append->storage, path, &append->allocator, error));
    return lam_log_target_create(&append->target, &append->storage, path, original,
                                 &append->allocator, error);
}

/* Everything that needs the reader of the original, whose input stays open until the end. */
static lam_status open_on(append_output *append, const lam_schema *schema,
                          const lam_writer_options *options, lam_writer **ret_writer,
                          lam_error *error) {
    lam_reader_options reader_options = lam_reader_options_default();
    const lam_storage *storage = &append->storage;
    lam_status status;
    lam_input original, view;
    lam_reader *reader = NULL;
    reader_options.allocator = &append->allocator;
    LAM_TRY(storage->open_input(storage->state, (const char *)append->path.data, &original, error));
    view = original;
    view.close = NULL;
    LAM_TRY_OUT(check_note(append, &original, error));
    LAM_TRY_OUT(lam_reader_open(&view, &reader_options, &reader, error));
    if (schema != NULL)
        LAM_TRY_OUT(lam_writer_check_schemas(lam_reader_schema(reader), schema,
                                             "schema that is given", error));
    LAM_TRY_OUT(create_target(append, &original, error));
    LAM_TRY_OUT(open_writer(append, reader, options, ret_writer, error));
out:
    lam_reader_close(reader);
    lam_input_close(&original);
    return status;
}

lam_status lam_writer_open_append(const char *path, const lam_schema *schema,
                                  lam_append_manner manner, const lam_storage *storage,
                                  const lam_writer_options *given, lam_writer **ret_writer,
                                  lam_error *error) {
    lam_writer_options options;
    append_output *append;
    const lam_storage chosen = storage != NULL ? *storage : lam_storage_files();
    LAM_TRY(LAM_OPTIONS_READ(lam_writer_options, given, &options, error));
    if (path == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no path (NULL)");
    if ((unsigned)manner > LAM_APPEND_IN_PLACE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "manner %d is none of lam_append_manner", (int)manner);
    lam_allocator allocator = lam_allocator_or_default(options.allocator);
    options.page_crc = LAM_SWITCH_ON;
    LAM_TRY(create_append(path, &chosen, &allocator, &append, error));
    append->is_anew = manner != LAM_APPEND_IN_PLACE;
    lam_status status = open_on(append, schema, &options, ret_writer, error);
    if (status != LAM_STATUS_OK)
        append_close(append);
    return status;
}
