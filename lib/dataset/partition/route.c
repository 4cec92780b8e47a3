/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits a batch of triples by the folders of its records: columns of complete records become
 * groups of records with one folder each, and the triples of each group.
 *
 * The leaf that decides is never repeated, so it has one triple per record. Its values become runs:
 * consecutive records whose values share a folder. Numbers of one period (an hour, say) do, so a
 * run is found by one subtraction and comparison per record, and text is made once per period or
 * distinct text of a batch. Periods may share a folder ("hour=%H" of two days), hence a new text is
 * compared with the existing ones. A single group passes the caller's columns on.
 *
 *     values   10:05  10:59  11:00  10:30       runs   0-1 group 0, 2 group 1, 3 group 0
 */
#include "dataset/partition/route.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/floor_divide.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "base/wrap.h"
#include "dataset/partition/route_gather.h"
#include "schema/tree.h"

/* What the values of a folder have in common, as far as one comparison shows. */
typedef struct route_key {
    int64_t period;
    lam_bytes text; /* borrowed from the batch */
    uint32_t group;
} route_key;

/* The numbers from `first` on, `width` + 1 of them. */
typedef struct route_range {
    int64_t first;
    uint64_t width;
} route_range;

/* A period, and its group. */
typedef struct route_period {
    route_range range;
    uint32_t group; /* UINT32_MAX: none yet */
} route_period;

/* A group, as the batch is split. */
typedef struct route_group {
    size_t folder; /* where its text begins in `folders` */
    size_t folder_size;
    uint32_t record_count;
    uint32_t first; /* in `records` */
} route_group;

struct lam_route {
    lam_allocator allocator;
    lam_schema *schema; /* shared */
    const lam_partition *partition;
    lam_buffer folders; /* texts with NULs */
    LAM_LIST(route_group) groups;
    LAM_LIST(lam_route_run) runs;
    LAM_LIST(route_key) keys;
    LAM_LIST(uint32_t) records; /* of group 0, of group 1, and so on */
    lam_hash_index keys_by_value;
    lam_hash_index groups_by_folder;
    uint32_t null_group;    /* UINT32_MAX: no null yet */
    route_period recent[2]; /* the newest first: records of two periods often alternate */
    lam_route_gather gather;
    const lam_triples *given; /* the batch */
    size_t record_count;
};

/* --- Groups -------------------------------------------------------------------------------- */

/*
 * The group of a folder whose text was put at the end of `folders`. A text that is there already is
 * taken back.
 */
static lam_status route_group_of_folder(lam_route *route, size_t folder, uint32_t *ret_group,
                                        lam_error *error) {
    size_t size = route->folders.size - folder;
    const uint8_t *text = route->folders.data == NULL ? NULL : route->folders.data + folder;
    const route_group *groups = route->groups.items;
    uint32_t hash = lam_hash_index_hash(&route->groups_by_folder, text, size), found;
    LAM_HASH_INDEX_FIND(&route->groups_by_folder, hash, found,
                        groups[found].folder_size == size &&
                            memcmp(route->folders.data + groups[found].folder, text, size) == 0);
    if (found != LAM_HASH_INDEX_NONE) {
        route->folders.size = folder;
        *ret_group = found;
        return LAM_STATUS_OK;
    }
    route_group group = {.folder = folder, .folder_size = size};
    uint32_t number = (uint32_t)route->groups.count;
    LAM_TRY(lam_buffer_append_byte(&route->folders, '\0', error));
    LAM_TRY(lam_hash_index_add(&route->groups_by_folder, hash, number, error));
    LAM_TRY(LAM_LIST_ADD(&route->groups, &group, error));
    *ret_group = number;
    return LAM_STATUS_OK;
}

/* The group of a value, or of a null. */
static lam_status route_make_group(lam_route *route, const lam_value *value, uint32_t *ret_group,
                                   lam_error *error) {
    size_t folder = route->folders.size;
    if (route->partition != NULL)
        LAM_TRY(lam_partition_folder(route->partition, value, &route->folders, error));
    return route_group_of_folder(route, folder, ret_group, error);
}

