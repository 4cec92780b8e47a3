/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Power cuts and kills at any operation of a log, of its start included; log_trial.h says what must
 * be left. LAMELLA_ROUNDS is the number of cases, LAMELLA_SEED the seed of the first one:
 *
 *     ninja -C build log-power        100,000 cases of each test
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "log/log_trial.h"
#include "support/random.h"

static uint64_t case_count(uint64_t normal) {
    const char *rounds = getenv("LAMELLA_ROUNDS");
    return rounds != NULL ? strtoull(rounds, NULL, 10) : normal;
}

static lam_log_trial_counts run_cases(uint64_t seed, unsigned power_percent) {
    lam_log_trial_counts counts = {0};
    uint64_t count = case_count(500);
    seed = lam_test_seed(seed);
    for (uint64_t i = 0; i < count; i++) {
        lam_log_trial_run(seed + i, power_percent, &counts);
        if ((i + 1) % 5000 == 0)
            fprintf(stderr, "%" PRIu64 " cases\n", i + 1);
    }
    if (count > 500)
        fprintf(stderr,
                "cases %" PRIu64 ", lives %" PRIu64 ", cuts %" PRIu64 ", of them while starting "
                "%" PRIu64 ", durable records %" PRIu64 ", records %" PRIu64 ", bad files %" PRIu64
                "\n",
                counts.cases, counts.lives, counts.cuts, counts.cuts_of_start, counts.durable,
                counts.records, counts.bad_files);
    return counts;
}

Test(log_power, durable_records_survive_power_cuts) {
    (void)run_cases(1, 90);
}

Test(log_power, durable_records_survive_kills) {
    (void)run_cases(1000000000, 0);
}
