/*
 * Records as events, and columns as triples.
 *
 * A record is a sequence of five verbs:
 *
 *     begin  { open(group) ... close(group) | put(leaf, value) } ...  end
 *
 * A field that is absent (a null, an empty list) is simply not mentioned. A repeated field is
 * mentioned once per element. Fields of a group may come in any order, but all elements of one
 * repeated field come without another field of the same group between them. (The shredder takes
 * them apart, too: a column only knows the order of its own elements. The checker does not.)
 */
#ifndef LAMELLA_RECORD_H
#define LAMELLA_RECORD_H

#include <lamella/common.h>
#include <lamella/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One value; the leaf's physical type says which member counts. */
typedef union lam_value {
    bool boolean;
    int32_t int32;
    int64_t int64;
    float float32;
    double float64;
    lam_bytes bytes; /* BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY, and INT96 as 12 little-endian bytes */
} lam_value;

/*
 * Who receives a record. Any verb may fail, and after a failure the receiver has dropped the whole
 * record: the next verb is begin. A begin while a record is open drops that record and is no error:
 * this is how a driver that cannot go on gives up. Values are borrowed for the duration of `put`
 * only.
 */
typedef struct lam_record_sink {
    void *state;
    lam_status (*begin)(void *state, lam_error *error);
    lam_status (*open)(void *state, const lam_field *group, lam_error *error);
    lam_status (*put)(void *state, const lam_field *leaf, lam_value value, lam_error *error);
    lam_status (*close)(void *state, const lam_field *group, lam_error *error);
    lam_status (*end)(void *state, lam_error *error);
} lam_record_sink;

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
 * Value `index` (0 to value_count - 1) of a run of the leaf, as `put` takes it; bytes are borrowed
 * as the run is.
 */
LAM_PUBLIC lam_value lam_triples_value(const lam_triples *triples, const lam_field *leaf,
                                       size_t index);

#ifdef __cplusplus
}
#endif

#endif
