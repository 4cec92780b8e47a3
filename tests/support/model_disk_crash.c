/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes model disks: an empty one, and from another the disks that a killed process or a power cut
 * leaves. In: a disk with its changes since the syncs, and random numbers. Out: a new disk, which
 * shares nothing with the old one. Each file is made once, however many names it has.
 *
 * Of a power cut the simple outcomes (nothing written, all of it, the first changes) come up as
 * often as the disorderly ones, since those are what disks mostly do.
 */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>

#include "support/model_disk_state.h"

lam_model_disk *lam_model_disk_create(void) {
    lam_model_disk *disk = model_alloc(sizeof *disk);
    if (pthread_mutex_init(&disk->mutex, NULL) != 0 || pthread_cond_init(&disk->watched, NULL) != 0)
        abort();
    disk->root = model_node_new(disk, true);
    return disk;
}

void lam_model_disk_destroy(lam_model_disk *disk) {
    if (disk == NULL)
        return;
    model_node_release(disk->root);
    if (disk->nodes != NULL) /* a file or an input is open */
        abort();
    pthread_cond_destroy(&disk->watched);
    pthread_mutex_destroy(&disk->mutex);
    free(disk);
}

/* A sync of a folder may free nodes, so that all are held first. */
void lam_model_disk_sync(lam_model_disk *disk) {
    size_t count = 0;
    pthread_mutex_lock(&disk->mutex);
    for (model_node *node = disk->nodes; node != NULL; node = node->next)
        count++;
    model_node **nodes = model_alloc(count * sizeof *nodes);
    count = 0;
    for (model_node *node = disk->nodes; node != NULL; node = node->next)
        nodes[count++] = model_node_hold(node);
    for (size_t i = 0; i < count; i++) {
        if (nodes[i]->is_folder)
            model_folder_sync(nodes[i]);
        else
            model_file_sync(nodes[i]);
    }
    for (size_t i = 0; i < count; i++)
        model_node_release(nodes[i]);
    free(nodes);
    pthread_mutex_unlock(&disk->mutex);
}

/* --- Content after a power cut --------------------------------------------------------------- */

/* What a power cut makes of one file. */
typedef struct content_crash {
    const model_node *file;
    lam_random *random;
    size_t sector;
    uint64_t kept;              /* bytes from the start that were durable all the time */
    uint64_t shortest, longest; /* lengths since the sync */
} content_crash;

/* Bytes `from` to `to` after the first `count` changes; zeros beyond the length of that time. */
static void content_after(const model_node *file, size_t count, uint64_t from, uint64_t to,
                          uint8_t *bytes) {
    uint64_t durable = file->durable.size;
    memset(bytes, 0, to - from);
    if (from < durable)
        memcpy(bytes, file->durable.at + from, (to < durable ? to : durable) - from);
    for (size_t i = 0; i < count; i++) {
        const model_change *change = &file->changes[i];
        uint64_t first = change->offset > from ? change->offset : from;
        uint64_t end = change->bytes == NULL ? to : change->offset + change->size;
        end = end < to ? end : to;
        if (first >= end)
            continue;
        if (change->bytes == NULL)
            memset(bytes + (first - from), 0, end - first);
        else if (!change->is_lost)
            memcpy(bytes + (first - from), change->bytes + (first - change->offset), end - first);
    }
}

static uint64_t length_after(const model_node *file, size_t count) {
    return count == 0 ? file->durable.size
                      : file->changes[count - 1].offset + file->changes[count - 1].size;
}

static void set_whole(content_crash *crash, size_t count, model_bytes *content) {
    model_bytes_resize(content, length_after(crash->file, count));
    if (content->size > 0)
        content_after(crash->file, count, 0, content->size, content->at);
}

/* One sector, or what lies of it between `from` and `to`. */
static void set_sector(content_crash *crash, uint64_t from, uint64_t to, uint8_t *bytes) {
    lam_random *random = crash->random;
    size_t all = crash->file->change_count, count = lam_random_below(random, all + 1);
    uint64_t outcome = lam_random_below(random, 100), cut = from;
    if (outcome < 45 || outcome >= 85)
        count = all;
    else if (outcome < 65)
        count = 0;
    if (outcome >= 75 && outcome < 85) {
        memset(bytes, 0, to - from);
    } else if (outcome >= 85) { /* torn: new bytes, then old ones or zeros */
        cut += lam_random_below(random, to - from + 1);
        content_after(crash->file, all, from, cut, bytes);
        content_after(crash->file, 0, cut, to, bytes + (cut - from));
    } else {
        content_after(crash->file, count, from, to, bytes);
    }
}

