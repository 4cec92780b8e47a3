/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes values of any shape into a VARIANT, of which one field has a column of its own.
 *
 *     variant FILE
 */
#include <lamella/lamella.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "optional group event (VARIANT(1)) {"
                           "  required binary metadata; optional binary value;"
                           "  optional group typed_value { required group speed {"
                           "    optional binary value; optional double typed_value; } } }";

/* Builds {"speed": 1.5, "gear": 3} from its parts; true when that fails, as LAM_STATUS_OK is 0. */
static bool build(lam_variant_builder *builder, int gear, lam_variant *ret, lam_error *error) {
    return lam_variant_builder_begin_object(builder, error) ||
           lam_variant_builder_field(builder, "speed", strlen("speed"), error) ||
           lam_variant_builder_put_double(builder, 1.5 * gear, error) ||
           lam_variant_builder_field(builder, "gear", strlen("gear"), error) ||
           lam_variant_builder_put_integer(builder, gear, error) ||
           lam_variant_builder_end_object(builder, error) ||
           lam_variant_builder_finish(builder, ret, error);
}

int main(int argc, char **argv) {
    lam_error error = lam_error_none();
    lam_schema *schema = NULL;
    lam_writer *writer = NULL;
    lam_variant_builder *builder = NULL;
    lam_variant_shredder *shredder = NULL;
    bool failed = lam_schema_parse_text(text, NULL, &schema, &error) ||
                  lam_writer_open_file(schema, argc > 1 ? argv[1] : NULL, NULL, &writer, &error) ||
                  lam_variant_builder_create(NULL, NULL, &builder, &error) ||
                  lam_variant_shredder_create(lam_schema_find(schema, "event"), NULL, NULL,
                                              &shredder, &error);
    lam_record_sink sink = lam_writer_sink(writer);
    for (int i = 0; i < 100 && !failed; i++) {
        lam_variant event;
        lam_begin(&sink, NULL);
        failed = build(builder, i % 5, &event, &error) ||
                 lam_variant_shredder_write(shredder, event, &sink, &error) ||
                 lam_end(&sink, &error);
    }
    failed = failed || lam_writer_finish(writer, &error);
    printf("%s\n", failed ? error.message : "100 records");
    lam_variant_shredder_destroy(shredder);
    lam_variant_builder_destroy(builder);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    return failed ? 1 : 0;
}