/* The same of a value whose key may be known. */
static lam_status route_group_of_key(lam_route *route, int64_t period, const lam_value *value,
                                     uint32_t *ret_group, lam_error *error) {
    bool is_text = route->partition->kind == LAM_PARTITION_TEXT;
    route_key key = {.period = period};
    if (is_text)
        key.text = value->bytes;
    const lam_hash_index *index = &route->keys_by_value;
    const uint32_t hash = is_text ? lam_hash_index_hash(index, key.text.data, key.text.size)
                                  : lam_hash_index_hash(index, &period, sizeof period);
    const route_key *keys = route->keys.items;
    uint32_t found;
    LAM_HASH_INDEX_FIND(
        index, hash, found,
        keys[found].period == period && keys[found].text.size == key.text.size &&
            (!is_text || lam_same_name(keys[found].text.data, key.text.data, key.text.size)));
    if (found != LAM_HASH_INDEX_NONE) {
        *ret_group = keys[found].group;
        return LAM_STATUS_OK;
    }
    uint32_t number = (uint32_t)route->keys.count;
    LAM_TRY(route_make_group(route, value, &key.group, error));
    LAM_TRY(lam_hash_index_add(&route->keys_by_value, hash, number, error));
    LAM_TRY(LAM_LIST_ADD(&route->keys, &key, error));
    *ret_group = key.group;
    return LAM_STATUS_OK;
}

/* --- Runs ---------------------------------------------------------------------------------- */

/* Adds records to a group; to the last run, if it has that group. */
static lam_status route_add_run(lam_route *route, uint32_t first, uint32_t count, uint32_t group,
                                lam_error *error) {
    lam_route_run run = {first, count, group};
    route->groups.items[group].record_count += count;
    if (route->runs.count > 0) {
        lam_route_run *last = &LAM_LIST_LAST(&route->runs);
        if (last->group == group) {
            last->count += count;
            return LAM_STATUS_OK;
        }
    }
    return LAM_LIST_ADD(&route->runs, &run, error);
}

/* The period around a number, cut where the numbers of 64 bits end. */
static route_range route_period_range(int64_t number, int64_t period, int64_t *ret_quotient) {
    int64_t rest, last;
    route_range range;
    *ret_quotient = lam_floor_divide(number, period, &rest);
    range.first = number >= INT64_MIN + rest ? number - rest : INT64_MIN;
    last = number <= INT64_MAX - (period - 1 - rest) ? number + (period - 1 - rest) : INT64_MAX;
    range.width = lam_wrap_subtract((uint64_t)last, (uint64_t)range.first);
    return range;
}

static bool route_is_in(int64_t number, route_range range) {
    return lam_wrap_subtract((uint64_t)number, (uint64_t)range.first) <= range.width;
}

static int64_t route_number(lam_physical_type type, const void *values, size_t at) {
    return type == LAM_PHYSICAL_INT64   ? ((const int64_t *)values)[at]
           : type == LAM_PHYSICAL_INT32 ? ((const int32_t *)values)[at]
                                        : ((const uint8_t *)values)[at] != 0;
}

/* Returns the index after the numbers from `at` on that are in the range. */
static size_t route_scan_numbers(lam_physical_type type, const void *values, size_t at, size_t end,
                                 route_range range) {
    if (type == LAM_PHYSICAL_INT64)
        while (at < end && route_is_in(((const int64_t *)values)[at], range))
            at++;
    else
        while (at < end && route_is_in(route_number(type, values, at), range))
            at++;
    return at;
}

/* Makes the period of number `at` the first of the recent ones. */
static lam_status route_find_period(lam_route *route, const lam_triples *triples, size_t at,
                                    int64_t number, lam_error *error) {
    const lam_partition *partition = route->partition;
    route_period *recent = route->recent, found = recent[1];
    int64_t quotient;
    if (recent[0].group != UINT32_MAX && route_is_in(number, recent[0].range))
        return LAM_STATUS_OK;
    if (found.group == UINT32_MAX || !route_is_in(number, found.range)) {
        lam_value value = lam_triples_value(triples, partition->leaf, at);
        found.range = route_period_range(number, partition->period, &quotient);
        LAM_TRY(route_group_of_key(route, quotient, &value, &found.group, error));
    }
    recent[1] = recent[0];
    recent[0] = found;
    return LAM_STATUS_OK;
}

/* Adds the runs of records that have numbers; the first record has number `at`. */
static lam_status route_split_numbers(lam_route *route, const lam_triples *triples, size_t record,
                                      size_t at, size_t end, lam_error *error) {
    lam_physical_type type = lam_field_physical_type(route->partition->leaf);
    while (at < end) {
        LAM_TRY(
            route_find_period(route, triples, at, route_number(type, triples->values, at), error));
        size_t next = route_scan_numbers(type, triples->values, at, end, route->recent[0].range);
        LAM_TRY(route_add_run(route, (uint32_t)record, (uint32_t)(next - at),
                              route->recent[0].group, error));
        record += next - at;
        at = next;
    }
    return LAM_STATUS_OK;
}

