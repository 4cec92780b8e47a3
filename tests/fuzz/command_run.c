/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariant: between two commands the process has the outputs, the descriptors and the memory
 * that it had before the first. The program itself ends early in one way, by _exit where memory
 * has ended, which the limits are there to prevent: it is a finding (__wrap__exit).
 */
#define _XOPEN_SOURCE 700
#include "fuzz/command_run.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "fuzz/harness.h"
#include "tool.h"
#include "tool_progress.h"

enum { LOOKED_AT_MOST = 1 << 20, WORDS_SIZE = 4096, CHANGED = 2 };

static const char *const limits[] = {"--memory-limit", "16MiB", "--timeout", "2s"};
enum { LIMIT_COUNT = sizeof limits / sizeof limits[0] };

/* Files without names in place of standard output and error. */
typedef struct outputs {
    int saved[2];
    int files[2];
} outputs;

/* Where a sanitizer reports; NULL without one. */
extern void __sanitizer_set_report_fd(void *descriptor) __attribute__((weak));

static char folder[PATH_MAX];
static pid_t runner; /* the process that runs a command; 0: none does */
static outputs of_program;

/* --- The folder ---------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at) {
    (void)status;
    (void)kind;
    return at->level == 0 ? 0 : remove(path);
}

static void remove_folder(void) {
    lam_fuzz_folder_clear();
    (void)rmdir(folder);
}

const char *lam_fuzz_folder(void) {
    if (folder[0] != '\0')
        return folder;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/lamella-fuzz-XXXXXX", parent == NULL ? "/tmp" : parent);
    if (mkdtemp(folder) == NULL)
        abort();
    (void)atexit(remove_folder);
    return folder;
}

void lam_fuzz_folder_clear(void) {
    (void)nftw(lam_fuzz_folder(), remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void lam_fuzz_folder_write(const char *name, const void *bytes, size_t size) {
    char path[PATH_MAX + NAME_MAX];
    snprintf(path, sizeof path, "%s/%s", lam_fuzz_folder(), name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

/* --- Outputs ------------------------------------------------------------------------------- */

static void open_outputs(outputs *of) {
    for (int i = 0; i < 2; i++) {
        char path[] = "/tmp/lamella-fuzz-XXXXXX";
        of->saved[i] = dup(STDOUT_FILENO + i);
        of->files[i] = mkstemp(path);
        if (of->saved[i] < 0 || of->files[i] < 0 || unlink(path) != 0 ||
            fcntl(of->files[i], F_SETFL, O_APPEND) != 0)
            abort();
    }
    if (__sanitizer_set_report_fd != NULL)
        __sanitizer_set_report_fd((void *)(intptr_t)of->saved[1]);
}

static void take_outputs(outputs *of) {
    if (of->files[1] == 0)
        open_outputs(of);
    fflush(NULL);
    for (int i = 0; i < 2; i++)
        if (ftruncate(of->files[i], 0) != 0 || dup2(of->files[i], STDOUT_FILENO + i) < 0)
            abort();
}

static void give_back_outputs(const outputs *of) {
    fflush(NULL);
    for (int i = 0; i < 2; i++)
        if (dup2(of->saved[i], STDOUT_FILENO + i) < 0)
            abort();
}

/* The start of what was printed; free() it. */
static char *printed(int file, size_t *ret_size) {
    off_t all = lseek(file, 0, SEEK_END);
    size_t most = all > LOOKED_AT_MOST ? LOOKED_AT_MOST : (size_t)all;
    char *text = lam_fuzz_block(most + 1);
    ssize_t size = pread(file, text, most, 0);
    *ret_size = size < 0 ? 0 : (size_t)size;
    return text;
}

/* --- What is printed ----------------------------------------------------------------------- */

