/* SPDX-License-Identifier: Apache-2.0 */
/* own_io FILE: writes to a stdio stream by callbacks of its own, and reads it back by others. */
#include <lamella/lamella.h>
#include <stdio.h>

static lam_status io_status(bool good, lam_error *error) {
    if (!good && error != NULL) {
        *error = lam_error_none();
        error->status = LAM_STATUS_IO;
        snprintf(error->message, sizeof error->message, "stdio failed");
    }
    return good ? LAM_STATUS_OK : LAM_STATUS_IO;
}

static lam_status append(void *state, const void *data, size_t size, lam_error *error) {
    return io_status(fwrite(data, 1, size, state) == size, error);
}

static lam_status complete(void *state, lam_error *error) {
    return io_status(fflush(state) == 0, error);
}

static lam_status read_at(void *state, uint64_t offset, size_t size, void *buffer,
                          lam_error *error) {
    bool found = fseek(state, (long)offset, SEEK_SET) == 0; /* so this is for one thread */
    return io_status(found && fread(buffer, 1, size, state) == size, error);
}

static void leave_open(void *state) {
    (void)state;
}

int main(int argc, char **argv) {
    lam_error error = lam_error_none();
    lam_schema *schema = NULL;
    lam_writer *writer = NULL;
    FILE *file = fopen(argc > 1 ? argv[1] : "", "w+b");
    if (file == NULL)
        return 1;
    lam_output output = {file, append, complete, leave_open}; /* moved into the writer */
    bool failed = lam_schema_parse_text("required boolean b;", NULL, &schema, &error) ||
                  lam_writer_open(schema, &output, NULL, &writer, &error);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_begin(&sink, NULL); /* without a writer nothing of this is done */
    lam_put_boolean(&sink, lam_schema_find(schema, "b"), true, NULL);
    failed = failed || lam_end(&sink, &error) || lam_writer_finish(writer, &error);
    lam_input input = {file, (uint64_t)ftell(file), read_at, NULL, leave_open};
    lam_reader *reader = NULL;
    failed = failed || lam_reader_open(&input, NULL, &reader, &error);
    printf("%s\n", failed                              ? error.message
                   : lam_reader_row_count(reader) == 1 ? "a record"
                                                       : "more");
    lam_reader_close(reader);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    return fclose(file) == 0 && !failed ? 0 : 1;
}
