/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What logs.py exchanges with other engines: logs, recovered and appended files, from JSON records
 * on standard input, against the public headers alone.
 *
 *     make_logs log OUT.parquet SCHEMA OPTION...       after each checkpoint: "ROWS BYTES"
 *     make_logs recover FILE OUT.parquet OPTION...     what was found, as NAME=NUMBER
 *     make_logs rows FILE OPTION...                    the records of an unfinished file, as JSON
 *     make_logs append FILE.parquet anew|in-place OPTION...
 *
 * Options are NAME=VALUE: codec, page_version, page_bytes, row_group_rows, checkpoint (records
 * between two), bloom, journal, end (finish, or nothing, as a kill would), schema (text), like (a
 * file), die (the storage call before which the process ends; an append is then half done). The
 * exit status is 0, 1 for a failure, 3 for CORRUPT, 4 for UNSUPPORTED, 9 after `die`.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/lamella.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int option_count;
static char **option_list;

static const char *option_text(const char *name, const char *otherwise) {
    size_t size = strlen(name);
    for (int i = 0; i < option_count; i++)
        if (strncmp(option_list[i], name, size) == 0 && option_list[i][size] == '=')
            return option_list[i] + size + 1;
    return otherwise;
}

static uint64_t option_number(const char *name) {
    return strtoull(option_text(name, "0"), NULL, 10);
}

/* Ends the program when a call failed. */
static void must(lam_status status, const lam_error *error) {
    if (status == LAM_STATUS_OK)
        return;
    fprintf(stderr, "%s: %s\n", lam_status_name(status), error->message);
    exit(status == LAM_STATUS_CORRUPT ? 3 : status == LAM_STATUS_UNSUPPORTED ? 4 : 1);
}

/* --- A storage that ends the process -------------------------------------------------------- */

static lam_storage files;
static uint64_t calls, last_call;

static bool is_last_call(void) {
    return ++calls == last_call;
}

static void call(void) {
    if (is_last_call())
        _exit(9);
}

static lam_status die_append(void *state, const void *data, size_t size, lam_error *error) {
    const lam_storage_file *file = state;
    if (!is_last_call())
        return file->append(file->state, data, size, error);
    (void)file->append(file->state, data, size / 2, error);
    _exit(9);
}

static lam_status die_copy(void *state, const lam_input *input, uint64_t offset, uint64_t size,
                           lam_error *error) {
    const lam_storage_file *file = state;
    bool is_last = is_last_call();
    lam_status status = file->copy(file->state, input, offset, is_last ? size / 2 : size, error);
    if (is_last)
        _exit(9);
    return status;
}

static lam_status die_sync(void *state, lam_error *error) {
    const lam_storage_file *file = state;
    call();
    return file->sync(file->state, error);
}

static lam_status die_truncate(void *state, uint64_t size, lam_error *error) {
    const lam_storage_file *file = state;
    call();
    return file->truncate(file->state, size, error);
}

static void die_close(void *state) {
    lam_storage_file_close(state);
    free(state);
}

static void wrap(lam_storage_file inner, lam_storage_file *ret_file) {
    lam_storage_file *state = malloc(sizeof *state);
    if (state == NULL)
        abort();
    *state = inner;
    *ret_file = (lam_storage_file){state,    die_append,   inner.copy != NULL ? die_copy : NULL,
                                   die_sync, die_truncate, die_close};
}

static lam_status die_create(void *state, const char *path, lam_storage_file *ret_file,
                             lam_error *error) {
    lam_storage_file inner;
    call();
    lam_status status = files.create(state, path, &inner, error);
    if (status == LAM_STATUS_OK)
        wrap(inner, ret_file);
    return status;
}

static lam_status die_open(void *state, const char *path, lam_storage_file *ret_file,
                           uint64_t *ret_size, lam_error *error) {
    lam_storage_file inner;
    lam_status status = files.open(state, path, &inner, ret_size, error);
    if (status == LAM_STATUS_OK)
        wrap(inner, ret_file);
    return status;
}

static lam_status die_rename(void *state, const char *from, const char *to, lam_error *error) {
    call();
    return files.rename(state, from, to, error);
}

static lam_status die_replace(void *state, const char *from, const char *to, lam_error *error) {
    call();
    return files.replace(state, from, to, error);
}

