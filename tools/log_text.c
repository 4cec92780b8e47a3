/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads lines of text from a descriptor as they come, until a signal, and gives complete ones, as a
 * source for a reader of JSON.
 *
 *     data   | given to the reader | full lines to give  | begun line |
 *            0 line `line`       given                 full          end
 *
 * The invariant: text that is given to the reader ends with a line, and it asks again only when it
 * is done with all lines before. So a record is read as soon as its line is complete, and the text
 * of a refused record is still here.
 */
#define _POSIX_C_SOURCE 200809L
#include "log_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

enum { PIECE = 256 << 10, IDLE_MS = 1000 };

/* --- Signals ------------------------------------------------------------------------------- */

static volatile sig_atomic_t ended;
static lam_stop stop;
static int wake[2] = {-1, -1};
static void (*volatile on_checkpoint)(void *state);
static void *volatile checkpoint_state;

static void on_end(int number) {
    int error = errno;
    (void)number;
    ended = 1;
    lam_stop_request(&stop);
    if (write(wake[1], "", 1) < 0) /* full: it is awake anyway */
        ended = 1;
    errno = error;
}

static void on_user(int number) {
    int error = errno;
    (void)number;
    void (*checkpoint)(void *state) = on_checkpoint;
    if (checkpoint != NULL)
        checkpoint(checkpoint_state);
    errno = error;
}

static void catch_one(int number, void (*handler)(int)) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void log_signals_catch(void) {
    if (pipe(wake) != 0)
        tool_end_without_memory(NULL, "no descriptor for signals");
    for (int i = 0; i < 2; i++)
        fcntl(wake[i], F_SETFL, O_NONBLOCK);
    catch_one(SIGINT, on_end);
    catch_one(SIGTERM, on_end);
    catch_one(SIGHUP, on_end);
    catch_one(SIGUSR1, on_user);
    /* The reader of the acknowledgements may go; the records are kept all the same. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failure like a full disk */
}

void log_signals_set_checkpoint(void (*checkpoint)(void *state), void *state) {
    on_checkpoint = NULL;
    checkpoint_state = state;
    on_checkpoint = checkpoint;
}

bool log_signals_have_ended(void) {
    return ended != 0;
}

const lam_stop *log_signals_stop(void) {
    return &stop;
}

bool log_signals_wait_to_write(int descriptor, int patience_ms) {
    enum { TURN_MS = 100 };
    struct pollfd polled = {descriptor, POLLOUT, 0};
    for (int left = patience_ms; left > 0;) {
        if (poll(&polled, 1, TURN_MS) > 0)
            return true;
        if (ended != 0)
            left -= TURN_MS;
    }
    return false;
}

/* --- Reading ------------------------------------------------------------------------------- */

int log_text_open(log_text *text, const char *path, size_t line_bytes) {
    bool is_stdin = strcmp(path, "-") == 0;
    memset(text, 0, sizeof *text);
    text->name = tool_name(path);
    text->line = 1;
    text->line_bytes = line_bytes;
    text->descriptor = is_stdin ? STDIN_FILENO : tool_open_descriptor(path);
    if (text->descriptor >= 0)
        return TOOL_OK;
    tool_say("lamella: %s: cannot open: %s\n", path, strerror(errno));
    return TOOL_BAD_INPUT;
}

void log_text_close(log_text *text) {
    if (text->descriptor > STDIN_FILENO)
        close(text->descriptor);
    free(text->data);
    text->data = NULL;
}

static lam_status fail_read(lam_error *error) {
    *error = lam_error_none();
    error->status = LAM_STATUS_IO;
    error->os_error = errno;
    snprintf(error->message, sizeof error->message, "cannot read: %s", strerror(errno));
    return LAM_STATUS_IO;
}

