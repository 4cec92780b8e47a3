/* SPDX-License-Identifier: Apache-2.0 */
/* Status, error, allocator and byte views: what every other header of Lamella includes. */
#ifndef LAMELLA_COMMON_H
#define LAMELLA_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lamella/features.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(LAMELLA_SHARED_LIBRARY)
#ifdef LAMELLA_BUILDING
#define LAM_PUBLIC __declspec(dllexport)
#else
#define LAM_PUBLIC __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define LAM_PUBLIC __attribute__((visibility("default")))
#else
#define LAM_PUBLIC
#endif

#if defined(__GNUC__)
#define LAM_NODISCARD __attribute__((warn_unused_result))
#define LAM_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#else
#define LAM_NODISCARD
#define LAM_PRINTF(format_at, first_at)
#endif

/* Initializes a struct to zero in both languages. */
#ifdef __cplusplus
#define LAM_ZERO_INIT                                                                              \
    {}
#else
#define LAM_ZERO_INIT                                                                              \
    { 0 }
#endif

/* The outcome of a call. A failure says whose fault it is. */
typedef enum lam_status {
    LAM_STATUS_OK = 0,
    LAM_STATUS_INVALID,     /* an argument or a record does not match what was asked */
    LAM_STATUS_STATE,       /* the calls came in an order the contract forbids */
    LAM_STATUS_CORRUPT,     /* the file contradicts the format or itself */
    LAM_STATUS_UNSUPPORTED, /* valid Parquet that this build does not handle */
    LAM_STATUS_LIMIT,       /* a limit of the options, or of the format, would be passed */
    LAM_STATUS_NOMEM,       /* the allocator refused */
    LAM_STATUS_IO,          /* the operating system or a callback failed */
    LAM_STATUS_NOT_FOUND,   /* no field, file or key of that name */
    LAM_STATUS_CANCELLED    /* a lam_stop requested it, or its deadline has passed */
} lam_status;

/* The name of a status in lower case, "ok" to "cancelled"; never NULL, static. */
LAM_PUBLIC const char *lam_status_name(lam_status status);

/*
 * Kinds of failure, for programs that distinguish them: `code` of lam_error. The thousands are the
 * status. Numbers and names are permanent and never reused; any version may add new ones, so a
 * program must expect numbers that it does not know. A code that means the same as a rule of
 * lam_check has the name of that rule.
 */