/* What moves the cursor, turns the text, ends a line, or is no text. */
static bool is_hidden(uint32_t c) {
    return (c < ' ' && c != '\n') || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E ||
           c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

static uint32_t next_character(const uint8_t **at) {
    const uint8_t *text = *at;
    unsigned size = *text < 0x80 ? 1 : *text < 0xE0 ? 2 : *text < 0xF0 ? 3 : 4;
    uint32_t c = size == 1 ? *text : *text & (0x7Fu >> size);
    for (unsigned i = 1; i < size; i++)
        c = c << 6 | (text[i] & 0x3Fu);
    *at += size;
    return c;
}

/* Prints a finding with the text that is at fault, in hexadecimal digits where it is no ASCII. */
static void fail_with_text(const char *words, const char *promise, const uint8_t *from,
                           size_t size) {
    fprintf(stderr, "lamella %s: ", words);
    for (size_t i = 0; i < size && i < 200; i++)
        fprintf(stderr, from[i] < ' ' || from[i] > '~' ? "<%02x>" : "%c", from[i]);
    fputc('\n', stderr);
    lam_fuzz_fail(__FILE__, __LINE__, promise, NULL);
}

static void expect_plain(const char *words, const char *text, size_t size) {
    const uint8_t *at = (const uint8_t *)text, *begin = at, *end = at + size;
    size_t good = lam_utf8_prefix(at, size);
    /* A text that was not read to its end may be cut inside of a character. */
    if (good < size && (size < LOOKED_AT_MOST || good + 4 < size))
        fail_with_text(words, "what people read is UTF-8", begin + (good > 50 ? good - 50 : 0),
                       (size_t)(end - begin) - (good > 50 ? good - 50 : 0));
    while (at < begin + good) {
        const uint8_t *from = at;
        if (is_hidden(next_character(&at)))
            fail_with_text(words, "what people read has no control characters",
                           from - begin > 50 ? from - 50 : begin, (size_t)(end - from));
    }
}

/* Strings of JSON have no control characters, and all of it is UTF-8. */
static void expect_json(const char *words, const char *text, size_t size) {
    const uint8_t *bytes = (const uint8_t *)text;
    size_t good = lam_utf8_prefix(bytes, size);
    if (good < size && size < LOOKED_AT_MOST)
        fail_with_text(words, "JSON is UTF-8", bytes + good, size - good);
    for (size_t i = 0; i < size; i++)
        if (bytes[i] < ' ' && bytes[i] != '\n')
            fail_with_text(words, "JSON escapes control characters", bytes + i, size - i);
}

static void judge(const lam_fuzz_command *command, int status, const outputs *of) {
    size_t out_size, message_size;
    char *out = printed(of->files[0], &out_size), *message = printed(of->files[1], &message_size);
    if (status < 0 || status > 2)
        lam_fuzz_fail(__FILE__, __LINE__, "a command ends with a status of the program", NULL);
    if (status != 0 && message_size == 0 && (command->bits & LAM_FUZZ_COMMAND_SILENT) == 0)
        fail_with_text(command->words, "a command that fails says why", NULL, 0);
    expect_plain(command->words, message, message_size);
    if ((command->bits & LAM_FUZZ_COMMAND_PEOPLE) != 0)
        expect_plain(command->words, out, out_size);
    if ((command->bits & LAM_FUZZ_COMMAND_JSON) != 0)
        expect_json(command->words, out, out_size);
    free(out);
    free(message);
}

/* --- Running ------------------------------------------------------------------------------- */

_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

void __wrap__exit(int status) {
    /* A child of the process ends like this: that of the judge of footers. */
    if (runner == getpid()) {
        give_back_outputs(&of_program);
        lam_fuzz_fail(__FILE__, __LINE__, "memory lasts as long as the limit of a command", NULL);
    }
    __real__exit(status);
}

/* The words of a command in `room`, behind its name and the limits. */
static int make_words(const char *words, char *room, char **argv) {
    size_t used = 0;
    int count = 0;
    while (*words != '\0') {
        size_t size = strcspn(words, " ");
        argv[count] = room + used;
        if (*words == '@')
            used += (size_t)snprintf(room + used, WORDS_SIZE - used, "%s/%.*s", lam_fuzz_folder(),
                                     (int)size - 1, words + 1);
        else
            used += (size_t)snprintf(room + used, WORDS_SIZE - used, "%.*s", (int)size, words);
        LAM_FUZZ_EXPECT(++used < WORDS_SIZE);
        words += size + (words[size] == ' ');
        for (size_t i = 0; count == 0 && i < LIMIT_COUNT; i++)
            argv[i + 1] = (char *)limits[i];
        count += count == 0 ? 1 + LIMIT_COUNT : 1;
        LAM_FUZZ_EXPECT(count < LAM_FUZZ_COMMAND_MOST);
    }
    argv[count] = NULL;
    return count;
}

static void expect_out(const lam_fuzz_command *command, int status) {
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/out", lam_fuzz_folder());
    if ((command->bits & LAM_FUZZ_COMMAND_WRITES) != 0)
        LAM_FUZZ_EXPECT((access(path, F_OK) == 0) == (status == 0));
}

int lam_fuzz_command_run(const lam_fuzz_command *command) {
    char room[WORDS_SIZE], *argv[LAM_FUZZ_COMMAND_MOST];
    (void)lam_fuzz_folder();
    int count = make_words(command->words, room, argv);
    const tool_command *run = tool_find_command(argv[0]);
    LAM_FUZZ_EXPECT(run != NULL);
    take_outputs(&of_program);
    runner = getpid();
    int status = run->run(count, argv);
    runner = 0;
    tool_progress_hide();
    give_back_outputs(&of_program);
    judge(command, status, &of_program);
    expect_out(command, status);
    return status;
}

void lam_fuzz_command_try(const lam_fuzz_command *commands, size_t count, const uint8_t *data,
                          size_t size) {
    lam_fuzz_input front = {data, size < 4 ? size : 4}, whole = {data, size};
    uint32_t choice = (uint32_t)lam_fuzz_number(&front, 4);
    lam_bytes bytes;
    uint8_t *copy = lam_fuzz_rest(&whole, &bytes);
    if (size >= 4)
        memcpy(copy, "PAR1", 4);
    lam_fuzz_folder_write("in", copy, size);
    if (choice % CHANGED == 0 && size > 4)
        copy[4 + choice / CHANGED % (size - 4)] ^= (uint8_t)(1 + choice / 7 % 255);
    lam_fuzz_folder_write("other", copy, size);
    free(copy);
    (void)lam_fuzz_command_run(&commands[choice % 8191 % count]);
    lam_fuzz_folder_clear();
}
