/* SPDX-License-Identifier: Apache-2.0 */
/* The schema that import writes with: given, or inferred; and the columns of its VARIANTs. */
#ifndef LAMELLA_TOOLS_IMPORT_SCHEMA_H
#define LAMELLA_TOOLS_IMPORT_SCHEMA_H

#include "import_notice.h"
#include "import_text.h"
#include "import_threshold.h"

/* What the options say about it. */
typedef struct import_layout {
    const char *schema; /* --schema; NULL infers one */
    bool variant_all;   /* one VARIANT holds each complete record */
    char **variants;    /* --variant: paths of fields that become VARIANTs */
    int variant_count;
    char **shreds; /* --shred: "auto", "none", "SCHEMA" or "PATH=SCHEMA" */
    int shred_count;
    bool explain;
    lam_variant_inference_options inference; /* of --shred auto */
    lam_json_inference_options fields;       /* of all else: times, MAPs, decimals, clashes */
    lam_json_column *columns;                /* --type, with room for all */
    lam_clash on_clash;
    const char *threshold; /* the name of the option that changed it last; NULL for none */
} import_layout;

typedef struct import_schema {
    lam_schema *schema;
    lam_schema *inferred;             /* before its VARIANTs were shredded by inference, or NULL */
    lam_variant_inference *inference; /* NULL when there was none */
    lam_json_reader_options json;     /* how records are read with it */
    char *notices;  /* lines for standard error, when the file is written; or NULL */
    size_t clashes; /* fields whose kinds clash */
} import_schema;

/* The name of the column of --variant-all. */
#define IMPORT_RECORD_COLUMN "record"

/* Whether the columns of VARIANTs are inferred. */
bool import_infers_columns(const import_layout *layout);
/* Whether texts have to be read before the schema is known. */
bool import_reads_ahead(const import_layout *layout);

/*
 * Makes the schema from the first `limit` bytes of all inputs together (SIZE_MAX for all of them),
 * where it has to be inferred. `json` is how records are read. On failure prints why and gives the
 * exit status. When `ret_misfit` is given the schema is a guess: a failure that other bytes may
 * mend sets `*ret_misfit` and prints nothing.
 */
int import_schema_make(const import_layout *layout, const lam_json_reader_options *json,
                       tool_text *inputs, int count, size_t limit, import_schema *ret_schema,
                       bool *ret_misfit);
/* Has no effect on a struct that is all zero. */
void import_schema_free(import_schema *schema);

/* Prints to standard error the findings of inference, and how they were used. */
void import_explain(const lam_variant_inference *inference);

#endif
