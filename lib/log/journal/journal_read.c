/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the journal of a log: takes an input, whose end may be anything that a kill or a power cut
 * leaves, and gives batches of rows as triples, and where the frames end.
 *
 * The invariant: a frame is believed once it is complete, its checksum is right, and it is the next
 * one by its sequence; reading ends at the first frame that is not. The first frame after the head
 * may have any sequence, since cutting back drops the ones before it. A frame's contents are
 * checked all the same, since a checksum is no signature: numbers refer to frames that were read,
 * and no number is given twice.
 */
#include "log/journal/journal_read.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/list.h"
#include "base/search.h"
#include "io/window.h"
#include "meta/compact.h"
#include "meta/meta_schema.h"
#include "schema/tree.h"

enum {
    JOURNAL_READ_AHEAD = 256 << 10,     /* bytes of a read */
    JOURNAL_METADATA_MEMORY = 128 << 20 /* bytes that the metadata of one schema may take */
};

/* A schema that was read. */
typedef struct journal_known_schema {
    lam_schema *schema;
    lam_meta_file metadata;
} journal_known_schema;

/* A number, and what has it. */
typedef struct journal_number {
    uint32_t number;
    void *entry; /* journal_known_schema or lam_journal_file_info, in the arena */
} journal_number;

/* Numbers, ascending. */
typedef LAM_LIST(journal_number) journal_numbers;

struct lam_journal_reader {
    lam_allocator allocator;
    const lam_kernels *kernels;
    lam_window window;
    uint64_t size; /* of the input */
    lam_journal_end end;
    uint32_t seed;
    bool has_frames;   /* then the next frame must have */
    uint64_t sequence; /*   this sequence */
    lam_arena known;   /* schemas and files, until close */
    journal_numbers schemas, files;
    LAM_LIST(lam_journal_file_info *) order; /* of their frames */
    lam_arena batch;                         /* columns, until the next batch */
    lam_bytes columns;                       /* of the batch, borrowed from the window */
    const lam_schema *schema;
    size_t record_count;
};

/* --- Open and close ------------------------------------------------------------------------ */

static void journal_end_at(lam_journal_reader *reader, lam_journal_end_kind kind) {
    reader->end.kind = kind;
    reader->end.left = reader->size - reader->end.offset;
}

static lam_status journal_read_head(lam_journal_reader *reader, lam_error *error) {
    const uint8_t *head;
    uint8_t log_id[LAM_JOURNAL_ID_SIZE], padded[LAM_JOURNAL_HEAD_SIZE] = {0};
    if (reader->size < LAM_JOURNAL_HEAD_SIZE) {
        if (reader->size > 0) {
            LAM_TRY(lam_window_lend(&reader->window, 0, (size_t)reader->size, &head, error));
            memcpy(padded, head, (size_t)reader->size);
        }
        if (!lam_journal_head_is_torn(padded)) /* a file that begins otherwise is somebody else's */
            return lam_journal_head_read(padded, log_id, error);
        journal_end_at(reader, LAM_JOURNAL_END_CUT);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_window_lend(&reader->window, 0, LAM_JOURNAL_HEAD_SIZE, &head, error));
    if (lam_journal_head_is_torn(head)) {
        journal_end_at(reader, LAM_JOURNAL_END_DAMAGED);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_journal_head_read(head, log_id, error));
    reader->seed = lam_journal_seed(log_id);
    reader->end.offset = LAM_JOURNAL_HEAD_SIZE;
    return LAM_STATUS_OK;
}

