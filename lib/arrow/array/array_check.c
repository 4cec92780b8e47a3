/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks an array from the root down. Each step takes a view and the range of its slots that the
 * parent uses, checks the view's own buffers for that range, and derives the range of each child:
 *
 *     struct              the same slots, counted from the struct's offset
 *     list, map           from the first offset to the last
 *     fixed_size_list     its slots times the size
 *     list view           from the lowest start of a list that is not empty to the highest end
 *     run_end_encoded     run ends: all; values: the runs that cover the slots
 *     dictionary          all values, or, of a long one, each value that an index names
 *
 * The invariant: no buffer is read at an element that no checked length covers. A slot that nothing
 * uses may hold anything. (The Arrow C data interface, "Structure definitions"; Arrow columnar
 * format, "Physical memory layout")
 */
#include "arrow/array/array_check.h"

#include "arrow/array/array_bits.h"
#include "arrow/array/array_text.h"
#include "base/error.h"

/* A range of slots of one view, counted without the view's offset. */
typedef struct slots {
    int64_t start;
    int64_t count;
} slots;

static lam_status check_slots(lam_array_view *view, slots used, lam_error *error);

/* A buffer may be NULL as long as no slot needs it. */
static lam_status need_buffer(const lam_array_view *view, const void *buffer, const char *name,
                              lam_error *error) {
    if (buffer == NULL)
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error, "the buffer of %s is NULL",
                              name);
    return LAM_STATUS_OK;
}

/*
 * Compares the bits with the null count: all slots must have exactly as many nulls, some of them at
 * most as many. A null count of -1 is unknown and not compared. NULL arrays have nulls and no bits.
 */
static lam_status check_nulls(lam_array_view *view, slots used, lam_error *error) {
    if (view->validity == NULL) {
        if (view->null_count > 0 && view->kind != LAM_ARROW_NULL)
            return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                                  "%lld nulls, but no validity", (long long)view->null_count);
        return LAM_STATUS_OK;
    }
    int64_t nulls = lam_bits_count_zeros(view->validity, view->offset + used.start, used.count);
    bool all = used.count == view->length;
    if (view->null_count >= 0 && (all ? nulls != view->null_count : nulls > view->null_count))
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                              "%lld nulls where the null count says %lld", (long long)nulls,
                              (long long)view->null_count);
    view->has_nulls |= nulls > 0;
    return LAM_STATUS_OK;
}

/* --- Offsets ------------------------------------------------------------------------------- */

/*
 * True when no number is negative or below the one before it: or's the sign bits of the numbers and
 * of their differences together, without a branch per slot. A difference of two numbers that are
 * not negative cannot overflow, so its sign says which one is larger; the others fail by their own
 * sign.
 */
static bool ascend_32(const uint8_t *numbers, int64_t first, int64_t count) {
    uint32_t signs = (uint32_t)lam_load_i32(numbers, first);
    for (int64_t i = first; i < first + count; i++) {
        uint32_t here = (uint32_t)lam_load_i32(numbers, i);
        uint32_t next = (uint32_t)lam_load_i32(numbers, i + 1);
        signs |= (next - here) | next;
    }
    return signs >> 31 == 0;
}

static bool ascend_64(const uint8_t *numbers, int64_t first, int64_t count) {
    uint64_t signs = (uint64_t)lam_load_i64(numbers, first);
    for (int64_t i = first; i < first + count; i++) {
        uint64_t here = (uint64_t)lam_load_i64(numbers, i);
        uint64_t next = (uint64_t)lam_load_i64(numbers, i + 1);
        signs |= (next - here) | next;
    }
    return signs >> 63 == 0;
}

/* Checks count + 1 offsets; gives the range of the child, or of the bytes, that they cover. */
static lam_status check_offsets(const lam_array_view *view, slots used, slots *ret_covered,
                                lam_error *error) {
    LAM_TRY(need_buffer(view, view->slots, "offsets", error));
    int64_t first = view->offset + used.start;
    bool ascend = lam_array_is_large(view->kind) ? ascend_64(view->slots, first, used.count)
                                                 : ascend_32(view->slots, first, used.count);
    if (!ascend)
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                              "offsets %lld to %lld are negative or decrease", (long long)first,
                              (long long)(first + used.count));
    ret_covered->start = lam_array_offset(view, used.start);
    ret_covered->count = lam_array_offset(view, used.start + used.count) - ret_covered->start;
    return LAM_STATUS_OK;
}

static lam_status array_check_list(lam_array_view *view, slots used, lam_error *error) {
    slots covered;
    LAM_TRY(check_offsets(view, used, &covered, error));
    return check_slots(&view->children[0], covered, error);
}

