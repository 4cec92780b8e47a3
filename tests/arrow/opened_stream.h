/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of files that can be read: a failure to open one or to read on fails the test. */
#ifndef LAM_TESTS_OPENED_STREAM_H
#define LAM_TESTS_OPENED_STREAM_H

#include <lamella/arrow.h>

struct ArrowArrayStream lam_opened_stream(const lam_reader *reader,
                                          const lam_arrow_read_options *options);
/* The next array, which has no `release` at the end. */
struct ArrowArray lam_opened_stream_next(struct ArrowArrayStream *stream);

#endif
