/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program against a library without any of its parts: none of them is said to be there, and what
 * needs one is refused by its name. Prints the refusals.
 */
#include <lamella/lamella.h>
#include <stdio.h>

static int refuse_codec(const lam_schema *schema, lam_codec codec) {
    lam_writer_options options = lam_writer_options_default();
    lam_writer *writer = NULL;
    lam_error error = lam_error_none();
    options.codec = codec;
    lam_status status = lam_writer_open_file(schema, "refused.parquet", &options, &writer, &error);
    lam_writer_close(writer);
    return status != LAM_STATUS_UNSUPPORTED || puts(error.message) < 0;
}

int main(void) {
    static const char text[] = "message m { required int64 a; }";
    static const lam_codec codecs[] = {LAM_CODEC_SNAPPY, LAM_CODEC_GZIP, LAM_CODEC_BROTLI,
                                       LAM_CODEC_LZ4_RAW};
    lam_schema *schema = NULL;
    int problems = lam_schema_parse(text, sizeof text - 1, NULL, &schema, NULL) != LAM_STATUS_OK;
    for (int feature = 1; feature < 100; feature++)
        problems += lam_feature_is_supported((lam_feature)feature);
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0] && problems == 0; i++)
        problems += refuse_codec(schema, codecs[i]);
    lam_schema_destroy(schema);
    return problems != 0;
}
