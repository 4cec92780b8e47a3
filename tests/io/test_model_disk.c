/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model disk against what it promises: what is durable survives every crash, all that is not
 * may vanish in each way that is named, and while nothing fails the disk does what the storage of
 * the operating system does.
 */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/storage_copy.h"
#include "support/model_disk.h"

enum { CRASHES = 3000 };

static lam_model_disk *disk;
static lam_storage storage;
static lam_random source;

static void start(void) {
    uint64_t seed = lam_test_seed(20140);
    fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    source = lam_random_start(seed);
    disk = lam_model_disk_create();
    storage = lam_model_disk_storage(disk);
}

static void stop(void) {
    lam_model_disk_destroy(disk);
}

TestSuite(model_disk, .init = start, .fini = stop);

/* --- Help ------------------------------------------------------------------------------------ */

static lam_storage_file create(const char *path) {
    lam_storage_file file = {0};
    lam_error error = lam_error_none();
    cr_assert_eq(storage.create(storage.state, path, &file, &error), LAM_STATUS_OK, "%s",
                 error.message);
    return file;
}

static void append(lam_storage_file *file, char letter, size_t size) {
    char *bytes = malloc(size + 1);
    memset(bytes, letter, size);
    cr_assert_eq(file->append(file->state, bytes, size, NULL), LAM_STATUS_OK);
    free(bytes);
}

static void sync_file(lam_storage_file *file) {
    cr_assert_eq(file->sync(file->state, NULL), LAM_STATUS_OK);
}

static void put(const char *path, char letter, size_t size) {
    char *bytes = malloc(size + 1);
    memset(bytes, letter, size);
    lam_model_disk_put(disk, path, bytes, size);
    free(bytes);
}

/* The first byte of a file on any disk; '-' when it is empty, ' ' when it is missing. */
static char letter_of(lam_model_disk *any, const char *path) {
    lam_bytes content;
    if (!lam_model_disk_content(any, path, &content))
        return ' ';
    return content.size == 0 ? '-' : (char)content.data[0];
}

/* Bytes of `content` in a range that are `letter`. */
static size_t count_letter(lam_bytes content, size_t from, size_t to, char letter) {
    size_t count = 0;
    for (size_t i = from; i < to && i < content.size; i++)
        count += content.data[i] == (uint8_t)letter;
    return count;
}

static void do_ok(lam_status status) {
    cr_assert_eq(status, LAM_STATUS_OK);
}

/* --- Content after a crash ------------------------------------------------------------------- */

Test(model_disk, unsynced_bytes_survive_vanish_tear_or_leave_zeros_and_synced_ones_stay) {
    size_t all = 0, none = 0, zero_tail = 0, holes = 0, torn = 0, between = 0;
    put("x", 'd', 5000);
    lam_storage_file file;
    uint64_t size;
    do_ok(storage.open(storage.state, "x", &file, &size, NULL));
    cr_assert_eq(size, 5000);
    append(&file, 'n', 6000);
    for (int i = 0; i < CRASHES; i++) {
        lam_bytes content = {0};
        lam_model_disk *after = lam_model_disk_crash(disk, &source);
        cr_assert(lam_model_disk_content(after, "x", &content));
        cr_assert(content.size >= 5000 && content.size <= 11000);
        cr_assert_eq(count_letter(content, 0, 5000, 'd'), 5000);
        size_t kept = count_letter(content, 5000, 11000, 'n');
        size_t zeros = count_letter(content, 5000, 11000, '\0');
        cr_assert_eq(kept + zeros, content.size - 5000);
        all += kept == 6000;
        none += content.size == 5000;
        between += content.size > 5000 && content.size < 11000;
        zero_tail += content.size == 11000 && content.data[10999] == 0;
        for (size_t at = 5001; at < content.size; at++) {
            holes += content.data[at - 1] == 0 && content.data[at] == 'n';
            torn += content.data[at - 1] == 'n' && content.data[at] == 0 && at % 512 != 0;
        }
        lam_model_disk_destroy(after);
    }
    cr_assert_gt(all, CRASHES / 50);
    cr_assert_gt(none, CRASHES / 50);
    cr_assert_gt(between, CRASHES / 50);
    cr_assert_gt(zero_tail, CRASHES / 50);
    cr_assert_gt(holes, CRASHES / 50);
    cr_assert_gt(torn, CRASHES / 50);

    sync_file(&file);
    for (int i = 0; i < 100; i++) {
        lam_bytes content = {0};
        lam_model_disk *after = lam_model_disk_crash(disk, &source);
        cr_assert(lam_model_disk_content(after, "x", &content));
        cr_assert_eq(count_letter(content, 5000, 11000, 'n'), 6000);
        lam_model_disk_destroy(after);
    }
    lam_storage_file_close(&file);
}

