/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files as outputs: a new file has its name only when it is whole, links and permissions stay, and
 * a full disk is an error that names the file.
 */
#define _DEFAULT_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <lamella/io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/lamella-output-XXXXXX";
static char path[64];

static void make_folder(void) {
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
}

static size_t files_in_folder(void) {
    DIR *entries = opendir(folder);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static void remove_folder(void) {
    unlink(path);
    rmdir(folder);
}

static void expect_content(const char *content) {
    char bytes[64] = "";
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    cr_assert_eq(size, strlen(content));
    cr_assert_str_eq(bytes, content);
}

static void write_file(const char *content, bool finish) {
    lam_output output;
    cr_assert_eq(lam_output_create_file(path, NULL, NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.write(output.state, content, strlen(content), NULL), LAM_STATUS_OK);
    if (finish)
        cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_OK);
    lam_output_close(&output);
}

TestSuite(output_file, .init = make_folder, .fini = remove_folder);

Test(output_file, a_finished_file_has_its_name_and_nothing_else_stays) {
    write_file("one", true);
    expect_content("one");
    cr_assert_eq(files_in_folder(), 1);
}

Test(output_file, an_abandoned_file_leaves_no_trace) {
    write_file("half", false);
    cr_assert_eq(files_in_folder(), 0);
}

Test(output_file, the_old_file_stays_until_the_new_one_is_whole) {
    write_file("old", true);
    write_file("new but abandoned", false);
    expect_content("old");
    write_file("new", true);
    expect_content("new");
}

/* A link to nothing was replaced by the file, while a link to a file stayed. */
Test(output_file, a_link_to_nothing_leads_to_where_the_file_will_be) {
    char links[] = "/tmp/lamella-XXXXXX", first[64], second[64], target[64], held[64];
    cr_assert_not_null(mkdtemp(links));
    snprintf(first, sizeof first, "%s/first", links);
    snprintf(second, sizeof second, "%s/second", links);
    snprintf(target, sizeof target, "%s/target", links);
    cr_assert_eq(symlink("second", first), 0); /* from its folder */
    cr_assert_eq(symlink(target, second), 0);
    lam_output output;
    struct stat about;
    cr_assert_eq(lam_output_create_file(first, NULL, NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.write(output.state, "new", 3, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_OK);
    lam_output_close(&output);
    cr_expect_eq(readlink(first, held, sizeof held), 6);
    cr_expect_eq(readlink(second, held, sizeof held), (ssize_t)strlen(target));
    cr_expect(lstat(target, &about) == 0 && S_ISREG(about.st_mode));
    cr_expect_eq(about.st_size, 3);
    unlink(first);
    unlink(second);
    unlink(target);
    cr_expect_eq(rmdir(links), 0);
}

Test(output_file, links_in_a_circle_are_refused) {
    char links[] = "/tmp/lamella-XXXXXX", first[64], second[64];
    cr_assert_not_null(mkdtemp(links));
    snprintf(first, sizeof first, "%s/first", links);
    snprintf(second, sizeof second, "%s/second", links);
    cr_assert_eq(symlink("second", first), 0);
    cr_assert_eq(symlink("first", second), 0);
    lam_output output;
    cr_expect_eq(lam_output_create_file(first, NULL, NULL, &output, NULL), LAM_STATUS_IO);
    unlink(first);
    unlink(second);
    cr_expect_eq(rmdir(links), 0);
}

Test(output_file, a_link_stays_a_link_and_permissions_stay) {
    write_file("old", true);
    cr_assert_eq(chmod(path, 0640), 0);
    char link_path[80];
    snprintf(link_path, sizeof link_path, "%s-link", folder);
    cr_assert_eq(symlink(path, link_path), 0);
    lam_output output;
    cr_assert_eq(lam_output_create_file(link_path, NULL, NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.write(output.state, "new", 3, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_OK);
    lam_output_close(&output);
    struct stat about;
    cr_assert_eq(lstat(link_path, &about), 0);
    cr_assert(S_ISLNK(about.st_mode));
    cr_assert_eq(stat(path, &about), 0);
    cr_assert_eq(about.st_mode & 0777, 0640);
    expect_content("new");
    unlink(link_path);
}

Test(output_file, a_failed_write_is_an_error_and_so_is_everything_after_it) {
    lam_output output;
    cr_assert_eq(lam_output_create_file("/dev/full", NULL, NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.write(output.state, "x", 1, NULL), LAM_STATUS_IO);
    cr_assert_eq(output.write(output.state, "x", 1, NULL), LAM_STATUS_STATE);
    cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_STATE);
    lam_output_close(&output);
    struct stat about;
    cr_assert_eq(stat("/dev/full", &about), 0, "a device is never removed");
}

Test(output_file, a_file_size_limit_fails_the_write) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {1000, 1000};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    char block[600] = {0};
    lam_output output;
    cr_assert_eq(lam_output_create_file(path, NULL, NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.write(output.state, block, sizeof block, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.write(output.state, block, sizeof block, NULL), LAM_STATUS_IO);
    lam_output_close(&output);
    cr_assert_eq(files_in_folder(), 0);
}

Test(output_file, a_descriptor_stays_open) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    lam_output output;
    cr_assert_eq(lam_output_descriptor(ends[1], NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.write(output.state, "abc", 3, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_OK);
    lam_output_close(&output);
    cr_assert_eq(write(ends[1], "d", 1), 1);
    char bytes[4];
    cr_assert_eq(read(ends[0], bytes, 4), 4);
    cr_assert_arr_eq(bytes, "abcd", 4);
}

Test(output_file, a_folder_that_is_not_there_is_an_error) {
    lam_output output = {0};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_output_create_file("/nonexistent/x", NULL, NULL, &output, &error),
                 LAM_STATUS_IO);
    cr_assert_null(output.state);
}

/* A writer on a full disk said "cannot write: No space left on device", of no file. */
Test(output_file, a_full_disk_is_an_error_that_names_the_file) {
    lam_output output;
    lam_error error = lam_error_none();
    if (access("/dev/full", W_OK) != 0)
        cr_skip_test("there is no /dev/full");
    cr_assert_eq(lam_output_create_file("/dev/full", NULL, NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.write(output.state, "x", 1, &error), LAM_STATUS_IO);
    cr_expect_str_eq(error.message, "/dev/full: cannot write: No space left on device");
    cr_expect_eq(error.code, LAM_ERROR_CODE_DISK_FULL);
    cr_expect_eq(error.os_error, ENOSPC);
    cr_assert_eq(output.write(output.state, "x", 1, &error), LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "/dev/full: an earlier write failed");
    cr_expect_eq(error.code, LAM_ERROR_CODE_WRITER_FAILED);
    lam_output_close(&output);
}

/* A path without a slash is one of the folder that the process is in. */
Test(output_file, a_file_is_written_into_the_present_folder) {
    lam_output output;
    lam_error error = lam_error_none();
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(lam_output_create_file("here", NULL, NULL, &output, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_eq(output.write(output.state, "x", 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_OK);
    lam_output_close(&output);
    cr_assert_eq(access("here", F_OK), 0);
    cr_assert_eq(unlink("here"), 0);
}
