/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a shell offers at TAB: in come the words of a command line and which of them is being
 * written, out go the words that can stand there, with what they are, from the tables of options
 * and, where a column is wanted, from the first Parquet file that the line names. The scripts of
 * the shells only ask for these, so that they need no change when a table changes. Nothing is
 * reported: where there is nothing to offer, there is silence.
 */
#define _POSIX_C_SOURCE 200809L
#include <lamella/reader.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

enum { DESCRIPTION_MOST = 60 };

typedef struct completion {
    int index; /* of the word being written */
    int count;
    char **words;
    const char *current; /* that word, as far as it is written */
    bool offers_files;
} completion;

/*
 * Prints a candidate when it begins as the word does, and shows: a shell would print and insert
 * what it is given. What it is ends at the first ";" or ".".
 */
static void offer(const completion *c, const char *before, const char *word, const char *what) {
    size_t size = strlen(before), typed = strlen(c->current);
    if (typed < size ? strncmp(before, c->current, typed) != 0
                     : strncmp(word, c->current + size, typed - size) != 0)
        return;
    if (lam_visible_prefix(word, strlen(word)) != strlen(word))
        return;
    size_t length = strcspn(what, ";.:\n");
    if (length > DESCRIPTION_MOST)
        length = DESCRIPTION_MOST;
    tool_print("%s%s\t%.*s\n", before, word, (int)length, what);
}

static void offer_commands(const completion *c) {
    for (size_t i = 0; tool_commands[i] != NULL; i++)
        offer(c, "", tool_commands[i]->name, tool_commands[i]->summary);
}

static void offer_options(const completion *c, const tool_command *command) {
    const tool_option *option;
    char name[TOOL_GUESS_LONGEST + 3];
    for (size_t i = 0; (option = tool_option_at(command, i)) != NULL; i++) {
        snprintf(name, sizeof name, "--%s", option->name);
        offer(c, "", name, option->help);
    }
}

/* --- Columns ------------------------------------------------------------------------------- */

/* Opens what may be a Parquet file without a word; a pipe is left alone. */
static lam_reader *open_quietly(const char *word) {
    char path[PATH_MAX];
    const char *home = getenv("HOME");
    bool is_home = strncmp(word, "~/", 2) == 0 && home != NULL;
    struct stat about;
    lam_input input;
    lam_reader *reader;
    int size = snprintf(path, sizeof path, "%s%s", is_home ? home : "", is_home ? word + 1 : word);
    if (size >= (int)sizeof path || stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
        lam_input_open_file(path, NULL, &input, NULL) != LAM_STATUS_OK)
        return NULL;
    if (lam_reader_open(&input, NULL, &reader, NULL) == LAM_STATUS_OK)
        return reader;
    lam_input_close(&input);
    return NULL;
}

/* Whether a name stands for itself in a list of paths. */
static bool is_plain_name(const char *name) {
    size_t size = strlen(name);
    return size > 0 && strpbrk(name, ",.\"*!'[]()") == NULL && name[0] != '-' && name[0] != ' ' &&
           name[size - 1] != ' ';
}

/* A path with a name behind it, in quotation marks where a list needs them. To be freed. */
static char *path_with(const char *path, const char *name, bool is_list) {
    size_t size = strlen(path);
    char *text = tool_allocate(size + 2 * strlen(name) + 4, 1), *end = text + size;
    bool is_quoted = is_list && !is_plain_name(name);
    memcpy(text, path, size);
    if (size > 0)
        *end++ = '.';
    if (is_quoted)
        *end++ = '"';
    for (; *name != '\0'; name++) {
        if (is_quoted && *name == '"')
            *end++ = '"';
        *end++ = *name;
    }
    if (is_quoted)
        *end++ = '"';
    return text;
}