Test(model_disk, an_unsynced_truncation_may_not_have_happened_and_mixes_with_appends) {
    size_t undone = 0, mixed = 0, cut = 0;
    put("x", 'o', 9000);
    lam_storage_file file;
    uint64_t size;
    do_ok(storage.open(storage.state, "x", &file, &size, NULL));
    do_ok(file.truncate(file.state, 1000, NULL));
    append(&file, 'n', 6000);
    for (int i = 0; i < CRASHES; i++) {
        lam_bytes content = {0};
        lam_model_disk *after = lam_model_disk_crash(disk, &source);
        cr_assert(lam_model_disk_content(after, "x", &content));
        cr_assert(content.size >= 1000 && content.size <= 9000);
        cr_assert_eq(count_letter(content, 0, 1000, 'o'), 1000);
        size_t old = count_letter(content, 1000, 9000, 'o');
        size_t new = count_letter(content, 1000, 7000, 'n');
        cr_assert_eq(old + new + count_letter(content, 1000, 9000, '\0'), content.size - 1000);
        undone += old == 8000;
        mixed += old > 0 && new > 0;
        cut += content.size == 1000;
        lam_model_disk_destroy(after);
    }
    cr_assert_gt(undone, CRASHES / 50);
    cr_assert_gt(mixed, CRASHES / 50);
    cr_assert_gt(cut, CRASHES / 50);
    lam_storage_file_close(&file);
}

/* --- Names after a crash --------------------------------------------------------------------- */

/* Crashes, and counts how often the letters of "a", "b" and "c" are those of `states`. */
static void count_states(const char *const states[], size_t counts[], size_t count) {
    memset(counts, 0, count * sizeof *counts);
    for (int i = 0; i < CRASHES; i++) {
        lam_model_disk *after = lam_model_disk_crash(disk, &source);
        char found[4] = {letter_of(after, "a"), letter_of(after, "b"), letter_of(after, "c"), 0};
        size_t state = 0;
        while (state < count && strcmp(states[state], found) != 0)
            state++;
        cr_assert_lt(state, count, "\"%s\" is not expected", found);
        counts[state]++;
        lam_model_disk_destroy(after);
    }
}

/* Each of the states occurs, and no other one does. */
#define EXPECT_STATES(...)                                                                         \
    do {                                                                                           \
        const char *const states[] = {__VA_ARGS__};                                                \
        size_t counts[sizeof states / sizeof states[0]];                                           \
        size_t count = sizeof states / sizeof states[0];                                           \
        count_states(states, counts, count);                                                       \
        for (size_t i = 0; i < count; i++)                                                         \
            cr_assert_gt(counts[i], 0, "\"%s\" does not occur", states[i]);                        \
    } while (0)

Test(model_disk, a_new_name_needs_a_sync_of_its_folder_and_its_content_one_of_the_file) {
    lam_storage_file file = create("a");
    append(&file, 'n', 1);
    cr_assert_eq(letter_of(disk, "a"), 'n');
    /* Not there, empty, with a zero, whole. */
    EXPECT_STATES("   ", "-  ", "n  ", "\0  ");
    sync_file(&file);
    EXPECT_STATES("   ", "n  ");
    do_ok(storage.sync_folder(storage.state, "", NULL));
    EXPECT_STATES("n  ");
    lam_storage_file_close(&file);
}

Test(model_disk, renames_replacements_and_removals_may_be_undone_until_the_folder_is_synced) {
    put("a", 'a', 1);
    do_ok(storage.rename(storage.state, "a", "b", NULL));
    EXPECT_STATES("a  ", " a ");
    do_ok(storage.sync_folder(storage.state, ".", NULL));
    EXPECT_STATES(" a ");
    put("a", 'x', 1);
    do_ok(storage.replace(storage.state, "a", "b", NULL));
    EXPECT_STATES("xa ", " x ");
    lam_model_disk_sync(disk);
    do_ok(storage.remove(storage.state, "b", NULL));
    EXPECT_STATES(" x ", "   ");
    do_ok(storage.sync_folder(storage.state, "/", NULL));
    EXPECT_STATES("   ");
    cr_assert_eq(lam_model_disk_counts(disk).bytes_kept, 0);
}

