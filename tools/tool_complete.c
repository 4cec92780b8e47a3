/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completes words for a shell at TAB: takes the words of a command line and which of them is being
 * written, and gives the words that are possible there, with their meanings, from the tables of
 * options and, if a column is wanted, from the first Parquet file that the line names. The scripts
 * of the shells only ask for these, so they need no change when a table changes. Failures are never
 * reported: without a word to offer, it is silent.
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
 * Prints a candidate when it begins like the word, and is visible: a shell would print and insert
 * it. Its meaning ends at the first ";" or ".".
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

/* Opens a possible Parquet file silently; a pipe is left alone. */
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

/* Whether a name means itself in a list of paths, and in an option of one path. */
static bool is_plain_name(const char *name) {
    size_t size = strlen(name);
    return size > 0 && strpbrk(name, ",.=:\"*!'[]()") == NULL && name[0] != '-' && name[0] != ' ' &&
           name[size - 1] != ' ';
}

/*
 * The path of a field, to be freed. Names that the option reads as they are have no marks, as they
 * are typed; in a condition only words have none.
 */
static char *path_to_offer(const lam_field *field, bool is_condition) {
    tool_memory memory;
    const lam_field *fields[LAM_SCHEMA_DEPTH_MAX];
    size_t depth = lam_field_depth(field);
    if (is_condition)
        return tool_path_of(field);
    tool_memory_begin(&memory, NULL);
    for (size_t i = depth; i > 0; i--, field = lam_field_parent(field))
        fields[i - 1] = field;
    for (size_t i = 0; i < depth; i++) {
        const char *name = lam_field_name(fields[i]);
        bool is_plain = is_plain_name(name);
        fprintf(memory.file, "%s%s", i > 0 ? "." : "", is_plain ? "" : "\"");
        for (; *name != '\0'; name++)
            fprintf(memory.file, *name == '"' ? "\"\"" : "%c", *name);
        fputs(is_plain ? "" : "\"", memory.file);
    }
    tool_memory_end(&memory, true);
    return memory.text;
}

/* Offers the paths of all fields, in the order of the schema. */
static void offer_fields(const completion *c, const char *before, const lam_schema *schema,
                         bool is_condition) {
    for (size_t i = 1; i < lam_schema_field_count(schema); i++) {
        const lam_field *field = lam_schema_field(schema, i);
        char *path = path_to_offer(field, is_condition);
        if (strpbrk(path, "\t\n") == NULL)
            offer(c, before, path, lam_field_child_count(field) > 0 ? "group" : "column");
        free(path);
    }
}

static void offer_columns(const completion *c, const char *before, tool_option_kind kind) {
    for (int i = 1; i < c->count; i++) {
        lam_reader *reader =
            i == c->index || c->words[i][0] == '-' ? NULL : open_quietly(c->words[i]);
        if (reader == NULL)
            continue;
        if (kind == TOOL_OPTION_PATHS)
            offer(c, before, "*", "all columns");
        offer_fields(c, before, lam_reader_schema(reader), kind == TOOL_OPTION_CONDITION);
        lam_reader_close(reader);
        return;
    }
}

/* Offers paths after the first bytes of the word, or after `before` if it is shorter. */
static void offer_behind(const completion *c, const char *before, size_t size,
                         tool_option_kind kind) {
    char *written = tool_copy_text(strlen(c->current) < size ? before : c->current);
    if (size < strlen(written))
        written[size] = '\0';
    offer_columns(c, written, kind);
    free(written);
}

/* The part of a list before the path that is written: other paths, and a mark of exclusion. */
static void offer_list(const completion *c, const char *before) {
    size_t size = strlen(before), typed = strlen(c->current);
    for (size_t end; size < typed && (end = tool_mark_from(c->current, size, ',')) < typed;)
        size = end + 1;
    while (size < typed && c->current[size] == ' ')
        size++;
    if (size < typed && (c->current[size] == '!' || c->current[size] == '-'))
        size++;
    offer_behind(c, before, size, TOOL_OPTION_PATHS);
}