typedef enum lam_error_code {
    LAM_ERROR_CODE_NONE = 0, /* no kind of its own: there is only the status */

    /* INVALID: records and texts that do not match */
    LAM_ERROR_CODE_RECORD_FIELD_MISSING = 1001,  /* a required field has no value */
    LAM_ERROR_CODE_RECORD_FIELD_REPEATED = 1002, /* a second value of a field that takes one */
    LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN = 1003,  /* a field of another schema or group */
    LAM_ERROR_CODE_RECORD_FIELD_KIND = 1004,     /* a value for a group, or a group for a leaf */
    LAM_ERROR_CODE_RECORD_VALUE_TYPE = 1005,     /* a value of another type */
    LAM_ERROR_CODE_RECORD_VALUE_RANGE = 1006,    /* a value outside the range of its type */
    LAM_ERROR_CODE_RECORD_VALUE_SIZE = 1007,     /* bytes of another length */
    LAM_ERROR_CODE_RECORD_VALUE_UTF8 = 1008,     /* a string that is not UTF-8 */
    LAM_ERROR_CODE_RECORD_ORDER = 1009,          /* a row that is not sorted as is stated */
    LAM_ERROR_CODE_JSON_SYNTAX = 1101,           /* text that is not JSON */
    LAM_ERROR_CODE_SCHEMA_SYNTAX = 1102,         /* text that is not a message of the schema */
    LAM_ERROR_CODE_FILTER_SYNTAX = 1103,         /* text that is not a condition, or no path */
    LAM_ERROR_CODE_FIELD_AMBIGUOUS = 1104,       /* a path that leads to several fields */
    LAM_ERROR_CODE_ARROW_ARRAY = 1201,           /* an array that contradicts itself or its type */
    LAM_ERROR_CODE_VARIANT_KIND = 1301,          /* a VARIANT of another kind than requested */

    /* STATE: calls out of order */
    LAM_ERROR_CODE_WRITER_FAILED = 2001,   /* an earlier call broke the writer or its output */
    LAM_ERROR_CODE_WRITER_FINISHED = 2002, /* the file is finished */
    LAM_ERROR_CODE_RECORD_OPEN = 2003,     /* a record is open */
    LAM_ERROR_CODE_RECORD_NOT_OPEN = 2004, /* no record is open */
    LAM_ERROR_CODE_READER_FAILED = 2005,   /* an earlier read failed */

    /* CORRUPT: the file as a whole */
    LAM_ERROR_CODE_FILE_MAGIC = 3001,        /* the file does not begin and end with PAR1 */
    LAM_ERROR_CODE_FOOTER_LENGTH = 3002,     /* a footer larger than the file */
    LAM_ERROR_CODE_FOOTER = 3003,            /* the footer cannot be read */
    LAM_ERROR_CODE_SCHEMA_TREE = 3004,       /* the elements of the schema are not one tree */
    LAM_ERROR_CODE_SCHEMA_ELEMENT = 3005,    /* an element that is not a field */
    LAM_ERROR_CODE_ROW_GROUP_COLUMNS = 3006, /* more or fewer column chunks than leaves */
    LAM_ERROR_CODE_ROW_GROUP_ROWS = 3007,    /* a negative number of rows, or too large a sum */
    LAM_ERROR_CODE_ARROW_SCHEMA = 3008,      /* ARROW:schema does not hold an Arrow schema */

    /* CORRUPT: column chunks */
    LAM_ERROR_CODE_CHUNK_METADATA = 3101, /* the footer has no metadata of the chunk */
    LAM_ERROR_CODE_CHUNK_PATH = 3102,     /* the chunk belongs to another column */
    LAM_ERROR_CODE_CHUNK_TYPE = 3103,     /* the chunk has another type than its column */
    LAM_ERROR_CODE_CHUNK_RANGE = 3104,    /* the chunk does not lie before the footer */
    LAM_ERROR_CODE_CHUNK_BYTES = 3105,    /* the chunk ends inside a page, or continues after it */
    LAM_ERROR_CODE_CHUNK_VALUES = 3106,   /* the pages do not have the number of values stated */
    LAM_ERROR_CODE_CHUNK_ROWS = 3107,     /* the pages do not have the rows of the row group */

    /* CORRUPT: pages */
    LAM_ERROR_CODE_PAGE_HEADER = 3201,      /* a page header that states impossible numbers */
    LAM_ERROR_CODE_PAGE_CRC = 3202,         /* the page does not match its checksum */
    LAM_ERROR_CODE_PAGE_BODY = 3203,        /* the page does not uncompress to what is stated */
    LAM_ERROR_CODE_PAGE_ENCODING = 3204,    /* an encoding that does not apply to the type */
    LAM_ERROR_CODE_PAGE_VALUES = 3205,      /* values that do not decode, or bytes left over */
    LAM_ERROR_CODE_LEVEL_ENCODING = 3206,   /* levels in an encoding that is not for levels */
    LAM_ERROR_CODE_RLE_RUNS = 3207,         /* runs of levels, indexes or booleans do not decode */
    LAM_ERROR_CODE_DICTIONARY_PLACE = 3301, /* a dictionary that is not the first page */
    LAM_ERROR_CODE_DICTIONARY_MISSING = 3302, /* indexes without a dictionary */
    LAM_ERROR_CODE_DICTIONARY_PAGE = 3303,    /* a dictionary page that contradicts its header */
    LAM_ERROR_CODE_DICTIONARY_INDEX = 3304,   /* an index beyond the dictionary */

    /* CORRUPT: levels and values */
    LAM_ERROR_CODE_LEVELS_RANGE = 3401,      /* a level above the maximum of its column */
    LAM_ERROR_CODE_LEVELS_FIRST = 3402,      /* a first repetition level that is not 0 */
    LAM_ERROR_CODE_LEVELS_STRUCTURE = 3403,  /* levels that continue an element that is absent */
    LAM_ERROR_CODE_LEVELS_AGREE = 3404,      /* levels of two columns contradict each other */
    LAM_ERROR_CODE_UTF8 = 3501,              /* a string that is not UTF-8 */
    LAM_ERROR_CODE_VALUE_RANGE = 3502,       /* a value that its logical type does not allow */
    LAM_ERROR_CODE_UNKNOWN_NULL = 3503,      /* a value in a column of nulls */
    LAM_ERROR_CODE_VARIANT_METADATA = 3601,  /* bad metadata of a VARIANT, or none at all */
    LAM_ERROR_CODE_VARIANT_BYTES = 3602,     /* bad bytes in the value of a VARIANT */
    LAM_ERROR_CODE_VARIANT_SHREDDING = 3603, /* value and typed_value contradict each other */

    /* CORRUPT: page index and Bloom filters */
    LAM_ERROR_CODE_INDEX_RANGE = 3701,       /* an index that does not lie before the footer */
    LAM_ERROR_CODE_OFFSET_INDEX = 3702,      /* the offset index cannot be read */
    LAM_ERROR_CODE_OFFSET_INDEX_ROWS = 3703, /* a page has other rows than its offset index says */
    LAM_ERROR_CODE_COLUMN_INDEX = 3704,      /* the column index cannot be read */
    LAM_ERROR_CODE_INDEX_PAGES = 3705,       /* lists of the page index differ in length */
    LAM_ERROR_CODE_BLOOM_HEADER = 3711,      /* the header of a Bloom filter cannot be read */
    LAM_ERROR_CODE_BLOOM_LENGTH = 3712,      /* a Bloom filter of another length than stated */

    /* CORRUPT: what a log keeps beside its files */
    LAM_ERROR_CODE_JOURNAL = 3801,        /* no journal, or frames that contradict themselves */
    LAM_ERROR_CODE_LEFTOVER_EMPTY = 3802, /* a file that was only begun: nothing durable is in it */

    /* UNSUPPORTED */
    LAM_ERROR_CODE_ENCRYPTED = 4001,            /* the footer or the column is encrypted */
    LAM_ERROR_CODE_EXTERNAL_FILE = 4002,        /* the column chunk is in another file */
    LAM_ERROR_CODE_UNSUPPORTED_CODEC = 4003,    /* a codec that is unknown, or not in this build */
    LAM_ERROR_CODE_UNSUPPORTED_ENCODING = 4004, /* an unknown encoding */
    LAM_ERROR_CODE_UNSUPPORTED_PAGE = 4005,     /* an unknown type of page */
    LAM_ERROR_CODE_UNSUPPORTED_VECTOR = 4006,   /* a VECTOR */
    LAM_ERROR_CODE_UNSUPPORTED_BLOOM = 4007,    /* an unknown kind of Bloom filter */
    LAM_ERROR_CODE_UNSUPPORTED_VARIANT = 4008,  /* an unknown version or type of VARIANT */
    LAM_ERROR_CODE_UNSUPPORTED_ARROW = 4009,    /* a type with no counterpart in Parquet or Arrow */
    LAM_ERROR_CODE_UNSUPPORTED_GEOMETRY = 4010, /* an unknown kind of geometry */

    /* LIMIT */
    LAM_ERROR_CODE_MEMORY_LIMIT = 5001,  /* memory_limit of the options */
    LAM_ERROR_CODE_FORMAT_LIMIT = 5002,  /* the range of a number of the format */
    LAM_ERROR_CODE_SCHEMA_LIMIT = 5003,  /* fields, depth or names of a schema */
    LAM_ERROR_CODE_VARIANT_LIMIT = 5004, /* depth or size of a VARIANT, or of a path into one */
    LAM_ERROR_CODE_RECORD_LIMIT = 5005,  /* the size of one record */
    LAM_ERROR_CODE_NUMBER_LIMIT = 5006,  /* digits of a number */
    LAM_ERROR_CODE_FILTER_LIMIT = 5007,  /* the size of a condition */
    LAM_ERROR_CODE_ARROW_LIMIT = 5008,   /* what an Arrow type or message can hold */

    /* IO: `os_error` holds errno where the operating system gave one */
    LAM_ERROR_CODE_FILE_MISSING = 7001, /* no file or folder has that path */
    LAM_ERROR_CODE_FILE_KIND = 7002,    /* a folder, no file to be read by position, or of others */
    LAM_ERROR_CODE_FILE_OPEN = 7003,    /* opening, creating or listing failed otherwise */
    LAM_ERROR_CODE_FILE_READ = 7004,    /* reading or mapping failed */
    LAM_ERROR_CODE_FILE_SHORT = 7005,   /* the file ends before the bytes to be read */
    LAM_ERROR_CODE_FILE_WRITE = 7006,   /* writing, syncing, closing or renaming failed */
    LAM_ERROR_CODE_DISK_FULL = 7007,    /* the same, for lack of space or quota */
    LAM_ERROR_CODE_CALLBACK = 7008,     /* a callback broke its contract */
    LAM_ERROR_CODE_FILE_EXISTS = 7009,  /* there is a file of that name, which must not be */
    LAM_ERROR_CODE_FILE_BUSY = 7010,    /* another process has the file open for writing */

    /* NOT_FOUND */
    LAM_ERROR_CODE_FIELD_NOT_FOUND = 8001,   /* the schema has no such field */
    LAM_ERROR_CODE_VARIANT_NOT_FOUND = 8002, /* a VARIANT has no such field or element */

    /* CANCELLED */
    LAM_ERROR_CODE_CANCELLED = 9001, /* a lam_stop was requested */
    LAM_ERROR_CODE_DEADLINE = 9002   /* its deadline has passed */
} lam_error_code;