/* The bound is divided, because offset and count times the size may overflow. */
static lam_status check_fixed_list(lam_array_view *view, slots used, lam_error *error) {
    int64_t size = view->field->type.fixed_size, length = view->children[0].length;
    /* Lists without elements use no slot of the child, however many they are. */
    if (size == 0)
        return LAM_STATUS_OK;
    if (view->offset + used.start + used.count > length / size)
        return lam_array_fail(&view->children[0], LAM_ERROR_CODE_ARROW_ARRAY, error,
                              "%lld slots where %lld lists of %lld are used", (long long)length,
                              (long long)(view->offset + used.start + used.count), (long long)size);
    slots covered = {(view->offset + used.start) * size, used.count * size};
    return check_slots(&view->children[0], covered, error);
}

/*
 * Lists may be in any order and may overlap, so each is checked alone. Null lists are checked too,
 * as the columnar format demands offsets and sizes inside the child for them as well. Every slot
 * between the lowest and the highest one is then taken as used.
 */
static lam_status check_list_view(lam_array_view *view, slots used, lam_error *error) {
    bool is_large = lam_array_is_large(view->kind);
    lam_array_view *child = &view->children[0];
    /* An empty range until a list has elements. */
    int64_t low = child->length, high = 0;
    LAM_TRY(need_buffer(view, view->slots, "offsets", error));
    LAM_TRY(need_buffer(view, view->extent, "sizes", error));
    for (int64_t i = view->offset + used.start; i < view->offset + used.start + used.count; i++) {
        int64_t start = lam_load_offset(is_large, view->slots, i);
        int64_t size = lam_load_offset(is_large, view->extent, i);
        if (start < 0 || size < 0 || size > child->length || start > child->length - size)
            return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                                  "list %lld of %lld elements from %lld on, where there are %lld",
                                  (long long)i, (long long)size, (long long)start,
                                  (long long)child->length);
        if (size > 0) {
            low = start < low ? start : low;
            high = start + size > high ? start + size : high;
        }
    }
    slots covered = {low, high - low};
    return high == 0 ? LAM_STATUS_OK : check_slots(child, covered, error);
}

/* --- Text and bytes ------------------------------------------------------------------------ */

/*
 * The data buffer has no known size; the last offset is trusted to be inside it. Only if all values
 * together exceed 2 GiB can one exceed a BYTE_ARRAY's length; the writer then checks each.
 */
static lam_status array_check_bytes(lam_array_view *view, slots used, lam_error *error) {
    slots covered;
    LAM_TRY(check_offsets(view, used, &covered, error));
    if (covered.count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(need_buffer(view, view->extent, "data", error));
    bool is_text = view->kind == LAM_ARROW_STRING || view->kind == LAM_ARROW_LARGE_STRING;
    if (covered.count > INT32_MAX || (is_text && !lam_array_is_text(view, used.start, used.count)))
        view->needs_check = true;
    return LAM_STATUS_OK;
}

static lam_status fail_view(const lam_array_view *view, int64_t slot, lam_string_view at,
                            lam_error *error) {
    return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                          "slot %lld of %d bytes at %d of buffer %d is outside of it",
                          (long long)slot, (int)at.size, (int)at.offset, (int)at.buffer);
}

/*
 * Checks that values outside of the views are inside their buffers. Null views may hold anything.
 */
static lam_status check_views(lam_array_view *view, slots used, lam_error *error) {
    LAM_TRY(need_buffer(view, view->slots, "views", error));
    if (view->data_count > 0)
        LAM_TRY(need_buffer(view, view->data_sizes, "sizes", error));
    bool is_text = view->kind == LAM_ARROW_STRING_VIEW;
    for (int64_t i = used.start; i < used.start + used.count; i++) {
        lam_string_view at = lam_array_string_view(view, i);
        if (view->has_nulls && !lam_bit_at(view->validity, view->offset + i))
            continue;
        if (at.size < 0)
            return fail_view(view, i, at, error);
        if (at.size > LAM_STRING_VIEW_INLINE) {
            if (at.buffer < 0 || (size_t)at.buffer >= view->data_count ||
                view->data[at.buffer] == NULL || at.offset < 0 ||
                (int64_t)at.offset + at.size > lam_load_i64(view->data_sizes, at.buffer))
                return fail_view(view, i, at, error);
        }
        view->longest = at.size > view->longest ? at.size : view->longest;
        if (is_text && !view->needs_check)
            view->needs_check = !lam_array_view_is_text(view, i);
    }
    return LAM_STATUS_OK;
}

/* --- Dictionaries and runs ----------------------------------------------------------------- */

