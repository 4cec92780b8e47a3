/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends the program before its time: by a signal, at its deadline, or for want of memory.
 *
 * A file that is being written has a temporary name, which must not outlive the program. The
 * handler of a signal removes it at once and lets the signal have its default effect: unlink is
 * safe in a handler, and the program's current work (waiting for a pipe, a page that is compressed
 * for a second) need not be asked to stop. If no file is written signals are left alone. All work
 * checks the deadline; a wait, for a pipe that is silent or has no reader, is ended by a signal,
 * too, a moment later.
 *
 * Restoring a file that is changed in place takes more than a handler may do: there a signal only
 * asks, like a deadline, and ends the program once the file is restored.
 */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <inttypes.h>
#include <lamella/storage.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "tool.h"

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};

enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

/*
 * Written while signals are blocked. That of an output stays when the file has got its own name or
 * is removed: these temporary names do not come twice, so it then names no file.
 */
static char unfinished[PATH_MAX];

static void (*remover)(void);

static int failure_status = TOOL_BAD_INPUT;

void tool_set_remover(void (*remove)(void)) {
    remover = remove;
}

void tool_remove_unfinished(void) {
    if (unfinished[0] != '\0')
        unlink(unfinished);
    if (remover != NULL)
        remover();
}

static void on_signal(int number) {
    tool_remove_unfinished();
    signal(number, SIG_DFL);
    raise(number); /* comes as soon as the handler is left */
}

static void fill_set(sigset_t *set) {
    sigemptyset(set);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        sigaddset(set, signals[i]);
}

/* Leaves ignored signals alone, as with nohup. */
static void catch_signals(void (*handler)(int number), const sigset_t *set) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_mask = *set;
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}

/* Signals wait from here on, until release_signals. */
static void hold_signals(sigset_t *set, sigset_t *before) {
    fill_set(set);
    sigprocmask(SIG_BLOCK, set, before);
}