/*
 * The name of a code: that of the enumerator in lower case with dashes, such as "page-crc";
 * "unspecified" for LAM_ERROR_CODE_NONE, "unknown" for a number that this version does not have.
 * Never NULL, static.
 */
LAM_PUBLIC const char *lam_error_code_name(lam_error_code code);

/*
 * Where and why a call failed. Lives on the caller's stack, owns nothing, and is written only by a
 * call that fails. The layout is frozen: 512 bytes; later versions take new members from
 * `reserved`.
 */
typedef struct lam_error {
    lam_status status;
    lam_error_code code; /* the kind, LAM_ERROR_CODE_NONE when it has no number of its own */
    int32_t row_group;   /* ordinal in the file, -1 when no row group is concerned */
    int32_t column;      /* leaf index in schema order, -1 when no column is concerned */
    int64_t row;         /* in the row group, from 0, and in the file for RECORD_ORDER; -1 when no
                            row is concerned, or the row is unknown */
    int64_t offset;      /* byte offset in the file, -1 when no byte is concerned */
    int32_t os_error;    /* errno of the call that failed, 0 when there is none */
    uint32_t reserved_number; /* 0 */
    char column_path[128];    /* of the leaf as lam_field_path writes it, one line of UTF-8; a
                                 longer one ends with "...". Empty without a column */
    char message[312];    /* one line of UTF-8 without a trailing newline or full stop; a message
                             about a file begins with its path, of which "..." and the end are kept
                             when it is long. What does not show in names and paths is escaped
                             (lam_visible_escape), or "?" where there is no room for that; so it is
                             in column_path */
    uint8_t reserved[32]; /* zeros */
} lam_error;

