/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lamella sample: records picked at random. The numbers of the records that match are known before
 * any is printed: from footers, or, with --where, from a first pass over the columns of the
 * condition. So each set of records is equally likely, and memory is only that of the picks.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record_choice.h"
#include "text_reader.h"
#include "tool_files.h"

enum { SAMPLE_RECORDS = 10 };

typedef struct sample_options {
    record_choice choice; /* first: rows are of it */
    uint64_t count;
    const char *seed_text;
    uint64_t *file_counts; /* records of each file, in turn */
    size_t file_count;
    size_t at; /* the file that is printed */
    uint64_t *picks;
    size_t pick_count;
    uint64_t total;
} sample_options;

/* SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
TOOL_WRAPS static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A number below `most`, each equally likely. */
static uint64_t random_below(uint64_t *state, uint64_t most) {
    uint64_t limit = UINT64_MAX - UINT64_MAX % most, number;
    do {
        number = next_random(state);
    } while (number >= limit);
    return number % most;
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/*
 * Picks records in order by selection sampling (Knuth, The Art of Computer Programming, 3.4.2,
 * algorithm S) if many of them are wanted, and else by drawing until all differ.
 */
static void pick(sample_options *options, uint64_t seed) {
    uint64_t state = seed, total = options->total;
    size_t wanted = (size_t)(options->count < total ? options->count : total), found = 0;
    options->picks = tool_allocate(wanted + 1, sizeof *options->picks);
    if (wanted > total / 8) {
        for (uint64_t i = 0; found < wanted; i++)
            if (random_below(&state, total - i) < wanted - found)
                options->picks[found++] = i;
    }
    while (found < wanted) {
        size_t kept = 0;
        for (size_t i = found; i < wanted; i++)
            options->picks[i] = random_below(&state, total);
        qsort(options->picks, wanted, sizeof *options->picks, compare_numbers);
        for (size_t i = 0; i < wanted; i++)
            if (i == 0 || options->picks[i] != options->picks[i - 1])
                options->picks[kept++] = options->picks[i];
        found = kept;
    }
    options->pick_count = wanted;
}

/* --- Two passes ---------------------------------------------------------------------------- */

static int add_count(const char *file, void *state) {
    sample_options *options = state;
    uint64_t count;
    int result = count_records(file, &options->choice, &count);
    if (result != TOOL_OK)
        return result;
    options->file_counts[options->file_count++] = count;
    options->total += count;
    return TOOL_OK;
}

/* Prints the picks of the next file: `before` records are in those before it. */
static int print_picks(const char *file, sample_options *options, uint64_t before, size_t *next) {
    uint64_t end = before + options->file_counts[options->at++], at = before;
    size_t first = *next, count = 0;
    while (*next < options->pick_count && options->picks[*next] < end)
        ++*next;
    row_run *runs = tool_allocate(*next - first + 1, sizeof *runs);
    for (size_t i = first; i < *next; i++) {
        if (count > 0 && options->picks[i] == at)
            runs[count - 1].count++;
        else
            runs[count++] = (row_run){options->picks[i] - at, 1};
        at = options->picks[i] + 1;
    }
    int result = count == 0 ? TOOL_OK : print_record_runs(file, &options->choice, runs, count);
    free(runs);
    return result;
}

static int sample_files(sample_options *options, const tool_files *files) {
    uint64_t before = 0;
    size_t next = 0;
    options->file_counts = tool_allocate((size_t)files->count + 1, sizeof *options->file_counts);
    int result = tool_each_of(files, add_count, options);
    if (result != TOOL_OK)
        return result;
    uint64_t seed = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
    if (options->seed_text != NULL)
        (void)tool_parse_count(options->seed_text, &seed);
    pick(options, seed);
    options->choice.printer = row_printer_begin(&options->choice.style, row_format_for_people());
    for (int i = 0; i < files->count && result == TOOL_OK; i++) {
        result = print_picks(files->items[i].path, options, before, &next);
        before += options->file_counts[i];
    }
    row_printer_end(&options->choice.printer, result == TOOL_OK);
    int flushed = tool_flush();
    return flushed > result ? flushed : result;
}

/* ------------------------------------------------------------------------------------------- */

static bool take_seed(const tool_option *option, const char *value, void *chosen) {
    uint64_t seed;
    (void)option;
    ((sample_options *)chosen)->seed_text = value;
    return tool_parse_count(value, &seed);
}

static const tool_option option_rows[] = {
    {.name = "limit",
     .also = "count",
     .letter = 'n',
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(sample_options, count),
     .argument = "N",
     .most = 10000000,
     .help = "pick N records in all; default: 10"},
    {.name = "seed",
     .kind = TOOL_OPTION_COUNT,
     .argument = "S",
     .take = take_seed,
     .help = "pick the same records of the same files each time; default: different ones"},
    RECORD_CHOICE_ROWS,
    ROW_STYLE_ROWS(record_choice, style, 'f'),
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    sample_options chosen = {.count = SAMPLE_RECORDS};
    int operands, result = tool_take_options(&tool_sample, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    for (int i = 1; i <= operands; i++)
        if (strcmp(argv[i], "-") == 0)
            return tool_misuse(&tool_sample, "files are read twice, which standard input is not");
    if (operands == 0)
        return tool_misuse(&tool_sample, "no file given");
    tool_files files;
    tool_files_find(operands, argv + 1, TOOL_FILES_KEYED, &files);
    file_fields fields = file_fields_begin(&files, chosen.choice.on_clash);
    chosen.choice.fields = &fields;
    result = sample_files(&chosen, &files);
    file_fields_end(&fields);
    tool_files_free(&files);
    free(chosen.file_counts);
    free(chosen.picks);
    return result;
}

const tool_command tool_sample = {
    .name = "sample",
    .summary = "print records picked at random",
    .usage = "[options] FILE...",
    .description =
        "Prints records picked at random from all files together, in the order of the files; "
        "every set of records is equally likely. With --where they are picked from those that "
        "match, which takes an extra pass over the columns of the condition. On a terminal they "
        "are printed as a table, otherwise as one JSON object per line; --format "
        "chooses." TEXT_READER_HELP TOOL_FOLDER_HELP,
    .examples = (const char *const[]){"lamella sample events.parquet",
                                      "lamella sample -n 1000 --seed 7 --format csv events.parquet",
                                      "lamella sample --where \"price > 10\" *.parquet", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
