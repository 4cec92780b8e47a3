/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes and reads the names of a log's files: a prefix, a time and an id become a name, and a name
 * that a folder lists gives them back.
 *
 * Retention removes files by the names read here, so only names that are printed here are ever
 * accepted: every byte is checked, the date exists, and the second is one that a clock of 64 bits
 * of nanoseconds can show (1677 to 2262). The prefix may hold dashes, hence names are read from
 * their end. The time is UTC by the project's own calendar: the C library's depends on the
 * environment.
 */
#include "log/folder/log_name.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/error.h"
#include "base/floor_divide.h"
#include "base/utf8.h"
#include "text/time_text.h"

/* "-20261123T004500Z-00c0ffee12345678.parquet" after the prefix. */
enum {
    NAME_TIME_SIZE = 16,
    NAME_ID_SIZE = 16,
    NAME_END_SIZE = 1 + NAME_TIME_SIZE + 1 + NAME_ID_SIZE + (int)sizeof LAM_LOG_SUFFIX_FINAL - 1
};

static const int64_t NANOS_OF_SECOND = 1000000000;
static const uint32_t NAME_NUMBERS = 0xFFF; /* the low bits of an id that are no run's */
static const int64_t SECONDS_OF_ONE_DAY = 86400;

/* --- Prefixes ------------------------------------------------------------------------------ */

/* What is wrong with a prefix; NULL if it is valid. */
static const char *name_prefix_fault(const char *prefix, size_t size) {
    if (size == 0)
        return "is empty";
    if (size > LAM_LOG_PREFIX_MAX)
        return "is longer than 100 bytes";
    if (prefix[0] == '.' || prefix[0] == LAM_LOG_MARK)
        return "begins with '.' or '_', as names that readers of a folder pass over";
    if (memchr(prefix, '/', size) != NULL)
        return "has a '/'";
    if (memchr(prefix, '=', size) != NULL)
        return "has a '='";
    if (lam_utf8_prefix((const uint8_t *)prefix, size) != size)
        return "is not UTF-8";
    return NULL;
}

lam_status lam_log_prefix_check(const char *prefix, lam_error *error) {
    const char *fault = name_prefix_fault(prefix, strlen(prefix));
    if (fault != NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the prefix \"%s\" %s", prefix, fault);
    return LAM_STATUS_OK;
}

/* --- Printing ------------------------------------------------------------------------------ */

static char *name_put_number(char *out, int64_t number, size_t width) {
    for (size_t i = width; i > 0; i--, number /= 10)
        out[i - 1] = (char)('0' + number % 10);
    return out + width;
}

/* 20261123T004500Z. */
static char *name_put_time(char *out, int64_t seconds) {
    int64_t time, year;
    int month, day;
    lam_date_split(lam_floor_divide(seconds, SECONDS_OF_ONE_DAY, &time), &year, &month, &day);
    out = name_put_number(out, year, 4);
    out = name_put_number(out, month, 2);
    out = name_put_number(out, day, 2);
    *out++ = 'T';
    out = name_put_number(out, time / 3600, 2);
    out = name_put_number(out, time / 60 % 60, 2);
    out = name_put_number(out, time % 60, 2);
    *out++ = 'Z';
    return out;
}

size_t lam_log_name_print(const char *prefix, int64_t utc, uint64_t id,
                          char buffer[LAM_LOG_NAME_MAX + 1]) {
    int64_t nanos;
    size_t size = strlen(prefix);
    char *out = buffer + size;
    memcpy(buffer, prefix, size);
    *out++ = '-';
    out = name_put_time(out, lam_floor_divide(utc, NANOS_OF_SECOND, &nanos));
    *out++ = '-';
    for (int shift = 60; shift >= 0; shift -= 4)
        *out++ = "0123456789abcdef"[id >> shift & 15];
    memcpy(out, LAM_LOG_SUFFIX_FINAL, sizeof LAM_LOG_SUFFIX_FINAL);
    return (size_t)(out - buffer) + sizeof LAM_LOG_SUFFIX_FINAL - 1;
}