/* An error that is empty: no failure, no location, no message. */
static inline lam_error lam_error_none(void) {
    lam_error error;
    error.status = LAM_STATUS_OK;
    error.code = LAM_ERROR_CODE_NONE;
    error.row_group = -1;
    error.column = -1;
    error.row = -1;
    error.offset = -1;
    error.os_error = 0;
    error.reserved_number = 0;
    error.column_path[0] = '\0';
    error.message[0] = '\0';
    for (unsigned i = 0; i < sizeof error.reserved; i++)
        error.reserved[i] = 0;
    return error;
}

/*
 * Texts of strangers, such as values, names of fields and of files, can steer a terminal, break a
 * line, or pass for another text. These two divide any bytes into what people may see as it is and
 * what is shown by an escape: control characters (C0, DEL, C1), what turns the direction of text,
 * separators of lines, characters without width, noncharacters, and bytes that are not UTF-8.
 *
 *     for (size_t left = size; left > 0;) {
 *         size_t shown = lam_visible_prefix(text, left);
 *         fwrite(text, 1, shown, stdout);
 *         text += shown, left -= shown;
 *         if (left > 0) {
 *             shown = lam_visible_escape(text, left, escape);
 *             fputs(escape, stdout);
 *             text += shown, left -= shown;
 *         }
 *     }
 */

/* Bytes from the start of a text that may be seen as they are: `size` when all may. */
LAM_PUBLIC size_t lam_visible_prefix(const char *text, size_t size);

enum {
    LAM_VISIBLE_ESCAPE_ROOM = 16 /* for any escape and its NUL */
};

/*
 * Writes what stands for the character at the start of a text, any character: the escape that JSON
 * has for it, as in \n, \u001b or \udb40\udc41, and \xff for a byte that belongs to no character.
 * Returns the bytes that it stands for. `size` is at least 1.
 */
LAM_PUBLIC size_t lam_visible_escape(const char *text, size_t size, char *escape);