/*
 * The largest of the slots as unsigned numbers: a negative one then is among the largest, so one
 * comparison with a bound refuses both. A loop without branches over one width, for the vectorizer.
 */
#define DEFINE_MAX(name, type)                                                                     \
    static uint64_t name(const uint8_t *numbers, int64_t count) {                                  \
        type most = 0;                                                                             \
        for (int64_t i = 0; i < count; i++) {                                                      \
            type number;                                                                           \
            memcpy(&number, numbers + i * (int64_t)sizeof number, sizeof number);                  \
            most = number > most ? number : most;                                                  \
        }                                                                                          \
        return most;                                                                               \
    }

DEFINE_MAX(max_8, uint8_t)
DEFINE_MAX(max_16, uint16_t)
DEFINE_MAX(max_32, uint32_t)
DEFINE_MAX(array_check_max_64, uint64_t)

/* `used` is not empty. Indexes of null slots count; they may be anything. */
static uint64_t max_index(const lam_array_view *view, slots used) {
    size_t size = lam_array_slot_size(view);
    const uint8_t *numbers = view->slots + (view->offset + used.start) * (int64_t)size;
    switch (size) {
    case 1:
        return max_8(numbers, used.count);
    case 2:
        return max_16(numbers, used.count);
    case 4:
        return max_32(numbers, used.count);
    default:
        return array_check_max_64(numbers, used.count);
    }
}

/*
 * The least unsigned number that is no valid index: the dictionary's length, or, if that is more
 * than a signed kind can express, the number that -128, -32768 or -2^31 become. For INT64 no length
 * reaches it.
 */
static uint64_t index_bound(const lam_array_view *view) {
    uint64_t length = (uint64_t)view->dictionary->length;
    uint64_t positive = UINT64_MAX;
    if (view->kind == LAM_ARROW_INT8)
        positive = (uint64_t)INT8_MAX + 1;
    else if (view->kind == LAM_ARROW_INT16)
        positive = (uint64_t)INT16_MAX + 1;
    else if (view->kind == LAM_ARROW_INT32)
        positive = (uint64_t)INT32_MAX + 1;
    return length < positive ? length : positive;
}

