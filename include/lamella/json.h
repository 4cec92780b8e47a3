/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as JSON text, in both directions, and a schema inferred from JSON text.
 *
 *     JSON text --lam_json_reader--> events --> shredder, checker, any other sink
 *     assembler, any other driver --> events --lam_json_writer--> one JSON object per line
 *
 * The form of a field (LogicalTypes.md for the left side):
 *
 *     BOOLEAN, integers            true; number, all 64 bits of it
 *     FLOAT, DOUBLE, FLOAT16       shortest number that reads back equal, always with a point or an
 *                                  exponent; "NaN" (one NaN for all), "Infinity", "-Infinity"; -0.0
 *     DECIMAL                      number with exactly `scale` digits after the point
 *     STRING, ENUM, JSON           string
 *     other bytes                  base64 string (RFC 4648, section 4, padded), or by the options
 *     DATE                         "2024-10-24"; years outside 0000 to 9999 as "-0044", "+12024"
 *     TIME                         "12:34:56.789000", digits by unit; a number outside of the day
 *     TIMESTAMP, of 64 or 96 bits  "2024-10-24T12:34:56.789000Z", digits by unit, Z when in UTC
 *     INT96                        "2024-10-24T12:34:56.789000000", the sum of its day and its
 *                                  nanoseconds, also where these are outside of the day
 *     UUID; INTERVAL               canonical text; {"months":1,"days":2,"millis":3}
 *     UNKNOWN                      null
 *     group                        object with every field, null for absent fields
 *     LIST, repeated fields        array, by the backward-compatibility rules for lists
 *     MAP                          object when keys are STRING or ENUM and required, otherwise an
 *                                  array of {"key":..,"value":..}
 *     VARIANT                      the value that it holds, shredded or not; null if it is missing
 *
 * The reader accepts the same forms. The writer's output reads back to equal records. In TIMESTAMP
 * it also accepts a date, its midnight, and in UTC a text without a zone; of times, what inference
 * recognizes (below).
 *
 * A VARIANT holds any JSON (VariantEncoding.md). Each of its kinds prints like the column type of
 * the same meaning. A value read from JSON has these kinds only:
 *
 *     null, booleans, strings      null, boolean, string
 *     objects, arrays              the same; no name may come twice in an object
 *     numbers without fraction     int8 to int64, the smallest that holds it; else a decimal of up
 *                                  to 38 digits
 *     numbers with a point         decimal with as many digits after it as are written (1.50), up
 *                                  to 38 in all; a double or float if the value goes to a column
 *                                  of those and prints as the same text
 *     numbers beyond that, -0.0    double, if its shortest text is the same number (1e300); INVALID
 *                                  otherwise, or on request the nearest double
 *
 * For an optional VARIANT, null in JSON is a missing VARIANT; for one that cannot be missing, it is
 * the null that VARIANTs have.
 */
#ifndef LAMELLA_JSON_H
#define LAMELLA_JSON_H

#include <lamella/common.h>
#include <lamella/io.h>
#include <lamella/projection.h>
#include <lamella/record.h>
#include <lamella/scan.h>
#include <lamella/schema.h>
#include <lamella/stop.h>
#include <lamella/variant.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The form of bytes without a textual meaning, as a JSON string. */
typedef enum lam_json_binary {
    LAM_JSON_BINARY_BASE64 = 0,
    LAM_JSON_BINARY_HEX = 1, /* two lower-case digits a byte; the reader accepts upper case too */
    LAM_JSON_BINARY_UTF8 = 2 /* the bytes are text; INVALID if they are not UTF-8 */
} lam_json_binary;

/* The form of a VARIANT. */
typedef enum lam_json_variant {
    LAM_JSON_VARIANT_VALUE = 0,  /* the value that it holds */
    LAM_JSON_VARIANT_TYPED = 1,  /* the same with all kinds named, so that each is read back:
                                    {"int8":5}, {"array":[{"string":"x"},{"null":null}]},
                                    {"object":{"a":{"date":"2024-10-24"}}} */
    LAM_JSON_VARIANT_STORAGE = 2 /* the group that holds it, with its binary columns */
} lam_json_variant;

