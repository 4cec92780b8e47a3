/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the words of a command line by the table of its command, into stored values, and the
 * operands, always in their order. Options may follow operands; "--" ends them; a name may be cut
 * short if only one option begins so; letters may share a word, and a value may be the rest of it.
 * A mistake is reported in one line and ends the program with TOOL_BAD_USAGE.
 */
#include <stdio.h>
#include <string.h>

#include "tool.h"
#include "tool_screen.h"

enum { TEXT_MOST = 600, OPTIONS_MOST = 128 };

/* The options of the command line, by row of its table. */
static const tool_command *taken;
static bool given[OPTIONS_MOST];

typedef struct parser {
    const tool_command *command;
    int argc;
    char **argv;
    int at; /* the next word */
    void *chosen;
    bool helps;
} parser;

static size_t index_of(const parser *p, const tool_option *option) {
    size_t i = 0;
    while (tool_option_at(p->command, i) != option)
        i++;
    return i;
}

/* --- Names --------------------------------------------------------------------------------- */

static int fail_unknown(const parser *p, const char *word, size_t size) {
    char name[TOOL_GUESS_LONGEST + 1], text[TEXT_MOST];
    snprintf(name, sizeof name, "%.*s", (int)(size < TOOL_GUESS_LONGEST ? size : 0), word + 2);
    tool_guess guess = tool_guess_start(name);
    for (size_t i = 0; tool_option_at(p->command, i) != NULL; i++)
        tool_guess_try(&guess, tool_option_at(p->command, i)->name);
    tool_guess_text(&guess, "--", text, sizeof text);
    for (const tool_elsewhere *other = p->command->elsewhere; other != NULL && other->name != NULL;
         other++)
        if (strcmp(other->name, name) == 0)
            return tool_misuse(p->command, "unknown option --%s: %s", name, other->hint);
    return tool_misuse(p->command, "unknown option %s%s", word, text);
}

static int fail_ambiguous(const parser *p, const char *word, size_t size) {
    char text[TEXT_MOST] = "";
    size_t used = 0;
    const tool_option *option;
    for (size_t i = 0; (option = tool_option_at(p->command, i)) != NULL && used < sizeof text; i++)
        if (strncmp(option->name, word + 2, size) == 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s--%s",
                                     used == 0 ? "" : ", ", option->name);
    return tool_misuse(p->command, "ambiguous option %s: %s", word, text);
}

static bool is_word(const char *name, const char *word, size_t size) {
    return name != NULL && strncmp(name, word, size) == 0 && name[size] == '\0';
}

/* The option that a word names; on failure prints why and gives NULL. */
static const tool_option *find_named(const parser *p, const char *word, size_t size) {
    const tool_option *option, *found = NULL;
    bool is_ambiguous = false;
    for (size_t i = 0; (option = tool_option_at(p->command, i)) != NULL; i++) {
        if (is_word(option->name, word + 2, size) || is_word(option->also, word + 2, size))
            return option;
        if (strncmp(option->name, word + 2, size) != 0)
            continue;
        is_ambiguous = found != NULL;
        found = option;
    }
    if (is_ambiguous)
        (void)fail_ambiguous(p, word, size);
    else if (found == NULL)
        (void)fail_unknown(p, word, size);
    return is_ambiguous ? NULL : found;
}

static const tool_option *find_letter(const parser *p, char letter) {
    const tool_option *option;
    size_t i = 0;
    while ((option = tool_option_at(p->command, i)) != NULL && option->letter != letter)
        i++;
    if (option == NULL)
        (void)tool_misuse(p->command, "unknown option -%c", letter);
    return option;
}

/* --- Values -------------------------------------------------------------------------------- */

/* `name` is the option as it was given: "--skip" or "-n". */
static int fail_value(const parser *p, const tool_option *option, const char *name,
                      const char *value) {
    char must[TEXT_MOST], text[TEXT_MOST] = "";
    tool_option_must(option, must, sizeof must);
    if (option->values != NULL && option->kind != TOOL_OPTION_PATH) {
        tool_guess guess = tool_guess_start(value);
        for (size_t i = 0; option->values[i] != NULL; i++)
            tool_guess_try(&guess, option->values[i]);
        tool_guess_text(&guess, "", text, sizeof text);
    }
    return tool_misuse(p->command, "%s cannot be '%s': it must be %s%s", name, value, must, text);
}

/* Stores the option; `value` is the text joined to it, or NULL. Gives -1 to continue. */
static int take(parser *p, const tool_option *option, const char *name, const char *value) {
    if (tool_option_has_value(option) && value == NULL) {
        if (p->at == p->argc)
            return tool_misuse(p->command, "%s needs a value", name);
        value = p->argv[p->at++];
    }
    given[index_of(p, option)] = true;
    if (option->name[0] == 'h' && strcmp(option->name, "help") == 0)
        p->helps = true;
    else if (!tool_option_store(option, value, p->chosen))
        return fail_value(p, option, name, value);
    return -1;
}

/* "--name" or "--name=value". */
static int take_named(parser *p, const char *word) {
    char name[TOOL_GUESS_LONGEST + 3];
    size_t size = strcspn(word + 2, "=");
    const tool_option *option = find_named(p, word, size);
    const char *value = word[2 + size] == '=' ? word + 3 + size : NULL;
    if (option == NULL)
        return TOOL_BAD_USAGE;
    if (value != NULL && !tool_option_has_value(option))
        return tool_misuse(p->command, "%s: the option takes no value", word);
    snprintf(name, sizeof name, "--%s",
             is_word(option->also, word + 2, size) ? option->also : option->name);
    return take(p, option, name, value);
}

