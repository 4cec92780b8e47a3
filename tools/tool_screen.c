/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the system, by environment and file descriptors, for the terminal, and puts a pager before
 * it. The invariant: while a pager runs, this process is its only writer, and ends after it, so
 * that the shell does not prompt while the pager has the screen.
 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "tool_screen.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include "tool.h"

enum { WIDTH_LEAST = 20, WIDTH_MOST = 100000 };

/* --- The screen ---------------------------------------------------------------------------- */

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value != NULL && *value != '\0';
}

static size_t width_of(const char *text) {
    char *end;
    unsigned long width = text == NULL ? 0 : strtoul(text, &end, 10);
    return width >= WIDTH_LEAST && width <= WIDTH_MOST && *end == '\0' ? width : 0;
}

static size_t find_width(bool is_terminal) {
    struct winsize size;
    size_t width = width_of(getenv("COLUMNS"));
    if (width > 0 || !is_terminal)
        return width;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= WIDTH_LEAST)
        return size.ws_col;
    return 80;
}

const tool_screen *tool_screen_of_program(void) {
    static tool_screen screen;
    static bool is_known;
    if (is_known)
        return &screen;
    const char *terminal = getenv("TERM");
    is_known = true;
    screen.is_terminal = isatty(STDOUT_FILENO) != 0;
    screen.has_colours = screen.is_terminal && !is_set("NO_COLOR") && terminal != NULL &&
                         strcmp(terminal, "dumb") != 0;
    screen.width = find_width(screen.is_terminal);
    /* Characters alone: numbers and messages stay those of the C locale. */
    (void)setlocale(LC_CTYPE, "");
    screen.is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (!screen.is_utf8)
        (void)setlocale(LC_CTYPE, "C");
    return &screen;
}

void tool_set_colour(tool_colour colour) {
    static const char *const codes[] = {"\033[0m",  "\033[1m",  "\033[2m", "\033[31m",
                                        "\033[32m", "\033[33m", "\033[36m"};
    if (tool_screen_of_program()->has_colours)
        tool_print_own(codes[colour]);
}

/* --- Characters ---------------------------------------------------------------------------- */

uint32_t tool_code_point(const char *text, size_t size) {
    uint32_t c = (unsigned char)*text;
    if (size > 1)
        c &= 0x7Fu >> size;
    for (size_t i = 1; i < size; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3F);
    return c;
}

tool_glyph tool_glyph_at(const char *text, const char *end) {
    tool_glyph glyph = {text + 1, 1, true, true};
    char escape[LAM_VISIBLE_ESCAPE_ROOM];
    if (*text >= ' ' && *text < 0x7F)
        return glyph;
    size_t size = lam_visible_escape(text, (size_t)(end - text), escape);
    glyph.end = text + size;
    glyph.is_visible = lam_visible_prefix(text, size) == size;
    int width = glyph.is_visible && tool_screen_of_program()->is_utf8
                    ? wcwidth((wchar_t)tool_code_point(text, size))
                    : -1;
    glyph.is_printable = width >= 0;
    glyph.width = width >= 0 ? (unsigned)width : (unsigned)strlen(escape);
    return glyph;
}

/* The width of the first `size` bytes. */
static size_t word_width(const char *text, size_t size) {
    const char *end = text + size;
    size_t width = 0;
    while (text < end) {
        tool_glyph glyph = tool_glyph_at(text, end);
        width += glyph.width;
        text = glyph.end;
    }
    return width;
}

size_t tool_text_width(const char *text) {
    return word_width(text, strlen(text));
}

void tool_print_wrapped(const char *text, size_t column, size_t indent, size_t width) {
    bool begins = true;
    while (*text != '\0') {
        size_t size = strcspn(text, " \n"), taken = word_width(text, size);
        if (!begins && width > 0 && column + 1 + taken > width) {
            tool_print("\n%*s", (int)indent, "");
            column = indent;
            begins = true;
        }
        tool_print("%s%.*s", begins ? "" : " ", (int)size, text);
        column += taken + (begins ? 0 : 1);
        begins = false;
        text += size;
        if (*text == '\n') {
            tool_print("\n%*s", (int)indent, "");
            column = indent;
            begins = true;
        }
        text += *text != '\0';
    }
}

size_t tool_character_count(const char *text) {
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

char *tool_printable(const char *text, size_t size, size_t most, bool is_for_screen) {
    const char *end = text + size;
    size_t used = 0, room = size + 32;
    char *copy = tool_allocate(room, 1);
    for (size_t width = 0; text < end && width <= most;) {
        tool_glyph glyph = tool_glyph_at(text, end);
        const bool is_escaped = is_for_screen ? !glyph.is_printable : !glyph.is_visible;
        char escape[LAM_VISIBLE_ESCAPE_ROOM];
        if (is_escaped)
            (void)lam_visible_escape(text, (size_t)(end - text), escape);
        const char *shown = is_escaped ? escape : text;
        size_t length = is_escaped ? strlen(escape) : (size_t)(glyph.end - text);
        if (used + length + 1 > room) {
            room = 2 * room + length;
            copy = tool_reallocate(copy, room, 1);
        }
        memcpy(copy + used, shown, length);
        used += length;
        width += glyph.width;
        text = glyph.end;
    }
    copy[used] = '\0';
    return copy;
}

/* --- The pager ----------------------------------------------------------------------------- */

static volatile sig_atomic_t pager; /* its process; 0: none */
static bool is_refused;

void tool_page_refuse(void) {
    is_refused = true;
}

void tool_page_end(void) {
    int status;
    if (pager == 0)
        return;
    (void)fflush(stdout);
    (void)fflush(stderr);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    while (waitpid((pid_t)pager, &status, 0) < 0)
        continue;
    pager = 0;
}

/* The terminal interrupts both; the pager continues with its text. */
static void on_interrupt(int number) {
    int status;
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    while (pager != 0 && waitpid((pid_t)pager, &status, 0) < 0)
        continue;
    signal(number, SIG_DFL);
    raise(number);
}

/* Whether a program is found in PATH. */
static bool is_installed(const char *name) {
    const char *path = getenv("PATH");
    char file[4096];
    while (path != NULL && *path != '\0') {
        size_t size = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)size, path, name);
        if (access(file, X_OK) == 0)
            return true;
        path += size + (path[size] == ':');
    }
    return false;
}

/* The command of the pager; NULL: none. */
static const char *find_pager(void) {
    const char *own = getenv("LAMELLA_PAGER");
    const char *command = own != NULL ? own : getenv("PAGER");
    if (command == NULL)
        command = is_installed("less") ? "less" : "";
    return *command == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

static _Noreturn void run_pager(const char *command, const int ends[2]) {
    (void)dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    /* less: end at once if all fits, pass colours on, leave the screen as it is. */
    (void)setenv("LESS", "FRX", 0);
    (void)setenv("LV", "-c", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void tool_page_begin(void) {
    const char *command;
    int ends[2];
    if (is_refused || pager != 0 || !tool_screen_of_program()->is_terminal ||
        (command = find_pager()) == NULL || pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0)
        run_pager(command, ends);
    if (child > 0) {
        pager = child;
        (void)dup2(ends[1], STDOUT_FILENO);
        if (isatty(STDERR_FILENO))
            (void)dup2(ends[1], STDERR_FILENO);
        (void)signal(SIGINT, on_interrupt);
    }
    close(ends[0]);
    close(ends[1]);
}
