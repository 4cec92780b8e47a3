/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command and its options as one table, from which all else is made: parsing, the page of --help,
 * the manual page, and what shells complete. A table that has a row has the option everywhere. Rows
 * are static; they end with one without a name.
 */
#ifndef LAMELLA_TOOLS_TOOL_OPTION_H
#define LAMELLA_TOOLS_TOOL_OPTION_H

#include <lamella/lamella.h>
#include <stddef.h>

/* The kind of an option's value, and its type in the options of the command. */
typedef enum tool_option_kind {
    TOOL_OPTION_FLAG, /* no value: a bool becomes true */
    TOOL_OPTION_OFF,  /* no value: a lam_switch becomes LAM_SWITCH_OFF */
    TOOL_OPTION_PICK, /* no value: an enumeration becomes `least` */
    /* Texts, as const char *. They differ in what a shell completes. */
    TOOL_OPTION_TEXT,
    TOOL_OPTION_FILE,
    TOOL_OPTION_SCHEMA, /* message text, or a file that holds it */
    TOOL_OPTION_PATH,   /* of a field, and perhaps more after it; after a =, one of `values` */
    TOOL_OPTION_PATHS,  /* separated by commas */
    TOOL_OPTION_CONDITION,
    /* Numbers, as uint64_t from `least` to `most`, where 0 for `most` is no bound. */
    TOOL_OPTION_COUNT,
    TOOL_OPTION_SIZE, /* in bytes, with a unit or without */
    /* Others. */
    TOOL_OPTION_TIME, /* stored by `take` */
    TOOL_OPTION_ENUM  /* one of `values`, as an enumeration whose first is `least` */
} tool_option_kind;

typedef struct tool_option {
    const char *name; /* without "--" */
    const char *also; /* another name that is accepted, but not shown; NULL: none */
    char letter;      /* 0: none */
    bool repeatable;  /* each time adds to it; else the last one counts */
    tool_option_kind kind;
    size_t at;            /* target of the value, in the options of the command */
    const char *argument; /* as help names the value; NULL: none, or the values with | between */
    const char *group;    /* the heading above it and the rows that follow; NULL: as before */
    const char *help;     /* sentences without line breaks */
    const char *const *values; /* of an enumeration, ends with NULL; of others, for shells */
    uint64_t least;
    uint64_t most;
    /* Stores a value that none of the kinds describes; false when it is invalid. Else NULL. */
    bool (*take)(const struct tool_option *option, const char *value, void *chosen);
    const char *must;    /* what the value must be, in messages; NULL: by the kind */
    const char *missing; /* the option must be given, and what to do; else NULL */
    unsigned holds;      /* what an input must hold for it, bits of TOOL_HOLDS_*; 0: anything */
} tool_option;

/* What an input holds. */
enum { TOOL_HOLDS_JSON = 1, TOOL_HOLDS_CSV = 2, TOOL_HOLDS_PARQUET = 4 };

#define TOOL_VALUES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A status that a command ends with, and when: a noun, or a clause after "if". */
typedef struct tool_exit {
    int status;
    const char *when;
} tool_exit;

#define TOOL_EXITS(...) ((const tool_exit[]){__VA_ARGS__, {0, NULL}})
/* The meaning of 1 and 2 for most commands, and a part of it for others. */
#define TOOL_EXIT_FAILURE "the input is bad, or memory or a disk failed"
#define TOOL_EXIT_MISUSE "the command line is wrong"
#define TOOL_EXIT_MISNAME                                                                          \
    TOOL_EXIT_MISUSE ", for instance names a column or row group that the file does not have"

/* An option that people look for and the command does not have, and its replacement. */
typedef struct tool_elsewhere {
    const char *name;
    const char *hint;
} tool_elsewhere;

typedef struct tool_command {
    const char *name;
    const char *summary; /* one line, for the list of commands */
    int (*run)(int argc, char **argv);
    bool is_paged;                   /* a long output goes through a pager, on a terminal */
    const char *usage;               /* what follows the name; lines for several ways */
    const char *description;         /* paragraphs, with an empty line between */
    const char *const *examples;     /* command lines, ends with NULL */
    const tool_option *options;      /* ends with a row without a name */
    const tool_elsewhere *elsewhere; /* the same; NULL: none */
    const tool_exit *exits;          /* if they differ from those of most commands; else NULL */
} tool_command;