/*
 * Free JSON: leaves `binary (JSON)` whose text prints as the value that it represents, rather than
 * as a string. A file marks them in its key-value metadata under this key, by the indexes of the
 * leaves with spaces between them: "0 17".
 */
#define LAM_JSON_FREE_KEY "lamella.json.free"

/*
 * Parses the value of that key into an array of one bool per leaf. Leaves that are out of range or
 * not `binary (JSON)` stay unmarked.
 */
LAM_PUBLIC void lam_json_free_parse(const lam_schema *schema, const char *text, size_t size,
                                    bool *free_leaves);

/* --- Reading ------------------------------------------------------------------------------- */

/*
 * A source of text. `read` copies up to `capacity` (never 0) bytes into `buffer`; a count of 0 is
 * the end of the text.
 */
typedef struct lam_json_source {
    void *state;
    lam_status (*read)(void *state, void *buffer, size_t capacity, size_t *ret_size,
                       lam_error *error);
} lam_json_source;

/* Reads from memory. `*left` is the text that is not read yet; both are borrowed. */
LAM_PUBLIC lam_json_source lam_json_source_memory(lam_bytes *left);

/* What numbers in TIMESTAMP leaves count. */
typedef enum lam_json_epoch {
    LAM_JSON_EPOCH_NONE = 0,    /* nothing: they are refused */
    LAM_JSON_EPOCH_SECONDS = 1, /* since 1970-01-01T00:00:00 in UTC; with or without a fraction */
    LAM_JSON_EPOCH_MILLIS = 2,
    LAM_JSON_EPOCH_MICROS = 3,
    LAM_JSON_EPOCH_NANOS = 4
} lam_json_epoch;

/* Zero means the default in every member. */
typedef struct lam_json_reader_options {
    size_t struct_size;
    size_t max_record_bytes; /* text of one record, at most 1 GiB; default: 64 MiB */
    lam_json_binary binary;
    bool ignore_unknown; /* skip members that are not in the schema */
    bool exact_integers; /* refuse an integer in a DOUBLE leaf if the double does not keep it */
    lam_json_variant variant;
    bool nearest_numbers;  /* turn a number that no VARIANT holds exactly into the nearest double */
    bool whole_records;    /* each record, whatever JSON it is, is the value of the schema's only
                              field, which is a VARIANT; not with the form STORAGE */
    const lam_stop *stop;  /* checked before each record; borrowed until destroy; NULL: never */
    uint64_t memory_limit; /* bytes of all memory of the handle, the index of the parser included;
                              default: 16 times max_record_bytes, and at least 1 GiB */
    bool only_lines;       /* the text is NDJSON whatever its first line is: a line that is not a
                              record is refused alone */
    bool ignore_unknown_nulls; /* skip members that are not in the schema and null */
    uint64_t first_line;       /* number of the first line, for messages; default: 1 */
    bool exact_times;          /* refuse what inference does not take: a timestamp without a zone in
                                  UTC, a year with a sign */
    bool values_as_text;       /* turn other values than strings into their JSON text in STRING
                                  leaves, and all values in JSON leaves */
    lam_json_epoch epoch;
    const char *const *time_formats; /* forms of dates and times that are taken, too, in the words
                                        of strptime: %Y %y %m %b %B %d %H %I %M %S %f %p %z %F %T,
                                        as in "%m/%d/%Y"; the first that a text has. Borrowed until
                                        destroy */
    size_t time_format_count;
} lam_json_reader_options;

LAM_GROWING(lam_json_reader_options);