/*
 * Memory for one handle and all it owns. The three functions follow malloc, realloc and free,
 * receive the old sizes, and may be called from any thread that uses the handle. `allocate` and
 * `reallocate` return NULL when there is no memory, and memory aligned for any type otherwise.
 * `release` is never called with NULL.
 */
typedef struct lam_allocator {
    void *state;
    void *(*allocate)(void *state, size_t size);
    void *(*reallocate)(void *state, void *memory, size_t old_size, size_t new_size);
    void (*release)(void *state, void *memory, size_t size);
} lam_allocator;

/* The C library's heap. A NULL allocator argument means this one. */
LAM_PUBLIC lam_allocator lam_allocator_default(void);

/*
 * One limit for everything that draws on it: handles that read, that write, and what a program
 * keeps itself. Give its allocator to all of them; what would pass the limit is refused with LIMIT
 * and the place, as the memory_limit of one handle is. Writers, and rewrites, that are given it cut
 * pages and row groups by a share of it. Any thread may draw on it.
 */
typedef struct lam_budget lam_budget;

/*
 * Creates a budget of `limit` bytes, at least 1, on top of `allocator`, which is copied; NULL is
 * the C library's heap. Free it with lam_budget_destroy. INVALID for 0; NOMEM.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_budget_create(const lam_allocator *allocator,
                                                      uint64_t limit, lam_budget **ret_budget,
                                                      lam_error *error);
/* After everything that was given its allocator. NULL is allowed. */
LAM_PUBLIC void lam_budget_destroy(lam_budget *budget);
/* The allocator that draws on the budget; valid until the budget is destroyed. */
LAM_PUBLIC lam_allocator lam_budget_allocator(lam_budget *budget);
/* Bytes that are drawn now. */
LAM_PUBLIC size_t lam_budget_used(const lam_budget *budget);

/* A borrowed run of bytes. `data` may be NULL when `size` is 0. */
typedef struct lam_bytes {
    const uint8_t *data;
    size_t size;
} lam_bytes;

/*
 * Structs that grow from version to version begin with their size in bytes, set by the caller, so
 * that programs and libraries of different versions work together (docs/abi.md). Each such `type`
 * has a function that gives one with its size set, and zero in all else: type_default().
 */
#define LAM_GROWING(type)                                                                          \
    static inline type type##_default(void) {                                                      \
        type structure = LAM_ZERO_INIT;                                                            \
        structure.struct_size = sizeof structure;                                                  \
        return structure;                                                                          \
    }                                                                                              \
    struct type

/* The structs that grow, for lam_struct_init. Numbers are permanent; any version may add some. */
typedef enum lam_struct_kind {
    LAM_STRUCT_OUTPUT_FILE_OPTIONS = 1,
    LAM_STRUCT_WRITER_OPTIONS = 2,
    LAM_STRUCT_READER_OPTIONS = 3,
    LAM_STRUCT_ROW_GROUP_INFO = 4,
    LAM_STRUCT_COLUMN_CHUNK_INFO = 5,
    LAM_STRUCT_PAGE_INFO = 6,
    LAM_STRUCT_SCAN_OPTIONS = 7,
    LAM_STRUCT_SCAN_REPORT = 8,
    LAM_STRUCT_LOG_OPTIONS = 9,
    LAM_STRUCT_LOG_INFO = 10,
    LAM_STRUCT_ARROW_READ_OPTIONS = 11,
    LAM_STRUCT_ARROW_WRITE_OPTIONS = 12,
    LAM_STRUCT_SORTING_COLUMN = 13,
    LAM_STRUCT_CHUNK_DETAILS = 14,
    LAM_STRUCT_PAGE_COUNT = 15,
    LAM_STRUCT_BLOOM_INFO = 16,
    LAM_STRUCT_PAGE_INDEX_INFO = 17,
    LAM_STRUCT_PAGE_INDEX_ENTRY = 18,
    LAM_STRUCT_RECOVERY = 19,
    LAM_STRUCT_RECOVER_OPTIONS = 20,
    LAM_STRUCT_UNION_OPTIONS = 21,
    LAM_STRUCT_UNION_NOTICE = 22,
    LAM_STRUCT_FILTER_TEXT_OPTIONS = 23,
    LAM_STRUCT_VARIANT_BUILDER_OPTIONS = 24,
    LAM_STRUCT_VARIANT_SHREDDER_OPTIONS = 25,
    LAM_STRUCT_VARIANT_ASSEMBLER_OPTIONS = 26,
    LAM_STRUCT_VARIANT_INFERENCE_OPTIONS = 27,
    LAM_STRUCT_JSON_READER_OPTIONS = 28,
    LAM_STRUCT_JSON_PARSER_OPTIONS = 29,
    LAM_STRUCT_JSON_INFERENCE_OPTIONS = 30,
    LAM_STRUCT_JSON_NOTICE = 31,
    LAM_STRUCT_JSON_WRITER_OPTIONS = 32,
    LAM_STRUCT_CSV_OPTIONS = 33,
    LAM_STRUCT_CSV_NOTICE = 34,
    LAM_STRUCT_DELIMITED_OPTIONS = 35,
    LAM_STRUCT_REWRITE_OPTIONS = 36,
    LAM_STRUCT_REWRITE_REPORT = 37,
    LAM_STRUCT_CHECK_OPTIONS = 38,
    LAM_STRUCT_CHECK_TOTALS = 39,
    LAM_STRUCT_SALVAGE_OPTIONS = 40,
    LAM_STRUCT_SALVAGE_LOSS = 41,
    LAM_STRUCT_SALVAGE_ROWS = 42,
    LAM_STRUCT_SALVAGE_REPORT = 43,
    LAM_STRUCT_BYTE_MAP_OPTIONS = 44,
    LAM_STRUCT_FILE_INFO = 45,
    LAM_STRUCT_CSV_INFERENCE_INFO = 46,
    LAM_STRUCT_JSON_INFERENCE_INFO = 47
} lam_struct_kind;

