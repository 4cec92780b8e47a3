# SPDX-License-Identifier: Apache-2.0
"""The library reports through lam_error alone: it prints nothing, ends nothing, and leaves the
process as it was (streams, locale, signals, environment)."""

import re

import tree

_LOUD = re.compile(
    r"(?<![\w.])(?<!->)(?<!format\()(?:v?printf|vf?printf|puts|putchar|perror|psignal|stdout|stderr|stdin"
    r"|abort|exit|_exit|_Exit|quick_exit|atexit|raise|kill|system|fork|longjmp"
    r"|setlocale|signal|sigaction|sigprocmask|pthread_sigmask"
    r"|setenv|unsetenv|putenv|srand|strtok|chdir|umask)\b"
    r"|\bstd\s*::\s*(?:cout|cerr|clog|terminate)\b|\bdprintf\b"
)
# Jumps out of libbrotli's encoder, which would otherwise end the process when memory runs out.
_JUMPER = "lib/codec/codec_brotli.c"
# Blocks all signals while it makes a thread, which inherits that, so that they stay with the threads
# of the program; the caller's own mask is as before.
_THREAD = "lib/log/queue/log_thread.c"


def check(files):
    files = {
        path: re.sub(r"\blongjmp\(", "landing(", text) if path == _JUMPER else text
        for path, text in files.items()
    }
    if _THREAD in files:
        files[_THREAD] = re.sub(r"\bpthread_sigmask\(|<signal\.h>", "mask(", files[_THREAD])
    return tree.words(files, _LOUD, "the library does not print, end the process or touch its state")


def check_tree():
    return check(tree.sources("lib", "include"))


def self_test():
    def run(text):
        return check({"lib/page/a.c": text})

    tree.expect(run('int f(void) {\n    printf("x");\n}'), "lib/page/a.c:2: printf")
    tree.expect(run('fprintf(stderr, "x");'), "stderr")
    tree.expect(run("if (bad)\n    abort();\nexit(1);"), "abort", "exit")
    tree.expect(run('setlocale(LC_ALL, "C"); signal(SIGPIPE, SIG_IGN);'), "setlocale", "signal")
    tree.expect(run("void (*end)(void) = abort;"), "abort")
    tree.expect(run("std::cerr << 1;"), "std::cerr")
    tree.expect(run("snprintf(b, 1, x); vsnprintf(b, 1, x, a); fprintf(file, x); sink->exit(s);"))
    tree.expect(run('/* never calls abort() */ LAM_FAIL(error, x, "exit stdout");'))
    tree.expect(run("longjmp(place, 1);"), "longjmp")
    tree.expect(check({_JUMPER: "longjmp(place, 1);\nabort();"}), f"{_JUMPER}:2: abort")
    tree.expect(check({_THREAD: "#include <signal.h>\npthread_sigmask(a, b, c);\nraise(1);"}), ":3: raise")
    tree.expect(run("pthread_sigmask(a, b, c);"), "pthread_sigmask")
    tree.expect(run("__attribute__((format(printf, 1, 2)))"))


if __name__ == "__main__":
    tree.main(check_tree, self_test)
