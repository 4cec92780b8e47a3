/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as events, and columns as triples.
 *
 * A record is a sequence of five verbs:
 *
 *     begin  { open(group) ... close(group) | put(leaf, value) } ...  end
 *
 * A field that is absent (a null, an empty list) is not mentioned. A repeated field is mentioned
 * once per element. Fields of a group may come in any order, but the elements of one repeated field
 * come without another field of the same group between them. (The shredder accepts them apart, too,
 * since a column only knows the order of its own elements; the checker does not.)
 */
#ifndef LAMELLA_RECORD_H
#define LAMELLA_RECORD_H

#include <lamella/common.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One value; the leaf's physical type selects the member. */
typedef union lam_value {
    bool boolean;
    int32_t int32;
    int64_t int64;
    float float32;
    double float64;
    lam_bytes bytes; /* BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY, and INT96 as 12 little-endian bytes */
} lam_value;

/*
 * The receiver of a record. Values are borrowed for the duration of `put` only.
 *
 * A verb that fails keeps its failure until the end of the record: the record is dropped, the verbs
 * that follow do nothing, return the same status and leave their `error` unchanged, and `end`
 * returns that status and writes the failure into its `error`. So a driver may check `end` alone.
 * The next begin starts clean. A begin while a record is open drops that record and is not an
 * error: a driver that cannot continue gives up in this way.
 *
 * The drivers of the library (assembler, record reader, JSON reader) stop at the first failure and
 * return it, without `end`. A sink of your own that only they drive need not keep failures. In
 * front of one that is driven by hand, lam_record_checker (dremel.h) keeps failures, and checks.
 */
typedef struct lam_record_sink {
    void *state;
    lam_status (*begin)(void *state, lam_error *error);
    lam_status (*open)(void *state, const lam_field *group, lam_error *error);
    lam_status (*put)(void *state, const lam_field *leaf, lam_value value, lam_error *error);
    lam_status (*close)(void *state, const lam_field *group, lam_error *error);
    lam_status (*end)(void *state, lam_error *error);
    /*
     * The driver reports a failure of its own, such as a value of the wrong type: the sink keeps it
     * as if a verb had failed with it, writes it into `error` and returns its status; where a
     * failure is kept already, it returns the status of that one. May be NULL: the sink is then not
     * called, and its driver must check every call.
     */
    lam_status (*fail)(void *state, const lam_error *failure, lam_error *error);
} lam_record_sink;

/* --- Verbs by hand ------------------------------------------------------------------------- */

static inline lam_status lam_begin(const lam_record_sink *sink, lam_error *error) {
    return sink->begin(sink->state, error);
}

static inline lam_status lam_open(const lam_record_sink *sink, const lam_field *group,
                                  lam_error *error) {
    return sink->open(sink->state, group, error);
}

static inline lam_status lam_close(const lam_record_sink *sink, const lam_field *group,
                                   lam_error *error) {
    return sink->close(sink->state, group, error);
}

static inline lam_status lam_end(const lam_record_sink *sink, lam_error *error) {
    return sink->end(sink->state, error);
}

/*
 * Puts one value, after checking that the leaf has this physical type: INVALID when it has another,
 * is a group, or is NULL, which lam_schema_find returns for an unknown path. The failure is kept
 * like that of a verb, so that one check at `end` is enough.
 *
 * The sinks of the library check in `put` everything that is visible there: that the leaf belongs
 * to their schema and to the open group, lengths, bytes at NULL, and the rules of the logical type.
 * The member of lam_value that was set is not visible: a union with a tag would no longer be passed
 * in registers, and `{.int64 = 5}` would leave the tag out. These functions are that check.
 */
LAM_PUBLIC lam_status lam_put_boolean(const lam_record_sink *sink, const lam_field *leaf,
                                      bool value, lam_error *error);
LAM_PUBLIC lam_status lam_put_int32(const lam_record_sink *sink, const lam_field *leaf,
                                    int32_t value, lam_error *error);
LAM_PUBLIC lam_status lam_put_int64(const lam_record_sink *sink, const lam_field *leaf,
                                    int64_t value, lam_error *error);
/*
 * The same for numbers without a sign, which leaves of the types INTEGER(32,false) and
 * INTEGER(64,false) store in the bits of those with one, and shorter ones as they are. INVALID in
 * another leaf for one that is beyond its numbers with a sign.
 */
LAM_PUBLIC lam_status lam_put_uint32(const lam_record_sink *sink, const lam_field *leaf,
                                     uint32_t value, lam_error *error);
LAM_PUBLIC lam_status lam_put_uint64(const lam_record_sink *sink, const lam_field *leaf,
                                     uint64_t value, lam_error *error);
LAM_PUBLIC lam_status lam_put_float(const lam_record_sink *sink, const lam_field *leaf, float value,
                                    lam_error *error);
LAM_PUBLIC lam_status lam_put_double(const lam_record_sink *sink, const lam_field *leaf,
                                     double value, lam_error *error);
/* BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY and INT96. `data` may be NULL when `size` is 0. */
LAM_PUBLIC lam_status lam_put_bytes(const lam_record_sink *sink, const lam_field *leaf,
                                    const void *data, size_t size, lam_error *error);
/* The same for a text that ends with a NUL, which is not put. INVALID when it is NULL. */
LAM_PUBLIC lam_status lam_put_string(const lam_record_sink *sink, const lam_field *leaf,
                                     const char *text, lam_error *error);

/*
 * A run of triples of one leaf. A triple is a repetition level, a definition level, and a value
 * when the definition level is the leaf's maximum. All arrays are borrowed.
 *
 * The elements of `values` by physical type: uint8_t (0 or 1) for BOOLEAN, int32_t, int64_t, float,
 * double; lam_bytes for BYTE_ARRAY; type_length packed bytes for FIXED_LEN_BYTE_ARRAY, 12 for
 * INT96.
 */
typedef struct lam_triples {
    size_t count;              /* triples */
    size_t value_count;        /* values, count minus the nulls */
    const uint8_t *repetition; /* `count` levels; NULL when all are 0 */
    const uint8_t *definition; /* `count` levels; NULL when all are the leaf's maximum */
    const void *values;        /* `value_count` elements; may be NULL when there are none */
} lam_triples;

/*
 * Value `index` (0 to value_count - 1) of a run of the leaf, as `put` takes it. Its bytes are
 * borrowed for as long as the run is.
 */
LAM_PUBLIC lam_value lam_triples_value(const lam_triples *triples, const lam_field *leaf,
                                       size_t index);

static inline lam_status lam_put_lam_bytes(const lam_record_sink *sink, const lam_field *leaf,
                                           lam_bytes value, lam_error *error) {
    return lam_put_bytes(sink, leaf, value.data, value.size, error);
}

static inline lam_status lam_put_long(const lam_record_sink *sink, const lam_field *leaf,
                                      long value, lam_error *error) {
    return sizeof value == sizeof(int32_t) ? lam_put_int32(sink, leaf, (int32_t)value, error)
                                           : lam_put_int64(sink, leaf, value, error);
}

static inline lam_status lam_put_unsigned_long(const lam_record_sink *sink, const lam_field *leaf,
                                               unsigned long value, lam_error *error) {
    return sizeof value == sizeof(uint32_t) ? lam_put_uint32(sink, leaf, (uint32_t)value, error)
                                            : lam_put_uint64(sink, leaf, value, error);
}

#ifdef __cplusplus
}
#endif

/*
 * lam_put(sink, leaf, value, error): the typed put that the type of `value` names, in C11 and C++.
 * An int, and what is shorter, is an INT32: write INT64_C(5), or use lam_put_int64. In C a bool is
 * one only by its type: `true` is an int before C23.
 */
#ifdef __cplusplus
extern "C++" {
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf, bool value,
                          lam_error *error) {
    return lam_put_boolean(sink, leaf, value, error);
}
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf, int value,
                          lam_error *error) {
    return lam_put_int32(sink, leaf, value, error);
}
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf, long value,
                          lam_error *error) {
    return lam_put_long(sink, leaf, value, error);
}
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf, long long value,
                          lam_error *error) {
    return lam_put_int64(sink, leaf, value, error);
}
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf, unsigned value,
                          lam_error *error) {
    return lam_put_uint32(sink, leaf, value, error);
}
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf, unsigned long value,
                          lam_error *error) {
    return lam_put_unsigned_long(sink, leaf, value, error);
}
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf,
                          unsigned long long value, lam_error *error) {
    return lam_put_uint64(sink, leaf, value, error);
}
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf, float value,
                          lam_error *error) {
    return lam_put_float(sink, leaf, value, error);
}
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf, double value,
                          lam_error *error) {
    return lam_put_double(sink, leaf, value, error);
}
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf, const char *value,
                          lam_error *error) {
    return lam_put_string(sink, leaf, value, error);
}
inline lam_status lam_put(const lam_record_sink *sink, const lam_field *leaf, lam_bytes value,
                          lam_error *error) {
    return lam_put_lam_bytes(sink, leaf, value, error);
}
} /* extern "C++" */
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define lam_put(sink, leaf, value, error)                                                          \
    _Generic((value),                                                                              \
        bool: lam_put_boolean,                                                                     \
        signed char: lam_put_int32,                                                                \
        short: lam_put_int32,                                                                      \
        int: lam_put_int32,                                                                        \
        long: lam_put_long,                                                                        \
        long long: lam_put_int64,                                                                  \
        unsigned char: lam_put_uint32,                                                             \
        unsigned short: lam_put_uint32,                                                            \
        unsigned: lam_put_uint32,                                                                  \
        unsigned long: lam_put_unsigned_long,                                                      \
        unsigned long long: lam_put_uint64,                                                        \
        float: lam_put_float,                                                                      \
        double: lam_put_double,                                                                    \
        char *: lam_put_string,                                                                    \
        const char *: lam_put_string,                                                              \
        lam_bytes: lam_put_lam_bytes)((sink), (leaf), (value), (error))
#endif

#endif