/*
 * The same as the _default() of a struct, for other languages: zeroes `size` bytes of `memory` and
 * sets their struct_size; does neither where `size` has no room for it, as with NULL and 0. Returns
 * the size that the library knows; 0 for a kind that it does not, and `memory` stays as it is then.
 */
LAM_PUBLIC size_t lam_struct_init(lam_struct_kind kind, void *memory, size_t size);

/*
 * An option that is on by default. An option that is off by default is a bool, so that zero is the
 * default of both.
 */
typedef enum lam_switch {
    LAM_SWITCH_DEFAULT = 0,
    LAM_SWITCH_ON = 1,
    LAM_SWITCH_OFF = 2
} lam_switch;

/*
 * The version of the library that is linked, "0.2.0"; static. LAM_VERSION_STRING is that of the
 * headers.
 */
LAM_PUBLIC const char *lam_version(void);

/* Features that a build can leave out, with their macros in <lamella/features.h>. */
typedef enum lam_feature {
    LAM_FEATURE_JSON = 1,          /* LAM_HAVE_JSON */
    LAM_FEATURE_ARROW_SCHEMA,      /* LAM_HAVE_ARROW_SCHEMA */
    LAM_FEATURE_BROTLI,            /* LAM_HAVE_BROTLI */
    LAM_FEATURE_LZ4,               /* LAM_HAVE_LZ4 */
    LAM_FEATURE_ARROW,             /* LAM_HAVE_ARROW */
    LAM_FEATURE_CSV,               /* LAM_HAVE_CSV */
    LAM_FEATURE_FILTER_TEXT,       /* LAM_HAVE_FILTER_TEXT */
    LAM_FEATURE_VARIANT_INFERENCE, /* LAM_HAVE_VARIANT_INFERENCE */
    LAM_FEATURE_CHECK,             /* LAM_HAVE_CHECK */
    LAM_FEATURE_REWRITE,           /* LAM_HAVE_REWRITE */
    LAM_FEATURE_RECOVER,           /* LAM_HAVE_RECOVER */
    LAM_FEATURE_SALVAGE,           /* LAM_HAVE_SALVAGE */
    LAM_FEATURE_BYTE_MAP,          /* LAM_HAVE_BYTE_MAP */
    LAM_FEATURE_LOG,               /* LAM_HAVE_LOG */
    LAM_FEATURE_SNAPPY,            /* LAM_HAVE_SNAPPY */
    LAM_FEATURE_GZIP               /* LAM_HAVE_GZIP */
} lam_feature;

/* True when the library that is linked has the feature; false for an unknown number. */
LAM_PUBLIC bool lam_feature_is_supported(lam_feature feature);

/*
 * The kernels, versions of the inner loops, that this CPU runs: "plain", "avx2" or "avx512";
 * static. All give the same results.
 */
LAM_PUBLIC const char *lam_kernels_name(void);

#ifdef __cplusplus
}
#endif

#endif
