/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of a command line, a line each, against a table that has every kind of option: whatever
 * they are, they end with a status, and what is stored is what its row allows. Messages go nowhere.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/harness.h"
#include "tool.h"

enum { WORDS_MOST = 64, FIRST_OF_ENUM = 3 };

typedef struct chosen_options {
    bool flag;
    lam_switch off;
    unsigned pick;
    const char *text;
    const char *path;
    uint64_t count;
    uint64_t size;
    unsigned word;
} chosen_options;

static const tool_option rows[] = {
    {.name = "flag", .letter = 'f', .at = offsetof(chosen_options, flag), .help = "one"},
    {.name = "no-thing",
     .kind = TOOL_OPTION_OFF,
     .at = offsetof(chosen_options, off),
     .help = "off"},
    {.name = "pick",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(chosen_options, pick),
     .least = 7,
     .group = "others",
     .help = "seven"},
    {.name = "text",
     .letter = 't',
     .kind = TOOL_OPTION_TEXT,
     .at = offsetof(chosen_options, text),
     .argument = "TEXT",
     .help = "a text that is long enough to go on in the next line of a page that is not wide"},
    {.name = "paths",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(chosen_options, path),
     .argument = "A,B",
     .help = "paths"},
    {.name = "count",
     .letter = 'n',
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(chosen_options, count),
     .argument = "N",
     .least = 2,
     .most = 1000,
     .help = "a number"},
    {.name = "count-bytes",
     .kind = TOOL_OPTION_SIZE,
     .at = offsetof(chosen_options, size),
     .argument = "SIZE",
     .least = 1,
     .help = "a size"},
    {.name = "word",
     .kind = TOOL_OPTION_ENUM,
     .at = offsetof(chosen_options, word),
     .values = TOOL_VALUES("one", "two", "twelve"),
     .least = FIRST_OF_ENUM,
     .help = "a word"},
    {.name = NULL}};

static const tool_command command = {.name = "fuzz",
                                     .usage = "[options] FILE...",
                                     .description = "Takes anything.",
                                     .examples = (const char *const[]){"lamella fuzz", NULL},
                                     .options = rows};

/* What tool_find_command knows. */
const tool_command *const tool_commands[] = {&command, NULL};

/* True for a part of one of the words, or none. */
static bool is_of_words(const char *text, char *const *words, const size_t *sizes, int count) {
    bool found = text == NULL;
    for (int i = 0; i < count; i++)
        found |= text >= words[i] && text <= words[i] + sizes[i];
    return found;
}

static void expect_allowed(const chosen_options *chosen, char *const *words, const size_t *sizes,
                           int count) {
    LAM_FUZZ_EXPECT(chosen->off == LAM_SWITCH_DEFAULT || chosen->off == LAM_SWITCH_OFF);
    LAM_FUZZ_EXPECT(chosen->pick == 0 || chosen->pick == 7);
    LAM_FUZZ_EXPECT(chosen->count == 0 || (chosen->count >= 2 && chosen->count <= 1000));
    LAM_FUZZ_EXPECT(chosen->word == 0 ||
                    (chosen->word >= FIRST_OF_ENUM && chosen->word < FIRST_OF_ENUM + 3));
    LAM_FUZZ_EXPECT(chosen->size <= UINT64_C(1) << 62);
    LAM_FUZZ_EXPECT(is_of_words(chosen->text, words, sizes, count));
    LAM_FUZZ_EXPECT(is_of_words(chosen->path, words, sizes, count));
}

/* Standard output and error, away and back. */
static void swap_outputs(int saved[2], bool away) {
    static int nowhere = -1;
    if (nowhere < 0)
        nowhere = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 2; i++) {
        if (away)
            saved[i] = dup(1 + i);
        (void)dup2(away ? nowhere : saved[i], 1 + i);
        if (!away)
            close(saved[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *words[WORDS_MOST + 1], *argv[WORDS_MOST + 1];
    size_t sizes[WORDS_MOST];
    chosen_options chosen = {.flag = false};
    int count = 1, operands = -1, saved[2];
    words[0] = lam_fuzz_block(5);
    memcpy(words[0], "fuzz", 5);
    sizes[0] = 4;
    while (size > 0 && count < WORDS_MOST) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t length = end == NULL ? size : (size_t)(end - data);
        words[count] = lam_fuzz_block(length + 1);
        memcpy(words[count], data, length);
        words[count][length] = '\0';
        sizes[count++] = length;
        length += end != NULL;
        data += length;
        size -= length;
    }
    words[count] = NULL;
    memcpy(argv, words, sizeof argv);
    swap_outputs(saved, true);
    int result = tool_take_options(&command, count, argv, &chosen, &operands);
    fflush(stdout);
    swap_outputs(saved, false);
    LAM_FUZZ_EXPECT(result == -1 || result == TOOL_OK || result == TOOL_BAD_USAGE);
    LAM_FUZZ_EXPECT(result != -1 || (operands >= 0 && operands < count));
    for (int i = 1; result == -1 && i <= operands; i++)
        LAM_FUZZ_EXPECT(is_of_words(argv[i], words, sizes, count));
    expect_allowed(&chosen, words, sizes, count);
    for (int i = 0; i < count; i++)
        free(words[i]);
    return 0;
}
