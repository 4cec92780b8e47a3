/* SPDX-License-Identifier: Apache-2.0 */
/* What a footer states of chunks of all kinds, while each request for memory fails once. */
#include <criterion/criterion.h>
#include <lamella/details.h>
#include <string.h>

#include "file/file_sample.h"
#include "stats/wkb_text.h"
#include "support/failing_alloc.h"

enum { PLACES = 20 };

static const char places_shape[] =
    "message m { required binary place (GEOMETRY); optional binary name; repeated double x; }";

static lam_status write_place(const lam_record_sink *sink, const lam_schema *schema, size_t number,
                              lam_bytes place) {
    const lam_value values[] = {{.bytes = place},
                                {.bytes = {(const uint8_t *)"abcdefghij", number % 10}},
                                {.float64 = (double)number}};
    lam_status status = sink->begin(sink->state, NULL);
    for (size_t i = 0; i < 3 && status == LAM_STATUS_OK; i++)
        if (i == 0 || number % (i + 1) > 0)
            status = sink->put(sink->state, lam_schema_leaf(schema, i), values[i], NULL);
    return status == LAM_STATUS_OK ? sink->end(sink->state, NULL) : status;
}

static lam_status write_places(const lam_allocator *allocator, lam_bytes place,
                               lam_trial_output *trial) {
    lam_schema *schema = lam_test_schema(places_shape);
    lam_output output = lam_trial_output_open(trial);
    lam_writer_options options = lam_writer_options_default();
    lam_writer *writer;
    options.allocator = allocator;
    lam_status status = lam_writer_open(schema, &output, &options, &writer, NULL);
    if (status == LAM_STATUS_OK) {
        lam_record_sink sink = lam_writer_sink(writer);
        for (size_t i = 0; i < PLACES && status == LAM_STATUS_OK; i++)
            status = write_place(&sink, schema, i, place);
        if (status == LAM_STATUS_OK)
            status = lam_writer_finish(writer, NULL);
        lam_writer_close(writer);
    }
    lam_output_close(&output);
    lam_schema_destroy(schema);
    return status;
}

Test(chunk_meta_write, without_memory_no_footer_is_written_and_with_it_all_is_stated) {
    lam_allocator heap = lam_allocator_default();
    lam_trial_output trial = {0};
    lam_status status = LAM_STATUS_NOMEM;
    lam_buffer wkb;
    lam_buffer_init(&wkb, &heap);
    wkb_text_append(&wkb, "< 1001 1.0 2.0 3.0");
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_trial_output_free(&trial);
        trial = (lam_trial_output){0};
        status = write_places(&allocator, lam_buffer_bytes(&wkb), &trial);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(trial.finished, status == LAM_STATUS_OK);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
    }
    lam_chunk_details details = lam_chunk_details_default();
    lam_reader *reader = lam_test_open(trial.bytes.data, trial.bytes.size, NULL);
    cr_assert_eq(lam_reader_chunk_details(reader, 0, 0, &details, NULL), LAM_STATUS_OK);
    cr_expect(details.geospatial.has_box && details.geospatial.axes[0].least == 1);
    cr_assert_eq(lam_reader_chunk_details(reader, 0, 1, &details, NULL), LAM_STATUS_OK);
    cr_expect_eq(details.unencoded_bytes, 1 + 3 + 5 + 7 + 9 + 1 + 3 + 5 + 7 + 9);
    lam_reader_close(reader);
    lam_trial_output_free(&trial);
    lam_buffer_finish(&wkb);
}