/* Offers the paths of all fields below one, in the order of the schema. */
static void offer_fields(const completion *c, const char *before, const char *above,
                         const lam_field *field, bool is_list) {
    for (size_t i = 0; i < lam_field_child_count(field); i++) {
        const lam_field *child = lam_field_child(field, i);
        char *path = path_with(above, lam_field_name(child), is_list);
        if (strpbrk(path, "\t\n") == NULL)
            offer(c, before, path, lam_field_child_count(child) > 0 ? "group" : "column");
        offer_fields(c, before, path, child, is_list);
        free(path);
    }
}

static void offer_columns(const completion *c, const char *before, bool is_list) {
    for (int i = 1; i < c->count; i++) {
        lam_reader *reader =
            i == c->index || c->words[i][0] == '-' ? NULL : open_quietly(c->words[i]);
        if (reader == NULL)
            continue;
        if (is_list)
            offer(c, before, "*", "all columns");
        offer_fields(c, before, "", lam_schema_root(lam_reader_schema(reader)), is_list);
        lam_reader_close(reader);
        return;
    }
}

/* What of a list comes before the path that is written: other paths, and a mark of exclusion. */
static void offer_list(const completion *c, const char *before) {
    size_t size = strlen(before), typed = strlen(c->current);
    bool is_quoted = false;
    for (size_t i = size; i < typed; i++) {
        is_quoted = is_quoted != (c->current[i] == '"');
        if (c->current[i] == ',' && !is_quoted)
            size = i + 1;
    }
    while (size < typed && c->current[size] == ' ')
        size++;
    if (size < typed && (c->current[size] == '!' || c->current[size] == '-'))
        size++;
    if (typed < size) {
        offer_columns(c, before, true);
        return;
    }
    char *list = tool_copy_text(c->current);
    list[size] = '\0';
    offer_columns(c, list, true);
    free(list);
}

/* --- Values -------------------------------------------------------------------------------- */

/* `before` is what of the word comes before the value: "" or "--name=". */
static void offer_values(completion *c, const tool_option *option, const char *before) {
    for (size_t i = 0; option->values != NULL && option->values[i] != NULL; i++)
        offer(c, before, option->values[i], "");
    if (option->kind == TOOL_OPTION_PATHS)
        offer_list(c, before);
    else if (option->kind == TOOL_OPTION_PATH)
        offer_columns(c, before, false);
    c->offers_files = option->kind == TOOL_OPTION_FILE || option->kind == TOOL_OPTION_SCHEMA;
}

/* The option whose value the next word is; NULL when the word needs none. */
static const tool_option *option_that_waits(const tool_command *command, const char *word) {
    const tool_option *option;
    size_t i = 0;
    char last = word[strlen(word) - (word[0] != '\0')];
    for (; (option = tool_option_at(command, i)) != NULL; i++)
        if (tool_option_has_value(option) &&
            ((strncmp(word, "--", 2) == 0 && strcmp(word + 2, option->name) == 0) ||
             (word[0] == '-' && word[1] != '-' && option->letter != 0 && option->letter == last)))
            break;
    return option;
}

/* The option of "--name=...", and what comes before its value. */
static const tool_option *option_with_value(const completion *c, const tool_command *command,
                                            char *before, size_t size) {
    const tool_option *option;
    size_t i = 0, length = strcspn(c->current, "=");
    if (strncmp(c->current, "--", 2) != 0 || c->current[length] != '=' || length + 2 > size)
        return NULL;
    snprintf(before, size, "%.*s", (int)length + 1, c->current);
    while ((option = tool_option_at(command, i)) != NULL &&
           (!tool_option_has_value(option) || strlen(option->name) != length - 2 ||
            strncmp(option->name, c->current + 2, length - 2) != 0))
        i++;
    return option;
}

static bool is_behind_options(const completion *c) {
    for (int i = 1; i < c->index; i++)
        if (strcmp(c->words[i], "--") == 0)
            return true;
    return false;
}

static void offer_of_command(completion *c, const tool_command *command) {
    char before[TOOL_GUESS_LONGEST];
    const tool_option *joined = option_with_value(c, command, before, sizeof before);
    const tool_option *waits =
        c->index > 1 ? option_that_waits(command, c->words[c->index - 1]) : NULL;
    if (is_behind_options(c))
        c->offers_files = true;
    else if (waits != NULL)
        offer_values(c, waits, "");
    else if (joined != NULL)
        offer_values(c, joined, before);
    else if (c->current[0] == '-')
        offer_options(c, command);
    else
        c->offers_files = true;
}

