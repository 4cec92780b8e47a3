/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of the operating system, for what has none of its caller. */
#ifndef LAM_IO_CLOCK_SYSTEM_H
#define LAM_IO_CLOCK_SYSTEM_H

#include <lamella/storage.h>

/* Any thread. */
lam_clock lam_clock_system(void);

#endif