/* Sectors are there or not, each for itself. The durable bytes of a sector stay. */
static void set_sectors(content_crash *crash, model_bytes *content) {
    uint64_t from = crash->kept;
    while (from < content->size) {
        uint64_t to = (from / crash->sector + 1) * crash->sector;
        to = to < content->size ? to : content->size;
        set_sector(crash, from, to, content->at + from);
        from = to;
    }
}

/* The first sectors are there, and zeros follow them: the length came before the content. */
static void set_prefix(content_crash *crash, model_bytes *content) {
    uint64_t sectors = (content->size - crash->kept) / crash->sector + 1;
    uint64_t end = crash->kept / crash->sector + lam_random_below(crash->random, sectors + 1);
    end = end * crash->sector < content->size ? end * crash->sector : content->size;
    if (end > crash->kept)
        content_after(crash->file, crash->file->change_count, crash->kept, end,
                      content->at + crash->kept);
}

static uint64_t choose_length(content_crash *crash) {
    const model_node *file = crash->file;
    lam_random *random = crash->random;
    switch (lam_random_below(random, 4)) {
    case 0:
        return file->newest.size;
    case 1:
        return length_after(file, lam_random_below(random, file->change_count + 1));
    default:
        return crash->shortest + lam_random_below(random, crash->longest - crash->shortest + 1);
    }
}

static void crash_content(const model_node *file, lam_random *random, model_bytes *content) {
    uint64_t durable = file->durable.size;
    content_crash crash = {file,    random,  lam_random_chance(random, 50) ? 512 : 4096,
                           durable, durable, durable};
    for (size_t i = 1; i <= file->change_count; i++) {
        uint64_t length = length_after(file, i);
        crash.shortest = length < crash.shortest ? length : crash.shortest;
        crash.longest = length > crash.longest ? length : crash.longest;
    }
    crash.kept = crash.shortest;
    uint64_t outcome = lam_random_below(random, 100);
    if (outcome < 15)
        set_whole(&crash, 0, content);
    else if (outcome < 25)
        set_whole(&crash, file->change_count, content);
    else if (outcome < 35)
        set_whole(&crash, lam_random_below(random, file->change_count + 1), content);
    else {
        model_bytes_resize(content, choose_length(&crash));
        if (crash.kept > 0)
            memcpy(content->at, file->durable.at, crash.kept);
        if (outcome < 50)
            set_prefix(&crash, content);
        else
            set_sectors(&crash, content);
    }
}

/* --- Names after a power cut ----------------------------------------------------------------- */

static void copy_names(const model_names *from, model_names *to) {
    for (size_t i = 0; i < from->count; i++)
        model_names_add(to, from->at[i].name, from->at[i].node);
}

/* The names of a folder, of nodes of the old disk. */
static void crash_names(const model_node *folder, lam_random *random, model_names *names) {
    size_t all = folder->step_count, count = all;
    uint64_t outcome = lam_random_below(random, 100);
    unsigned chance = 100;
    if (outcome < 20)
        count = 0;
    else if (outcome < 60)
        count = lam_random_below(random, all + 1);
    else if (outcome < 90)
        chance = 20 + (unsigned)lam_random_below(random, 61);
    copy_names(&folder->durable_names, names);
    for (size_t i = 0; i < count; i++) {
        bool keep_old = folder->disk->renames_by_link && lam_random_chance(random, 20) &&
                        folder->steps[i].verb == MODEL_RENAME;
        if (lam_random_chance(random, chance))
            model_names_apply(names, &folder->steps[i], keep_old);
    }
}

/* --- Copies ---------------------------------------------------------------------------------- */

static model_node *crash_node(lam_model_disk *disk, model_node *old, lam_random *random);

