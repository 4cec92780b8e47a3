/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns with one value in all rows, which a file is given in addition to its own, such as the
 * keys in the folder names of a data set:
 *
 *     sales/year=2024/region=north%2Feast/a.parquet     year 2024, region "north/east"
 *
 * A reader shows such columns after those of the file. Everything that reads (filters, for which
 * they can rule out row groups, projections, records, JSON, Arrow) finds them in the schema.
 */
#ifndef LAMELLA_CONSTANT_H
#define LAMELLA_CONSTANT_H

#include <lamella/common.h>
#include <lamella/io.h>
#include <lamella/reader.h>
#include <lamella/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of a constant, as message text has it. All are optional fields of the root. */
typedef enum lam_constant_type {
    LAM_CONSTANT_STRING, /* binary (STRING); value.bytes, in UTF-8 */
    LAM_CONSTANT_BINARY, /* binary; value.bytes */
    LAM_CONSTANT_INT64,  /* int64; value.int64 */
    LAM_CONSTANT_DATE    /* int32 (DATE); value.int32, days since 1970-01-01 */
} lam_constant_type;

/* One column: its name, and the value that all rows have. */
typedef struct lam_constant {
    const char *name; /* UTF-8, not empty */
    lam_constant_type type;
    bool is_null; /* all rows have a null, and `value` is ignored */
    lam_value value;
} lam_constant;

/*
 * lam_reader_open with `count` constants after the columns of the file. A constant whose name is
 * that of a field of the file's root, of any type, is left out: the values of the file count. The
 * row groups get a chunk for each constant, with statistics; page lists and metadata show it at an
 * offset after the file's own bytes, and nothing is read from the input for it. The file size
 * that the reader gives is that of the file. The constants are copied.
 *
 * INVALID if a name is missing, empty, not UTF-8 or there twice, or a STRING is not UTF-8; LIMIT if
 * the chunks need more than the memory limit, or a row group has more than 2^36 rows; otherwise as
 * lam_reader_open, the input on failure included. `options` may be NULL.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_open_with_constants(
    lam_input *input, const lam_constant *constants, size_t count,
    const lam_reader_options *options, lam_reader **ret_reader, lam_error *error);

/*
 * Adds constants to any reader, even to that of an unfinished file, as
 * lam_reader_open_with_constants does. The result uses the reader's input, limits and stop, so
 * close `reader` after it. `*ret_reader` is NULL if nothing would change.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_reader_show_constants(const lam_reader *reader,
                                                              const lam_constant *constants,
                                                              size_t count, lam_reader **ret_reader,
                                                              lam_error *error);

/*
 * The keys of a data set, collected from the paths of its files. A folder named NAME=TEXT is a key
 * of the files below it: both sides have %XX for bytes that paths cannot have, and the text
 * __HIVE_DEFAULT_PARTITION__ is a null, unless a letter of it is escaped. A folder without '=',
 * without a NAME, or whose NAME is not UTF-8 or holds a NUL byte, is ignored. If a path has a NAME
 * twice the first counts.
 *
 * The texts of all files determine the type of a key: INT64 if all are integers of 64 bits, without
 * a sign "+", and, if one has leading zeros (01), all with the same number of bytes, so that
 * different texts are different numbers; DATE if all are dates such as 2024-10-24, or +12024-10-24
 * beyond the year 9999; otherwise STRING, or BINARY if a text is not UTF-8. Nulls do not count,
 * and a key without any text is a STRING.
 *
 * To be used by one thread at a time.
 */
typedef struct lam_path_keys lam_path_keys;

/* `allocator` may be NULL and is copied. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_path_keys_create(const lam_allocator *allocator,
                                                         lam_path_keys **ret_keys,
                                                         lam_error *error);
/* NULL is allowed. */
LAM_PUBLIC void lam_path_keys_destroy(lam_path_keys *keys);

/*
 * Adds a file by its path below the folder of the data set, with '/' between names; the last name
 * is the file's own, not a key. The path is copied. Files are counted from 0 in this order. LIMIT
 * at more than LAM_PATH_KEYS_MAX keys.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_path_keys_add(lam_path_keys *keys, const char *path,
                                                      lam_error *error);

enum { LAM_PATH_KEYS_MAX = 1000 };

/* The number of different keys of all files so far. */
LAM_PUBLIC size_t lam_path_keys_count(const lam_path_keys *keys);

/*
 * The keys of a file, in the order in which the files state them first, as constants for opening
 * it: all keys of the data set, null where the path of the file has none. `ret_constants` has room
 * for lam_path_keys_count. Names and values are borrowed from `keys` until the next file is added.
 * INVALID if there is no such file.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_path_keys_of_file(const lam_path_keys *keys, size_t file,
                                                          lam_constant *ret_constants,
                                                          lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