Test(model_disk, later_operations_of_a_folder_may_survive_earlier_ones) {
    put("a", 'a', 1);
    put("b", 'b', 1);
    do_ok(storage.remove(storage.state, "a", NULL));
    do_ok(storage.rename(storage.state, "b", "c", NULL));
    EXPECT_STATES("ab ", " b ", "a b", "  b");
}

Test(model_disk, a_rename_of_a_file_that_was_never_created_does_nothing) {
    lam_storage_file file = create("a");
    sync_file(&file);
    do_ok(storage.rename(storage.state, "a", "b", NULL));
    do_ok(storage.rename(storage.state, "b", "c", NULL));
    EXPECT_STATES("   ", "-  ", " - ", "  -");
    lam_storage_file_close(&file);
}

Test(model_disk, a_rename_by_link_may_leave_both_names_of_one_file) {
    put("a", 'a', 1);
    lam_model_disk_set_renames_by_link(disk, true);
    do_ok(storage.rename(storage.state, "a", "b", NULL));
    EXPECT_STATES("a  ", " a ", "aa ");
}

Test(model_disk, an_unsynced_folder_takes_its_synced_files_with_it) {
    size_t lost = 0;
    do_ok(storage.make_folder(storage.state, "log", NULL));
    lam_storage_file file = create("log/x");
    append(&file, 'x', 10);
    sync_file(&file);
    do_ok(storage.sync_folder(storage.state, "log", NULL));
    for (int i = 0; i < 200; i++) {
        lam_model_disk *after = lam_model_disk_crash(disk, &source);
        lost += letter_of(after, "log/x") == ' ';
        lam_model_disk_destroy(after);
    }
    cr_assert(lost > 0 && lost < 200);
    do_ok(storage.sync_folder(storage.state, "", NULL));
    for (int i = 0; i < 200; i++) {
        lam_model_disk *after = lam_model_disk_crash(disk, &source);
        cr_assert_eq(letter_of(after, "log/x"), 'x');
        lam_model_disk_destroy(after);
    }
    lam_storage_file_close(&file);
}

/* --- Kills ----------------------------------------------------------------------------------- */

Test(model_disk, a_kill_keeps_everything_makes_nothing_durable_and_frees_the_locks) {
    size_t lost = 0;
    uint64_t size;
    lam_storage_file file = create("a"), again;
    append(&file, 'x', 100);
    put("b", 'o', 10);
    do_ok(storage.remove(storage.state, "b", NULL));
    lam_model_disk *after = lam_model_disk_kill(disk);
    lam_storage killed = lam_model_disk_storage(after);
    cr_assert_eq(letter_of(after, "a"), 'x');
    cr_assert_eq(letter_of(after, "b"), ' ');
    cr_assert_eq(storage.open(storage.state, "a", &again, &size, NULL), LAM_STATUS_IO);
    do_ok(killed.open(killed.state, "a", &again, &size, NULL));
    cr_assert_eq(size, 100);
    for (int i = 0; i < 300; i++) {
        lam_model_disk *cut = lam_model_disk_crash(after, &source);
        lost += letter_of(cut, "a") != 'x';
        lost += letter_of(cut, "b") == 'o';
        lam_model_disk_destroy(cut);
    }
    cr_assert_gt(lost, 0);
    lam_storage_file_close(&again);
    lam_storage_file_close(&file);
    lam_model_disk_destroy(after);
}

/* --- Failures -------------------------------------------------------------------------------- */

static void expect_code(lam_status status, const lam_error *error, lam_error_code code,
                        int os_error) {
    cr_assert_eq(status, (lam_status)(code / 1000), "%s", error->message);
    cr_assert_eq(error->code, code, "%s", error->message);
    cr_assert_eq(error->os_error, os_error);
}

