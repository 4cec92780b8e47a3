#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdlib.h>

static lam_alone_test *first;
static const lam_alone_test *running;

void lam_alone_add(lam_alone_test *test) {
    lam_alone_test **place = &first;
    while (*place != NULL)
        place = &(*place)->next;
    *place = test;
}

void lam_alone_fail(const char *file, int line, const char *promise, const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "%s:%d: %s::%s: broken: %s\n", file, line, running->suite, running->name,
            promise);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

int main(void) {
    size_t count = 0;
    for (running = first; running != NULL; running = running->next, count++)
        running->run();
    printf("%zu tests\n", count);
    return count > 0 ? 0 : 1;
}
