/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders of any names, with files, links and pipes in them, as operands of commands:
 *
 *     command (1 byte), | kind (1 byte), path, NUL | ...
 *
 * Components of paths that lead out of the folder are left out. Commands end, whatever there is,
 * and make nothing but what they are told to. (command_run.h)
 */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <lamella/writer.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/any_record.h"
#include "fuzz/command_run.h"
#include "fuzz/harness.h"

enum { ENTRIES_MOST = 24, DEPTH_MOST = 8, RECORDS = 3 };

static const lam_fuzz_command commands[] = {
    {"count @root", 0},
    {"cat -f table @root", LAM_FUZZ_COMMAND_PEOPLE},
    {"cat -f csv @root", 0},
    {"cat --where k=1 @root", LAM_FUZZ_COMMAND_JSON},
    {"cat --columns a,k @root/**/*.parquet", LAM_FUZZ_COMMAND_JSON},
    {"head -n 1 @root/*/*", LAM_FUZZ_COMMAND_JSON},
    {"sample -n 2 --seed 3 @root", LAM_FUZZ_COMMAND_JSON},
    {"summary @root", LAM_FUZZ_COMMAND_PEOPLE},
    {"meta --json @root", LAM_FUZZ_COMMAND_JSON},
    {"schema @root", LAM_FUZZ_COMMAND_PEOPLE},
    {"check @root", LAM_FUZZ_COMMAND_SILENT | LAM_FUZZ_COMMAND_PEOPLE},
    {"check --json @root", LAM_FUZZ_COMMAND_SILENT | LAM_FUZZ_COMMAND_JSON},
    {"rewrite -o @out @root", LAM_FUZZ_COMMAND_WRITES},
    {"import -o @out @root", LAM_FUZZ_COMMAND_WRITES},
    {"recover @root", 0},
    {"diff @root @root", LAM_FUZZ_COMMAND_SILENT},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

typedef enum entry_kind {
    ENTRY_PARQUET,
    ENTRY_EMPTY,
    ENTRY_ENDLESS, /* a link to a device */
    ENTRY_LOOP,    /* a link to a folder above */
    ENTRY_PIPE,
    ENTRY_FOLDER,
    ENTRY_BROKEN, /* a link to nothing */
    ENTRY_LEFTOVER
} entry_kind;

/* A small file, made once. */
static lam_bytes small_file(void) {
    static const char shape[] = "message m { required int32 a; optional binary b (STRING); }";
    static lam_output bytes;
    if (bytes.state == NULL) {
        lam_schema *schema;
        lam_writer *writer;
        lam_output output;
        lam_random dice = lam_random_start(1);
        LAM_FUZZ_OK(lam_schema_parse(shape, strlen(shape), NULL, &schema, &fault));
        LAM_FUZZ_OK(lam_output_memory(NULL, &output, &fault));
        bytes = output;
        output.close = NULL;
        LAM_FUZZ_OK(lam_writer_open(schema, &output, NULL, &writer, &fault));
        lam_record_sink sink = lam_writer_sink(writer);
        for (int i = 0; i < RECORDS; i++)
            LAM_FUZZ_OK(lam_fuzz_drive_record(lam_writer_schema(writer), &sink, &dice, 50, &fault));
        LAM_FUZZ_OK(lam_writer_finish(writer, &fault));
        lam_writer_close(writer);
        lam_schema_destroy(schema);
    }
    return lam_output_memory_bytes(&bytes);
}

/* Systems refuse some names; what cannot be made is not there. */
static void make_entry(const char *path, entry_kind kind) {
    lam_bytes content = {NULL, 0};
    FILE *file;
    switch (kind) {
    case ENTRY_ENDLESS:
        (void)!symlink("/dev/zero", path);
        return;
    case ENTRY_LOOP:
        (void)!symlink("..", path);
        return;
    case ENTRY_BROKEN:
        (void)!symlink("is/nowhere", path);
        return;
    case ENTRY_PIPE:
        (void)mkfifo(path, 0600);
        return;
    case ENTRY_FOLDER:
        (void)mkdir(path, 0700);
        return;
    default:
        break;
    }
    content = small_file();
    if (kind == ENTRY_EMPTY)
        content.size = 0;
    if (kind == ENTRY_LEFTOVER)
        content.size -= 20;
    file = fopen(path, "wbx");
    if (file == NULL)
        return;
    LAM_FUZZ_EXPECT(fwrite(content.data, 1, content.size, file) == content.size);
    LAM_FUZZ_EXPECT(fclose(file) == 0);
}

static bool leads_on(const char *component, size_t size) {
    return size > 0 && !(size == 1 && component[0] == '.') &&
           !(size == 2 && component[0] == '.' && component[1] == '.');
}

/* Makes the folders of a path, and what is at its end. */
static void make_path(const char *path, entry_kind kind) {
    char whole[PATH_MAX];
    size_t used = (size_t)snprintf(whole, sizeof whole, "%s/root", lam_fuzz_folder());
    struct stat status;
    for (unsigned depth = 0; *path != '\0' && depth < DEPTH_MOST; depth++) {
        size_t size = strcspn(path, "/");
        const char *next = path + size + (path[size] == '/');
        if (leads_on(path, size) && size <= NAME_MAX && used + size + 2 < sizeof whole) {
            used += (size_t)snprintf(whole + used, sizeof whole - used, "/%.*s", (int)size, path);
            if (*next == '\0' || depth + 1 == DEPTH_MOST) {
                make_entry(whole, kind);
                return;
            }
            /* A link that is there leads elsewhere: nothing is made behind it. */
            if (mkdir(whole, 0700) != 0 && (lstat(whole, &status) != 0 || !S_ISDIR(status.st_mode)))
                return;
        }
        path = next;
    }
}

static void make_folder(lam_fuzz_input *input) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/root", lam_fuzz_folder());
    (void)mkdir(path, 0700);
    for (unsigned entries = 0; input->left > 1 && entries < ENTRIES_MOST; entries++) {
        entry_kind kind = (entry_kind)(lam_fuzz_number(input, 1) % (ENTRY_LEFTOVER + 1));
        const uint8_t *end = memchr(input->next, '\0', input->left);
        size_t size = end == NULL ? input->left : (size_t)(end - input->next);
        size_t shown = size < PATH_MAX - 1 ? size : PATH_MAX - 1;
        memcpy(path, input->next, shown);
        path[shown] = '\0';
        make_path(path, kind);
        size += end != NULL;
        input->next += size;
        input->left -= size;
    }
}

/* Nothing is beside the folder but what a command is told to make. */
static void expect_nothing_else(void) {
    DIR *folder = opendir(lam_fuzz_folder());
    LAM_FUZZ_EXPECT(folder != NULL);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        LAM_FUZZ_EXPECT(strcmp(entry->d_name, "root") == 0 || strcmp(entry->d_name, "out") == 0 ||
                        strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    closedir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    size_t command = (size_t)lam_fuzz_number(&input, 1) % COMMANDS;
    make_folder(&input);
    (void)lam_fuzz_command_run(&commands[command]);
    expect_nothing_else();
    lam_fuzz_folder_clear();
    return 0;
}