/*
 * Reads records from text of any size, in memory bounded by the largest record. The text is UTF-8,
 * or UTF-16 with a byte order mark. It is either lines of one object each (NDJSON), or documents:
 * objects that may span lines, and arrays whose elements are the records. The first line decides
 * which of the two, unless only_lines is set. Blank lines, CRLF and a byte order mark are accepted.
 * One thread at a time.
 */
typedef struct lam_json_reader lam_json_reader;

/*
 * `source` is copied. `options` may be NULL. `allocator` may be NULL and is copied; the index of
 * the parser comes from the C++ heap. For a record of n bytes, the longest in the text, the handle
 * holds:
 *
 *     text                         n to 1.5 n; 2.5 n while it grows
 *     index of the parser          4.3 n; beyond 1 MiB only while the record is parsed
 *     tokens, 12 bytes each        6.4 n if all values have one digit; n if a name or value has 11
 *                                  bytes, punctuation included
 *     VARIANT: 40 bytes a value    20 n if all have one digit; and the value twice
 *     strings with escapes         n; twice that while they grow
 *
 * That is 12 n in all for numbers of one digit, and 6 n for one long string, whose index is not
 * touched. Memory that a long record took is given back after a number of short ones.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_reader_create(
    const lam_schema *schema, const lam_json_source *source, const lam_json_reader_options *options,
    const lam_allocator *allocator, lam_json_reader **ret_reader, lam_error *error);
/*
 * Drives `sink` with up to `max_records` records and gives their number; fewer only at the end of
 * the text. `*ret_records` is set on failure too: it counts the whole records before.
 *
 * INVALID names line and path ("line 7: addresses[2].city: expected a string, found a number"):
 * text that is not JSON, a wrong kind, a number out of range, a required field that is missing or
 * null, an unknown or repeated member. That record does not reach the end verb; the begin verb of
 * the next one drops the events that the sink has of it. Reading may go on with the next line or
 * element. LIMIT names the line: a record is too long, or needs more than memory_limit; with
 * only_lines reading may go on with the next line, and else in the second case, if the text of the
 * record fitted. After a failure that leaves no way to find the next record, and after any other
 * status, every read fails with STATE.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_reader_read(lam_json_reader *reader,
                                                         const lam_record_sink *sink,
                                                         size_t max_records, size_t *ret_records,
                                                         lam_error *error);
/*
 * The line, from 1, on which the last record that was read or refused begins. 0 before the first
 * one.
 */
LAM_PUBLIC uint64_t lam_json_reader_line(const lam_json_reader *reader);
/*
 * After a failed read that reading may continue after: the text of the record that is
 * refused, or its beginning, if it is too long. Borrowed until the next call; nothing otherwise.
 */
LAM_PUBLIC lam_bytes lam_json_reader_text(const lam_json_reader *reader);
LAM_PUBLIC void lam_json_reader_destroy(lam_json_reader *reader);

/* Zero means the default in every member. */
typedef struct lam_json_parser_options {
    size_t struct_size;
    lam_json_variant form;  /* VALUE or TYPED */
    lam_json_binary binary; /* of TYPED */
    bool nearest_numbers;   /* as in lam_json_reader_options */
} lam_json_parser_options;

LAM_GROWING(lam_json_parser_options);

/* Parses JSON texts of one value each into a builder. One thread at a time. */
typedef struct lam_json_parser lam_json_parser;

/* `options` and `allocator` may be NULL. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_parser_create(const lam_json_parser_options *options,
                                                           const lam_allocator *allocator,
                                                           lam_json_parser **ret_parser,
                                                           lam_error *error);
/*
 * Adds the value of `text` to `builder`, at the builder's current position. INVALID for text that
 * is not one JSON value, or a value that no VARIANT holds; LIMIT beyond LAM_VARIANT_DEPTH_MAX, and
 * for 4 GiB of text. After a failure the builder holds an unfinished value, and must be cleared.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_parser_read(lam_json_parser *parser, const char *text,
                                                         size_t size, lam_variant_builder *builder,
                                                         lam_error *error);
LAM_PUBLIC void lam_json_parser_destroy(lam_json_parser *parser);

/* --- Inference ----------------------------------------------------------------------------- */

