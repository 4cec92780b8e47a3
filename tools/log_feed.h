/* SPDX-License-Identifier: Apache-2.0 */
/* Records from lines of text into a log. */
#ifndef LAMELLA_TOOLS_LOG_FEED_H
#define LAMELLA_TOOLS_LOG_FEED_H

#include <lamella/csv.h>
#include <lamella/json.h>
#include <lamella/log.h>

#include "bad_lines.h"
#include "log_exact.h"
#include "log_rest.h"
#include "log_text.h"
#include "schema_growth.h"

/* The treatment of a field that the schema does not have. */
typedef enum log_new_field {
    LOG_NEW_FIELD_WIDEN,   /* the schema gets it */
    LOG_NEW_FIELD_REFUSE,  /* its record is refused */
    LOG_NEW_FIELD_VARIANT, /* it moves into the VARIANT `rest` */
    LOG_NEW_FIELD_IGNORE   /* it is left out */
} log_new_field;

typedef struct log_feed {
    lam_log *log;
    log_text *text;
    lam_json_reader_options json;
    lam_csv_options csv;
    bool is_csv;          /* the text is delimited, and not JSON */
    bool infers;          /* the schema is that of the first records */
    schema_growth growth; /* of the schema, if it may be wider */
    log_new_field new_field;
    const char *rest_name;
    bool stops; /* at the first record that is refused */
    uint64_t refused;
    bad_lines *bad;   /* refused lines are skipped, if it says so */
    bool is_headless; /* the text has no header that the schema fits: no record was read */
    uint64_t memory;  /* that the log may hold */
    bool is_unread;   /* acknowledgements are left out, as they have no reader */
    /* The feed's own. */
    lam_log_producer *producer;
    lam_record_sink sink;
    log_exact exact; /* of the records that went to the sink */
    lam_json_reader *reader;
    lam_json_reader *rest_reader; /* of records that were split */
    lam_bytes rest_left;
    log_rest rest;
    uint64_t widened;      /* the line that the schema was widened for last */
    unsigned widenings;    /* so far */
    uint64_t columns_most; /* that a wider schema may have */
    unsigned cautions;     /* the nearer to that, the fewer lines are taken at once */
} log_feed;

/*
 * Gives the log all records up to the end of the text. Records that are refused are reported and
 * counted. A failure is the text's, when `*ret_text` is true, or the log's.
 */
lam_status log_feed_run(log_feed *feed, bool *ret_text, lam_error *error);

bool log_feed_has_failed(const log_feed *feed);
/* Whether a failure concerns one record. */
bool log_feed_is_of_record(const log_feed *feed, lam_status status);

/* Makes the producer and its sink, for the present schema of the log. */
lam_status log_feed_start(log_feed *feed, lam_error *error);
/* And lets go of them. */
void log_feed_stop(log_feed *feed);

/*
 * The senders of records choose their fields. Each widening begins a file, and each column takes
 * memory in all open ones, so that endless fields would make endless files of ever fewer rows.
 */
bool log_feed_may_widen(log_feed *feed, size_t columns);
/* Says of a record that is refused, for an unknown field or for a type, that no more come. */
void log_feed_say_limit(lam_error *error, bool is_unknown);
/* The same for a schema in which integers of the log would lose digits. */
void log_feed_say_inexact(lam_error *error);

/* Reports a line that is refused, or skips it; `text` is the known part of it. */
void log_feed_refuse(log_feed *feed, uint64_t line, const char *message, lam_bytes text);

#endif
