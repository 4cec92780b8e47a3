/* SPDX-License-Identifier: Apache-2.0 */
/* The least that shreds a record and assembles it again, without a file. */
#include <lamella/dremel.h>
#include <stdio.h>

static lam_status read_all(void *state, lam_triples *ret_triples, lam_error *error) {
    lam_triples *triples = state;
    (void)error;
    *ret_triples = *triples;
    triples->count = 0;
    return LAM_STATUS_OK;
}

int main(void) {
    lam_schema_builder *builder;
    lam_schema *schema;
    lam_shredder *shredder, *again;
    lam_assembler *assembler;
    lam_error error = lam_error_none();
    size_t records = 0;
    if (lam_schema_builder_create("m", NULL, &builder, &error) != LAM_STATUS_OK ||
        lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_REPEATED, LAM_PHYSICAL_INT64, NULL,
                                    &error) != LAM_STATUS_OK ||
        lam_schema_builder_finish(builder, &schema, &error) != LAM_STATUS_OK ||
        lam_shredder_create(schema, NULL, &shredder, &error) != LAM_STATUS_OK ||
        lam_shredder_create(schema, NULL, &again, &error) != LAM_STATUS_OK)
        return puts(error.message), 1;
    lam_record_sink sink = lam_shredder_sink(shredder);
    (void)lam_begin(&sink, NULL);
    (void)lam_put_int64(&sink, lam_schema_leaf(schema, 0), 1, NULL);
    lam_status status = lam_end(&sink, &error);
    lam_triples triples = lam_shredder_triples(shredder, 0);
    const lam_triple_source source = {&triples, read_all};
    sink = lam_shredder_sink(again);
    if (status != LAM_STATUS_OK ||
        lam_assembler_create(schema, NULL, &source, NULL, &assembler, &error) != LAM_STATUS_OK ||
        lam_assembler_read(assembler, &sink, 1, &records, &error) != LAM_STATUS_OK)
        return puts(error.message), 1;
    lam_assembler_destroy(assembler);
    lam_shredder_destroy(shredder);
    lam_shredder_destroy(again);
    lam_schema_builder_destroy(builder);
    lam_schema_destroy(schema);
    return printf("%zu records\n", records) < 0;
}