/* All commands in the order of the list, which ends with NULL. */
extern const tool_command *const tool_commands[];

/* The command of that name; NULL when there is none. */
const tool_command *tool_find_command(const char *name);

/*
 * Takes the options of the command line, whose first word is the command, into `chosen`, and moves
 * the operands to `argv[1]` and on. Gives -1 to continue, else the status to end with: help was
 * printed, or a mistake reported.
 */
int tool_take_options(const tool_command *command, int argc, char **argv, void *chosen,
                      int *ret_operands);

/*
 * A message of the library with the options that it names, "(option memory_limit)", as the command
 * has them, "(option --memory-limit)".
 */
void tool_name_options(const char *message, char *text, size_t size);

/* The command whose options were taken. */
const tool_command *tool_taken_command(void);
/* Whether the command line had this option of the command. */
bool tool_is_given(const char *name);
/*
 * Whether an option of the command line, if that is of this command, is not for an input of this
 * format, one of TOOL_HOLDS_*: `text` is then why. `file` is NULL if --format gives it.
 */
bool tool_find_unfit(const tool_command *command, const char *file, unsigned holds, char *text,
                     size_t size);
/* Reports such an option; gives -1 to continue, else the status to end with. */
int tool_check_holds(const tool_command *command, const char *file, unsigned holds);

/* The row with this index: those of the table, then --help, then NULL. */
const tool_option *tool_option_at(const tool_command *command, size_t index);
bool tool_option_has_value(const tool_option *option);
/* The longest name of the option's value: "SIZE", "value|typed|storage". */
void tool_option_argument(const tool_option *option, char *text, size_t size);
/* Stores a value; false when the option cannot have it. */
bool tool_option_store(const tool_option *option, const char *value, void *chosen);
/* What the value must be: "a number from 1 to 64". */
void tool_option_must(const tool_option *option, char *text, size_t size);

/* --memory-limit and --timeout, whose values tool_limits_of_program gives. */
bool tool_take_memory_limit(const tool_option *option, const char *value, void *chosen);
bool tool_take_timeout(const tool_option *option, const char *value, void *chosen);

#define TOOL_TIMEOUT_ROW                                                                           \
    {                                                                                              \
        .name = "timeout", .kind = TOOL_OPTION_TIME, .argument = "TIME",                           \
        .take = tool_take_timeout,                                                                 \
        .help = "end with an error after this time, as in 10s, 500ms or 2m"                        \
    }

/* Of every command that reads Parquet files. */
#define TOOL_LIMIT_ROWS                                                                            \
    {.name = "memory-limit",                                                                       \
     .kind = TOOL_OPTION_SIZE,                                                                     \
     .argument = "SIZE",                                                                           \
     .group = "limits",                                                                            \
     .least = 1,                                                                                   \
     .take = tool_take_memory_limit,                                                               \
     .help = "memory for the whole run, as in 2GiB; default: 64MiB or 8 times the file's "         \
             "size, whichever is more, and 2MiB for each column"},                                 \
        TOOL_TIMEOUT_ROW

/* Prints the page of --help, the manual page, and the table for tests. */
void tool_print_help(const tool_command *command);
void tool_print_manual(const tool_command *command);
void tool_print_manual_of_program(void);
void tool_print_options(void);

/* The statuses of a command; NULL means most commands. Ends with a row without `when`. */
const tool_exit *tool_exits_of(const tool_command *command);

/*
 * What a shell can put in place of word `index` of a command line without the program's name: lines
 * of a word, a tab and its meaning; the last line is ":files" if names of files are possible, too,
 * else ":none".
 */
int tool_complete(int index, int count, char **words);
/* Prints the script that asks for these, for bash, zsh or fish; false when there is none. */
bool tool_print_completion(const char *shell);

/* --- Did you mean ---------------------------------------------------------------------------- */

enum { TOOL_GUESS_LONGEST = 120 };

/* The nearest of the names that were tried, when it is near enough. */
typedef struct tool_guess {
    const char *wanted;
    size_t distance; /* of the best */
    char best[TOOL_GUESS_LONGEST + 1];
} tool_guess;

tool_guess tool_guess_start(const char *wanted);
void tool_guess_try(tool_guess *guess, const char *name);
/* " (did you mean PREFIXbest?)", or an empty text. */
void tool_guess_text(const tool_guess *guess, const char *prefix, char *text, size_t size);

#endif
