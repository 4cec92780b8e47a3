/* Status, error, allocator and byte views: what every other header of Lamella stands on. */
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

/* The outcome of a call, by whose fault it is. */
typedef enum lam_status {
    LAM_STATUS_OK = 0,
    LAM_STATUS_INVALID,     /* an argument or a record does not fit what was asked */
    LAM_STATUS_STATE,       /* the calls came in an order the contract forbids */
    LAM_STATUS_CORRUPT,     /* the file contradicts the format or itself */
    LAM_STATUS_UNSUPPORTED, /* valid Parquet that this build does not handle */
    LAM_STATUS_LIMIT,       /* a limit of the options, or of the format, would be passed */
    LAM_STATUS_NOMEM,       /* the allocator refused */
    LAM_STATUS_IO,          /* the operating system or a callback failed */
    LAM_STATUS_NOT_FOUND,   /* no field, file or key of that name */
    LAM_STATUS_CANCELLED    /* a lam_stop asked for it, or its deadline is over */
} lam_status;

/* The name of a status in lower case, "ok" to "cancelled"; never NULL, static. */
LAM_PUBLIC const char *lam_status_name(lam_status status);

/*
 * Where and why a call failed. Lives on the caller's stack, owns nothing, and is written only by
 * a call that fails. `message` is one line of UTF-8 without a trailing newline or full stop.
 */
typedef struct lam_error {
    lam_status status;
    int32_t row_group; /* ordinal in the file, -1 when no row group is concerned */
    int32_t column;    /* leaf index in schema order, -1 when no column is concerned */
    int64_t row;       /* in the row group, from 0; -1 when no row is concerned, or which is not
                          known */
    int64_t offset;    /* byte offset in the file, -1 when no byte is concerned */
    char message[232];
} lam_error;

/* An error that says nothing yet. */
static inline lam_error lam_error_none(void) {
    lam_error error;
    error.status = LAM_STATUS_OK;
    error.row_group = -1;
    error.column = -1;
    error.row = -1;
    error.offset = -1;
    error.message[0] = '\0';
    return error;
}

/*
 * Memory for one handle and all it owns. The three functions follow malloc, realloc and free, are
 * told the old sizes, and may be called from any thread that uses the handle. `allocate` and
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

/* A borrowed run of bytes. `data` may be NULL when `size` is 0. */
typedef struct lam_bytes {
    const uint8_t *data;
    size_t size;
} lam_bytes;

/*
 * Structs that grow from version to version begin with their size in bytes, set by the caller, so
 * that programs and libraries of different versions understand each other (docs/abi.md). Each
 * `type` of them has two functions:
 *
 *     type type_default(void)                        with its size set, and zero in all else
 *     size_t type_init(type *memory, size_t size)    the same in `size` bytes of memory, for other
 *                                                    languages; gives the size that the library
 *                                                    knows, also for NULL and 0
 */
#define LAM_GROWING(type)                                                                          \
    static inline type type##_default(void) {                                                      \
        type structure = LAM_ZERO_INIT;                                                            \
        structure.struct_size = sizeof structure;                                                  \
        return structure;                                                                          \
    }                                                                                              \
    LAM_PUBLIC size_t type##_init(type *memory, size_t size)

/*
 * A choice in options that is on by default. What is off by default is a bool, so that zero is the
 * default of both.
 */
typedef enum lam_switch {
    LAM_SWITCH_DEFAULT = 0,
    LAM_SWITCH_ON = 1,
    LAM_SWITCH_OFF = 2
} lam_switch;

/* The version of the library that is linked, "0.2.0"; static. That of the headers is
 * LAM_VERSION_STRING. */
LAM_PUBLIC const char *lam_version(void);

/* Parts of the library that a build can leave out, with their macros in <lamella/features.h>. */
typedef enum lam_feature {
    LAM_FEATURE_JSON = 1,     /* LAM_HAVE_JSON */
    LAM_FEATURE_ARROW_SCHEMA, /* LAM_HAVE_ARROW_SCHEMA */
    LAM_FEATURE_BROTLI,       /* LAM_HAVE_BROTLI */
    LAM_FEATURE_LZ4           /* LAM_HAVE_LZ4 */
} lam_feature;

/* Whether the library that is linked has the part; false for a number that it does not know. */
LAM_PUBLIC bool lam_feature_is_supported(lam_feature feature);

/* The kernels, versions of the inner loops, that this CPU runs: "plain", "avx2" or "avx512";
 * static. The results of all are the same. */
LAM_PUBLIC const char *lam_kernels_name(void);

#ifdef __cplusplus
}
#endif

#endif
