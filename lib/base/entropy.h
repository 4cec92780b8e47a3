/* SPDX-License-Identifier: Apache-2.0 */
/* Random bytes for names and ids. Not for cryptography. */
#ifndef LAM_BASE_ENTROPY_H
#define LAM_BASE_ENTROPY_H

#include <stddef.h>
#include <stdint.h>

/* Fills `bytes` from the operating system, or by lam_entropy_guess if it has none. Any thread. */
void lam_entropy(uint8_t *bytes, size_t size);

/*
 * Fills `bytes` with a hash of clocks, the process, addresses and a counter: different in each call
 * of a process, and most likely in each process.
 */
void lam_entropy_guess(uint8_t *bytes, size_t size);

#endif