Test(model_disk, one_operation_fails_and_leaves_everything_as_it_was) {
    lam_error error = lam_error_none();
    put("a", 'a', 1);
    lam_model_disk_set_fault(disk, (lam_model_fault){.at = 2});
    do_ok(storage.make_folder(storage.state, "log", NULL));
    expect_code(storage.rename(storage.state, "a", "b", &error), &error, LAM_ERROR_CODE_FILE_WRITE,
                EIO);
    cr_assert_eq(letter_of(disk, "a"), 'a');
    do_ok(storage.rename(storage.state, "a", "b", NULL));
    cr_assert_eq(lam_model_disk_counts(disk).operations, 3);
}

Test(model_disk, an_append_may_fail_halfway_and_everything_after_it_too) {
    lam_error error = lam_error_none();
    lam_bytes content;
    lam_storage_file file = create("a");
    lam_model_disk_set_fault(
        disk, (lam_model_fault){.at = 3, .stays = true, .os_error = ENOSPC, .short_append = 4});
    append(&file, 'x', 10);
    expect_code(file.append(file.state, "1234567", 7, &error), &error, LAM_ERROR_CODE_DISK_FULL,
                ENOSPC);
    expect_code(file.append(file.state, "1234567", 7, &error), &error, LAM_ERROR_CODE_DISK_FULL,
                ENOSPC);
    cr_assert(lam_model_disk_content(disk, "a", &content));
    cr_assert_eq(content.size, 14);
    expect_code(file.sync(file.state, &error), &error, LAM_ERROR_CODE_DISK_FULL, ENOSPC);
    expect_code(file.sync(file.state, &error), &error, LAM_ERROR_CODE_WRITER_FAILED, 0);
    lam_storage_file_close(&file);
}

Test(model_disk, a_failed_sync_may_lose_what_can_still_be_read) {
    uint64_t size;
    lam_bytes content = {0};
    put("a", 'd', 100);
    lam_storage_file file;
    lam_model_disk_set_fault(disk, (lam_model_fault){.at = 3, .loses_on_sync = true});
    do_ok(storage.open(storage.state, "a", &file, &size, NULL));
    append(&file, 'n', 100);
    cr_assert_eq(file.sync(file.state, NULL), LAM_STATUS_IO);
    lam_storage_file_close(&file);

    do_ok(storage.open(storage.state, "a", &file, &size, NULL));
    cr_assert_eq(size, 200);
    append(&file, 'm', 100);
    sync_file(&file);
    lam_storage_file_close(&file);
    cr_assert(lam_model_disk_content(disk, "a", &content));
    cr_assert_eq(count_letter(content, 100, 200, 'n'), 100);
    lam_model_disk *after = lam_model_disk_crash(disk, &source);
    cr_assert(lam_model_disk_content(after, "a", &content));
    cr_assert_eq(content.size, 300);
    cr_assert_eq(count_letter(content, 0, 100, 'd'), 100);
    cr_assert_eq(count_letter(content, 100, 200, '\0'), 100);
    cr_assert_eq(count_letter(content, 200, 300, 'm'), 100);
    lam_model_disk_destroy(after);
}

Test(model_disk, a_full_disk_takes_what_fits_and_a_removal_makes_room) {
    lam_error error = lam_error_none();
    lam_storage_file file = create("a");
    put("b", 'b', 60);
    lam_model_disk_set_limit(disk, 100);
    append(&file, 'x', 30);
    expect_code(file.append(file.state, "12345678901", 11, &error), &error,
                LAM_ERROR_CODE_DISK_FULL, ENOSPC);
    cr_assert_eq(lam_model_disk_counts(disk).bytes_kept, 100);
    do_ok(file.truncate(file.state, 30, NULL));
    do_ok(storage.remove(storage.state, "b", NULL));
    append(&file, 'y', 70);
    cr_assert_eq(file.append(file.state, "1", 1, NULL), LAM_STATUS_IO);
    lam_storage_file_close(&file);
}

/* --- Watching -------------------------------------------------------------------------------- */

typedef struct watched {
    char names[200];
    size_t lost;
} watched;

/* The power may go before each operation: what was acknowledged by then is there. */
static void crash_before(void *state, const char *what) {
    watched *seen = state;
    lam_model_disk *after = lam_model_disk_crash(disk, &source);
    strcat(strcat(seen->names, what), " ");
    seen->lost += letter_of(after, "log/x") == ' ';
    lam_model_disk_destroy(after);
}

