/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the program ends before its time: by a signal, or for want of memory.
 *
 * A file that is being written has a temporary name, which must not outlive the program. The
 * handler of a signal removes it there and then and lets the signal do what it does by default:
 * unlink is safe in a handler, and whatever the program is in the midst of (waiting for a pipe, a
 * page that is compressed for a second) needs not be asked to stop. Where no file is written
 * signals are left alone.
 */
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};

enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

/*
 * Written while signals are blocked. It stays when the file has got its own name or is removed:
 * temporary names do not come twice, so it is then the name of nothing.
 */
static char unfinished[PATH_MAX];

static void remove_unfinished(void) {
    if (unfinished[0] != '\0')
        unlink(unfinished);
}

static void on_signal(int number) {
    remove_unfinished();
    signal(number, SIG_DFL);
    raise(number); /* comes as soon as the handler is left */
}

static void fill_set(sigset_t *set) {
    sigemptyset(set);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        sigaddset(set, signals[i]);
}

/* Leaves alone what is ignored, as nohup has it. */
static void catch_signals(const sigset_t *set) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_mask = *set;
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}

lam_status tool_create_file(const char *path, lam_output *ret_output, lam_error *error) {
    sigset_t set, before;
    lam_output_file_options options = lam_output_file_options_default();
    options.is_disposable = true;
    fill_set(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    lam_status status = lam_output_create_file_with(path, &options, NULL, ret_output, error);
    const char *name = status == LAM_STATUS_OK ? lam_output_temporary_path(ret_output) : NULL;
    snprintf(unfinished, sizeof unfinished, "%s", name == NULL ? "" : name);
    if (name != NULL)
        catch_signals(&set);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* --- Memory -------------------------------------------------------------------------------- */

void tool_end_without_memory(const char *file, const char *message) {
    fflush(stdout);
    fprintf(stderr, "lamella: %s%s%s\n", file == NULL ? "" : tool_name(file),
            file == NULL ? "" : ": ", message);
    remove_unfinished();
    _exit(TOOL_BAD_INPUT);
}

void *tool_allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL)
        tool_end_without_memory(NULL, "no memory");
    return memory;
}

void *tool_reallocate(void *memory, size_t count, size_t size) {
    void *moved = count > SIZE_MAX / size ? NULL : realloc(memory, count * size);
    if (moved == NULL)
        tool_end_without_memory(NULL, "no memory");
    return moved;
}

char *tool_copy_text(const char *text) {
    char *copy = strdup(text);
    if (copy == NULL)
        tool_end_without_memory(NULL, "no memory");
    return copy;
}

char *tool_path_of(const lam_field *field) {
    size_t size = lam_field_path(field, NULL, 0) + 1;
    char *path = tool_allocate(size, 1);
    lam_field_path(field, path, size);
    return path;
}
