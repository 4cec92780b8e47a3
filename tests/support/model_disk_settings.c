/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test sets on a model disk, and what it counts. In: faults, limits and watchers. Out: the
 * state that the storage of the disk (model_disk.c) follows. The mutex covers each call.
 */
#include "support/model_disk.h"
#include "support/model_disk_state.h"

/* Files without a name keep their bytes while they are open. */
uint64_t model_bytes_kept(const lam_model_disk *disk) {
    uint64_t bytes = 0;
    for (const model_node *node = disk->nodes; node != NULL; node = node->next)
        if (!node->is_folder && (node->links > 0 || node->is_written))
            bytes += node->newest.size;
    return bytes;
}

void lam_model_disk_set_fault(lam_model_disk *disk, lam_model_fault fault) {
    pthread_mutex_lock(&disk->mutex);
    disk->fault = fault;
    pthread_mutex_unlock(&disk->mutex);
}

void lam_model_disk_set_limit(lam_model_disk *disk, uint64_t bytes) {
    pthread_mutex_lock(&disk->mutex);
    disk->limit = bytes;
    pthread_mutex_unlock(&disk->mutex);
}

void lam_model_disk_set_renames_by_link(lam_model_disk *disk, bool by_link) {
    pthread_mutex_lock(&disk->mutex);
    disk->renames_by_link = by_link;
    pthread_mutex_unlock(&disk->mutex);
}

void lam_model_disk_watch(lam_model_disk *disk, lam_model_watch *before, void *state) {
    pthread_mutex_lock(&disk->mutex);
    while (disk->in_before)
        pthread_cond_wait(&disk->watched, &disk->mutex);
    disk->before = before;
    disk->before_state = state;
    pthread_mutex_unlock(&disk->mutex);
}

lam_model_counts lam_model_disk_counts(lam_model_disk *disk) {
    pthread_mutex_lock(&disk->mutex);
    lam_model_counts counts = disk->counts;
    counts.bytes_kept = model_bytes_kept(disk);
    pthread_mutex_unlock(&disk->mutex);
    return counts;
}
