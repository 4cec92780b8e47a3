/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the seed corpus of the fuzz targets.
 *
 *     fuzz_seeds FOLDER STAMP
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/seeds.h"

static const char *corpus;
static size_t files;

void lam_seed_check(lam_status status, const char *what, const lam_error *error) {
    if (status == LAM_STATUS_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, lam_status_name(status), error->message);
    exit(1);
}

static void fail(const char *path) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(1);
}

static void make_folder(const char *path) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        fail(path);
}

void lam_seed_write(const char *folder, lam_bytes bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", corpus, folder);
    make_folder(path);
    snprintf(path, sizeof path, "%s/%s/seed-%04zu", corpus, folder, files++);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file) != 0)
        fail(path);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER STAMP\n");
        return 2;
    }
    corpus = argv[1];
    make_folder(corpus);
    lam_seed_files();
    lam_seed_values();
    lam_seed_texts();
    lam_seed_arrow();
    lam_seed_arrow_plan();
    lam_seed_contents();
    lam_seed_variants();
    lam_seed_arrow_write();
    lam_seed_journal();
    lam_seed_recover();
    lam_seed_csv_header();
    lam_seed_folder();
    lam_seed_union();
    FILE *stamp = fopen(argv[2], "w");
    if (stamp == NULL || fprintf(stamp, "%zu\n", files) < 0 || fclose(stamp) != 0)
        fail(argv[2]);
    return 0;
}
