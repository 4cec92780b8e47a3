/* SPDX-License-Identifier: Apache-2.0 */
/* Opens streams of files that can be read: a failure to open one or to read on fails the test. */
#include "arrow/opened_stream.h"

#include <criterion/criterion.h>

struct ArrowArrayStream lam_opened_stream(const lam_reader *reader,
                                          const lam_arrow_read_options *options) {
    struct ArrowArrayStream stream;
    lam_error error = lam_error_none();
    lam_status status = lam_arrow_read_stream(reader, options, &stream, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    return stream;
}

struct ArrowArray lam_opened_stream_next(struct ArrowArrayStream *stream) {
    struct ArrowArray array;
    int code = stream->get_next(stream, &array);
    cr_assert_eq(code, 0, "%s", stream->get_last_error(stream));
    return array;
}
