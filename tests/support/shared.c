/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and reads the shared test data. */
#define _DEFAULT_SOURCE
#include "support/shared.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *lam_test_shared(const char *name) {
    static char path[4096];
    const char *folder = getenv("LAMELLA_SHARED");
    if (folder == NULL || *folder == '\0')
        folder = getenv("LAMELLA_SHARED_DEFAULT");
    if (folder == NULL || *folder == '\0')
        folder = "../shared";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

bool lam_test_shared_exists(const char *name) {
    struct stat about;
    return stat(lam_test_shared(name), &about) == 0;
}

char *lam_test_read_file(const char *path, size_t *ret_size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *data = NULL;
    size_t size = 0, capacity = 0, got;
    do {
        if (capacity - size < 65537) {
            capacity = capacity * 2 + 65537;
            data = realloc(data, capacity);
        }
        got = fread(data + size, 1, capacity - size - 1, file);
        size += got;
    } while (got > 0);
    fclose(file);
    data[size] = '\0';
    *ret_size = size;
    return data;
}

size_t lam_test_each_file(const char *folder, void (*each)(void *state, const char *path),
                          void *state) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    size_t files = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        struct stat about;
        if (entries[i]->d_name[0] != '.' && stat(path, &about) == 0) {
            if (S_ISDIR(about.st_mode))
                files += lam_test_each_file(path, each, state);
            if (S_ISREG(about.st_mode)) {
                each(state, path);
                files++;
            }
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return files;
}

typedef struct parquet_walk {
    void (*each)(void *state, const char *path, const void *bytes, size_t size);
    void *state;
    size_t count;
} parquet_walk;

static void read_parquet(void *state, const char *path) {
    static const char suffix[] = ".parquet";
    parquet_walk *walk = state;
    size_t size, length = strlen(path);
    if (length < sizeof suffix || strcmp(path + length + 1 - sizeof suffix, suffix) != 0)
        return;
    char *bytes = lam_test_read_file(path, &size);
    if (bytes == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        abort();
    }
    walk->each(walk->state, path, bytes, size);
    walk->count++;
    free(bytes);
}

size_t lam_test_each_parquet(const char *name,
                             void (*each)(void *state, const char *path, const void *bytes,
                                          size_t size),
                             void *state) {
    parquet_walk walk = {each, state, 0};
    lam_test_each_file(lam_test_shared(name), read_parquet, &walk);
    return walk.count;
}