/* Returns the index after the texts from `at` on that are equal. */
static size_t route_scan_texts(const lam_bytes *values, size_t at, size_t end) {
    lam_bytes text = values[at];
    while (at < end && values[at].size == text.size &&
           (values[at].data == text.data || lam_same_name(values[at].data, text.data, text.size)))
        at++;
    return at;
}

/* The same as route_split_numbers for texts. */
static lam_status route_split_texts(lam_route *route, const lam_triples *triples, size_t record,
                                    size_t at, size_t end, lam_error *error) {
    while (at < end) {
        lam_value value = lam_triples_value(triples, route->partition->leaf, at);
        size_t next = route_scan_texts(triples->values, at, end);
        uint32_t group;
        LAM_TRY(route_group_of_key(route, 0, &value, &group, error));
        LAM_TRY(route_add_run(route, (uint32_t)record, (uint32_t)(next - at), group, error));
        record += next - at;
        at = next;
    }
    return LAM_STATUS_OK;
}

/* Adds the runs of records `first` to before `end`, which have values, from number `value` on. */
static lam_status route_split_values(lam_route *route, const lam_triples *triples, size_t first,
                                     size_t end, size_t value, lam_error *error) {
    size_t values_end = value + (end - first);
    return route->partition->kind == LAM_PARTITION_TEXT
               ? route_split_texts(route, triples, first, value, values_end, error)
               : route_split_numbers(route, triples, first, value, values_end, error);
}

/* Adds the run of records `first` to before `end`, which are nulls. */
static lam_status route_split_nulls(lam_route *route, size_t first, size_t end, lam_error *error) {
    if (first == end)
        return LAM_STATUS_OK;
    if (route->null_group == UINT32_MAX)
        LAM_TRY(route_make_group(route, NULL, &route->null_group, error));
    return route_add_run(route, (uint32_t)first, (uint32_t)(end - first), route->null_group, error);
}

/* Nulls and values take turns. */
static lam_status route_split_leaf(lam_route *route, const lam_triples *triples, lam_error *error) {
    const lam_kernels *kernels = route->gather.kernels;
    uint8_t most = route->partition->leaf->max_definition;
    const uint8_t *definition = triples->definition;
    if (definition == NULL)
        return route_split_values(route, triples, 0, triples->count, 0, error);
    for (size_t at = 0, value = 0; at < triples->count;) {
        size_t end = at + kernels->prefix_u8(definition + at, triples->count - at, most);
        LAM_TRY(route_split_values(route, triples, at, end, value, error));
        value += end - at;
        for (at = end; at < triples->count && definition[at] != most; at++)
            continue;
        LAM_TRY(route_split_nulls(route, end, at, error));
    }
    return LAM_STATUS_OK;
}

/* Without a partition the empty folder has all. */
static lam_status route_assign(lam_route *route, const lam_triples *columns, size_t record_count,
                               lam_error *error) {
    uint32_t group;
    if (route->partition != NULL)
        return route_split_leaf(route, &columns[lam_field_first_leaf(route->partition->leaf)],
                                error);
    LAM_TRY(route_make_group(route, NULL, &group, error));
    return route_add_run(route, 0, (uint32_t)record_count, group, error);
}

/* --- The records of groups ----------------------------------------------------------------- */

/* Lists the records group by group. */
static lam_status route_list_records(lam_route *route, lam_error *error) {
    size_t group_count = lam_route_count(route);
    const lam_route_run *runs = route->runs.items;
    route_group *groups = route->groups.items;
    uint32_t first = 0;
    route->records.count = 0;
    LAM_TRY(LAM_LIST_RESERVE(&route->records, route->record_count, error));
    uint32_t *records = route->records.items;
    for (size_t i = 0; i < group_count; i++) {
        groups[i].first = first;
        first += groups[i].record_count;
    }
    for (size_t i = 0; i < route->runs.count; i++)
        for (uint32_t record = 0; record < runs[i].count; record++)
            records[groups[runs[i].group].first++] = runs[i].first + record;
    for (size_t i = 0; i < group_count; i++)
        groups[i].first -= groups[i].record_count;
    return LAM_STATUS_OK;
}

