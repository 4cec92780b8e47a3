/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a call on a thread whose stack was painted, and looks how far the paint is gone. */
#define _DEFAULT_SOURCE
#include "support/measured_stack.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Room for what is too much, and the guard below it, so that excess is a figure where it can be. */
enum { STACK_ROOM = 8 << 20, STACK_GUARD = 64 << 10, PAINT = 0xA5 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

bool lam_stack_is_promised(void) {
#if defined(IS_SANITIZED) || !defined(__OPTIMIZE__)
    return false;
#else
    return true;
#endif
}

typedef struct measured_call {
    void (*run)(void *state);
    void *state;
    uintptr_t top;
} measured_call;

static void *run_measured(void *state) {
    measured_call *call = state;
    char here;
    call->top = (uintptr_t)&here;
    call->run(call->state);
    return NULL;
}

size_t lam_stack_measure(void (*run)(void *state), void *state) {
    measured_call call = {.run = run, .state = state};
    pthread_attr_t attributes;
    pthread_t thread;
    size_t used = 0, deepest;
    const char *wanted = getenv("LAMELLA_STACK");
    size_t out_of_bounds = STACK_GUARD;
    uint8_t *room = mmap(NULL, STACK_GUARD + STACK_ROOM, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return 0;
    if (wanted != NULL)
        out_of_bounds += (STACK_ROOM - strtoul(wanted, NULL, 10)) & ~(size_t)4095;
    memset(room + STACK_GUARD, PAINT, STACK_ROOM);
    if (mprotect(room, out_of_bounds, PROT_NONE) == 0 && pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_setstack(&attributes, room + STACK_GUARD, STACK_ROOM) == 0 &&
            pthread_create(&thread, &attributes, run_measured, &call) == 0 &&
            pthread_join(thread, NULL) == 0) {
            for (deepest = out_of_bounds;
                 deepest < STACK_GUARD + STACK_ROOM && room[deepest] == PAINT;)
                deepest++;
            used = (size_t)(call.top - (uintptr_t)(room + deepest));
        }
        pthread_attr_destroy(&attributes);
    }
    munmap(room, STACK_GUARD + STACK_ROOM);
    return used;
}
