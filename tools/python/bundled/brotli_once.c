/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of Brotli inside of a wheel are made when they are first used, which leaves 135 KB
 * out of it. Brotli calls these two before it uses any of them, from any thread, and expects the
 * tables to be there when they return.
 */
#include <pthread.h>

void BrotliEncoderLazyStaticInit(void);
void BrotliEncoderLazyStaticInitInner(void);
void BrotliDecoderLazyStaticInit(void);
void BrotliDecoderLazyStaticInitInner(void);

void BrotliEncoderLazyStaticInit(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, BrotliEncoderLazyStaticInitInner);
}

void BrotliDecoderLazyStaticInit(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, BrotliDecoderLazyStaticInitInner);
}
