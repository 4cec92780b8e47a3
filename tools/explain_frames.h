/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the shredder as pictures for slides. */
#ifndef LAMELLA_TOOLS_EXPLAIN_FRAMES_H
#define LAMELLA_TOOLS_EXPLAIN_FRAMES_H

#include "explain_document.h"

/*
 * Writes step-001.svg and so on into a folder, which is made if it is not there: an event of the
 * shredder each, with the columns that it has written so far, for the records that the page shows.
 */
lam_status explain_write_frames(const explain_subject *subject, const char *folder,
                                lam_error *error);

#endif
