/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor under an input, for system calls that move bytes between files. */
#ifndef LAM_IO_INPUT_FILE_H
#define LAM_IO_INPUT_FILE_H

#include <lamella/io.h>

/*
 * The descriptor of an input of lam_input_open_file, whose offsets are those of the file; -1 for
 * every other input. Borrowed until the input is closed. Calls that move its shared offset are
 * harmless, as the input reads by position.
 */
int lam_input_file_descriptor(const lam_input *input);

#endif
