/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the files and folders of a model disk. In: changes, one by one, and syncs. Out: for each
 * file and folder what reads see now, what is durable, and the changes between the two in order,
 * of which a crash then chooses. Durable plus all changes is always the newest state, except for
 * bytes that a failed sync lost.
 */
#define _XOPEN_SOURCE 700
#include "support/model_disk_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Memory ---------------------------------------------------------------------------------- */

static void *no_memory(void) {
    fprintf(stderr, "the model disk has no memory\n");
    abort();
}

void *model_alloc(size_t size) {
    void *memory = calloc(1, size > 0 ? size : 1);
    return memory != NULL ? memory : no_memory();
}

char *model_text(const char *text, size_t size) {
    char *copy = model_alloc(size + 1);
    memcpy(copy, text, size);
    return copy;
}

/* Makes room for one more element. */
static void *grow(void *array, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity)
        return array;
    *capacity = *capacity == 0 ? 8 : *capacity * 2;
    array = realloc(array, *capacity * size);
    return array != NULL ? array : no_memory();
}

void model_bytes_resize(model_bytes *bytes, uint64_t size) {
    if (size > bytes->capacity) {
        bytes->capacity = size > 2 * bytes->capacity ? size : 2 * bytes->capacity;
        bytes->at = realloc(bytes->at, bytes->capacity);
        if (bytes->at == NULL)
            no_memory();
    }
    if (size > bytes->size)
        memset(bytes->at + bytes->size, 0, size - bytes->size);
    bytes->size = size;
}

void model_bytes_write(model_bytes *bytes, uint64_t offset, const void *data, size_t size) {
    if (size == 0)
        return;
    if (offset + size > bytes->size)
        model_bytes_resize(bytes, offset + size);
    memcpy(bytes->at + offset, data, size);
}

/* --- Nodes ----------------------------------------------------------------------------------- */

model_node *model_node_new(lam_model_disk *disk, bool is_folder) {
    model_node *node = model_alloc(sizeof *node);
    node->disk = disk;
    node->is_folder = is_folder;
    node->holds = 1;
    node->next = disk->nodes;
    if (node->next != NULL)
        node->next->previous = node;
    disk->nodes = node;
    return node;
}

model_node *model_node_hold(model_node *node) {
    node->holds++;
    return node;
}

static void forget_changes(model_node *file) {
    for (size_t i = 0; i < file->change_count; i++)
        free(file->changes[i].bytes);
    file->change_count = 0;
}

static void forget_steps(model_node *folder) {
    for (size_t i = 0; i < folder->step_count; i++) {
        free(folder->steps[i].name);
        free(folder->steps[i].to);
        model_node_release(folder->steps[i].node);
    }
    folder->step_count = 0;
}

void model_node_release(model_node *node) {
    if (--node->holds > 0)
        return;
    if (node->previous != NULL)
        node->previous->next = node->next;
    else
        node->disk->nodes = node->next;
    if (node->next != NULL)
        node->next->previous = node->previous;
    forget_changes(node);
    forget_steps(node);
    model_names_clear(&node->names);
    model_names_clear(&node->durable_names);
    free(node->newest.at);
    free(node->durable.at);
    free(node->changes);
    free(node->steps);
    free(node);
}

/* --- Files ----------------------------------------------------------------------------------- */

static void remember_change(model_node *file, uint64_t offset, size_t size, uint8_t *bytes) {
    file->changes =
        grow(file->changes, file->change_count, &file->change_capacity, sizeof *file->changes);
    model_change change = {offset, size, bytes, false};
    file->changes[file->change_count++] = change;
}

void model_file_append(model_node *file, const void *data, size_t size) {
    if (size == 0)
        return;
    remember_change(file, file->newest.size, size, (uint8_t *)model_text(data, size));
    model_bytes_write(&file->newest, file->newest.size, data, size);
}

void model_file_truncate(model_node *file, uint64_t size) {
    remember_change(file, size, 0, NULL);
    model_bytes_resize(&file->newest, size);
}

void model_file_sync(model_node *file) {
    for (size_t i = 0; i < file->change_count; i++) {
        const model_change *change = &file->changes[i];
        if (change->bytes == NULL || change->is_lost)
            model_bytes_resize(&file->durable, change->offset + change->size);
        else
            model_bytes_write(&file->durable, change->offset, change->bytes, change->size);
    }
    forget_changes(file);
}

void model_file_lose(model_node *file) {
    for (size_t i = 0; i < file->change_count; i++)
        file->changes[i].is_lost = true;
}

/* --- Names ----------------------------------------------------------------------------------- */

static size_t name_index(const model_names *names, const char *name) {
    size_t i = 0;
    while (i < names->count && strcmp(names->at[i].name, name) != 0)
        i++;
    return i;
}

model_node *model_names_find(const model_names *names, const char *name) {
    size_t i = name_index(names, name);
    return i < names->count ? names->at[i].node : NULL;
}

void model_names_add(model_names *names, const char *name, model_node *node) {
    names->at = grow(names->at, names->count, &names->capacity, sizeof *names->at);
    names->at[names->count].name = model_text(name, strlen(name));
    names->at[names->count++].node = model_node_hold(node);
}

/* The last name takes the room, as the order means nothing. */
static void remove_name(model_names *names, const char *name) {
    size_t i = name_index(names, name);
    if (i == names->count)
        return;
    model_name gone = names->at[i];
    names->at[i] = names->at[--names->count];
    free(gone.name);
    model_node_release(gone.node);
}

void model_names_clear(model_names *names) {
    while (names->count > 0)
        remove_name(names, names->at[names->count - 1].name);
    free(names->at);
    memset(names, 0, sizeof *names);
}

void model_names_apply(model_names *names, const model_step *step, bool keep_old) {
    model_node *found = model_names_find(names, step->name);
    if (step->verb == MODEL_ADD) {
        if (found == NULL)
            model_names_add(names, step->name, step->node);
        return;
    }
    if (found != step->node ||
        (step->verb == MODEL_RENAME && model_names_find(names, step->to) != NULL))
        return;
    if (step->verb == MODEL_REPLACE)
        remove_name(names, step->to);
    if (step->verb != MODEL_REMOVE)
        model_names_add(names, step->to, step->node);
    if (!keep_old)
        remove_name(names, step->name);
}

void model_folder_step(model_node *folder, model_verb verb, const char *name, const char *to,
                       model_node *node) {
    model_step step = {verb, model_text(name, strlen(name)),
                       to == NULL ? NULL : model_text(to, strlen(to)), model_node_hold(node)};
    model_node *replaced = to == NULL ? NULL : model_names_find(&folder->names, to);
    if (replaced != NULL)
        replaced->links--;
    if (verb == MODEL_ADD)
        node->links++;
    else if (verb == MODEL_REMOVE)
        node->links--;
    folder->steps =
        grow(folder->steps, folder->step_count, &folder->step_capacity, sizeof *folder->steps);
    folder->steps[folder->step_count++] = step;
    model_names_apply(&folder->names, &step, false);
}

void model_folder_sync(model_node *folder) {
    for (size_t i = 0; i < folder->step_count; i++)
        model_names_apply(&folder->durable_names, &folder->steps[i], false);
    forget_steps(folder);
}
