/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lamella trace: the shredder or the assembler, step by step, or how VARIANTs are put together.
 * Takes a Parquet file, or JSON records with a schema, and always prints all steps of the chosen
 * records, as lines (trace_text.c, variant_pairs_text.c) or JSON (trace_json.c,
 * variant_pairs_json.c).
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "level_input.h"
#include "tool.h"
#include "trace_json.h"
#include "trace_text.h"
#include "variant_pairs_json.h"
#include "variant_pairs_text.h"

typedef enum trace_machine {
    MACHINE_DEFAULT,
    MACHINE_SHREDDER,
    MACHINE_ASSEMBLER,
    MACHINE_VARIANTS
} trace_machine;

typedef struct trace_options {
    level_choice choice;
    trace_machine machine;
    bool json;
    bool names_files;
} trace_options;

static int shred_records(level_input *input, const trace_printer *printer) {
    lam_error error = lam_error_none();
    trace_shredder *shredder;
    if (trace_shredder_create(input->schema, input->leaves, input->range.first, printer, &shredder,
                              &error) != LAM_STATUS_OK)
        return tool_fail(input->file, &error);
    lam_record_sink sink = trace_shredder_sink(shredder);
    lam_error failure = lam_error_none();
    int result = level_input_drive(input, &sink, &failure);
    if (result != TOOL_OK)
        trace_shredder_fail(shredder, &failure);
    trace_shredder_destroy(shredder);
    return result;
}

static int assemble_records(level_input *input, const trace_printer *printer) {
    lam_error error = lam_error_none();
    level_source source;
    int result = level_input_columns(input, true, &source);
    if (result != TOOL_OK)
        return result;
    return trace_assembly(&source, input->leaves, input->range, printer, &error) == LAM_STATUS_OK
               ? TOOL_OK
               : tool_fail(input->file, &error);
}

/* What is printed of VARIANTs, and how many could not be assembled. */
typedef struct variant_trace {
    variant_pairs_json json;
    bool is_json;
    uint64_t failed;
} variant_trace;

static void print_variant(void *state, const variant_found *found) {
    variant_trace *trace = state;
    trace->failed += found->failure != NULL;
    if (trace->is_json)
        variant_pairs_print_json(&trace->json, found);
    else
        variant_pairs_print_text(found);
}

static void end_without_memory(const lam_error *error) {
    tool_end_without_memory(NULL, error->message);
}

static int trace_variants(level_input *input, bool is_json) {
    lam_error error = lam_error_none();
    variant_pairs *pairs;
    variant_trace trace = {.json = {.failure = end_without_memory}, .is_json = is_json};
    if (variant_pairs_create(input->schema, input->leaves, input->range.first, SIZE_MAX,
                             print_variant, &trace, &pairs, &error) != LAM_STATUS_OK)
        return tool_fail(input->file, &error);
    if (!variant_pairs_visits_any(pairs)) {
        tool_say("lamella: %s: no VARIANT has all of its columns among those chosen\n",
                 tool_name(input->file));
        variant_pairs_destroy(pairs);
        return TOOL_BAD_USAGE;
    }
    lam_record_sink sink = variant_pairs_sink(pairs);
    int result = level_input_drive(input, &sink, NULL);
    variant_pairs_destroy(pairs);
    if (result != TOOL_OK || trace.failed == 0)
        return result;
    tool_push();
    tool_say("lamella: %s: VARIANTs that cannot be put together: %" PRIu64 "\n",
             tool_name(input->file), trace.failed);
    return TOOL_BAD_INPUT;
}