lam_status lam_journal_reader_open(const lam_input *input, const lam_allocator *allocator,
                                   lam_journal_reader **ret_reader, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_journal_reader *reader;
    LAM_TRY(LAM_NEW(&own, &reader, error));
    reader->allocator = own;
    reader->kernels = lam_kernels_get();
    reader->size = input->size;
    lam_window_init(&reader->window, input, input->size, JOURNAL_READ_AHEAD, &reader->allocator);
    lam_arena_init(&reader->known, &reader->allocator, 0);
    lam_arena_init(&reader->batch, &reader->allocator, 0);
    LAM_LIST_INIT(&reader->schemas, &reader->allocator);
    LAM_LIST_INIT(&reader->files, &reader->allocator);
    LAM_LIST_INIT(&reader->order, &reader->allocator);
    lam_status status = journal_read_head(reader, error);
    if (status == LAM_STATUS_OK)
        *ret_reader = reader;
    else
        lam_journal_reader_close(reader);
    return status;
}

void lam_journal_reader_close(lam_journal_reader *reader) {
    if (reader == NULL)
        return;
    for (size_t i = 0; i < reader->schemas.count; i++) {
        journal_known_schema *known = reader->schemas.items[i].entry;
        lam_schema_destroy(known->schema);
    }
    lam_window_finish(&reader->window);
    lam_arena_finish(&reader->known);
    lam_arena_finish(&reader->batch);
    LAM_LIST_FINISH(&reader->schemas);
    LAM_LIST_FINISH(&reader->files);
    LAM_LIST_FINISH(&reader->order);
    lam_allocator allocator = reader->allocator;
    lam_free(&allocator, reader, sizeof *reader);
}

/* --- Numbers ------------------------------------------------------------------------------- */

/* The index of a number, or of the first higher one. */
static size_t journal_bisect(const journal_numbers *numbers, uint32_t number) {
    size_t at;
    LAM_BISECT(at, 0, numbers->count, numbers->items[at].number < number);
    return at;
}

/* The schema or file with a number; NULL when none has it. */
static void *journal_number_find(const journal_numbers *numbers, uint32_t number) {
    size_t index = journal_bisect(numbers, number);
    if (index == numbers->count || numbers->items[index].number != number)
        return NULL;
    return numbers->items[index].entry;
}

/* Adds a number that is not in use. There is room for it. */
static void journal_number_add(journal_numbers *numbers, uint32_t number, void *entry) {
    size_t index = journal_bisect(numbers, number);
    journal_number *at = &numbers->items[index];
    memmove(at + 1, at, (numbers->count++ - index) * sizeof *at);
    *at = (journal_number){number, entry};
}

/* --- Frames -------------------------------------------------------------------------------- */

/*
 * Lends the next frame, or determines why there is none: `ret_frame->data` is then NULL. The size
 * in a header is compared with the remaining bytes before any of them is read.
 */
static lam_status journal_lend_frame(lam_journal_reader *reader, lam_bytes *ret_frame,
                                     lam_error *error) {
    const uint8_t *bytes;
    uint64_t left = reader->size - reader->end.offset;
    ret_frame->data = NULL;
    if (left < LAM_JOURNAL_HEADER_SIZE) {
        journal_end_at(reader, left == 0 ? LAM_JOURNAL_END_CLEAN : LAM_JOURNAL_END_CUT);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_window_lend(&reader->window, reader->end.offset, LAM_JOURNAL_HEADER_SIZE, &bytes,
                            error));
    lam_journal_header header = lam_journal_header_read(bytes);
    lam_bytes frame = {NULL, (size_t)LAM_JOURNAL_HEADER_SIZE + header.size};
    if (header.size > LAM_JOURNAL_BODY_MAX || frame.size > left) {
        journal_end_at(reader, header.size > LAM_JOURNAL_BODY_MAX ? LAM_JOURNAL_END_DAMAGED
                                                                  : LAM_JOURNAL_END_CUT);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_window_lend(&reader->window, reader->end.offset, frame.size, &frame.data, error));
    if (!lam_journal_frame_check(reader->seed, frame))
        journal_end_at(reader, LAM_JOURNAL_END_DAMAGED);
    else if (reader->has_frames && header.sequence != reader->sequence)
        journal_end_at(reader, LAM_JOURNAL_END_STALE);
    else
        *ret_frame = frame;
    return LAM_STATUS_OK;
}