Test(model_disk, each_operation_can_be_preceded_by_a_crash) {
    watched seen = {{0}, 0};
    lam_model_disk_watch(disk, crash_before, &seen);
    do_ok(storage.make_folder(storage.state, "log", NULL));
    lam_storage_file file = create("log/x");
    append(&file, 'x', 1);
    sync_file(&file);
    do_ok(storage.sync_folder(storage.state, "log", NULL));
    do_ok(storage.sync_folder(storage.state, "", NULL));
    seen.lost = 0;
    uint64_t size;
    cr_assert_eq(storage.open(storage.state, "log/x", &file, &size, NULL), LAM_STATUS_IO);
    cr_assert_eq(seen.lost, 0);
    cr_assert_str_eq(seen.names, "make_folder create append sync sync_folder sync_folder open ");
    lam_storage_file_close(&file);
}

Test(model_disk, the_same_random_numbers_give_the_same_crash) {
    for (char letter = 'a'; letter < 'd'; letter++) {
        char path[2] = {letter, 0};
        lam_storage_file file = create(path);
        append(&file, letter, 5000);
        lam_storage_file_close(&file);
    }
    for (uint64_t seed = 0; seed < 100; seed++) {
        lam_random one = lam_random_start(seed), two = one;
        lam_model_disk *first = lam_model_disk_crash(disk, &one);
        lam_model_disk *second = lam_model_disk_crash(disk, &two);
        for (const char *path = "a\0b\0c\0"; *path != '\0'; path += 2) {
            lam_bytes x = {0}, y = {0};
            cr_assert_eq(lam_model_disk_content(first, path, &x),
                         lam_model_disk_content(second, path, &y));
            cr_assert_eq(x.size, y.size);
            cr_assert(x.size == 0 || memcmp(x.data, y.data, x.size) == 0);
        }
        lam_model_disk_destroy(first);
        lam_model_disk_destroy(second);
    }
}

/* --- Beside the storage of the operating system ---------------------------------------------- */

enum { NAMES = 5, STEPS = 4000 };

typedef struct both {
    lam_storage storage[2];
    const char *root[2];
    lam_storage_file files[2][NAMES]; /* by the name under which they were opened */
} both;

static void path_of(const both *disks, int side, uint64_t name, char *path, size_t size) {
    static const char *const names[NAMES] = {"a", "b", "below/a", "below/b", "none/a"};
    snprintf(path, size, "%s%s", disks->root[side], names[name]);
}

/* One operation on one side; gives its status, and its code in `error`. */
static lam_status act(both *disks, int side, const uint64_t draw[4], lam_error *error) {
    char path[128], other[128], bytes[300];
    lam_storage *on = &disks->storage[side];
    lam_storage_file *file = &disks->files[side][draw[1]];
    uint64_t size = draw[2];
    path_of(disks, side, draw[1], path, sizeof path);
    path_of(disks, side, draw[1] / 2 * 2 + (draw[3] % 2 && draw[1] < 4), other, sizeof other);
    memset(bytes, (int)draw[3], sizeof bytes);
    lam_input memory = lam_input_memory(bytes, sizeof bytes);
    switch (draw[0]) {
    case 0:
        return file->state != NULL ? LAM_STATUS_OK : on->create(on->state, path, file, error);
    case 1:
        return file->state != NULL ? LAM_STATUS_OK : on->open(on->state, path, file, &size, error);
    case 2:
        lam_storage_file_close(file);
        return LAM_STATUS_OK;
    case 3:
        return on->rename(on->state, path, other, error);
    case 4:
        return on->replace(on->state, path, other, error);
    case 5:
        return on->remove(on->state, path, error);
    case 6:
        return on->sync_folder(on->state, path, error);
    case 7:
        return file->state == NULL ? LAM_STATUS_OK : file->sync(file->state, error);
    case 8:
        return file->state == NULL ? LAM_STATUS_OK : file->truncate(file->state, size, error);
    case 9:
        return file->state == NULL ? LAM_STATUS_OK
                                   : lam_storage_copy(file, &memory, 1, size, error);
    default:
        return file->state == NULL ? LAM_STATUS_OK : file->append(file->state, bytes, size, error);
    }
}

