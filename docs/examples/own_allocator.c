/* SPDX-License-Identifier: Apache-2.0 */
/* Writes FILE with an allocator of its own, which counts, and refuses more than a limit:
 *     own_allocator FILE LIMIT */
#include <lamella/lamella.h>
#include <stdio.h>
#include <stdlib.h>

/* One handle, one thread: for more threads the counter would have to be atomic. */
typedef struct pool {
    size_t used, limit;
} pool;

static void *resize(void *state, void *memory, size_t old_size, size_t new_size) {
    pool *p = state;
    if (new_size > old_size && new_size - old_size > p->limit - p->used)
        return NULL;
    void *moved = realloc(memory, new_size);
    if (moved != NULL)
        p->used = p->used - old_size + new_size;
    return moved;
}

static void *take(void *state, size_t size) {
    return resize(state, NULL, 0, size);
}

static void give(void *state, void *memory, size_t size) {
    ((pool *)state)->used -= size;
    free(memory);
}

int main(int argc, char **argv) {
    pool p = {0, argc > 2 ? strtoul(argv[2], NULL, 10) : 0};
    lam_allocator allocator = {&p, take, resize, give};
    lam_writer_options options = lam_writer_options_default();
    options.allocator = &allocator; /* the schema has one of its own, or the same */
    lam_error error = lam_error_none();
    lam_schema *schema = NULL;
    lam_writer *writer = NULL;
    if (argc != 3)
        return fprintf(stderr, "usage: own_allocator FILE LIMIT\n"), 2;
    lam_status status = lam_schema_parse_text("required int64 n;", &allocator, &schema, &error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_open_file(schema, argv[1], &options, &writer, &error);
    lam_record_sink sink = lam_writer_sink(writer);
    for (int64_t n = 0; n < 100000 && status == LAM_STATUS_OK; n++) {
        lam_begin(&sink, &error);
        lam_put_int64(&sink, lam_schema_leaf(schema, 0), n, &error);
        status = lam_end(&sink, &error);
    }
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, &error);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    printf("%s, %d bytes left behind\n", lam_status_name(status), (int)p.used);
    return status == LAM_STATUS_OK ? 0 : 1;
}
