/* SPDX-License-Identifier: Apache-2.0 */
/* The files and folders of a model disk, and what was done to them since they were synced. */
#ifndef LAM_TESTS_MODEL_DISK_STATE_H
#define LAM_TESTS_MODEL_DISK_STATE_H

#include <pthread.h>

#include "support/model_disk.h"

typedef struct model_node model_node;

/* Bytes that grow. */
typedef struct model_bytes {
    uint8_t *at;
    size_t size, capacity;
} model_bytes;

/* A change of a file's content since its sync. */
typedef struct model_change {
    uint64_t offset; /* of the first byte; the new length of a truncation */
    size_t size;
    uint8_t *bytes; /* NULL for a truncation */
    bool is_lost;   /* a failed sync dropped the bytes: only the length changes */
} model_change;

/* A name in a folder. It holds its node, as all that points to one does. */
typedef struct model_name {
    char *name;
    model_node *node;
} model_name;

typedef struct model_names {
    model_name *at;
    size_t count, capacity;
} model_names;

typedef enum model_verb {
    MODEL_ADD, /* a file that is created, or a folder */
    MODEL_RENAME,
    MODEL_REPLACE,
    MODEL_REMOVE
} model_verb;

/* A change of a folder's names since its sync. */
typedef struct model_step {
    model_verb verb;
    char *name, *to; /* `to` NULL unless the name changes */
    model_node *node;
} model_step;

/* A file or a folder. */
struct model_node {
    lam_model_disk *disk;
    model_node *previous, *next; /* all nodes of the disk */
    size_t holds;                /* names, steps, handles; without any it is freed */
    bool is_folder;
    bool is_written;   /* open for writing */
    bool is_foreign;   /* of another user */
    size_t links;      /* current names */
    model_node *image; /* while the disk is copied: its copy */

    /* A file: what reads see, what is durable, and how the one came from the other. */
    model_bytes newest, durable;
    model_change *changes;
    size_t change_count, change_capacity;

    /* A folder, the same. */
    model_names names, durable_names;
    model_step *steps;
    size_t step_count, step_capacity;
};

struct lam_model_disk {
    pthread_mutex_t mutex;
    pthread_cond_t watched; /* `before` has returned */
    model_node *nodes, *root;
    lam_model_fault fault;
    uint64_t limit;
    bool renames_by_link;
    lam_model_watch *before;
    void *before_state;
    bool in_before; /* what it does itself is not watched */
    lam_model_counts counts;
};

/* Frees memory by free(3). All abort without memory. */
void *model_alloc(size_t size);
char *model_text(const char *text, size_t size);

model_node *model_node_new(lam_model_disk *disk, bool is_folder);
model_node *model_node_hold(model_node *node);
void model_node_release(model_node *node);

void model_bytes_write(model_bytes *bytes, uint64_t offset, const void *data, size_t size);
/* Shortens, or appends zeros. */
void model_bytes_resize(model_bytes *bytes, uint64_t size);

/* Change a file; what is not synced is remembered. */
void model_file_append(model_node *file, const void *data, size_t size);
void model_file_truncate(model_node *file, uint64_t size);
void model_file_sync(model_node *file);
/* As a failed sync that marks the bytes as written. */
void model_file_lose(model_node *file);

/* The node of a name; NULL when there is none. */
model_node *model_names_find(const model_names *names, const char *name);
void model_names_add(model_names *names, const char *name, model_node *node);
void model_names_clear(model_names *names);
/* Takes a step, or does nothing when the names do not allow it; `keep_old` leaves both names. */
void model_names_apply(model_names *names, const model_step *step, bool keep_old);

/* Changes the names of a folder; the step is remembered. Takes `name` and `to` as copies. */
void model_folder_step(model_node *folder, model_verb verb, const char *name, const char *to,
                       model_node *node);
void model_folder_sync(model_node *folder);

/* Bytes of all files that have a name or are open. */
uint64_t model_bytes_kept(const lam_model_disk *disk);

#endif