int tool_complete(int index, int count, char **words) {
    completion c = {index, count, words, index < count ? words[index] : "", false};
    if (index < 0 || index > count)
        return TOOL_BAD_USAGE;
    const tool_command *command = index > 0 ? tool_find_command(words[0]) : NULL;
    if (index == 0) {
        offer_commands(&c);
        offer(&c, "", "help", "print the page of a command");
        offer(&c, "", "--help", "list all commands");
        offer(&c, "", "--version", "print version, codecs and features");
    } else if (command != NULL) {
        offer_of_command(&c, command);
    } else if (index == 1 && (strcmp(words[0], "help") == 0 || strcmp(words[0], "--help") == 0)) {
        offer_commands(&c);
    }
    tool_print(c.offers_files ? ":files\n" : ":none\n");
    return tool_flush();
}

/* --- Scripts ------------------------------------------------------------------------------- */

static const char bash_script[] =
    "# Completion of lamella for bash. Made by lamella --generate bash.\n"
    "_lamella() {\n"
    "    local line=$COMP_LINE word before i at=0\n"
    "    local -a words=()\n"
    "    # Bash cuts words at = and : where the program does not.\n"
    "    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if ((i > 0)) && [[ $line != [[:space:]]* && -n $line ]]; then\n"
    "            words[${#words[@]} - 1]+=$word\n"
    "        else\n"
    "            line=${line#\"${line%%[![:space:]]*}\"}\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "        line=${line#\"$word\"}\n"
    "        ((i > COMP_CWORD)) || at=$((${#words[@]} - 1))\n"
    "    done\n"
    "    before=${words[at]%\"${words[at]##*[=:]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r word _; do\n"
    "        case $word in\n"
    "            :files) compopt -o default -o bashdefault 2>/dev/null ;;\n"
    "            :none) ;;\n"
    "            *) COMPREPLY+=(\"$(printf %q \"${word#\"$before\"}\")\") ;;\n"
    "        esac\n"
    "    done < <(\"${words[0]}\" --complete $((at - 1)) \"${words[@]:1}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _lamella lamella\n";

static const char zsh_script[] =
    "#compdef lamella\n"
    "# Completion of lamella for zsh. Made by lamella --generate zsh.\n"
    "_lamella() {\n"
    "    local line word files=\n"
    "    local -a found\n"
    "    for line in ${(f)\"$($words[1] --complete $((CURRENT - 2)) "
    "\"${(@)words[2,-1]}\" 2>/dev/null)\"}; do\n"
    "        case $line in\n"
    "            (:files) files=1 ;;\n"
    "            (:none) ;;\n"
    "            (*) word=${line%%$'\\t'*}; found+=(\"${word//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( $#found )) && _describe -t words lamella found\n"
    "    [[ -z $files ]] || _files\n"
    "}\n"
    "_lamella \"$@\"\n";

static const char fish_script[] =
    "# Completion of lamella for fish. Made by lamella --generate fish.\n"
    "function __lamella_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    set -l at (math (count $words) - 2)\n"
    "    for line in (command $words[1] --complete $at $words[2..-1] 2>/dev/null)\n"
    "        switch $line\n"
    "            case ':files'\n"
    "                __fish_complete_path (commandline -ct)\n"
    "            case ':none'\n"
    "            case '*'\n"
    "                echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c lamella -f -a '(__lamella_complete)'\n";

bool tool_print_completion(const char *shell) {
    const char *script = strcmp(shell, "bash") == 0   ? bash_script
                         : strcmp(shell, "zsh") == 0  ? zsh_script
                         : strcmp(shell, "fish") == 0 ? fish_script
                                                      : NULL;
    if (script != NULL)
        tool_print_lines(script);
    return script != NULL;
}