/* Milliseconds of a clock that does not jump. */
static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until there are bytes to read, or the time is over; false then, and at the end. */
static bool wait_for_text(log_text *text, int timeout_ms) {
    struct pollfd polled[2] = {{text->descriptor, POLLIN, 0}, {wake[0], POLLIN, 0}};
    int count = 0;
    if (ended == 0)
        count = poll(polled, wake[0] < 0 ? 1 : 2, timeout_ms);
    if (ended != 0)
        text->has_ended = true;
    return !text->has_ended && count > 0 && polled[0].revents != 0;
}

/* The line that is begun is too long: it becomes an empty one. */
static void skip_line(log_text *text) {
    uint64_t line = text->line;
    lam_bytes begun = {(const uint8_t *)text->data + text->whole, text->end - text->whole};
    for (size_t i = 0; i < text->whole; i++)
        line += text->data[i] == '\n';
    text->end = text->whole;
    text->skips = true;
    if (text->refuse != NULL)
        text->refuse(text->state, line, begun);
}

/* Takes in the bytes read after `end`: they may end lines, or belong to one that is skipped. */
static void take_piece(log_text *text, size_t size) {
    char *piece = text->data + text->end;
    if (text->gives_bytes) {
        text->whole = text->end += size;
        return;
    }
    if (text->skips) {
        char *newline = memchr(piece, '\n', size);
        size_t skipped = newline == NULL ? size : (size_t)(newline - piece);
        memmove(piece, piece + skipped, size - skipped);
        size -= skipped;
        text->skips = newline == NULL;
    }
    text->end += size;
    for (size_t i = text->end; i > text->whole; i--)
        if (text->data[i - 1] == '\n') {
            text->whole = i;
            break;
        }
    if (text->end - text->whole > text->line_bytes)
        skip_line(text);
}

/* A text may end without a newline. A line that a signal cut does not count. */
static void end_text(log_text *text) {
    text->has_ended = true;
    text->has_added_end = text->end > text->whole && !text->gives_bytes;
    if (text->has_added_end)
        text->data[text->end++] = '\n'; /* PIECE bytes of room are after `end` */
    text->whole = text->end;
}

/* Reads the available bytes, or waits for some; `*ret_any` is false when the time is over. */
static lam_status read_piece(log_text *text, int timeout_ms, bool *ret_any, lam_error *error) {
    *ret_any = wait_for_text(text, timeout_ms);
    if (!*ret_any)
        return LAM_STATUS_OK;
    if (text->capacity - text->end < PIECE) {
        text->capacity = text->end + text->end / 2 + PIECE;
        text->data = tool_reallocate(text->data, text->capacity, 1);
    }
    ssize_t size = read(text->descriptor, text->data + text->end, PIECE);
    if (size < 0 && errno != EINTR && errno != EAGAIN)
        return fail_read(error);
    if (size == 0)
        end_text(text);
    if (size > 0)
        take_piece(text, (size_t)size);
    return LAM_STATUS_OK;
}

/* `first_ms` bounds all of it, and existing lines count; -1: another line may take for ever. */
static lam_status sample_lines(log_text *text, size_t lines, int first_ms, int wait_ms,
                               lam_bytes *ret_lines, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    size_t counted = first_ms < 0 ? text->whole : 0, count = 0;
    for (; counted < text->whole; counted++)
        count += text->data[counted] == '\n';
    int64_t until = first_ms < 0 ? INT64_MAX : now_ms() + first_ms;
    while (status == LAM_STATUS_OK && !text->has_ended && count < lines &&
           text->whole < text->line_bytes) {
        bool any;
        int64_t left = until - now_ms();
        if (left <= 0)
            break;
        status = read_piece(text, left < IDLE_MS ? (int)left : IDLE_MS, &any, error);
        if (status == LAM_STATUS_OK && !any && text->idle != NULL)
            status = text->idle(text->state, error);
        size_t before = count;
        for (; counted < text->whole; counted++)
            count += text->data[counted] == '\n';
        if (before == 0 && count > 0 && first_ms < 0)
            until = now_ms() + wait_ms;
    }
    ret_lines->data = (const uint8_t *)text->data;
    ret_lines->size = text->whole;
    return status;
}

