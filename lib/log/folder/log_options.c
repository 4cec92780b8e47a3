/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves the options of a log: the caller's options, of any version, and the schema become
 * settings that own all they need, with no zero left that means a default.
 *
 * The invariant: the shares of the memory limit add up to less than all of it:
 *
 *     1/4   queue, and batches of producers (queue_bytes)
 *     1/2   open files, in equal shares; a third of a share is a row group, an eighth of what is
 *           left for each leaf is a page, and another one a dictionary, with its table where
 *           shares are small
 *     1/4   footers, page indexes, the journal, and one batch while it is encoded
 */
#include "log/folder/log_options.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "file/write/writer_options.h"
#include "io/clock_system.h"

enum {
    LOG_MEMORY = 64 << 20, /* bytes, by default and at least */
    LOG_MEMORY_LEAST = 2 << 20,
    LOG_RECOVERY_LEAST = 8 << 20,
    LOG_OWN = 4 << 10, /* bytes, at most, of the handle and its names, which no budget counts */
    LOG_PAGE_LEAST = 4 << 10,
    LOG_ROW_GROUP_LEAST = 64 << 10,
    LOG_SHARE_SCARCE = 8 << 20, /* of a file; below it tables of dictionaries count, too */
    LOG_TABLE_FACTOR = 8,       /* bytes of a table for each of its dictionary, about */
    LOG_OPEN_FILES = 16,
    LOG_OPEN_FILES_MOST = 4096,
    LOG_SYNC_MS = 1000,
    LOG_CHECKPOINT_MS = 10000,
    LOG_ROTATE_BYTES = 256 << 20,
    LOG_JOURNAL_BYTES = 64 << 20
};

/* Milliseconds that fit the nanoseconds of a clock. */
static lam_status check_ms(uint64_t ms, const char *option, lam_error *error) {
    if (ms > INT64_MAX / 1000000)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s of %" PRIu64 " milliseconds", option, ms);
    return LAM_STATUS_OK;
}

static bool keeps_free(const lam_log_options *options) {
    return options->keep_free_bytes > 0 || options->keep_free_percent > 0;
}

/* Numbers and enumerators, before any default is resolved. */
static lam_status check_ranges(const lam_log_options *options, lam_error *error) {
    if ((unsigned)options->sync > LAM_LOG_SYNC_RECORD)
        LAM_FAIL(error, LAM_STATUS_INVALID, "sync %d is none of lam_log_sync", (int)options->sync);
    if ((unsigned)options->when_full > LAM_LOG_FULL_DROP_OLDEST)
        LAM_FAIL(error, LAM_STATUS_INVALID, "when_full %d is none of lam_log_full",
                 (int)options->when_full);
    if ((unsigned)options->leftovers > LAM_LOG_LEFTOVERS_KEEP)
        LAM_FAIL(error, LAM_STATUS_INVALID, "leftovers %d is none of lam_log_leftovers",
                 (int)options->leftovers);
    if (options->open_files > LOG_OPEN_FILES_MOST)
        LAM_FAIL(error, LAM_STATUS_INVALID, "open_files of %" PRIu32 " is above %d",
                 options->open_files, LOG_OPEN_FILES_MOST);
    LAM_TRY(check_ms(options->sync_ms, "sync_ms", error));
    LAM_TRY(check_ms(options->checkpoint_ms, "checkpoint_ms", error));
    LAM_TRY(check_ms(options->rotate_ms, "rotate_ms", error));
    LAM_TRY(check_ms(options->keep_ms, "keep_ms", error));
    if (options->keep_free_percent > 100)
        LAM_FAIL(error, LAM_STATUS_INVALID, "keep_free_percent of %" PRIu64 " is above 100",
                 options->keep_free_percent);
    if (keeps_free(options) && options->storage != NULL && options->measure_disk == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "keep_free of a storage of your own needs measure_disk");
    if (options->sync == LAM_LOG_SYNC_RECORD && !options->journal)
        LAM_FAIL(error, LAM_STATUS_INVALID, "sync by record needs the journal (option journal)");
    /* Options that need it want records durable so soon that checkpoints alone are not enough. */
    bool is_timed = options->sync == LAM_LOG_SYNC_INTERVAL || options->journal;
    if (options->sync_ms != 0 && !is_timed)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "sync_ms of %" PRIu64 " needs a journal (option journal): without one a record is "
                 "durable with its checkpoint (option checkpoint_ms)",
                 options->sync_ms);
    if (options->memory_limit != 0 && options->memory_limit < LOG_MEMORY_LEAST)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "a memory limit of %" PRIu64 " bytes is below the least of %d",
                 options->memory_limit, LOG_MEMORY_LEAST);
    if (options->memory_limit > SIZE_MAX / 2)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a memory limit of %" PRIu64 " bytes",
                 options->memory_limit);
    return LAM_STATUS_OK;
}

