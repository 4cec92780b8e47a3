/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sources of a life: producers of records, triples, and Arrow arrays. Each has a span of
 * numbers of its own and puts them in order, however its turns mix with those of the others.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "log/log_sample.h"
#include "log/log_sample_columns.h"
#include "log/log_trial_state.h"

/* --- Beginning and end --------------------------------------------------------------------- */

static trial_source *add_source(log_trial *trial, trial_manner manner) {
    trial_life *life = trial->life;
    size_t index = life->span_count++;
    trial_span *span = &life->spans[index];
    trial_source *source = &trial->sources[index];
    span->first = (uint64_t)(span - trial->spans) * LAM_LOG_SAMPLE_SPAN;
    span->has_prefix = life->options.partition_by == NULL && !log_trial_drops(life);
    memset(source, 0, sizeof *source);
    source->manner = manner;
    source->schema = trial->is_wide ? trial->wider : trial->schema;
    source->is_open = true;
    return source;
}

void log_trial_add_own(log_trial *trial) {
    (void)add_source(trial, TRIAL_BY_VERBS);
}

static void end_source(trial_source *source) {
    lam_log_producer_destroy(source->producer);
    lam_log_arrays_destroy(source->arrays);
    source->producer = NULL;
    source->arrays = NULL;
    source->is_open = false;
}

void log_trial_end_sources(log_trial *trial) {
    for (size_t i = 0; i < trial->life->span_count; i++)
        end_source(&trial->sources[i]);
}

/* Makes a handle for arrays; its schema is only needed for that. */
static lam_status create_arrays(log_trial *trial, lam_log_arrays **ret_arrays, lam_error *error) {
    struct ArrowSchema schema;
    lam_log_sample_arrow_schema(trial->is_wide ? trial->wider : trial->schema, &schema);
    lam_status status = lam_log_arrays_create(trial->log, &schema, ret_arrays, error);
    schema.release(&schema);
    return status;
}

static bool begin_source(log_trial *trial) {
    lam_error error = lam_error_none();
    lam_log_producer *producer = NULL;
    lam_log_arrays *arrays = NULL;
    lam_status status = LAM_STATUS_OK;
    trial_manner manner = trial->kind.has_columns
                              ? (trial_manner)lam_random_below(&trial->random, TRIAL_MANNERS)
                              : TRIAL_BY_VERBS;
    if (manner == TRIAL_BY_VERBS)
        status = lam_log_producer_create(trial->log, &producer, &error);
    else if (manner == TRIAL_BY_ARRAYS)
        status = create_arrays(trial, &arrays, &error);
    if (!log_trial_went_well(trial, status, &error, "a source"))
        return false;
    trial_source *source = add_source(trial, manner);
    source->producer = producer;
    source->arrays = arrays;
    return true;
}

bool log_trial_change_sources(log_trial *trial) {
    size_t index = (size_t)lam_random_below(&trial->random, TRIAL_SOURCES_MOST);
    if (index > 0 && index < trial->life->span_count) {
        end_source(&trial->sources[index]);
        return true;
    }
    return trial->life->span_count == TRIAL_SOURCES_MOST || begin_source(trial);
}

/* Triples after this have another schema, and are in other files than those before. */
bool log_trial_widen(log_trial *trial) {
    lam_error error = lam_error_none();
    if (trial->is_wide)
        return true;
    if (!log_trial_went_well(trial, lam_log_widen(trial->log, trial->wider, &error), &error,
                             "widening"))
        return false;
    trial->is_wide = true;
    for (size_t i = 0; i < trial->life->span_count; i++)
        if (trial->sources[i].manner == TRIAL_BY_TRIPLES)
            end_source(&trial->sources[i]);
    return true;
}

/* --- Records ------------------------------------------------------------------------------- */

static bool is_durable_at_end(const trial_life *life) {
    return life->options.sync == LAM_LOG_SYNC_RECORD && !log_trial_drops(life);
}

static bool put_records(log_trial *trial, size_t index, uint64_t count) {
    trial_life *life = trial->life;
    trial_span *span = &life->spans[index];
    const trial_source *source = &trial->sources[index];
    bool is_synced = is_durable_at_end(life), was_refused = false;
    lam_record_sink sink =
        index == 0 ? lam_log_sink(trial->log) : lam_log_producer_sink(source->producer);
    if (is_synced && count > 50)
        count = 50;
    for (uint64_t i = 0; i < count; i++) {
        lam_error error = lam_error_none();
        uint64_t started = atomic_fetch_add(&span->started, 1);
        lam_status status =
            lam_log_sample_put(&sink, source->schema, span->first + started, 1, &error);
        if (status == LAM_STATUS_LIMIT && (life->span_count > 1 || !was_refused)) {
            was_refused = true; /* alone: the next one must not be, if no other has the memory */
            atomic_fetch_sub(&span->started, 1);
            continue;
        }
        was_refused = false;
        if (!log_trial_went_well(trial, status, &error, "a record"))
            return false;
        if (is_synced)
            atomic_store(&span->confirmed, started + 1);
    }
    return true;
}

static bool put_columns(log_trial *trial, size_t index, uint64_t count) {
    trial_span *span = &trial->life->spans[index];
    const trial_source *source = &trial->sources[index];
    lam_error error = lam_error_none();
    lam_status status;
    uint64_t started = atomic_fetch_add(&span->started, count), first = span->first + started;
    uint64_t skipped = lam_random_below(&trial->random, started + 1);
    if (source->manner == TRIAL_BY_TRIPLES)
        status = lam_log_sample_triples(trial->log, first, count, &error);
    else
        status = lam_log_sample_arrays(source->arrays, source->schema, first, count,
                                       skipped < 20 ? skipped : 0, &error);
    if (!log_trial_went_well(trial, status, &error, "a column"))
        return false;
    trial->counts->column_records += count;
    if (is_durable_at_end(trial->life))
        atomic_store(&span->confirmed, started + count);
    return true;
}

bool log_trial_put(log_trial *trial) {
    lam_random *random = &trial->random;
    size_t index = (size_t)lam_random_below(random, trial->life->span_count);
    uint64_t count = 1 + lam_random_below(random, UINT64_C(1) << lam_random_below(random, 10));
    if (lam_random_chance(random, trial->life->writer.auto_bloom_filters ? 10 : 1))
        count = 3000;
    if (!trial->sources[index].is_open)
        return true;
    return trial->sources[index].manner == TRIAL_BY_VERBS ? put_records(trial, index, count)
                                                          : put_columns(trial, index, count);
}

void log_trial_confirm_all(log_trial *trial) {
    trial_life *life = trial->life;
    for (size_t i = 0; i < life->span_count && !log_trial_drops(life); i++)
        atomic_store(&life->spans[i].confirmed, atomic_load(&life->spans[i].started));
}
