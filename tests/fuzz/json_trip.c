/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text to records and back, for the targets that have to do with it. */
#include <lamella/record.h>

#include "fuzz/json_trip.h"

#include "fuzz/harness.h"

enum { FAILURES_MAX = 200, AT_ONCE = 3 };

typedef struct slow_source {
    lam_bytes left;
    unsigned piece;
} slow_source;

static lam_status read_piece(void *state, void *buffer, size_t capacity, size_t *ret_size,
                             lam_error *error) {
    slow_source *source = state;
    (void)error;
    size_t size = source->left.size < capacity ? source->left.size : capacity;
    if (source->piece > 0 && size > source->piece)
        size = source->piece;
    *ret_size = size;
    if (size == 0)
        return LAM_STATUS_OK;
    memcpy(buffer, source->left.data, size);
    source->left.data += size;
    source->left.size -= size;
    return LAM_STATUS_OK;
}

static uint64_t drive(lam_json_reader *reader, const lam_fuzz_json_text *text,
                      lam_fuzz_sink *sink) {
    lam_record_sink verbs = lam_fuzz_sink_verbs(sink);
    uint64_t records = 0, line = 0;
    for (size_t failures = 0; failures < FAILURES_MAX;) {
        lam_error error = lam_error_none();
        size_t count = 0;
        lam_status status = lam_json_reader_read(reader, &verbs, AT_ONCE, &count, &error);
        records += count;
        LAM_FUZZ_EXPECT(records == sink->records);
        LAM_FUZZ_EXPECT(lam_json_reader_line(reader) >= line);
        line = lam_json_reader_line(reader);
        if (status == LAM_STATUS_STATE && failures > 0)
            break; /* no record could be found behind a failure */
        lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER);
        if (sink->next_failed || (status != LAM_STATUS_OK && text->must_fit))
            lam_fuzz_fail(__FILE__, __LINE__, "records fit their schema", &error);
        if (status == LAM_STATUS_OK && count < AT_ONCE)
            break;
        failures += status != LAM_STATUS_OK;
    }
    return records;
}

uint64_t lam_fuzz_json_read(const lam_fuzz_json_text *text, lam_output *printed) {
    lam_allocator allocator = lam_fuzz_allocator();
    slow_source slow = {text->text, text->piece};
    lam_json_source source = {&slow, read_piece};
    lam_json_reader *reader;
    lam_json_writer *writer;
    lam_json_writer_options options = lam_json_writer_options_default();
    options.binary = text->options.binary;
    lam_error refusal = lam_error_none();
    lam_status status = lam_json_reader_create(text->schema, &source, &text->options, &allocator,
                                               &reader, &refusal);
    if (!lam_fuzz_judge(status, &refusal, LAM_FUZZ_OF_CALLER))
        return 0; /* a VARIANT that may be read, and must not be written */
    LAM_FUZZ_OK(
        lam_json_writer_create(text->schema, printed, &options, &allocator, &writer, &fault));
    lam_fuzz_sink sink = {.next = lam_json_writer_sink(writer), .verbs_left = UINT64_MAX};
    uint64_t records = drive(reader, text, &sink);
    LAM_FUZZ_OK(lam_json_writer_flush(writer, &fault));
    lam_json_writer_destroy(writer);
    lam_json_reader_destroy(reader);
    return records;
}

uint64_t lam_fuzz_json_trip(const lam_fuzz_json_text *text) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_output first, second;
    LAM_FUZZ_OK(lam_output_memory(&allocator, &first, &fault));
    LAM_FUZZ_OK(lam_output_memory(&allocator, &second, &fault));
    uint64_t records = lam_fuzz_json_read(text, &first);
    lam_fuzz_json_text again = {.schema = text->schema, .must_fit = true};
    again.text = lam_output_memory_bytes(&first);
    again.options = lam_json_reader_options_default();
    again.options.binary = text->options.binary;
    LAM_FUZZ_EXPECT(lam_fuzz_json_read(&again, &second) == records);
    lam_bytes printed = lam_output_memory_bytes(&second);
    LAM_FUZZ_EXPECT(printed.size == again.text.size);
    LAM_FUZZ_EXPECT(printed.size == 0 || memcmp(printed.data, again.text.data, printed.size) == 0);
    lam_output_close(&first);
    lam_output_close(&second);
    return records;
}
