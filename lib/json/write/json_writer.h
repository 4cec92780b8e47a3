/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a writer of records, which two sources share: json_writer.c prints events,
 * json_rows.c columns. Both append lines to `text`, whose first `whole` bytes are complete lines.
 */
#ifndef LAM_JSON_WRITE_JSON_WRITER_H
#define LAM_JSON_WRITE_JSON_WRITER_H

#include <lamella/json.h>

#include "base/budget.h"
#include "record/record_failure.h"
#include "json/parse/json_shape.h"
#include "json/value/json_free.h"
#include "json/write/json_reorder.h"
#include "json/write/json_rows.h"

/* Bytes of complete lines at which they go to the output, at the end of a record. */
enum { LAM_JSON_FLUSH_AT = 256 * 1024 };

/* A group that is open. */
typedef struct lam_json_writer_frame {
    const lam_json_node *node;
    uint32_t next; /* OBJECT: the first child not yet printed; others: children printed */
    bool in_array; /* OBJECT: the child before `next` is repeated, and its array is open */
    bool any;      /* OBJECT: a member was printed */
    bool reorder;  /* OBJECT: a member came out of the schema's order */
    size_t mark;   /* of lam_json_reorder_begin */
    size_t start;  /* OBJECT: where its members start in the text */
} lam_json_writer_frame;

struct lam_json_writer {
    lam_budget budget;
    lam_allocator allocator; /* of all memory but this struct, within the budget */
    lam_json_shape shape;
    const lam_projection *projection; /* of paths inside VARIANTs; NULL for none; borrowed */
    lam_json_binary binary;
    bool replace_invalid;
    lam_output *output;
    lam_buffer text;
    size_t whole; /* bytes of complete lines in `text` */
    lam_json_writer_frame *frames;
    size_t frame_capacity;
    size_t depth;   /* 0 outside of records */
    size_t skipped; /* open groups that are not projected */
    lam_json_free_parser free_parser;
    lam_json_reorder reorder;
    lam_json_variant variant;
    lam_record_failure failure;
    lam_variant_assembler *assembler; /* NULL if no VARIANT prints as a value */
    lam_json_rows rows;               /* the columns that it prints without events */
};

/* Puts an assembler before the verbs, if a VARIANT prints as a value. */
lam_status lam_json_writer_set_variants(lam_json_writer *writer,
                                        const lam_json_writer_options *options, lam_error *error);
/* Puts the path of a field before the message of a failure, whose status it returns. */
lam_status lam_json_at_field(const lam_field *field, lam_error *error);

#endif
