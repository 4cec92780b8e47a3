/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dremel by hand, without a library: the two records of the paper become columns of levels and
 * values, and records again. Each direction is one recursion over the schema. Neither is quick:
 * shred() walks a record once for each leaf, and build() looks at every field of the schema.
 *
 * A field that is not required adds 1 to the definition level of what is in it, and one that is
 * repeated adds 1 to the repetition level. (Dremel, sections 4.1 to 4.3; docs/levels.md)
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { DOCUMENT, DOCID, LINKS, BACKWARD, FORWARD, NAME, LANGUAGE, CODE, COUNTRY, URL, FIELDS };
typedef enum { REQUIRED, OPTIONAL, REPEATED } repetition;

static const struct {
    const char *name;
    int parent; /* fields are in the order of the schema, groups before what is in them */
    repetition kind;
    bool is_leaf;
} schema[FIELDS] = {{"Document", -1, REQUIRED, false},     {"DocId", DOCUMENT, REQUIRED, true},
                    {"Links", DOCUMENT, OPTIONAL, false},  {"Backward", LINKS, REPEATED, true},
                    {"Forward", LINKS, REPEATED, true},    {"Name", DOCUMENT, REPEATED, false},
                    {"Language", NAME, REPEATED, false},   {"Code", LANGUAGE, REQUIRED, true},
                    {"Country", LANGUAGE, OPTIONAL, true}, {"Url", NAME, OPTIONAL, true}};

static int max_repetition(int field) {
    return field < 0 ? 0 : max_repetition(schema[field].parent) + (schema[field].kind == REPEATED);
}
static int max_definition(int field) {
    return field < 0 ? 0 : max_definition(schema[field].parent) + (schema[field].kind != REQUIRED);
}
/* The field below `group` that leads to `leaf`; -1 when none does. */
static int step(int group, int leaf) {
    while (leaf >= 0 && schema[leaf].parent != group)
        leaf = schema[leaf].parent;
    return leaf;
}

/* A record is a tree: a leaf has a text, a group what is in it. */
typedef struct node {
    int field;
    const char *text;
    const struct node *inside;
    int count;
} node;
#define LEAF(field, text)                                                                          \
    { field, text, NULL, 0 }
#define GROUP(field, ...)                                                                          \
    {                                                                                              \
        field, NULL, (const node[]){__VA_ARGS__},                                                  \
            (int)(sizeof((const node[]){__VA_ARGS__}) / sizeof(node))                              \
    }

/* --- A record to columns ------------------------------------------------------------------- */

typedef struct triple {
    int r, d;
    const char *text; /* NULL unless d is the highest of its leaf */
} triple;
static struct {
    triple triples[16];
    int count, at;
} columns[FIELDS];

/* Appends what a group holds for one leaf: `r` is the level at which its first value repeats. */
static void shred(const node *group, int leaf, int r, int d) {
    int field = step(group->field, leaf);
    bool was_there = false;
    for (int i = 0; i < group->count; i++) {
        const node *child = &group->inside[i];
        if (child->field != field)
            continue;
        int repeats_at = was_there ? max_repetition(field) : r;
        if (field == leaf)
            columns[leaf].triples[columns[leaf].count++] =
                (triple){repeats_at, max_definition(leaf), child->text};
        else
            shred(child, leaf, repeats_at, max_definition(field));
        was_there = true;
    }
    if (!was_there) /* one triple says how much of the path there is */
        columns[leaf].triples[columns[leaf].count++] = (triple){r, d, NULL};
}

/* --- Columns to a record ------------------------------------------------------------------- */

/* The next triple of the first leaf in a field. */
static const triple *next(int field) {
    while (!schema[field].is_leaf)
        field++;
    return &columns[field].triples[columns[field].at];
}

/* Prints what is in a group, and moves on behind it in all of its columns. */
static void build(int group, int indent) {
    for (int field = group + 1; field < FIELDS; field++) {
        if (schema[field].parent != group)
            continue;
        if (next(field)->d < max_definition(field)) { /* it is not there */
            for (int leaf = field; leaf < FIELDS; leaf++)
                columns[leaf].at +=
                    schema[leaf].is_leaf && (leaf == field || step(field, leaf) > 0);
            continue;
        }
        do {
            printf("%*s%s:", indent, "", schema[field].name);
            if (schema[field].is_leaf) {
                printf(" %s\n", columns[field].triples[columns[field].at++].text);
            } else {
                printf("\n");
                build(field, indent + 2);
            }
        } while (schema[field].kind == REPEATED && next(field)->r == max_repetition(field));
    }
}

int main(void) {
    const node records[] = {
        GROUP(DOCUMENT, LEAF(DOCID, "10"),
              GROUP(LINKS, LEAF(FORWARD, "20"), LEAF(FORWARD, "40"), LEAF(FORWARD, "60")),
              GROUP(NAME, GROUP(LANGUAGE, LEAF(CODE, "en-us"), LEAF(COUNTRY, "us")),
                    GROUP(LANGUAGE, LEAF(CODE, "en")), LEAF(URL, "http://A")),
              GROUP(NAME, LEAF(URL, "http://B")),
              GROUP(NAME, GROUP(LANGUAGE, LEAF(CODE, "en-gb"), LEAF(COUNTRY, "gb")))),
        GROUP(DOCUMENT, LEAF(DOCID, "20"),
              GROUP(LINKS, LEAF(BACKWARD, "10"), LEAF(BACKWARD, "30"), LEAF(FORWARD, "80")),
              GROUP(NAME, LEAF(URL, "http://C")))};
    for (int leaf = 0; leaf < FIELDS; leaf++) {
        for (int i = 0; i < 2 && schema[leaf].is_leaf; i++)
            shred(&records[i], leaf, 0, 0);
        for (int i = 0; i < columns[leaf].count; i++) {
            const triple *row = &columns[leaf].triples[i];
            printf("%-10s r=%d d=%d %s\n", schema[leaf].name, row->r, row->d,
                   row->text != NULL ? row->text : "NULL");
        }
        columns[leaf].triples[columns[leaf].count].r = -1; /* the end */
    }
    for (int i = 0; i < 2; i++) {
        printf("Document\n");
        build(DOCUMENT, 2);
    }
    return EXIT_SUCCESS;
}