/* "-f", "-fn3". */
static int take_letters(parser *p, const char *word) {
    int result = -1;
    for (const char *letter = word + 1; *letter != '\0' && result < 0 && !p->helps; letter++) {
        char name[3] = {'-', *letter, '\0'};
        const tool_option *option = find_letter(p, *letter);
        if (option == NULL)
            return TOOL_BAD_USAGE;
        bool has_rest = tool_option_has_value(option) && letter[1] != '\0';
        result = take(p, option, name, has_rest ? letter + 1 : NULL);
        if (has_rest)
            break;
    }
    return result;
}

/* --- All words ----------------------------------------------------------------------------- */

static int check_given(const parser *p) {
    const tool_option *option;
    for (size_t i = 0; (option = tool_option_at(p->command, i)) != NULL; i++) {
        if (option->missing == NULL || given[i])
            continue;
        if (option->letter != 0)
            return tool_misuse(p->command, "-%c is missing: %s", option->letter, option->missing);
        return tool_misuse(p->command, "--%s is missing: %s", option->name, option->missing);
    }
    return -1;
}

/* "-5", as in other head and tail programs, if the command has an -n. */
static bool is_number_of_records(const parser *p, const char *word) {
    const tool_option *option;
    size_t i = 0;
    while ((option = tool_option_at(p->command, i)) != NULL && option->letter != 'n')
        i++;
    return option != NULL && option->kind == TOOL_OPTION_COUNT && word[1] >= '0' && word[1] <= '9';
}

int tool_take_options(const tool_command *command, int argc, char **argv, void *chosen,
                      int *ret_operands) {
    parser p = {.command = command, .argc = argc, .argv = argv, .at = 1, .chosen = chosen};
    int operands = 0, result = -1;
    bool is_over = false;
    taken = command;
    memset(given, 0, sizeof given);
    while (p.at < argc && result < 0 && !p.helps) {
        char *word = argv[p.at++];
        if (is_over || word[0] != '-' || word[1] == '\0')
            argv[++operands] = word;
        else if (strcmp(word, "--") == 0)
            is_over = true;
        else if (is_number_of_records(&p, word))
            result = take(&p, find_letter(&p, 'n'), "-n", word + 1);
        else
            result = word[1] == '-' ? take_named(&p, word) : take_letters(&p, word);
    }
    if (result >= 0)
        return result;
    if (p.helps) {
        tool_page_begin();
        tool_print_help(command);
        return tool_flush();
    }
    *ret_operands = operands;
    return check_given(&p);
}

/* --- What was given ------------------------------------------------------------------------ */

const tool_command *tool_taken_command(void) {
    return taken;
}

bool tool_is_given(const char *name) {
    const tool_option *option;
    for (size_t i = 0; (option = tool_option_at(taken, i)) != NULL; i++)
        if (strcmp(option->name, name) == 0)
            return given[i];
    return false;
}

/* The row that an option of the library has here; NULL: none. */
static const tool_option *find_member(const char *member, size_t size) {
    const tool_option *option;
    for (size_t i = 0; taken != NULL && (option = tool_option_at(taken, i)) != NULL; i++) {
        size_t k = 0;
        while (k < size && option->name[k] == (member[k] == '_' ? '-' : member[k]))
            k++;
        if (k == size && option->name[k] == '\0')
            return option;
    }
    return NULL;
}

void tool_name_options(const char *message, char *text, size_t size) {
    static const char mark[] = "(option ";
    const char *found = strstr(message, mark);
    const char *member = found != NULL ? found + sizeof mark - 1 : NULL;
    size_t length = found != NULL ? strcspn(member, ")") : 0;
    const tool_option *option = found != NULL ? find_member(member, length) : NULL;
    if (option == NULL)
        snprintf(text, size, "%s", message);
    else
        snprintf(text, size, "%.*s--%s%s", (int)(member - message), message, option->name,
                 member + length);
}

/* "JSON and CSV" */
static void name_holds(unsigned holds, char *text, size_t size) {
    static const char *const names[] = {"JSON", "CSV", "Parquet"};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((holds >> i & 1) != 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : " and ",
                                     names[i]);
}

bool tool_find_unfit(const tool_command *command, const char *file, unsigned holds, char *text,
                     size_t size) {
    char wanted[TEXT_MOST], found[TEXT_MOST];
    const tool_option *option;
    name_holds(holds, found, sizeof found);
    for (size_t i = 0; command == taken && (option = tool_option_at(command, i)) != NULL; i++) {
        if (!given[i] || option->holds == 0 || (option->holds & holds) != 0)
            continue;
        name_holds(option->holds, wanted, sizeof wanted);
        if (file != NULL)
            snprintf(text, size, "--%s is for %s; %s holds %s", option->name, wanted,
                     tool_name(file), found);
        else
            snprintf(text, size, "--%s is for %s; --format says %s", option->name, wanted, found);
        return true;
    }
    return false;
}

int tool_check_holds(const tool_command *command, const char *file, unsigned holds) {
    char text[TEXT_MOST];
    return tool_find_unfit(command, file, holds, text, sizeof text)
               ? tool_misuse(command, "%s", text)
               : -1;
}
