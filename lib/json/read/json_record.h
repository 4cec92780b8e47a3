/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record: the tokens of an object, replayed into a sink as events. A stack of frames holds the
 * objects, arrays and repeated groups that are open:
 *
 *     {"name": [{"url": "http://A"}]}        frames                        events
 *     {                                      root                          begin
 *       "name": [                            root, array of name
 *         {                                  root, array of name, name     open name
 *           "url": "http://A"                                              put url
 *         }                                  root, array of name           close name
 *       ]                                    root
 *     }                                                                    end
 */
#ifndef LAM_JSON_READ_JSON_RECORD_H
#define LAM_JSON_READ_JSON_RECORD_H

#include <lamella/json.h>

#include "base/buffer.h"
#include "json/parse/json_shape.h"
#include "json/parse/json_tokens.h"
#include "json/value/json_value.h"
#include "json/value/json_variant_column.h"

typedef struct lam_json_frame lam_json_frame;

typedef struct lam_json_record {
    lam_allocator allocator;
    lam_json_shape shape;
    lam_json_tokens parsed;
    lam_json_manner manner;
    bool ignore_unknown;
    bool ignore_unknown_nulls;
    bool exact_integers;
    bool whole_records;
    lam_json_variant_columns variants;
    lam_json_frame *frames;
    size_t frame_capacity; /* enough for the schema */
    size_t depth;
    uint64_t serial;  /* number of objects opened so far */
    uint64_t *seen;   /* per field: the object in which it appeared last */
    uint32_t *follow; /* two per field: its first child, the sibling after it, as last seen; or 0 */
    lam_buffer name;  /* of a member, unescaped */
    lam_buffer scratch;
    lam_record_sink sink;
    bool sink_failed;     /* the failure is the sink's, whose message is complete */
    size_t at;            /* offset in the text of the value that is read */
    const lam_stop *stop; /* or NULL */
    uint64_t steps;       /* of all records */
} lam_json_record;

/* Copies what it needs from `options`. finish must be called after a failure, too. */
lam_status lam_json_record_init(lam_json_record *record, const lam_schema *schema,
                                const lam_json_reader_options *options,
                                const lam_allocator *allocator, lam_error *error);
void lam_json_record_finish(lam_json_record *record);

/* Replays the record whose text was parsed into `parsed`. */
lam_status lam_json_record_replay(lam_json_record *record, const lam_record_sink *sink,
                                  lam_error *error);

/*
 * Gives back the memory of the record, whose tokens are then gone, so that the next one has room.
 */
void lam_json_record_give_back(lam_json_record *record);

/*
 * After a failure: its position, as "addresses[2].city", NUL-terminated. If that is longer than
 * `capacity` - 1 bytes, its beginning is cut off. "" is the record itself.
 */
void lam_json_record_path(const lam_json_record *record, char *path, size_t capacity);

#endif