/* The type of one field, whatever its values are. */
typedef struct lam_json_column {
    const char *path;       /* as in the schema (lamella/schema.h): a.b, "a.b", tags[],
                               tags.list.element, m.key_value.value */
    lam_physical_type type; /* of a leaf; or GROUP, then the logical type is VARIANT, MAP, or NONE
                                  for a group of named members */
    lam_field_options options; /* of the leaf; only the logical type of a group */
} lam_json_column;

/* Zero means the default in every member. */
typedef struct lam_json_inference_options {
    size_t struct_size;
    size_t max_record_bytes;     /* as in lam_json_reader_options */
    size_t max_fields;           /* fields and elements in all; default: 20,000 */
    const char *const *variants; /* paths of fields that become VARIANTs, whatever their values, as
                                    those of columns. Borrowed during create */
    size_t variant_count;
    const lam_stop *stop;   /* checked before each record; borrowed until destroy; NULL: never */
    uint64_t memory_limit;  /* as in lam_json_reader_options, all that was inferred included */
    lam_switch infer_times; /* strings that are dates, times or timestamps get these types */
    lam_switch infer_maps;  /* objects whose keys are data become MAPs */
    bool infer_decimals;    /* numbers with a point become DECIMALs instead of doubles */
    lam_clash on_clash;     /* of kinds of value, such as numbers and strings; STRING: the reader
                               needs values_as_text; ERROR: no schema is made, the notices are */
    const lam_json_column *columns; /* types of fields, and paths; borrowed during create */
    size_t column_count;
    bool skip_bad_lines; /* the text has one object per line; a line that is none, or too long,
                            adds nothing, and is counted. A line that names a member twice adds what
                            stands before that */
    const char *const *time_formats; /* as in lam_json_reader_options */
    size_t time_format_count;
} lam_json_inference_options;

LAM_GROWING(lam_json_inference_options);

/*
 * Infers a schema from JSON text. Every field is optional; fields come in the order in which they
 * were first seen.
 *
 *     only null                    int32 (UNKNOWN)
 *     booleans                     boolean
 *     integers                     int64; int64 (INTEGER(64,false)) when all are at least 0 and one
 *                                  is above the int64 range; DECIMAL(20,0) when one is negative and
 *                                  one above it
 *     reals, with integers or not  double, as the nearest double, if every integer among them is
 *                                  kept exactly by its shortest text; where decimals are wanted,
 *                                  DECIMAL of 18 or 38 digits, if it holds all of them
 *     strings, all of them:
 *       2024-10-24                 int32 (DATE)
 *       12:34, 12:34:56.789        int64 (TIME(MICROS,false))
 *       2024-10-24T12:34:56.789    int64 (TIMESTAMP(MICROS,false)), dates among them at midnight
 *       ... with Z or +01:00       int64 (TIMESTAMP(MICROS,true))
 *       UUIDs                      fixed_len_byte_array(16) (UUID)
 *       anything else              binary (STRING)
 *     objects                      group; members missing in an object are null there
 *     objects whose keys are data  MAP
 *     arrays                       LIST, of int32 (UNKNOWN) when all are empty
 *     everything else              VARIANT, of metadata and value: kinds that clash, numbers beyond
 *                                  the types above, objects that never have a member, names that
 *                                  hold U+0000, values nested deeper than a schema can be
 *
 * Times and timestamps are NANOS if one has more than six digits after the point; timestamps that
 * 64 bits of nanoseconds do not hold are then strings. Seconds may be missing, T may be a space,
 * and a zone may be +0100, +01 or UTC, with a space before it. Timestamps with and without a zone,
 * and dates with times of the day, stay strings.
 *
 * The keys of an object are data if their values are alike: merged, they have no kinds that clash,
 * and structures in common; and if there are
 *
 *     more than 200 keys           that have less than 10 values each, or are in less than half of
 *                                  the objects
 *     16 keys or more              that are in less than a tenth of the objects, on average
 *
 * Beyond max_fields the objects with most members become MAPs or, if their values are not alike,
 * VARIANTs; if these are the records themselves, each record is the VARIANT `record`. A notice says
 * so.
 */