static int trace_records(level_input *input, const trace_options *options) {
    lam_error error = lam_error_none();
    lam_automaton *automaton = NULL;
    trace_machine machine = options->machine != MACHINE_DEFAULT ? options->machine
                            : input->reader != NULL             ? MACHINE_ASSEMBLER
                                                                : MACHINE_SHREDDER;
    bool shreds = machine == MACHINE_SHREDDER;
    if (machine == MACHINE_VARIANTS)
        return trace_variants(input, options->json);
    if (!shreds && lam_automaton_create(input->schema, input->leaves, tool_allocator(), &automaton,
                                        &error) != LAM_STATUS_OK)
        return tool_fail(input->file, &error);
    trace_json json = trace_json_start(automaton);
    trace_text text = trace_text_start(automaton);
    trace_printer printer = options->json ? trace_json_printer(&json) : trace_text_printer(&text);
    int result = shreds ? shred_records(input, &printer) : assemble_records(input, &printer);
    lam_automaton_destroy(automaton);
    return result;
}

static int trace_file(const char *file, void *state) {
    const trace_options *options = state;
    level_input input;
    int result = level_input_open(&tool_trace, file, &options->choice, &input);
    if (result == TOOL_OK) {
        if (options->names_files)
            tool_print("# %s\n", tool_name(file));
        result = trace_records(&input, options);
    }
    level_input_close(&input);
    return result;
}

static const tool_option option_rows[] = {
    LEVEL_CHOICE_ROWS,
    {.name = "shred",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(trace_options, machine),
     .least = MACHINE_SHREDDER,
     .group = "what is printed",
     .help = "the shredder: from events to triples; default for JSON"},
    {.name = "assemble",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(trace_options, machine),
     .least = MACHINE_ASSEMBLER,
     .help = "the assembler: from triples to events; default for Parquet files"},
    {.name = "variants",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(trace_options, machine),
     .least = MACHINE_VARIANTS,
     .help = "how VARIANTs are put together: each pair of value and typed_value, the rule of "
             "VariantShredding.md that applies to it, and the resulting value"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(trace_options, json),
     .help = "print one object per record: {\"machine\":\"shredder\", \"record\":..., "
             "\"steps\":[{\"event\":..., \"field\":..., \"value\":..., \"r\":..., \"d\":..., "
             "\"words\":..., "
             "\"triples\":[...]}, ...]}, or, of the \"assembler\", steps {\"state\":..., "
             "\"path\":..., \"r\":..., \"d\":..., \"value\":..., \"means\":..., \"events\":[...], "
             "\"next_r\":..., \"next\":..., \"words\":..., \"closes\":[...]}, where states are "
             "counted from 0 and their number is the end; if a record fails, \"error\" says why; "
             "of \"variants\" one object each, with \"pairs\":[{\"rule\":..., \"words\":..., "
             "\"parent\":..., \"name\":..., \"value\":..., \"typed\":...}, ...] and \"result\", or "
             "\"failure\""},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    trace_options chosen = {LEVEL_CHOICE_DEFAULT, MACHINE_DEFAULT, false, false};
    int operands, result = tool_take_options(&tool_trace, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    tool_print_exactly(chosen.json);
    chosen.names_files = operands > 1 && !chosen.json;
    return tool_each_file(&tool_trace, operands, argv + 1, trace_file, &chosen);
}

const tool_command tool_trace = {
    .name = "trace",
    .summary = "print how records become triples, or triples records, step by step",
    .usage = "[options] FILE...",
    .description =
        "Prints every step of one of the two machines of the Dremel paper. The shredder turns the "
        "events of a record into triples: each event is printed with the repetition level r and "
        "the definition level d of its group or value, and with the triples that it writes. The "
        "assembler turns triples back into events: each step is printed with the state of the "
        "automaton, the triple that is read there, the events that follow from it, and the next "
        "state with the reason for it.\n\nA VARIANT is put together from its columns by a machine "
        "of its own, --variants.\n\nWith --columns, records are assembled from these columns "
        "alone, and only their part of shredding is printed.\n\nFILE is a Parquet file, or "
        "records in JSON, which are shredded as \"lamella import\" would; \"-\" is standard input.",
    .examples =
        (const char *const[]){"lamella trace --schema document.schema --record 0 records.ndjson",
                              "lamella trace --record 0 --columns DocId,Name.Url document.parquet",
                              "lamella trace --shred --json document.parquet",
                              "lamella trace --variants --record 0 events.parquet", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