size_t lam_log_name_make(const char *prefix, int64_t utc, uint32_t low,
                         char buffer[LAM_LOG_NAME_MAX + 1]) {
    int64_t nanos;
    (void)lam_floor_divide(utc, NANOS_OF_SECOND, &nanos);
    return lam_log_name_print(prefix, utc, (uint64_t)nanos << 32 | low, buffer);
}

uint32_t lam_log_run_start(void) {
    uint8_t random[sizeof(uint32_t)];
    uint32_t run;
    do {
        lam_entropy(random, sizeof random);
        run = lam_load_le32(random) & ~NAME_NUMBERS;
    } while (run == 0);
    return run;
}

uint32_t lam_log_run_name(uint32_t run, uint32_t number) {
    return run | (number & NAME_NUMBERS);
}

bool lam_log_name_is_of_run(const lam_log_name *name, uint32_t run) {
    return run != 0 && ((uint32_t)name->id & ~NAME_NUMBERS) == run;
}

/* --- Parsing ------------------------------------------------------------------------------- */

/* Reads exactly `width` digits of a base up to 16, with lower-case letters. */
static bool name_take_number(const char *text, size_t width, uint64_t base, uint64_t *ret_number) {
    static const char digits[] = "0123456789abcdef";
    uint64_t number = 0;
    for (size_t i = 0; i < width; i++) {
        const char *digit = memchr(digits, text[i], (size_t)base);
        if (digit == NULL)
            return false;
        number = number * base + (uint64_t)(digit - digits);
    }
    *ret_number = number;
    return true;
}

/* A date exists if it comes back from its day. */
static bool name_take_time(const char *text, int64_t *ret_seconds) {
    static const struct {
        uint8_t first, width;
        uint16_t end; /* above the largest */
    } fields[] = {{0, 4, 10000}, {4, 2, 13}, {6, 2, 32}, {9, 2, 24}, {11, 2, 60}, {13, 2, 60}};
    uint64_t numbers[6];
    int64_t year, rest;
    int month, day;
    for (size_t i = 0; i < 6; i++)
        if (!name_take_number(text + fields[i].first, fields[i].width, 10, &numbers[i]) ||
            numbers[i] >= fields[i].end)
            return false;
    if (text[8] != 'T' || text[15] != 'Z' || numbers[1] == 0 || numbers[2] == 0)
        return false;
    int64_t days = lam_date_join((int64_t)numbers[0], (int64_t)numbers[1], (int64_t)numbers[2]);
    lam_date_split(days, &year, &month, &day);
    int64_t seconds =
        days * SECONDS_OF_ONE_DAY + (int64_t)(numbers[3] * 3600 + numbers[4] * 60 + numbers[5]);
    if (month != (int)numbers[1] || seconds < lam_floor_divide(INT64_MIN, NANOS_OF_SECOND, &rest) ||
        seconds > INT64_MAX / NANOS_OF_SECOND)
        return false;
    *ret_seconds = seconds;
    return true;
}

bool lam_log_name_parse(const char *name, lam_log_name *ret_name) {
    lam_log_name parsed;
    parsed.stage = lam_log_stage_of(name, &parsed.prefix, &parsed.final_size);
    if (parsed.final_size <= NAME_END_SIZE ||
        memchr(name, '/', (size_t)(parsed.prefix - name)) != NULL)
        return false;
    parsed.prefix_size = parsed.final_size - NAME_END_SIZE;
    const char *time = parsed.prefix + parsed.prefix_size + 1, *id = time + NAME_TIME_SIZE + 1;
    if (name_prefix_fault(parsed.prefix, parsed.prefix_size) != NULL || time[-1] != '-' ||
        id[-1] != '-' || !name_take_time(time, &parsed.utc_seconds) ||
        !name_take_number(id, NAME_ID_SIZE, 16, &parsed.id) ||
        memcmp(id + NAME_ID_SIZE, LAM_LOG_SUFFIX_FINAL, sizeof LAM_LOG_SUFFIX_FINAL - 1) != 0)
        return false;
    *ret_name = parsed;
    return true;
}

