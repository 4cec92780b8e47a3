/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Power cuts and kills at any operation of a log or an append, of their starts included;
 * log_trial.h and append_trial.h say what must be left. LAMELLA_ROUNDS is the number of cases,
 * LAMELLA_SEED the seed of the first one, and LAMELLA_REPEATS how often each is tried: where a life
 * with a thread in the background is cut depends on when that runs, too.
 *
 *     ninja -C build log-power        100,000 cases of each test
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "log/append_trial.h"
#include "log/log_trial.h"
#include "support/random.h"

enum { SHORT = 300 }; /* cases of a short run */

static uint64_t number_of(const char *variable, uint64_t otherwise) {
    const char *text = getenv(variable);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static uint64_t case_count(void) {
    return number_of("LAMELLA_ROUNDS", SHORT / lam_test_step());
}

/* Counts are printed where they are those of a long run. */
static void run_cases(uint64_t seed, lam_log_trial_kind kind) {
    lam_log_trial_counts counts = {0};
    uint64_t count = case_count(), repeats = number_of("LAMELLA_REPEATS", 1);
    seed = lam_test_seed(seed);
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t repeat = 0; repeat < repeats; repeat++)
            lam_log_trial_run(seed + i, &kind, &counts);
        if ((i + 1) % 5000 == 0)
            fprintf(stderr, "%" PRIu64 " cases\n", i + 1);
    }
    if (count > SHORT)
        fprintf(stderr,
                "%u %% power cuts%s%s: cases %" PRIu64 ", lives %" PRIu64 ", cuts %" PRIu64
                ", of them while starting %" PRIu64 ", durable records %" PRIu64
                ", records %" PRIu64 ", put as columns %" PRIu64 ", recovered at starts %" PRIu64
                ", bad files %" PRIu64 "\n",
                kind.power_percent, kind.is_one_file ? ", one file" : "",
                kind.has_columns ? ", columns" : "", counts.cases, counts.lives, counts.cuts,
                counts.cuts_of_start, counts.durable, counts.records, counts.column_records,
                counts.recovered, counts.bad_files);
}

Test(log_power, durable_records_survive_power_cuts) {
    run_cases(1, (lam_log_trial_kind){.power_percent = 90});
}

Test(log_power, durable_records_survive_kills) {
    run_cases(1000000000, (lam_log_trial_kind){0});
}

Test(log_power, durable_records_of_one_file_survive_power_cuts) {
    run_cases(2000000000, (lam_log_trial_kind){.power_percent = 80, .is_one_file = true});
}

Test(log_power, durable_triples_and_arrays_survive_power_cuts) {
    run_cases(3000000000, (lam_log_trial_kind){.power_percent = 80, .has_columns = true});
}

Test(log_power, durable_triples_and_arrays_of_one_file_survive_power_cuts) {
    run_cases(4000000000, (lam_log_trial_kind){80, true, true});
}

static void run_appends(uint64_t seed, unsigned power_percent) {
    lam_append_trial_counts counts = {0};
    uint64_t count = case_count();
    seed = lam_test_seed(seed);
    for (uint64_t i = 0; i < count; i++)
        lam_append_trial_run(seed + i, power_percent, &counts);
    if (count > SHORT)
        fprintf(stderr,
                "%u %% power cuts, appends: cases %" PRIu64 ", lives %" PRIu64 ", cuts %" PRIu64
                ", appends in place %" PRIu64 ", finished %" PRIu64 ", given up %" PRIu64
                ", recoveries %" PRIu64 ", which kept %" PRIu64 " new records and lost %" PRIu64
                ", records %" PRIu64 "\n",
                power_percent, counts.cases, counts.lives, counts.cuts, counts.in_place,
                counts.finished, counts.given_up, counts.recoveries, counts.kept, counts.lost,
                counts.records);
}

Test(append_power, rows_of_finished_files_survive_power_cuts_of_appends) {
    run_appends(5000000000, 90);
}

Test(append_power, ended_row_groups_survive_kills_of_appends) {
    run_appends(6000000000, 0);
}