static lam_status die_remove(void *state, const char *path, lam_error *error) {
    call();
    return files.remove(state, path, error);
}

static lam_status die_sync_folder(void *state, const char *path, lam_error *error) {
    call();
    return files.sync_folder(state, path, error);
}

/* The files of the system, until the call that `die` names. */
static lam_storage dying_storage(void) {
    files = lam_storage_files();
    last_call = option_number("die");
    lam_storage storage = files;
    storage.create = die_create;
    storage.open = die_open;
    storage.rename = die_rename;
    storage.replace = die_replace;
    storage.remove = die_remove;
    storage.sync_folder = die_sync_folder;
    return storage;
}

/* --- Records from standard input ----------------------------------------------------------- */

static lam_status read_input(void *state, void *buffer, size_t capacity, size_t *ret_size,
                             lam_error *error) {
    (void)state;
    (void)error;
    *ret_size = fread(buffer, 1, capacity, stdin);
    return LAM_STATUS_OK;
}

static lam_json_reader *open_records(const lam_schema *schema, lam_error *error) {
    const lam_json_source source = {NULL, read_input};
    lam_json_reader *reader;
    must(lam_json_reader_create(schema, &source, NULL, NULL, &reader, error), error);
    return reader;
}

static lam_writer_options writer_options(void) {
    static const char *const names[] = {
        [LAM_CODEC_UNCOMPRESSED] = "none", [LAM_CODEC_SNAPPY] = "snappy",
        [LAM_CODEC_GZIP] = "gzip",         [LAM_CODEC_BROTLI] = "brotli",
        [LAM_CODEC_ZSTD] = "zstd",         [LAM_CODEC_LZ4_RAW] = "lz4_raw"};
    lam_writer_options options = lam_writer_options_default();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] != NULL && strcmp(option_text("codec", ""), names[i]) == 0)
            options.codec = (lam_codec)i;
    options.data_page_version = (int32_t)option_number("page_version");
    options.page_bytes = option_number("page_bytes");
    options.row_group_rows = option_number("row_group_rows");
    options.auto_bloom_filters = option_number("bloom") != 0;
    return options;
}

/* --- Commands ------------------------------------------------------------------------------ */

static void print_size(const char *path, uint64_t rows) {
    struct stat about;
    char unfinished[4096];
    const char *slash = strrchr(path, '/');
    int folder = slash == NULL ? 0 : (int)(slash + 1 - path);
    snprintf(unfinished, sizeof unfinished, "%.*s_%s.part", folder, path, path + folder);
    if (stat(unfinished, &about) == 0)
        printf("%" PRIu64 " %" PRIu64 "\n", rows, (uint64_t)about.st_size);
}

static void write_log(const char *path, const char *text, lam_error *error) {
    lam_schema *schema;
    lam_log *log;
    lam_writer_options writer = writer_options();
    lam_storage storage = dying_storage();
    lam_log_options options = lam_log_options_default();
    uint64_t rows = 0, each = option_number("checkpoint");
    options.writer = &writer;
    options.storage = &storage;
    options.journal = option_number("journal") != 0;
    options.checkpoint_ms = 1000000000;
    must(lam_schema_parse_text(text, NULL, &schema, error), error);
    must(lam_log_open_file(schema, path, &options, &log, error), error);
    lam_json_reader *reader = open_records(schema, error);
    const lam_record_sink sink = lam_log_sink(log);
    for (size_t count = 1; count > 0; rows += count) {
        must(lam_json_reader_read(reader, &sink, each, &count, error), error);
        if (count == each) { /* the rest is in no row group, but in the journal if there is one */
            must(lam_log_checkpoint(log, error), error);
            print_size(path, rows + count);
        }
    }
    if (strcmp(option_text("end", "finish"), "finish") != 0) {
        uint64_t wait;
        must(lam_log_poll(log, &wait, error), error);
        fflush(stdout);
        _exit(0);
    }
    must(lam_log_finish(log, error), error);
    lam_log_close(log);
    lam_json_reader_destroy(reader);
    lam_schema_destroy(schema);
}