static void expect_equal_content(both *disks) {
    for (uint64_t name = 0; name < NAMES; name++) {
        lam_input inputs[2] = {{0}};
        lam_status status[2];
        char path[128], bytes[2][1];
        for (int side = 0; side < 2; side++) {
            lam_storage *on = &disks->storage[side];
            path_of(disks, side, name, path, sizeof path);
            status[side] = on->open_input(on->state, path, &inputs[side], NULL);
        }
        cr_assert_eq(status[0], status[1]);
        cr_assert_eq(inputs[0].size, inputs[1].size);
        for (uint64_t at = 0; at < inputs[0].size; at++) {
            for (int side = 0; side < 2; side++)
                do_ok(inputs[side].read_at(inputs[side].state, at, 1, bytes[side], NULL));
            cr_assert_eq(bytes[0][0], bytes[1][0]);
        }
        lam_input_close(&inputs[0]);
        lam_input_close(&inputs[1]);
    }
}

Test(model_disk, it_does_what_the_storage_of_the_system_does) {
    char folder[] = "/tmp/lamella-model-XXXXXX", root[64], command[80];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(root, sizeof root, "%s/", folder);
    both disks = {.storage = {storage, lam_storage_files()}, .root = {"", root}};
    snprintf(command, sizeof command, "%sbelow", root);
    do_ok(storage.make_folder(storage.state, "below", NULL));
    do_ok(disks.storage[1].make_folder(NULL, command, NULL));
    for (int step = 0; step < STEPS; step++) {
        uint64_t draw[4] = {lam_random_below(&source, 12), lam_random_below(&source, NAMES),
                            lam_random_below(&source, 290), lam_random_below(&source, 256)};
        lam_error errors[2] = {lam_error_none(), lam_error_none()};
        lam_status model = act(&disks, 0, draw, &errors[0]);
        lam_status system = act(&disks, 1, draw, &errors[1]);
        cr_assert_eq(model, system, "step %d, action %d: %s; %s", step, (int)draw[0],
                     errors[0].message, errors[1].message);
        if (draw[0] != 6) /* a file in place of a folder has no code of its own */
            cr_assert_eq(errors[0].code, errors[1].code, "step %d, action %d: %s; %s", step,
                         (int)draw[0], errors[0].message, errors[1].message);
        if (step % 100 == 99)
            expect_equal_content(&disks);
    }
    for (int name = 0; name < NAMES; name++) {
        lam_storage_file_close(&disks.files[0][name]);
        lam_storage_file_close(&disks.files[1][name]);
    }
    lam_model_disk *after = lam_model_disk_kill(disk);
    lam_model_disk_export(after, folder);
    lam_model_disk_destroy(after);
    expect_equal_content(&disks);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

/* --- Threads and clocks ---------------------------------------------------------------------- */

static void *write_much(void *state) {
    lam_storage_file file = create(state);
    for (int i = 0; i < 500; i++) {
        append(&file, 'x', 10);
        if (i % 10 == 0)
            sync_file(&file);
    }
    lam_storage_file_close(&file);
    return NULL;
}

Test(model_disk, threads_write_files_while_another_one_crashes_the_disk) {
    pthread_t threads[3];
    char paths[3][2] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, write_much, paths[i]), 0);
    for (int i = 0; i < 50; i++)
        lam_model_disk_destroy(lam_model_disk_crash(disk, &source));
    for (int i = 0; i < 3; i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    lam_model_counts counts = lam_model_disk_counts(disk);
    cr_assert_eq(counts.bytes, 3 * 5000);
    cr_assert_eq(counts.bytes_kept, 3 * 5000);
    cr_assert_eq(counts.syncs, 3 * 50);
    cr_assert_eq(counts.operations, 3 * (1 + 500 + 50));
    cr_assert_eq(counts.open_files, 0);
    cr_assert(counts.most_open_files >= 1 && counts.most_open_files <= 3);
}

Test(model_disk, the_clock_goes_where_the_test_sets_it) {
    lam_model_clock model = {.utc = 1000, .monotonic = 5};
    lam_clock clock = lam_model_clock_start(&model);
    lam_model_clock_advance(&model, 10);
    cr_assert_eq(clock.utc(clock.state), 1010);
    cr_assert_eq(clock.monotonic(clock.state), 15);
    model.utc = -7;
    cr_assert_eq(clock.utc(clock.state), -7);
    cr_assert_eq(clock.monotonic(clock.state), 15);
}