/* Checks each index that is not null, and with `and_value` also the value that it names. */
static lam_status check_each_index(lam_array_view *view, slots used, bool and_value,
                                   lam_error *error) {
    uint64_t bound = index_bound(view);
    for (int64_t i = used.start; i < used.start + used.count; i++) {
        if (view->has_nulls && !lam_bit_at(view->validity, view->offset + i))
            continue;
        slots one = {i, 1};
        uint64_t index = max_index(view, one);
        if (index >= bound)
            return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                                  "slot %lld has index %lld of a dictionary of %lld values",
                                  (long long)i, (long long)index,
                                  (long long)view->dictionary->length);
        slots value = {(int64_t)index, 1};
        if (and_value)
            LAM_TRY(check_slots(view->dictionary, value, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Values of a dictionary that is longer than the array are checked only where they are used, as
 * many arrays may share one long dictionary. Otherwise all values are checked once, and the indexes
 * one by one only if the largest is out of bounds, which the index of a null may be.
 */
static lam_status array_check_dictionary(lam_array_view *view, slots used, lam_error *error) {
    LAM_TRY(need_buffer(view, view->slots, "indexes", error));
    if (view->dictionary->length > used.count)
        return check_each_index(view, used, true, error);
    if (max_index(view, used) >= index_bound(view))
        LAM_TRY(check_each_index(view, used, false, error));
    slots all = {0, view->dictionary->length};
    return check_slots(view->dictionary, all, error);
}

/*
 * Finds the runs that cover the slots, and uses their values. Run ends are counted from the start
 * of the encoded array, so the offset is part of the search:
 *
 *     run ends   3 5 9        values   a b c        logical   a a a b b c c c c
 *     offset 4, length 3  ->  runs 1 and 2, the values b and c
 */
static lam_status check_runs(lam_array_view *view, slots used, lam_error *error) {
    lam_array_view *run_ends = &view->children[0];
    int64_t start = view->offset + used.start, end = start + used.count;
    slots all = {0, run_ends->length};
    if (run_ends->length > 0)
        LAM_TRY(need_buffer(run_ends, run_ends->slots, "run ends", error));
    if (run_ends->null_count > 0 || run_ends->validity != NULL)
        LAM_TRY(check_nulls(run_ends, all, error));
    if (run_ends->has_nulls)
        return lam_array_fail(run_ends, LAM_ERROR_CODE_ARROW_ARRAY, error, "a run end is null");
    /* Run ends before the slots must increase as well, because runs are found by bisection. */
    int64_t run = 0, before = 0;
    for (; before < end; run++) {
        if (run == run_ends->length)
            return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                                  "the runs end at %lld, before the array does at %lld",
                                  (long long)before, (long long)end);
        int64_t here = lam_array_run_end(run_ends, run);
        if (here <= before)
            return lam_array_fail(run_ends, LAM_ERROR_CODE_ARROW_ARRAY, error,
                                  "run %lld ends at %lld, and the run before it at %lld",
                                  (long long)run, (long long)here, (long long)before);
        before = here;
    }
    /* Keeps the highest count, should a view be checked for several ranges. */
    run_ends->run_count = run > run_ends->run_count ? run : run_ends->run_count;
    int64_t first = lam_array_find_run(run_ends, start);
    slots values = {first, run - first};
    return check_slots(&view->children[1], values, error);
}

/* --- Values -------------------------------------------------------------------------------- */

/* Units of a day: times of day are below it, and negative ones, taken as unsigned, are not. */
static uint64_t day_of(const lam_arrow_type *type) {
    static const uint64_t units[] = {1, 1000, 1000000, 1000000000};
    return 86400 * units[type->unit];
}

/*
 * Values of one size. Kinds whose values may break the Parquet type (more digits than the
 * precision, not a multiple of a day, a negative interval) are marked, not checked here.
 */
static lam_status check_fixed(lam_array_view *view, slots used, lam_error *error) {
    LAM_TRY(need_buffer(view, view->slots, "values", error));
    const lam_arrow_type *type = &view->field->type;
    switch (view->kind) {
    case LAM_ARROW_DECIMAL:
    case LAM_ARROW_DATE64:
    case LAM_ARROW_INTERVAL_MONTHS:
    case LAM_ARROW_INTERVAL_DAY_TIME:
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO:
        view->needs_check = true; /* a check costs as much as writing them */
        break;
    case LAM_ARROW_TIMESTAMP:
        view->needs_check = type->unit == LAM_ARROW_SECOND;
        break;
    case LAM_ARROW_TIME32:
    case LAM_ARROW_TIME64:
        view->needs_check |= max_index(view, used) >= day_of(type);
        break;
    default:
        break;
    }
    return LAM_STATUS_OK;
}

/* The children's own offsets are added by their own views. */
static lam_status check_struct(lam_array_view *view, slots used, lam_error *error) {
    slots below = {view->offset + used.start, used.count};
    for (size_t i = 0; i < view->child_count; i++)
        LAM_TRY(check_slots(&view->children[i], below, error));
    return LAM_STATUS_OK;
}

static lam_status array_check_kind(lam_array_view *view, slots used, lam_error *error) {
    if (view->dictionary != NULL)
        return array_check_dictionary(view, used, error);
    switch (view->kind) {
    case LAM_ARROW_NULL:
        view->has_nulls = true;
        return LAM_STATUS_OK;
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
        return array_check_bytes(view, used, error);
    case LAM_ARROW_BINARY_VIEW:
    case LAM_ARROW_STRING_VIEW:
        return check_views(view, used, error);
    case LAM_ARROW_LIST:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_MAP:
        return array_check_list(view, used, error);
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
        return check_list_view(view, used, error);
    case LAM_ARROW_FIXED_SIZE_LIST:
        return check_fixed_list(view, used, error);
    case LAM_ARROW_STRUCT:
        return check_struct(view, used, error);
    case LAM_ARROW_RUN_END_ENCODED:
        return check_runs(view, used, error);
    default:
        return check_fixed(view, used, error);
    }
}

/* Checks that a view has the slots that its parent uses, then the slots and everything below. */
static lam_status check_slots(lam_array_view *view, slots used, lam_error *error) {
    if (used.start > view->length || used.count > view->length - used.start)
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                              "%lld slots where slots %lld to %lld are used",
                              (long long)view->length, (long long)used.start,
                              (long long)(used.start + used.count - 1));
    if (used.count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(check_nulls(view, used, error));
    return array_check_kind(view, used, error);
}

/* A task: checks one child of the struct that the array is. */
static lam_status array_check_column(void *context, size_t index, lam_error *error) {
    lam_array_view *view = context;
    slots below = {view->offset, view->length};
    return check_slots(&view->children[index], below, error);
}

lam_status lam_array_check(lam_array_view *view, const struct ArrowArray *array,
                           const lam_task_runner *runner, lam_task_cost *costs, lam_error *error) {
    LAM_TRY(lam_array_view_attach(view, array, error));
    slots all = {0, view->length};
    if (view->kind != LAM_ARROW_STRUCT || view->length == 0)
        return check_slots(view, all, error);
    LAM_TRY(check_nulls(view, all, error));
    return lam_task_runner_try(runner, array_check_column, view, view->child_count, costs, error);
}
