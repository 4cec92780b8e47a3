/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of slices of one array, as another library would give it. It counts what is asked of it
 * and what is given back.
 */
#include "arrow/array_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Goes along with a schema or an array, and stays when that is released. */
typedef struct paper {
    struct paper *next;
    lam_array_source *source;
    struct ArrowSchema schema; /* what the one that was given is a copy of */
    bool is_released;
} paper;

static paper *new_paper(lam_array_source *source) {
    paper *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL)
        abort();
    fresh->source = source;
    fresh->next = source->papers;
    source->papers = fresh;
    source->given++;
    return fresh;
}

static void note_release(paper *of) {
    of->source->misuses += of->is_released;
    of->source->released += !of->is_released;
    of->is_released = true;
}

static void release_schema(struct ArrowSchema *schema) {
    paper *of = schema->private_data;
    note_release(of);
    if (of->schema.release != NULL)
        of->schema.release(&of->schema);
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
    note_release(array->private_data);
    array->release = NULL;
}

/* Counts a call; true when it fails. */
static bool fails(lam_array_source *source) {
    source->misuses += source->is_over || source->streams_released > 0;
    source->is_over = ++source->calls == source->fail_at;
    return source->is_over;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    lam_array_source *source = stream->private_data;
    lam_allocator heap = lam_allocator_default();
    struct ArrowSchema schema;
    if (fails(source))
        return EIO;
    if (lam_arrow_field_export(source->field, &heap, &schema, NULL) != LAM_STATUS_OK)
        return EINVAL;
    paper *with = new_paper(source);
    with->schema = schema;
    *out = schema;
    out->release = release_schema;
    out->private_data = with;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    lam_array_source *source = stream->private_data;
    int64_t left = source->array->length - source->rows_given;
    if (fails(source))
        return EIO;
    memset(out, 0, sizeof *out);
    source->is_over = left == 0;
    if (left == 0)
        return 0;
    *out = *source->array;
    out->offset += source->rows_given;
    out->length = left < source->slice_rows ? left : source->slice_rows;
    out->release = release_array;
    out->private_data = new_paper(source);
    source->rows_given += out->length;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    const lam_array_source *source = stream->private_data;
    return source->fail_at > 0 && source->calls >= source->fail_at ? LAM_SOURCE_FAILURE : NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    lam_array_source *source = stream->private_data;
    source->streams_released++;
    stream->release = NULL;
}

struct ArrowArrayStream lam_array_source_open(lam_array_source *source) {
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, source};
    return stream;
}

bool lam_array_source_is_released(const lam_array_source *source) {
    return source->released == source->given && source->misuses == 0;
}

void lam_array_source_close(lam_array_source *source) {
    for (paper *next, *old = source->papers; old != NULL; old = next) {
        next = old->next;
        free(old);
    }
    source->papers = NULL;
}