typedef struct lam_json_inference lam_json_inference;

/*
 * `options` and `allocator` may be NULL. INVALID for options out of range and texts that are no
 * paths. Whether a type goes with its field is known when the schema is made.
 */
LAM_PUBLIC LAM_NODISCARD lam_status
lam_json_inference_create(const lam_json_inference_options *options, const lam_allocator *allocator,
                          lam_json_inference **ret_inference, lam_error *error);
/*
 * Reads all of a source. May be called for several sources in turn. Errors are those of
 * lam_json_reader_read, and INVALID also for an object that names a member twice. After a failure
 * only destroy is allowed. Text that inference accepts can be read with its schema, except for
 * values that a VARIANT cannot hold and for given types: inference does not check inside values
 * that are known to become VARIANTs.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_inference_add(lam_json_inference *inference,
                                                           const lam_json_source *source,
                                                           lam_error *error);
/*
 * Gives the schema of all records seen so far, to be freed with lam_schema_destroy. Objects that
 * are a MAP in it stay one when more is added. NOT_FOUND, with the path, when one of `variants` or
 * `columns` was in no record; INVALID when a group is wanted and not all values are objects, or a
 * path leads to several fields by dots in their names.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_inference_schema(lam_json_inference *inference,
                                                              const char *message_name,
                                                              lam_schema **ret_schema,
                                                              lam_error *error);
typedef enum lam_json_notice_kind {
    LAM_JSON_NOTICE_CLASH = 0,   /* values of the field clash */
    LAM_JSON_NOTICE_MAP = 1,     /* the field is a MAP because of max_fields */
    LAM_JSON_NOTICE_VARIANT = 2, /* the field is a VARIANT because of max_fields */
    LAM_JSON_NOTICE_RECORDS = 3, /* each record is a VARIANT because of max_fields */
    LAM_JSON_NOTICE_EMPTY = 4,   /* the field has objects without members alone, and no group can:
                                    it is a VARIANT or, by on_clash, a STRING */
    LAM_JSON_NOTICE_NUMBERS = 5, /* the same of numbers that no type holds together */
    LAM_JSON_NOTICE_ARRAY = 6    /* the only record has a long array of objects here */
} lam_json_notice_kind;

/* What a user may want to know about an inferred field. */
typedef struct lam_json_notice {
    size_t struct_size;
    lam_json_notice_kind kind;
    const char *path; /* in the schema; borrowed until destroy */
    /* Of a clash: the first value, and the first that does not go with it. */
    const char *values[2]; /* "a number"; static */
    uint64_t lines[2];     /* on which their records begin, from 1 */
    size_t sources[2];     /* calls of lam_json_inference_add before that of the line */
    uint64_t records[2];   /* their numbers in these sources, from 1 */
    uint64_t count;        /* of an array: its objects */
} lam_json_notice;

LAM_GROWING(lam_json_notice);

/* What is known of all records so far, and of the last schema that was made. */
typedef struct lam_json_inference_info {
    size_t struct_size;
    uint64_t records;
    uint64_t skipped;    /* lines that skip_bad_lines has skipped */
    size_t notice_count; /* of the last schema; 0 before */
    bool whole_records;  /* each record is the value of the schema's only field, so that the reader
                            needs whole_records */
    bool values_as_text; /* the schema has a STRING or JSON field for values of other kinds, so that
                            the reader needs values_as_text */
} lam_json_inference_info;

LAM_GROWING(lam_json_inference_info);

LAM_PUBLIC LAM_NODISCARD lam_status lam_json_inference_get_info(const lam_json_inference *inference,
                                                                lam_json_inference_info *ret_info,
                                                                lam_error *error);
