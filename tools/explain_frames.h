/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of both machines as pictures for slides. */
#ifndef LAMELLA_TOOLS_EXPLAIN_FRAMES_H
#define LAMELLA_TOOLS_EXPLAIN_FRAMES_H

#include "explain_document.h"

/*
 * Writes shredding-001.svg and so on into the folder that rewrite_folder.h has begun, an event of
 * the shredder each, with the columns that it has written so far; and assembly-001.svg and so on, a
 * state of the assembler each, with the record so far. Both for the records that the page shows.
 */
lam_status explain_write_frames(const explain_subject *subject, lam_error *error);

#endif