/* Makes the schema of FileMetaData, all of whose memory is the reader's. */
static lam_status journal_make_schema(lam_journal_reader *reader, lam_bytes metadata,
                                      journal_known_schema *ret_known, lam_error *error) {
    char *copy;
    reader->known.budget = reader->known.used + JOURNAL_METADATA_MEMORY;
    LAM_TRY(lam_arena_copy(&reader->known, metadata.data, metadata.size, &copy, error));
    metadata.data = (const uint8_t *)copy;
    LAM_TRY(lam_meta_read_file(metadata, &reader->known, &ret_known->metadata, error));
    return lam_meta_schema_import(&ret_known->metadata.schema, &reader->allocator,
                                  &ret_known->schema, error);
}

static lam_status journal_read_schema(lam_journal_reader *reader, lam_bytes body,
                                      lam_error *error) {
    uint32_t number;
    lam_bytes metadata;
    journal_known_schema *known;
    LAM_TRY(lam_journal_schema_read(body, &number, &metadata, error));
    if (journal_number_find(&reader->schemas, number) != NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the journal has two schemas %u", (unsigned)number);
    LAM_TRY(LAM_LIST_RESERVE(&reader->schemas, 1, error));
    LAM_TRY(LAM_ARENA_NEW(&reader->known, &known, error));
    lam_status status = journal_make_schema(reader, metadata, known, error);
    reader->known.budget = 0;
    if (status == LAM_STATUS_OK)
        journal_number_add(&reader->schemas, number, known);
    else if (error != NULL)
        error->offset = -1; /* it counts from the metadata, and the caller knows the frame */
    return status;
}

static lam_status journal_read_file(lam_journal_reader *reader, lam_bytes body, lam_error *error) {
    lam_journal_file file;
    char *path;
    lam_journal_file_info *info;
    LAM_TRY(lam_journal_file_read(body, &file, error));
    const journal_known_schema *known = journal_number_find(&reader->schemas, file.schema);
    if (known == NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the journal has no schema %u",
                 (unsigned)file.schema);
    if (journal_number_find(&reader->files, file.number) != NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the journal has two files %u",
                 (unsigned)file.number);
    LAM_TRY(LAM_LIST_RESERVE(&reader->files, 1, error));
    LAM_TRY(LAM_LIST_RESERVE(&reader->order, 1, error));
    LAM_TRY(LAM_ARENA_NEW(&reader->known, &info, error));
    LAM_TRY(lam_arena_copy(&reader->known, file.path.data, file.path.size, &path, error));
    memcpy(info->id, file.id, sizeof info->id);
    info->path = path;
    info->schema = known->schema;
    info->metadata = &known->metadata;
    journal_number_add(&reader->files, file.number, info);
    return LAM_LIST_ADD(&reader->order, &info, error);
}

/* A file that was mentioned and has not ended. */
static lam_status journal_find_open(const lam_journal_reader *reader, uint32_t number,
                                    lam_journal_file_info **ret_file, lam_error *error) {
    lam_journal_file_info *file = journal_number_find(&reader->files, number);
    if (file == NULL || file->has_ended)
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the journal has no open file %u",
                 (unsigned)number);
    *ret_file = file;
    return LAM_STATUS_OK;
}

static lam_status journal_read_end(lam_journal_reader *reader, lam_bytes body, lam_error *error) {
    uint32_t number;
    lam_journal_file_info *file;
    LAM_TRY(lam_journal_end_read(body, &number, error));
    LAM_TRY(journal_find_open(reader, number, &file, error));
    file->has_ended = true;
    return LAM_STATUS_OK;
}

static void journal_widen_range(uint64_t first, uint64_t end, bool is_first, uint64_t *range_first,
                                uint64_t *range_end) {
    if (is_first || first < *range_first)
        *range_first = first;
    if (is_first || end > *range_end)
        *range_end = end;
}