/* Gives a notice by its index; INVALID when out of range. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_inference_notice(const lam_json_inference *inference,
                                                              size_t index,
                                                              lam_json_notice *ret_notice,
                                                              lam_error *error);
LAM_PUBLIC void lam_json_inference_destroy(lam_json_inference *inference);

/* --- Writing ------------------------------------------------------------------------------- */

/* Zero means the default in every member. */
typedef struct lam_json_writer_options {
    size_t struct_size;
    lam_json_binary binary;
    bool replace_invalid; /* U+FFFD for bytes of text that are not UTF-8, instead of INVALID */
    const bool *leaves;   /* the projection, as marked by lam_schema_select; NULL for all; copied */
    const bool *free_leaves;          /* as marked by lam_json_free_parse; copied; NULL for none */
    lam_json_variant variant;         /* of VARIANTs projected as a whole; others print as groups */
    bool tolerate_conflicts;          /* as in lam_variant_assembler_options */
    const lam_projection *projection; /* instead of `leaves`, with the wanted paths inside of
                                         VARIANTs; not with STORAGE; borrowed until destroy; NULL
                                         for none */
    uint64_t memory_limit; /* bytes for the text of a record, 256 KiB of records before it, and all
                              other memory of the writer: LIMIT beyond; 0 is no limit */
    bool omit_nulls; /* members of objects that are null are left out; nulls in lists, in maps and
                        inside of VARIANTs are printed */
} lam_json_writer_options;

LAM_GROWING(lam_json_writer_options);

/*
 * Prints one JSON object per line, with the projected fields in schema order. If a projection has
 * the keys of a map without its values, or the reverse, that map prints as an array of objects. One
 * thread at a time.
 */
typedef struct lam_json_writer lam_json_writer;

/*
 * `output` is borrowed until destroy. It is written in large pieces of whole lines, and neither
 * finished nor closed. `options` may be NULL, `allocator` too.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_writer_create(
    const lam_schema *schema, lam_output *output, const lam_json_writer_options *options,
    const lam_allocator *allocator, lam_json_writer **ret_writer, lam_error *error);
/*
 * The verbs that print; valid until destroy. They take the fields of a group in any order, and are
 * fastest in schema order. INVALID with the path for text that is not UTF-8, free JSON that is not
 * JSON, a required field that is missing; STATE for verbs out of order.
 */
LAM_PUBLIC lam_record_sink lam_json_writer_sink(lam_json_writer *writer);
/*
 * Prints up to `max_records` of the next records of a reader, as lam_record_reader_read does with
 * the sink above, with its errors, but several times faster: columns become text without events in
 * between, unless VARIANTs print as values. `records` borrows the writer until it is closed, or
 * goes to other rows (salvage.h), and projects what the writer does.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_writer_print(lam_json_writer *writer,
                                                          lam_record_reader *records,
                                                          uint64_t max_records,
                                                          uint64_t *ret_records, lam_error *error);
/* Writes all whole lines to the output. Needed after the last record. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_writer_flush(lam_json_writer *writer,
                                                          lam_error *error);
LAM_PUBLIC void lam_json_writer_destroy(lam_json_writer *writer);

/* Prints one value of a leaf as JSON, like the writer. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_print_value(const lam_field *leaf, lam_value value,
                                                         lam_json_binary binary, lam_output *output,
                                                         lam_error *error);
/*
 * Prints a value as JSON, like the writer; VALUE or TYPED. The value is validated first, with the
 * errors of lam_variant_validate.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_print_variant(lam_variant variant,
                                                           lam_json_variant form,
                                                           lam_json_binary binary,
                                                           lam_output *output, lam_error *error);
/* Prints text as a JSON string in quotes, with U+FFFD for bytes that are not UTF-8. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_json_print_text(const char *text, size_t size,
                                                        lam_output *output, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