/* Forgets the last batch. */
static void route_clear(lam_route *route) {
    lam_buffer_clear(&route->folders);
    route->groups.count = 0;
    route->runs.count = 0;
    route->keys.count = 0;
    lam_hash_index_clear(&route->keys_by_value);
    lam_hash_index_clear(&route->groups_by_folder);
    route->null_group = UINT32_MAX;
    route->recent[0].group = route->recent[1].group = UINT32_MAX;
    route->record_count = 0;
}

static lam_status route_split(lam_route *route, const lam_triples *columns, lam_error *error) {
    LAM_TRY(route_assign(route, columns, route->record_count, error));
    if (lam_route_count(route) == 1)
        return LAM_STATUS_OK;
    LAM_TRY(route_list_records(route, error));
    lam_route_division division = {
        .runs = route->runs.items,
        .run_count = route->runs.count,
        .records = route->records.items,
        .record_count = route->record_count,
        .group_count = lam_route_count(route),
    };
    return lam_route_gather_all(&route->gather, columns, &division, error);
}

lam_status lam_route_split(lam_route *route, const lam_triples *columns, size_t record_count,
                           lam_error *error) {
    route_clear(route);
    if (record_count >= UINT32_MAX)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "%zu records are too many for one batch", record_count);
    if (record_count == 0)
        return LAM_STATUS_OK;
    route->given = columns;
    route->record_count = record_count;
    lam_status status = route_split(route, columns, error);
    if (status != LAM_STATUS_OK)
        route_clear(route);
    return status;
}

size_t lam_route_count(const lam_route *route) {
    return route->groups.count;
}

lam_route_group lam_route_at(lam_route *route, size_t index) {
    const route_group *group = &route->groups.items[index];
    lam_route_group at = {.folder = (const char *)route->folders.data + group->folder,
                          .folder_size = group->folder_size,
                          .record_count = group->record_count,
                          .columns = route->given};
    if (lam_route_count(route) > 1) {
        at.columns = lam_route_gather_take(&route->gather, index);
        at.records = route->records.items + group->first;
    }
    return at;
}

/* --- Create and destroy -------------------------------------------------------------------- */

lam_status lam_route_create(const lam_schema *schema, const lam_partition *partition,
                            const lam_allocator *allocator, lam_route **ret_route,
                            lam_error *error) {
    lam_allocator heap = lam_allocator_or_default(allocator);
    LAM_TRY(lam_schema_require(schema, error));
    lam_route *route;
    LAM_TRY(LAM_NEW(&heap, &route, error));
    route->allocator = heap;
    route->schema = lam_schema_share(schema);
    route->partition = partition;
    lam_buffer_init(&route->folders, &heap);
    LAM_LIST_INIT(&route->groups, &heap);
    LAM_LIST_INIT(&route->runs, &heap);
    LAM_LIST_INIT(&route->keys, &heap);
    LAM_LIST_INIT(&route->records, &heap);
    lam_hash_index_init(&route->keys_by_value, &heap);
    lam_hash_index_init(&route->groups_by_folder, &heap);
    lam_route_gather_init(&route->gather, route->schema, &heap);
    route->null_group = UINT32_MAX;
    *ret_route = route;
    return LAM_STATUS_OK;
}

void lam_route_destroy(lam_route *route) {
    if (route == NULL)
        return;
    lam_allocator allocator = route->allocator;
    lam_buffer_finish(&route->folders);
    LAM_LIST_FINISH(&route->groups);
    LAM_LIST_FINISH(&route->runs);
    LAM_LIST_FINISH(&route->keys);
    LAM_LIST_FINISH(&route->records);
    lam_hash_index_finish(&route->keys_by_value);
    lam_hash_index_finish(&route->groups_by_folder);
    lam_route_gather_finish(&route->gather);
    lam_schema_destroy(route->schema);
    lam_free(&allocator, route, sizeof *route);
}

size_t lam_route_memory(const lam_route *route) {
    return sizeof *route + route->folders.capacity + route->groups.capacity + route->runs.capacity +
           route->keys.capacity + route->records.capacity +
           route->keys_by_value.slot_count * sizeof(lam_hash_slot) +
           route->groups_by_folder.slot_count * sizeof(lam_hash_slot) +
           route->gather.extents.capacity + route->gather.ends.capacity +
           route->gather.arrays.capacity + route->gather.group.capacity +
           route->gather.memory.capacity;
}
