/* SPDX-License-Identifier: Apache-2.0 */
/* Logs lines "NAME VALUE" of standard input until its end, SIGTERM or SIGINT:   log FOLDER */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <lamella/lamella.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void end_input(int number) {
    (void)number;
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO); /* a read that waits ends, and any later one */
}

int main(int argc, char **argv) {
    lam_schema *schema = NULL;
    lam_log *log = NULL;
    lam_log_options options = lam_log_options_default();
    lam_error error = lam_error_none();
    char name[100], newline;
    double value;
    signal(SIGTERM, end_input);
    signal(SIGINT, end_input);
    options.background = options.journal = true;
    bool failed = lam_schema_parse_text("required binary name (STRING); required double value;",
                                        NULL, &schema, &error) ||
                  lam_log_open(schema, argc > 1 ? argv[1] : NULL, &options, &log, &error);
    lam_record_sink sink = lam_log_sink(log);
    while (!failed && scanf("%99s%lf%c", name, &value, &newline) == 3) {
        lam_begin(&sink, NULL);
        lam_put_string(&sink, lam_schema_find(schema, "name"), name, NULL);
        lam_put_double(&sink, lam_schema_find(schema, "value"), value, NULL);
        failed = lam_end(&sink, &error); /* a record that is wrong, or a disk that is full */
    }
    failed = failed || lam_log_finish(log, &error);
    fprintf(stderr, "%s%s", error.message, failed ? "\n" : "");
    lam_log_close(log);
    lam_schema_destroy(schema);
    return failed;
}