bool lam_log_name_parse_of(const char *name, const char *prefix, lam_log_name *ret_name) {
    lam_log_name parsed;
    if (!lam_log_name_parse(name, &parsed) || parsed.prefix_size != strlen(prefix) ||
        memcmp(parsed.prefix, prefix, parsed.prefix_size) != 0)
        return false;
    *ret_name = parsed;
    return true;
}

/* --- Suffixes and paths -------------------------------------------------------------------- */

const char *lam_log_stage_suffix(lam_log_stage stage) {
    static const char *const suffixes[] = {
        [LAM_LOG_STAGE_FINAL] = "",
        [LAM_LOG_STAGE_OPEN] = LAM_LOG_SUFFIX_OPEN,
        [LAM_LOG_STAGE_JOURNAL] = LAM_LOG_SUFFIX_JOURNAL,
        [LAM_LOG_STAGE_BAD] = LAM_LOG_SUFFIX_OPEN LAM_LOG_SUFFIX_BAD,
        [LAM_LOG_STAGE_BAD_JOURNAL] = LAM_LOG_SUFFIX_JOURNAL LAM_LOG_SUFFIX_BAD,
    };
    return suffixes[stage];
}

/* The last component of a path. */
static const char *name_of_path(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

lam_log_stage lam_log_stage_of(const char *path, const char **ret_name, size_t *ret_size) {
    const char *name = name_of_path(path);
    size_t size = strlen(name);
    lam_log_stage stage = LAM_LOG_STAGE_FINAL;
    for (int i = LAM_LOG_STAGE_OPEN; i <= LAM_LOG_STAGE_BAD_JOURNAL; i++) {
        const char *suffix = lam_log_stage_suffix((lam_log_stage)i);
        size_t suffix_size = strlen(suffix);
        if (size > suffix_size && strcmp(name + size - suffix_size, suffix) == 0) {
            stage = (lam_log_stage)i;
            size -= suffix_size;
            break;
        }
    }
    bool is_marked = stage != LAM_LOG_STAGE_FINAL && size > 1 && name[0] == LAM_LOG_MARK;
    if (ret_name != NULL) {
        *ret_name = name + is_marked;
        *ret_size = size - is_marked;
    }
    return stage;
}

lam_status lam_log_path_final(lam_buffer *out, const char *path, lam_error *error) {
    const char *name;
    size_t size, folder = (size_t)(name_of_path(path) - path);
    (void)lam_log_stage_of(path, &name, &size);
    lam_buffer_clear(out);
    LAM_TRY(lam_buffer_append(out, path, folder, error));
    LAM_TRY(lam_buffer_append(out, name, size, error));
    return lam_buffer_append_byte(out, '\0', error);
}

lam_status lam_log_path_join(lam_buffer *out, const char *folder, const char *name,
                             const char *suffix, lam_error *error) {
    size_t folder_size = strlen(folder), name_size = strlen(name);
    bool has_slash = folder_size > 0 && name_size > 0 && folder[folder_size - 1] != '/';
    lam_buffer_clear(out);
    size_t size = folder_size + has_slash + name_size + strlen(suffix) + 1;
    LAM_TRY(lam_buffer_reserve(out, size, error));
    snprintf((char *)out->data, size, "%s%s%s%s", folder, has_slash ? "/" : "", name, suffix);
    out->size = size;
    return LAM_STATUS_OK;
}

lam_status lam_log_path_mark(lam_buffer *out, const char *folder, const char *name,
                             const char *suffix, lam_error *error) {
    LAM_TRY(lam_log_path_join(out, folder, name, suffix, error));
    LAM_TRY(lam_buffer_append_byte(out, '\0', error));
    char *last = (char *)(uintptr_t)name_of_path((const char *)out->data);
    memmove(last + 1, last, strlen(last) + 1);
    *last = LAM_LOG_MARK;
    return LAM_STATUS_OK;
}

lam_status lam_log_folder_of(lam_buffer *out, const char *path, lam_error *error) {
    const char *slash = strrchr(path, '/');
    LAM_TRY(lam_log_path_join(out, "", slash != NULL ? path : ".", "", error));
    if (slash != NULL)
        out->data[slash == path ? 1 : slash - path] = '\0';
    return LAM_STATUS_OK;
}