static void release_signals(const sigset_t *before) {
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* The name to remove from now on; NULL: none. Signals are held. */
static void set_unfinished(const char *name, const sigset_t *set) {
    snprintf(unfinished, sizeof unfinished, "%s", name == NULL ? "" : name);
    if (name != NULL)
        catch_signals(on_signal, set);
}

static void remove_leftovers(const char *path) {
    size_t removed;
    if (lam_output_remove_leftovers(path, &removed, NULL) == LAM_STATUS_OK && removed > 0)
        tool_say("lamella: %s: removed %zu unfinished file%s of runs that were killed\n", path,
                 removed, tool_s(removed));
}

void tool_say_passed_over(const char *path, uint64_t count) {
    if (count > 0)
        tool_say("lamella: %s: %" PRIu64 " file%s the name of a leftover, but %s not this user's "
                 "alone: skipped\n",
                 path, count, count == 1 ? " has" : "s have", count == 1 ? "is" : "are");
}

void tool_say_unrecovered(const char *path, uint64_t count) {
    if (count > 0)
        tool_say("lamella: %s: %" PRIu64 " leftover%s: recovering takes more memory (option "
                 "--memory-limit) or time; see `lamella recover`\n",
                 path, count, count == 1 ? " stays as it is" : "s stay as they are");
}

void tool_say_put_aside(const char *path, uint64_t count) {
    if (count > 0)
        tool_say("lamella: %s: %" PRIu64 " leftover%s of a predecessor cannot be read: kept with "
                 ".bad after the name%s\n",
                 path, count, tool_s(count), tool_s(count));
}

int tool_check_output(const tool_command *command, const char *path) {
    return strcmp(path, "-") == 0 && isatty(STDOUT_FILENO)
               ? tool_misuse(command, "a terminal shows no Parquet: give -o a name, or standard "
                                      "output a file or pipe")
               : -1;
}

lam_status tool_create_file(const char *path, lam_output *ret_output, lam_error *error) {
    if (strcmp(path, "-") == 0)
        return lam_output_descriptor(STDOUT_FILENO, NULL, ret_output, error);
    remove_leftovers(path);
    sigset_t set, before;
    lam_output_file_options options = lam_output_file_options_default();
    options.is_disposable = true;
    hold_signals(&set, &before);
    lam_status status = lam_output_create_file(path, &options, NULL, ret_output, error);
    set_unfinished(status == LAM_STATUS_OK ? lam_output_temporary_path(ret_output) : NULL, &set);
    release_signals(&before);
    return status;
}

/*
 * If a standard descriptor is closed the next file would take its number: messages would go into a
 * file of records, or a log would wait for its own pipe. A descriptor that takes the number here
 * can only fail.
 */
void tool_hold_descriptors(void) {
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0)
            (void)open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* --- Storage ------------------------------------------------------------------------------- */

/* Set once, before any file is opened. */
static lam_storage tool_files;

/* Files with the rights of others are those that replace them, under names of their own. */
static lam_status storage_create_like(void *state, const char *path, const lam_input *like,
                                      lam_storage_file *ret_file, lam_error *error) {
    sigset_t set, before;
    hold_signals(&set, &before);
    lam_status status = tool_files.create_like(state, path, like, ret_file, error);
    if (status == LAM_STATUS_OK)
        set_unfinished(path, &set);
    release_signals(&before);
    return status;
}

/* The name is free from here on, and may soon be that of somebody else's file. */
static lam_status storage_rename(void *state, const char *from, const char *to, lam_error *error) {
    sigset_t set, before;
    hold_signals(&set, &before);
    lam_status status = tool_files.rename(state, from, to, error);
    if (status == LAM_STATUS_OK && strcmp(from, unfinished) == 0)
        set_unfinished(NULL, &set);
    release_signals(&before);
    return status;
}

/* The same, if the name was another file's. */
static lam_status storage_replace(void *state, const char *from, const char *to, lam_error *error) {
    sigset_t set, before;
    hold_signals(&set, &before);
    lam_status status = tool_files.replace(state, from, to, error);
    if (status == LAM_STATUS_OK)
        set_unfinished(NULL, &set);
    release_signals(&before);
    return status;
}

static lam_status storage_remove(void *state, const char *path, lam_error *error) {
    sigset_t set, before;
    hold_signals(&set, &before);
    if (strcmp(path, unfinished) == 0)
        set_unfinished(NULL, &set);
    lam_status status = tool_files.remove(state, path, error);
    release_signals(&before);
    return status;
}

lam_storage tool_storage(void) {
    tool_files = lam_storage_files();
    lam_storage storage = tool_files;
    storage.create_like = storage_create_like;
    storage.rename = storage_rename;
    storage.replace = storage_replace;
    storage.remove = storage_remove;
    return storage;
}

/* --- The deadline -------------------------------------------------------------------------- */

enum { DEADLINE_TICKS = 2, TICK_MICROSECONDS = 200000 };

static volatile sig_atomic_t ticks, is_reported;

/*
 * The first tick only counts: a program that got no processor for a while, and was due meanwhile,
 * has time to end by itself.
 */
static void on_deadline(int number) {
    static const char message[] = "lamella: ended, as the time limit has expired\n";
    (void)number;
    if (++ticks < DEADLINE_TICKS)
        return;
    if (!is_reported && write(STDERR_FILENO, message, sizeof message - 1) < 0)
        is_reported = 1; /* there is nobody to report to */
    tool_remove_unfinished();
    _exit(failure_status);
}

void tool_end_after(int64_t nanoseconds) {
    struct sigaction action;
    const int64_t first = nanoseconds / 1000 + TICK_MICROSECONDS;
    struct itimerval timer = {{0, TICK_MICROSECONDS}, {0, 0}};
    memset(&action, 0, sizeof action);
    action.sa_handler = on_deadline;
    action.sa_flags = SA_RESTART;
    fill_set(&action.sa_mask);
    timer.it_value.tv_sec = (time_t)(first / 1000000);
    timer.it_value.tv_usec = (suseconds_t)(first % 1000000);
    if (sigaction(SIGALRM, &action, NULL) == 0)
        setitimer(ITIMER_REAL, &timer, NULL);
}

/* --- Ends that are asked for --------------------------------------------------------------- */

static volatile sig_atomic_t asked; /* the signal; 0: none */
static lam_stop *asked_stop;

static void on_request(int number) {
    asked = number;
    lam_stop_request(asked_stop);
}

void tool_end_by_itself(lam_stop *stop) {
    sigset_t set;
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_DFL);
    asked_stop = stop;
    fill_set(&set);
    catch_signals(on_request, &set);
}

bool tool_is_asked_to_end(void) {
    return asked != 0;
}

void tool_end_as_asked(void) {
    if (asked == 0)
        return;
    signal(asked, SIG_DFL);
    raise(asked);
}

void tool_note_deadline(void) {
    is_reported = 1;
}

/* --- Memory -------------------------------------------------------------------------------- */

void tool_set_failure(int status) {
    failure_status = status;
}

/* What a file needs that is changed in place. */
static void (*give_up)(void *state);
static void *give_up_state;

void tool_set_give_up(void (*call)(void *state), void *state) {
    give_up = call;
    give_up_state = state;
}

void tool_end_without_memory(const char *file, const char *message) {
    const char *limit =
        tool_limits_of_program()->memory_limit != 0 ? " (option --memory-limit)" : "";
    tool_say("lamella: %s%s%s%s\n", file == NULL ? "" : tool_name(file), file == NULL ? "" : ": ",
             message, limit);
    if (give_up != NULL)
        give_up(give_up_state);
    tool_remove_unfinished();
    _exit(failure_status);
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