/* The part of a condition before the path that is written; inside a text there is none. */
static void offer_condition(const completion *c, const char *before) {
    size_t size = strlen(before), typed = strlen(c->current);
    for (size_t i = size; i < typed; i++) {
        unsigned char byte = (unsigned char)c->current[i];
        if (byte == '\'' || byte == '"') {
            const char *end = strchr(c->current + i + 1, byte);
            if (end == NULL && byte == '\'')
                return;
            i = end == NULL ? typed : (size_t)(end - c->current);
            size = byte == '\'' ? i + 1 : size;
        } else if (byte < 0x80 && strchr("_.[]", byte) == NULL && !(byte >= '0' && byte <= '9') &&
                   !((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z')) {
            size = i + 1;
        }
    }
    offer_behind(c, before, size, TOOL_OPTION_CONDITION);
}

/* A path, or what may follow it. */
static void offer_path(const completion *c, const tool_option *option, const char *before) {
    size_t typed = strlen(c->current), start = strlen(before);
    size_t mark = start < typed ? tool_mark_from(c->current, start, '=') : typed;
    if (option->values == NULL || mark >= typed) {
        offer_columns(c, before, TOOL_OPTION_PATH);
        return;
    }
    char *written = tool_copy_text(c->current);
    written[mark + 1] = '\0';
    for (size_t i = 0; option->values[i] != NULL; i++)
        offer(c, written, option->values[i], "");
    free(written);
}

/* --- Values -------------------------------------------------------------------------------- */

/* `before` is the part of the word before the value: "" or "--name=". */
static void offer_values(completion *c, const tool_option *option, const char *before) {
    bool is_path = option->kind == TOOL_OPTION_PATH;
    for (size_t i = 0; !is_path && option->values != NULL && option->values[i] != NULL; i++)
        offer(c, before, option->values[i], "");
    if (option->kind == TOOL_OPTION_PATHS)
        offer_list(c, before);
    else if (option->kind == TOOL_OPTION_CONDITION)
        offer_condition(c, before);
    else if (is_path)
        offer_path(c, option, before);
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

/* The option of "--name=...", and the part before its value. */
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
    "    local line=$COMP_LINE word before reply quote= i at=0\n"
    "    local -a words=()\n"
    "    # Bash cuts words at = and : where the program does not.\n"
    "    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if ((i == 0)) || [[ $line == [[:space:]]* || -z $line ]]; then\n"
    "            line=${line#\"${line%%[![:space:]]*}\"}\n"
    "            words+=(\"\")\n"
    "        fi\n"
    "        line=${line#\"$word\"}\n"
    "        ((i > COMP_CWORD)) || at=$((${#words[@]} - 1))\n"
    "        # The word being written may begin with a quote: bash has what is in it, and takes\n"
    "        # what replaces that.\n"
    "        if ((i == COMP_CWORD)) && [[ $word == [\\'\\\"]* ]]; then\n"
    "            quote=${word:0:1} before=${words[at]} word=$2\n"
    "        fi\n"
    "        words[${#words[@]} - 1]+=$word\n"
    "    done\n"
    "    [[ -n $quote ]] || before=${words[at]%\"${words[at]##*[=:]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r word _; do\n"
    "        case $word in\n"
    "            :files) compopt -o default -o bashdefault 2>/dev/null ;;\n"
    "            :none) ;;\n"
    "            *)\n"
    "                reply=${word#\"$before\"}\n"
    "                case $quote in\n"
    "                    \\') ;;\n"
    "                    \\\") reply=${reply//\\\"/\\\\\\\"} ;;\n"
    "                    *) reply=$(printf %q \"$reply\") reply=${reply//\\\\,/,} ;;\n"
    "                esac\n"
    "                COMPREPLY+=(\"$reply\")\n"
    "                ;;\n"
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
