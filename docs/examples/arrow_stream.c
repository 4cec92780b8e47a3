/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a file through an Arrow C stream, as another library would take it or give it. The rows
 * are counted on their way.
 *
 *     arrow_stream IN OUT
 */
#include <lamella/lamella.h>
#include <stdio.h>

/* A stream that passes on another one. */
static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema) {
    struct ArrowArrayStream *from = stream->private_data;
    return from->get_schema(from, schema);
}

static long long rows;

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *array) {
    struct ArrowArrayStream *from = stream->private_data;
    int code = from->get_next(from, array);
    if (code == 0 && array->release != NULL) /* a released array is the end */
        rows += array->length;
    return code;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    struct ArrowArrayStream *from = stream->private_data;
    return from->get_last_error(from);
}

static void release(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

int main(int argc, char **argv) {
    lam_error error = lam_error_none();
    struct ArrowArrayStream in = {0};
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.batch_rows = 256;
    if (argc != 3)
        return fprintf(stderr, "usage: arrow_stream IN OUT\n"), 2;
    lam_status status = lam_arrow_read_file(argv[1], NULL, &options, &in, &error);
    if (status == LAM_STATUS_OK) {
        struct ArrowArrayStream out = {get_schema, get_next, get_last_error, release, &in};
        status = lam_arrow_write_file(argv[2], &out, NULL, NULL, &error);
        in.release(&in);
    }
    if (status == LAM_STATUS_OK)
        printf("%lld rows\n", rows);
    else
        fprintf(stderr, "%s: %s\n", lam_status_name(status), error.message);
    return status == LAM_STATUS_OK ? 0 : 1;
}
