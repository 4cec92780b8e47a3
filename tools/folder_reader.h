/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files of a folder as one. */
#ifndef LAMELLA_TOOLS_FOLDER_READER_H
#define LAMELLA_TOOLS_FOLDER_READER_H

#include <lamella/reader.h>

/*
 * Opens a file, also JSON or CSV as import takes it; or all files of a folder or of a pattern, one
 * after the other, with the fields of the folders, as "lamella rewrite" makes one file of them,
 * which is in a temporary file meanwhile. On failure prints why and gives the exit status.
 */
int folder_reader_open(const char *name, lam_reader **ret_reader);

#endif