/* Options that only make sense for a folder. */
static lam_status check_kind(const lam_log_options *options, bool is_folder, lam_error *error) {
    if (options->partition_by == NULL && options->partition_format != NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "partition_format without partition_by");
    if (is_folder)
        return LAM_STATUS_OK;
    const char *option = options->partition_by != NULL ? "partition_by"
                         : options->rotate_bytes != 0  ? "rotate_bytes"
                         : options->rotate_ms != 0     ? "rotate_ms"
                         : options->keep_bytes != 0    ? "keep_bytes"
                         : options->keep_ms != 0       ? "keep_ms"
                         : keeps_free(options)         ? "keep_free"
                                                       : NULL;
    if (option != NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s needs a log of a folder, not of one file", option);
    return LAM_STATUS_OK;
}

/* Replaces zeros by the defaults that they mean. */
static void resolve_defaults(lam_log_options *options, bool is_folder) {
    bool has_checkpoints =
        options->checkpoint_rows + options->checkpoint_bytes + options->checkpoint_ms > 0;
    if (options->sync == LAM_LOG_SYNC_DEFAULT)
        options->sync = options->journal ? LAM_LOG_SYNC_INTERVAL : LAM_LOG_SYNC_CHECKPOINT;
    if (options->when_full == LAM_LOG_FULL_DEFAULT)
        options->when_full = LAM_LOG_FULL_BLOCK;
    if (options->leftovers == LAM_LOG_LEFTOVERS_DEFAULT)
        options->leftovers = LAM_LOG_LEFTOVERS_RECOVER;
    if (!has_checkpoints && !options->journal)
        options->checkpoint_ms = LOG_CHECKPOINT_MS;
    if (options->open_files == 0)
        options->open_files = LOG_OPEN_FILES;
    if (options->partition_by == NULL)
        options->open_files = 1;
    options->sync_ms = lam_writer_or_default(options->sync_ms, LOG_SYNC_MS);
    options->rotate_bytes =
        is_folder ? lam_writer_or_default(options->rotate_bytes, LOG_ROTATE_BYTES) : UINT64_MAX;
    options->memory_limit = lam_writer_or_default(options->memory_limit, LOG_MEMORY);
    options->journal_bytes = lam_writer_or_default(options->journal_bytes, LOG_JOURNAL_BYTES);
    options->queue_bytes = lam_writer_or_default(options->queue_bytes, options->memory_limit / 4);
    if (options->queue_bytes > options->memory_limit / 4)
        options->queue_bytes = options->memory_limit / 4;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* The writer's options: the caller's, as far as the file's share of the memory allows. */
static void share_memory(lam_log_settings *settings, const lam_schema *schema) {
    const lam_log_options *options = &settings->options;
    lam_writer_options *writer = &settings->writer;
    uint64_t share = options->memory_limit / 2 / options->open_files;
    uint64_t leaf = share / (lam_schema_leaf_count(schema) + 1) / 8;
    uint64_t page = larger(leaf, LOG_PAGE_LEAST);
    uint64_t group = larger(share / 3, LOG_ROW_GROUP_LEAST);
    writer->allocator = &settings->allocator;
    writer->stop = NULL;
    writer->page_crc = LAM_SWITCH_ON;
    writer->row_group_bytes = smaller(lam_writer_or_default(writer->row_group_bytes, group), group);
    writer->page_bytes =
        smaller(lam_writer_or_default(writer->page_bytes, 1 << 20), smaller(page, 1 << 20));
    settings->is_scarce = share < LOG_SHARE_SCARCE;
    writer->dictionary_bytes = smaller(lam_writer_or_default(writer->dictionary_bytes, 1 << 20),
                                       settings->is_scarce ? page / LOG_TABLE_FACTOR : page);
}

/* A copy from the heap of the log; NULL stays NULL. */
static lam_status copy_option(const lam_allocator *allocator, const char *text, char **ret_copy,
                              lam_error *error) {
    void *memory = NULL;
    if (text != NULL) {
        LAM_TRY(lam_alloc_array(allocator, strlen(text) + 1, 1, &memory, error));
        memcpy(memory, text, strlen(text) + 1);
    }
    *ret_copy = memory;
    return LAM_STATUS_OK;
}

lam_status lam_log_settings_init(lam_log_settings *settings, const lam_log_options *given,
                                 const lam_log_subject *subject, lam_error *error) {
    lam_status status;
    lam_log_options options = *given;
    memset(settings, 0, sizeof *settings);
    LAM_TRY(check_ranges(&options, error));
    LAM_TRY(check_kind(&options, subject->is_folder, error));
    const char *prefix = options.prefix != NULL ? options.prefix : "log";
    LAM_TRY(lam_log_prefix_check(prefix, error));
    LAM_TRY(LAM_OPTIONS_READ(lam_writer_options, options.writer, &settings->writer, error));
    resolve_defaults(&options, subject->is_folder);
    settings->options = options;
    settings->run = lam_log_run_start();
    settings->has_own_storage = options.storage != NULL;
    settings->storage = options.storage != NULL ? *options.storage : lam_storage_files();
    settings->clock = options.clock != NULL ? *options.clock : lam_clock_system();
    lam_allocator beneath = lam_allocator_or_default(options.allocator);
    lam_budget_init(&settings->budget, &beneath, 0);
    settings->allocator = lam_budget_allocator(&settings->budget);
    lam_budget_init(&settings->intake, &settings->allocator, (size_t)options.memory_limit / 2);
    lam_budget_describe(&settings->intake,
                        "records that are not written yet would exceed their half of the memory "
                        "limit of the log",
                        (size_t)options.memory_limit);
    settings->intake_allocator = lam_budget_allocator(&settings->intake);
    share_memory(settings, subject->schema);
    LAM_TRY_OUT(copy_option(&settings->allocator, prefix, &settings->prefix, error));
    LAM_TRY_OUT(
        copy_option(&settings->allocator, options.partition_by, &settings->partition_by, error));
    LAM_TRY_OUT(copy_option(&settings->allocator, options.partition_format,
                            &settings->partition_format, error));
    LAM_TRY_OUT(lam_log_metadata_init(&settings->metadata, &options, &subject->of_schema,
                                      &settings->allocator, error));
out:
    if (status != LAM_STATUS_OK)
        lam_log_settings_finish(settings);
    return status;
}

/* Frees a copy; NULL is allowed. */
static void free_option(const lam_allocator *allocator, char *text) {
    if (text != NULL)
        lam_free(allocator, text, strlen(text) + 1);
}

void lam_log_settings_finish(lam_log_settings *settings) {
    lam_input_close(&settings->like);
    free_option(&settings->allocator, settings->prefix);
    free_option(&settings->allocator, settings->partition_by);
    free_option(&settings->allocator, settings->partition_format);
    lam_log_metadata_finish(&settings->metadata);
}

void lam_log_recovery_budget(const lam_log_settings *settings, lam_budget *budget) {
    size_t most = (size_t)larger(settings->options.memory_limit, LOG_RECOVERY_LEAST);
    lam_budget_init(budget, &settings->budget.beneath, most - LOG_OWN);
    lam_budget_describe(budget, "to recover it would exceed the memory limit of the log", most);
}

void lam_log_make_name(lam_log_settings *settings, char buffer[LAM_LOG_NAME_MAX + 1]) {
    lam_log_name_make(settings->prefix, settings->clock.utc(settings->clock.state),
                      lam_log_run_name(settings->run, settings->names++), buffer);
}

uint64_t lam_log_record_limit(const lam_log_settings *settings) {
    return settings->options.memory_limit / 8;
}

uint64_t lam_log_memory_target(const lam_log_settings *settings) {
    return settings->options.memory_limit / 4 * 3;
}