static lam_status journal_read_rows(lam_journal_reader *reader, lam_bytes body,
                                    lam_journal_batch *ret_batch, lam_error *error) {
    lam_journal_rows rows;
    LAM_TRY(lam_journal_rows_read(body, &rows, &reader->columns, error));
    lam_journal_file_info *file;
    LAM_TRY(journal_find_open(reader, rows.file, &file, error));
    journal_widen_range(rows.first_row, rows.first_row + rows.record_count, file->batches == 0,
                        &file->first_row, &file->end_row);
    journal_widen_range(rows.first_record, rows.first_record + rows.record_count,
                        file->batches == 0, &file->first_record, &file->end_record);
    file->batches++;
    reader->schema = file->schema;
    reader->record_count = rows.record_count;
    ret_batch->file = file;
    ret_batch->first_row = rows.first_row;
    ret_batch->first_record = rows.first_record;
    ret_batch->record_count = rows.record_count;
    return LAM_STATUS_OK;
}

/* Reads a body; `*ret_found` says whether it is one of rows. */
static lam_status journal_read_body(lam_journal_reader *reader, uint8_t kind, lam_bytes body,
                                    lam_journal_batch *ret_batch, bool *ret_found,
                                    lam_error *error) {
    *ret_found = kind == LAM_JOURNAL_ROWS;
    switch (kind) {
    case LAM_JOURNAL_SCHEMA:
        return journal_read_schema(reader, body, error);
    case LAM_JOURNAL_FILE:
        return journal_read_file(reader, body, error);
    case LAM_JOURNAL_ROWS:
        return journal_read_rows(reader, body, ret_batch, error);
    case LAM_JOURNAL_END:
        return journal_read_end(reader, body, error);
    default:
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL, "the journal has a frame of unknown kind %u",
                 (unsigned)kind);
    }
}

/* The reader moves on only after a frame that it could read, so a failure repeats itself. */
lam_status lam_journal_reader_next(lam_journal_reader *reader, lam_journal_batch *ret_batch,
                                   bool *ret_found, lam_error *error) {
    bool found = false;
    lam_journal_batch batch = {0};
    reader->schema = NULL;
    while (!found && reader->end.kind == LAM_JOURNAL_END_NOT_REACHED) {
        lam_bytes frame;
        LAM_TRY(journal_lend_frame(reader, &frame, error));
        if (frame.data == NULL)
            break;
        lam_journal_header header = lam_journal_header_read(frame.data);
        lam_bytes body = {frame.data + LAM_JOURNAL_HEADER_SIZE, header.size};
        lam_status status = journal_read_body(reader, header.kind, body, &batch, &found, error);
        if (status != LAM_STATUS_OK) {
            lam_error_at_offset(error, reader->end.offset);
            return status;
        }
        reader->has_frames = true;
        reader->sequence = header.sequence + 1;
        reader->end.offset += frame.size;
    }
    if (found)
        *ret_batch = batch;
    *ret_found = found;
    return LAM_STATUS_OK;
}

lam_status lam_journal_reader_columns(lam_journal_reader *reader, lam_triples **ret_columns,
                                      lam_error *error) {
    if (reader->schema == NULL)
        LAM_FAIL(error, LAM_STATUS_STATE, "no rows were read");
    lam_arena_reset(&reader->batch);
    return lam_journal_columns_read(reader->kernels, reader->schema, reader->columns,
                                    reader->record_count, &reader->batch, ret_columns, error);
}

lam_journal_end lam_journal_reader_end(const lam_journal_reader *reader) {
    return reader->end;
}

const lam_journal_file_info *lam_journal_reader_file(const lam_journal_reader *reader,
                                                     size_t index) {
    return index < reader->order.count ? reader->order.items[index] : NULL;
}
