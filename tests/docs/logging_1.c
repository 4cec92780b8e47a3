/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the first block of docs/logging.md, a whole program, without input: an empty folder. */
#define main log_main
int main(int argc, char **argv);
#include "logging_1.inc"
#undef main

int main(int argc, char **argv) {
    if (argc != 2 || freopen("/dev/null", "r", stdin) == NULL)
        return 2;
    bool good = log_main(argc, argv) == 0 && remove(argv[1]) == 0;
    char missing[] = "no/such/folder";
    char *arguments[] = {argv[0], missing};
    return good && log_main(2, arguments) == 1 ? 0 : 1;
}
