/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Dremel paper's schema, records and columns (Melnik et al., VLDB 2010, figures 2 and 3), typed
 * in from the paper.
 */
#include "reference/paper.h"

#include <criterion/criterion.h>
#include <lamella/dremel.h>
#include <string.h>

const lam_paper_column lam_paper_columns[LAM_PAPER_LEAVES] = {
    {"DocId", 2, {0, 0}, {0, 0}, 2, {10, 20}, {0}},
    {"Links.Backward", 3, {0, 0, 1}, {1, 2, 2}, 2, {10, 30}, {0}},
    {"Links.Forward", 4, {0, 1, 1, 0}, {2, 2, 2, 2}, 4, {20, 40, 60, 80}, {0}},
    {"Name.Language.Code", 5, {0, 2, 1, 1, 0}, {2, 2, 1, 2, 1}, 3, {0}, {"en-us", "en", "en-gb"}},
    {"Name.Language.Country", 5, {0, 2, 1, 1, 0}, {3, 2, 1, 3, 1}, 2, {0}, {"us", "gb"}},
    {"Name.Url", 4, {0, 1, 1, 0}, {2, 2, 1, 2}, 3, {0}, {"http://A", "http://B", "http://C"}},
};

static void leaf(lam_schema_builder *builder, const char *name, lam_repetition repetition,
                 lam_physical_type type) {
    lam_field_options options = {0};
    if (type == LAM_PHYSICAL_BYTE_ARRAY)
        options.logical_type.kind = LAM_LOGICAL_STRING;
    cr_assert_eq(lam_schema_builder_add_leaf(builder, name, repetition, type, &options, NULL),
                 LAM_STATUS_OK);
}

static void begin(lam_schema_builder *builder, const char *name, lam_repetition repetition) {
    cr_assert_eq(lam_schema_builder_begin_group(builder, name, repetition, NULL, NULL),
                 LAM_STATUS_OK);
}

static void end(lam_schema_builder *builder) {
    cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
}

lam_schema *lam_paper_schema(void) {
    lam_schema_builder *builder;
    cr_assert_eq(lam_schema_builder_create("Document", NULL, &builder, NULL), LAM_STATUS_OK);
    leaf(builder, "DocId", LAM_REPETITION_REQUIRED, LAM_PHYSICAL_INT64);
    begin(builder, "Links", LAM_REPETITION_OPTIONAL);
    leaf(builder, "Backward", LAM_REPETITION_REPEATED, LAM_PHYSICAL_INT64);
    leaf(builder, "Forward", LAM_REPETITION_REPEATED, LAM_PHYSICAL_INT64);
    end(builder);
    begin(builder, "Name", LAM_REPETITION_REPEATED);
    begin(builder, "Language", LAM_REPETITION_REPEATED);
    leaf(builder, "Code", LAM_REPETITION_REQUIRED, LAM_PHYSICAL_BYTE_ARRAY);
    leaf(builder, "Country", LAM_REPETITION_OPTIONAL, LAM_PHYSICAL_BYTE_ARRAY);
    end(builder);
    leaf(builder, "Url", LAM_REPETITION_OPTIONAL, LAM_PHYSICAL_BYTE_ARRAY);
    end(builder);
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    return schema;
}

lam_value lam_paper_number(int64_t number) {
    lam_value value = {0};
    value.int64 = number;
    return value;
}

lam_value lam_paper_text(const char *text) {
    lam_value value = {0};
    value.bytes.data = (const uint8_t *)text;
    value.bytes.size = strlen(text);
    return value;
}

/* An event: a path to open, put or close; a NULL path begins or ends the record. */
typedef struct event {
    char verb; /* { ( = ) } */
    const char *path;
    int64_t number;
    const char *text;
} event;

static const event r1[] = {
    {'{', NULL, 0, NULL},
    {'=', "DocId", 10, NULL},
    {'(', "Links", 0, NULL},
    {'=', "Links.Forward", 20, NULL},
    {'=', "Links.Forward", 40, NULL},
    {'=', "Links.Forward", 60, NULL},
    {')', "Links", 0, NULL},
    {'(', "Name", 0, NULL},
    {'(', "Name.Language", 0, NULL},
    {'=', "Name.Language.Code", 0, "en-us"},
    {'=', "Name.Language.Country", 0, "us"},
    {')', "Name.Language", 0, NULL},
    {'(', "Name.Language", 0, NULL},
    {'=', "Name.Language.Code", 0, "en"},
    {')', "Name.Language", 0, NULL},
    {'=', "Name.Url", 0, "http://A"},
    {')', "Name", 0, NULL},
    {'(', "Name", 0, NULL},
    {'=', "Name.Url", 0, "http://B"},
    {')', "Name", 0, NULL},
    {'(', "Name", 0, NULL},
    {'(', "Name.Language", 0, NULL},
    {'=', "Name.Language.Code", 0, "en-gb"},
    {'=', "Name.Language.Country", 0, "gb"},
    {')', "Name.Language", 0, NULL},
    {')', "Name", 0, NULL},
    {'}', NULL, 0, NULL},
};

static const event r2[] = {
    {'{', NULL, 0, NULL},
    {'=', "DocId", 20, NULL},
    {'(', "Links", 0, NULL},
    {'=', "Links.Backward", 10, NULL},
    {'=', "Links.Backward", 30, NULL},
    {'=', "Links.Forward", 80, NULL},
    {')', "Links", 0, NULL},
    {'(', "Name", 0, NULL},
    {'=', "Name.Url", 0, "http://C"},
    {')', "Name", 0, NULL},
    {'}', NULL, 0, NULL},
};

static lam_status tell(const lam_schema *schema, const event *e, const lam_record_sink *sink,
                       lam_error *error) {
    if (e->verb == '{')
        return sink->begin(sink->state, error);
    if (e->verb == '}')
        return sink->end(sink->state, error);
    const lam_field *field = lam_schema_find(schema, e->path);
    if (e->verb == '(')
        return sink->open(sink->state, field, error);
    if (e->verb == ')')
        return sink->close(sink->state, field, error);
    lam_value value = e->text != NULL ? lam_paper_text(e->text) : lam_paper_number(e->number);
    return sink->put(sink->state, field, value, error);
}

lam_status lam_paper_record(const lam_schema *schema, int record, const lam_record_sink *sink,
                            lam_error *error) {
    const event *events = record == 0 ? r1 : r2;
    size_t count = record == 0 ? sizeof r1 / sizeof r1[0] : sizeof r2 / sizeof r2[0];
    for (size_t i = 0; i < count; i++) {
        lam_status status = tell(schema, &events[i], sink, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    return LAM_STATUS_OK;
}

static lam_status read_whole(void *state, lam_triples *ret_triples, lam_error *error) {
    (void)error;
    lam_paper_source *source = state;
    lam_triples none = {0};
    *ret_triples = source->given ? none : source->triples;
    source->given = true;
    return LAM_STATUS_OK;
}

lam_triple_source lam_paper_source_init(lam_paper_source *source, size_t leaf_index) {
    const lam_paper_column *column = &lam_paper_columns[leaf_index];
    memset(source, 0, sizeof *source);
    source->triples.count = column->count;
    source->triples.value_count = column->value_count;
    source->triples.repetition = column->repetition;
    source->triples.definition = column->definition;
    source->triples.values = column->numbers;
    if (leaf_index >= 3) {
        for (size_t i = 0; i < column->value_count; i++)
            source->texts[i] = lam_paper_text(column->texts[i]).bytes;
        source->triples.values = source->texts;
    }
    lam_triple_source result = {source, read_whole};
    return result;
}
