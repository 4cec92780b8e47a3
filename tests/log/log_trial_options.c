/* SPDX-License-Identifier: Apache-2.0 */
/* Random options of a life, small enough that whatever they decide comes up. */
#include "log/log_trial_state.h"

/* 0, the default, or a number from `least` on. */
static uint64_t some(lam_random *random, unsigned percent, uint64_t least, uint64_t most) {
    return lam_random_chance(random, percent) ? least + lam_random_below(random, most - least + 1)
                                              : 0;
}

static void choose_writer(log_trial *trial, trial_life *life) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    lam_random *random = &trial->random;
    life->writer = lam_writer_options_default();
    life->writer.codec = codecs[lam_random_below(random, 3)];
    life->writer.row_group_rows = some(random, 40, 1, 500);
    life->writer.row_group_bytes = some(random, 20, 1000, 20000);
    life->writer.page_bytes = some(random, 40, 20, 2000);
    life->writer.data_page_version = (int32_t)some(random, 50, 1, 2);
    life->options.writer = &life->writer;
}

/* Without syncs files survive kills only: its own one and those that follow. */
static bool may_go_without_syncs(const trial_life *life, size_t lives) {
    for (size_t i = 0; i < lives; i++)
        if (life[i].by_power)
            return false;
    return true;
}

void log_trial_choose_options(log_trial *trial, trial_life *life) {
    lam_random *random = &trial->random;
    lam_log_options *options = &life->options;
    *options = lam_log_options_default();
    options->storage = &trial->storage;
    options->clock = &trial->timer;
    options->journal = lam_random_chance(random, 50);
    options->background = lam_random_chance(random, 25);
    options->sync = (lam_log_sync)lam_random_below(random, options->journal ? 5 : 4);
    if (options->sync == LAM_LOG_SYNC_NEVER &&
        !may_go_without_syncs(life, (size_t)(trial->lives + trial->lives_planned - life)))
        options->sync = LAM_LOG_SYNC_DEFAULT;
    options->sync_ms =
        options->journal || options->sync == LAM_LOG_SYNC_INTERVAL ? some(random, 50, 1, 2000) : 0;
    options->checkpoint_rows = some(random, 50, 1, 400);
    options->checkpoint_bytes = some(random, 30, 500, 20000);
    options->checkpoint_ms = some(random, 40, 1, 5000);
    if (!trial->kind.is_one_file) {
        options->rotate_bytes = some(random, 30, 3000, 60000);
        options->rotate_ms = some(random, 30, 100, 100000);
    }
    options->memory_limit = some(random, 30, 2 << 20, 4 << 20);
    options->journal_bytes = some(random, 40, 500, 20000);
    if (!trial->kind.is_one_file && lam_random_chance(random, 30)) {
        options->partition_by = "at";
        options->partition_format =
            lam_random_chance(random, 50) ? "date=%Y-%m-%d/hour=%H" : "hour=%H";
        options->open_files = (uint32_t)some(random, 70, 1, 4);
    }
    if (options->background && lam_random_chance(random, 15)) {
        options->when_full =
            lam_random_chance(random, 50) ? LAM_LOG_FULL_DROP_NEWEST : LAM_LOG_FULL_DROP_OLDEST;
        options->queue_bytes = 2000;
    }
    choose_writer(trial, life);
    if (lam_random_chance(random, 10)) { /* Bloom filters: only of chunks with 1000 values */
        life->writer.auto_bloom_filters = true;
        life->writer.row_group_rows = life->writer.row_group_bytes = 0;
        options->checkpoint_rows = options->checkpoint_bytes = 0;
    }
}

bool log_trial_drops(const trial_life *life) {
    return life->options.when_full > LAM_LOG_FULL_BLOCK;
}