static void append(const char *path, const char *manner, lam_error *error) {
    lam_writer *writer;
    lam_schema *schema = NULL;
    lam_writer_options options = writer_options();
    lam_storage storage = dying_storage();
    size_t count;
    if (option_text("schema", NULL) != NULL)
        must(lam_schema_parse_text(option_text("schema", ""), NULL, &schema, error), error);
    must(lam_writer_open_append(path, schema,
                                strcmp(manner, "anew") == 0 ? LAM_APPEND_ANEW : LAM_APPEND_IN_PLACE,
                                &storage, &options, &writer, error),
         error);
    lam_json_reader *reader = open_records(lam_writer_schema(writer), error);
    const lam_record_sink sink = lam_writer_sink(writer);
    must(lam_json_reader_read(reader, &sink, SIZE_MAX, &count, error), error);
    must(lam_writer_finish(writer, error), error);
    lam_writer_close(writer);
    lam_json_reader_destroy(reader);
    lam_schema_destroy(schema);
}

/* Options of recovery; what they borrow lasts as long as the program. */
static lam_recover_options recover_options(lam_error *error) {
    lam_recover_options options = lam_recover_options_default();
    lam_schema *schema = NULL;
    lam_reader *like = NULL;
    if (option_text("schema", NULL) != NULL)
        must(lam_schema_parse_text(option_text("schema", ""), NULL, &schema, error), error);
    if (option_text("like", NULL) != NULL)
        must(lam_reader_open_file(option_text("like", ""), NULL, &like, error), error);
    options.schema = schema;
    options.like = like;
    return options;
}

static void print_recovery(FILE *out, const lam_recovery *found) {
    fprintf(out,
            "row_groups=%" PRIu64 " rows=%" PRIu64 " lost_rows=%" PRIu64 " lost_bytes=%" PRIu64
            " journal_rows=%" PRIu64 " has_footer=%d is_complete=%d lacks_checksums=%d\n",
            found->row_groups, found->rows, found->lost_rows, found->lost_bytes,
            found->journal_rows, found->has_footer, found->is_complete, found->lacks_checksums);
}

static void recover(const char *path, const char *target, lam_error *error) {
    lam_recovery found = lam_recovery_default();
    lam_storage storage = dying_storage();
    lam_recover_options options = recover_options(error);
    options.storage = &storage;
    must(lam_recover(path, target, &options, &found, error), error);
    print_recovery(stdout, &found);
}

static lam_status print_bytes(void *state, const void *data, size_t size, lam_error *error) {
    (void)state;
    (void)error;
    fwrite(data, 1, size, stdout);
    return LAM_STATUS_OK;
}

static void print_rows(const char *path, lam_error *error) {
    lam_input input;
    lam_reader *reader;
    lam_record_reader *records;
    lam_json_writer *writer;
    lam_output output = {NULL, print_bytes, NULL, NULL};
    lam_recovery found = lam_recovery_default();
    lam_recover_options options = recover_options(error);
    uint64_t count;
    must(lam_input_open_file(path, NULL, &input, error), error);
    must(lam_reader_open_unfinished(&input, &options, &reader, &found, error), error);
    must(lam_record_reader_open(reader, NULL, &records, error), error);
    must(lam_json_writer_create(lam_reader_schema(reader), &output, NULL, NULL, &writer, error),
         error);
    const lam_record_sink sink = lam_json_writer_sink(writer);
    must(lam_record_reader_read(records, &sink, UINT64_MAX, &count, error), error);
    must(lam_json_writer_flush(writer, error), error);
    lam_json_writer_destroy(writer);
    lam_record_reader_close(records);
    lam_reader_close(reader);
    print_recovery(stderr, &found);
}

int main(int argc, char **argv) {
    lam_error error = lam_error_none();
    const char *command = argc > 2 ? argv[1] : "";
    const char *last = argc > 3 ? argv[3] : "";
    option_count = argc > 2 ? argc - 2 : 0;
    option_list = argv + 2;
    if (strcmp(command, "log") == 0)
        write_log(argv[2], last, &error);
    else if (strcmp(command, "recover") == 0)
        recover(argv[2], last, &error);
    else if (strcmp(command, "append") == 0)
        append(argv[2], last, &error);
    else if (strcmp(command, "rows") == 0)
        print_rows(argv[2], &error);
    else
        return 2;
    return 0;
}