lam_status log_text_sample(log_text *text, size_t lines, int wait_ms, lam_bytes *ret_lines,
                           lam_error *error) {
    return sample_lines(text, lines, -1, wait_ms, ret_lines, error);
}

lam_status log_text_sample_more(log_text *text, size_t lines, int wait_ms, lam_bytes *ret_lines,
                                lam_error *error) {
    return sample_lines(text, lines, wait_ms, 0, ret_lines, error);
}

/* --- The source ---------------------------------------------------------------------------- */

/* Forgets the lines that the reader is done with. */
static void drop_lines(log_text *text) {
    for (size_t i = 0; i < text->whole; i++)
        text->line += text->data[i] == '\n';
    if (text->end > text->whole)
        memmove(text->data, text->data + text->whole, text->end - text->whole);
    text->end -= text->whole;
    text->whole = text->given = 0;
    text->found = 0;
}

static lam_status read_lines(void *state, void *buffer, size_t capacity, size_t *ret_size,
                             lam_error *error) {
    log_text *text = state;
    lam_status status = LAM_STATUS_OK;
    if (text->given == text->whole)
        drop_lines(text);
    while (status == LAM_STATUS_OK && text->whole == 0 && !text->has_ended) {
        bool any;
        status = read_piece(text, IDLE_MS, &any, error);
        if (status == LAM_STATUS_OK && !any && text->idle != NULL)
            status = text->idle(text->state, error);
    }
    if (status != LAM_STATUS_OK)
        return status;
    size_t size = text->whole - text->given;
    size = size < capacity ? size : capacity;
    if (size == 0 && text->gives_bytes && ended != 0) {
        *error = lam_error_none();
        error->status = LAM_STATUS_CANCELLED;
        return LAM_STATUS_CANCELLED;
    }
    if (size > 0)
        memcpy(buffer, text->data + text->given, size);
    text->given += size;
    *ret_size = size;
    return LAM_STATUS_OK;
}

void log_text_give_bytes(log_text *text) {
    if (text->gives_bytes)
        return;
    text->gives_bytes = true;
    text->end -= text->has_added_end;
    text->has_added_end = false;
    text->whole = text->end;
}

lam_json_source log_text_source(log_text *text) {
    lam_json_source source = {text, read_lines};
    return source;
}

/* Goes on from the line that was found last: lines are asked for in order. */
static size_t find_line(log_text *text, uint64_t line) {
    size_t at = 0;
    uint64_t number = text->line;
    if (text->found != 0 && text->found <= line) {
        at = text->found_at;
        number = text->found;
    }
    for (; number < line; number++) {
        const char *newline = memchr(text->data + at, '\n', text->whole - at);
        if (newline == NULL)
            return text->whole;
        at = (size_t)(newline - text->data) + 1;
    }
    text->found = line;
    text->found_at = at;
    return at;
}

lam_bytes log_text_line(log_text *text, uint64_t line) {
    size_t at = find_line(text, line), size = text->whole - at;
    const char *newline = size > 0 ? memchr(text->data + at, '\n', size) : NULL;
    lam_bytes bytes = {(const uint8_t *)text->data + at,
                       newline != NULL ? (size_t)(newline - text->data) - at : size};
    return bytes;
}

lam_bytes log_text_lines(log_text *text, uint64_t line, size_t most) {
    lam_bytes first = log_text_line(text, line);
    size_t at = find_line(text, line), size = text->whole - at;
    if (size > most) {
        size = most;
        while (size > first.size && text->data[at + size - 1] != '\n')
            size--;
        size = size > first.size ? size : first.size;
    }
    lam_bytes lines = {first.data, size};
    return lines;
}

void log_text_rewind(log_text *text, uint64_t line) {
    text->given = find_line(text, line);
}