static void crash_folder(lam_model_disk *disk, const model_node *old, model_node *folder,
                         lam_random *random) {
    model_names names = {0};
    crash_names(old, random, &names);
    for (size_t i = 0; i < names.count; i++) {
        model_node *node = crash_node(disk, names.at[i].node, random);
        model_names_add(&folder->names, names.at[i].name, node);
        model_names_add(&folder->durable_names, names.at[i].name, node);
        node->links++;
        if (node->holds == 3) /* its first name: the two above hold it from now on */
            model_node_release(node);
    }
    model_names_clear(&names);
}

static model_node *crash_node(lam_model_disk *disk, model_node *old, lam_random *random) {
    if (old->image != NULL)
        return old->image;
    model_node *node = model_node_new(disk, old->is_folder);
    old->image = node;
    if (old->is_folder) {
        crash_folder(disk, old, node, random);
        return node;
    }
    crash_content(old, random, &node->durable);
    model_bytes_write(&node->newest, 0, node->durable.at, node->durable.size);
    return node;
}

/* What has no name any more is copied too: a crash may bring its name back. */
static void copy_node(const model_node *old) {
    model_node *node = old->image;
    model_bytes_write(&node->newest, 0, old->newest.at, old->newest.size);
    model_bytes_write(&node->durable, 0, old->durable.at, old->durable.size);
    node->changes = model_alloc(old->change_count * sizeof *node->changes);
    for (size_t i = 0; i < old->change_count; i++) {
        model_change change = old->changes[i];
        if (change.bytes != NULL)
            change.bytes = (uint8_t *)model_text((const char *)change.bytes, change.size);
        node->changes[node->change_count++] = change;
    }
    node->change_capacity = node->change_count;
    node->steps = model_alloc(old->step_count * sizeof *node->steps);
    for (size_t i = 0; i < old->step_count; i++) {
        model_step step = old->steps[i];
        step.name = model_text(step.name, strlen(step.name));
        step.to = step.to == NULL ? NULL : model_text(step.to, strlen(step.to));
        step.node = model_node_hold(step.node->image);
        node->steps[node->step_count++] = step;
    }
    node->step_capacity = node->step_count;
    for (size_t i = 0; i < old->names.count; i++)
        model_names_add(&node->names, old->names.at[i].name, old->names.at[i].node->image);
    for (size_t i = 0; i < old->durable_names.count; i++)
        model_names_add(&node->durable_names, old->durable_names.at[i].name,
                        old->durable_names.at[i].node->image);
    node->links = old->links;
}

static lam_model_disk *new_like(lam_model_disk *old) {
    lam_model_disk *disk = lam_model_disk_create();
    disk->limit = old->limit;
    disk->renames_by_link = old->renames_by_link;
    for (model_node *node = old->nodes; node != NULL; node = node->next)
        node->image = NULL;
    old->root->image = disk->root;
    return disk;
}

lam_model_disk *lam_model_disk_crash(lam_model_disk *old, lam_random *random) {
    pthread_mutex_lock(&old->mutex);
    lam_model_disk *disk = new_like(old);
    crash_folder(disk, old->root, disk->root, random);
    pthread_mutex_unlock(&old->mutex);
    return disk;
}

lam_model_disk *lam_model_disk_kill(lam_model_disk *old) {
    pthread_mutex_lock(&old->mutex);
    lam_model_disk *disk = new_like(old);
    for (model_node *node = old->nodes; node != NULL; node = node->next)
        if (node->image == NULL)
            node->image = model_node_new(disk, node->is_folder);
    for (model_node *node = old->nodes; node != NULL; node = node->next)
        copy_node(node);
    for (model_node *node = old->nodes; node != NULL; node = node->next)
        if (node != old->root)
            model_node_release(node->image);
    pthread_mutex_unlock(&old->mutex);
    return disk;
}

/* --- The clock ------------------------------------------------------------------------------- */

static int64_t model_utc(void *state) {
    lam_model_clock *clock = state;
    return clock->utc;
}

static uint64_t model_monotonic(void *state) {
    lam_model_clock *clock = state;
    return clock->monotonic;
}

lam_clock lam_model_clock_start(lam_model_clock *clock) {
    lam_clock given = {clock, model_utc, model_monotonic};
    return given;
}

void lam_model_clock_advance(lam_model_clock *clock, uint64_t nanoseconds) {
    clock->utc += (int64_t)nanoseconds;
    clock->monotonic += nanoseconds;
}
