/* SPDX-License-Identifier: Apache-2.0 */
/* Choices for single columns, and for the metadata, of an imported file. */
#ifndef LAMELLA_TOOLS_IMPORT_CHOICE_H
#define LAMELLA_TOOLS_IMPORT_CHOICE_H

#include <lamella/lamella.h>

typedef enum import_choice_kind {
    IMPORT_ENCODING, /* "PATH=NAME" */
    IMPORT_BLOOM,    /* "PATH" or "PATH=FPP" */
    IMPORT_SORTED,   /* "PATH", perhaps followed by ":asc" or ":desc" and ":nulls-first" */
    IMPORT_META      /* "KEY=VALUE" */
} import_choice_kind;

typedef struct import_choice {
    import_choice_kind kind;
    const char *text;
} import_choice;

typedef struct import_choices {
    import_choice *items;
    int count;
} import_choices;

void import_choices_free(import_choices *choices);

/* Adds a choice, whose text is borrowed; false when it cannot be one of that kind. */
bool import_choices_add(import_choices *choices, import_choice_kind kind, const char *text);

/* Whether --meta gives this key. */
bool import_choices_have_key(const import_choices *choices, const char *key);

/* Tells the writer all of them, before the first record. */
lam_status import_choices_apply(const import_choices *choices, lam_writer *writer,
                                lam_error *error);

/* Says who cannot read the choices, unless the file is written for the newest readers. */
void import_choices_say(const import_choices *choices, lam_compat compat);

/* NAME[:LEVEL]; false for other texts. */
bool import_parse_codec(const char *text, lam_writer_options *options);

/* The same for a rewrite, where SORTED sorts the rows; META is not for these. */
lam_status import_choices_rewrite(const import_choices *choices, lam_rewrite *rewrite,
                                  lam_error *error);

#endif
