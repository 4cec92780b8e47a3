/* SPDX-License-Identifier: Apache-2.0 */
/* Files as a log leaves them: records behind row groups, checkpoints, and cut off anywhere. */
#include <lamella/writer.h>
#include <string.h>

#include "file/write/file_writer.h"
#include "fuzz/seeds.h"
#include "support/random.h"

enum { SEED_GROUPS = 4, SEED_CUTS = 6 };

static const char seed_shape[] =
    "message m { required int64 a; optional binary s; repeated group g "
    "{ optional int32 x; } }";

static void seed_rows(lam_writer *writer, lam_random *random) {
    const lam_schema *schema = lam_writer_schema(writer);
    lam_record_sink sink = lam_writer_sink(writer);
    const lam_field *group = lam_schema_find(schema, "g");
    for (int row = 0; row < 12; row++) {
        lam_value value = {.int64 = row};
        LAM_SEED_TRY(sink.begin(sink.state, &error));
        LAM_SEED_TRY(sink.put(sink.state, lam_schema_leaf(schema, 0), value, &error));
        value.bytes = (lam_bytes){(const uint8_t *)"PAR1PLAM", lam_random_below(random, 9)};
        if (lam_random_chance(random, 70))
            LAM_SEED_TRY(sink.put(sink.state, lam_schema_leaf(schema, 1), value, &error));
        for (uint64_t n = lam_random_below(random, 3); n > 0; n--) {
            value.int32 = (int32_t)n;
            LAM_SEED_TRY(sink.open(sink.state, group, &error));
            LAM_SEED_TRY(sink.put(sink.state, lam_schema_leaf(schema, 2), value, &error));
            LAM_SEED_TRY(sink.close(sink.state, group, &error));
        }
        LAM_SEED_TRY(sink.end(sink.state, &error));
    }
}

/* One file, whole and cut; the first byte chooses how it is opened. */
static void seed_log(lam_random *random, const lam_writer_options *options, bool has_records,
                     bool has_checkpoints) {
    uint8_t id[16] = {1, 2, 3};
    lam_schema *schema;
    lam_output output;
    lam_writer *writer;
    LAM_SEED_TRY(lam_schema_parse(seed_shape, strlen(seed_shape), NULL, &schema, &error));
    LAM_SEED_TRY(lam_output_memory(NULL, &output, &error));
    lam_output keep = output;
    LAM_SEED_TRY(lam_writer_open(schema, &output, options, &writer, &error));
    if (has_records)
        lam_writer_start_records(writer, id);
    for (int group = 0; group < SEED_GROUPS; group++) {
        seed_rows(writer, random);
        LAM_SEED_TRY(lam_writer_end_row_group(writer, &error));
        if (group == 1)
            lam_writer_note_sync(writer);
        if (has_checkpoints && group % 2 == 1)
            LAM_SEED_TRY(lam_writer_checkpoint(writer, &error));
    }
    LAM_SEED_TRY(lam_writer_finish(writer, &error));
    lam_bytes file = lam_output_memory_bytes(&keep);
    for (int cut = 0; cut < SEED_CUTS; cut++) {
        ((uint8_t *)(uintptr_t)file.data)[0] =
            (uint8_t)(cut % 2 + 4 * (cut % 3) + 16 * !has_records);
        size_t size = cut == 0 ? file.size : (size_t)lam_random_below(random, file.size);
        lam_seed_write("recover", (lam_bytes){file.data, size});
    }
    lam_writer_close(writer);
    lam_schema_destroy(schema);
}

void lam_seed_recover(void) {
    lam_random random = lam_random_start(14);
    for (int i = 0; i < 8; i++) {
        lam_writer_options options = lam_writer_options_default();
        options.codec = i & 1 ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_ZSTD;
        options.data_page_version = 1 + (i >> 1 & 1);
        options.auto_bloom_filters = i % 3 == 0;
        options.page_rows = 5;
        seed_log(&random, &options, i % 4 != 3, i >> 2 & 1);
    }
}
