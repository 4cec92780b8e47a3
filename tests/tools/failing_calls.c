/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into programs: the system call, of all threads, with which something goes wrong.
 *
 *     LAMELLA_CALL_AT     the call, counted from 1; 0: none. With "full": bytes
 *     LAMELLA_CALL_STAYS  if set, those behind it fail too
 *     LAMELLA_CALL_DOES   "kill" and "kill-after" end the process before and behind it, "term" is a
 *                         SIGTERM before it, "short" reads or writes half of the bytes, a number is
 *                         the errno with which it fails, and "full" is a disk on which files get no
 *                         more than AT bytes
 *     LAMELLA_CALL_OF     "all": calls about files, folders, pipes and the terminal, but no writes
 *                         to standard error. Default: those that change files by a path that is not
 *                         absolute, so that the test's folder is meant and not what the C library
 *                         or the system has
 *     LAMELLA_CALL_NAMES  a file that gets the name of each call that was counted, a line each
 *
 * The kernel sends SIGSYS for these calls, whoever makes them: stdio makes its own, past all that
 * a library could put in front of it. The handler makes the call, from the one instruction that
 * the filter lets pass, or gives it another result. Counted from main on. "short" counts reads and
 * writes alone, and EINTR the calls that may give it, for the file systems that have it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>

typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *main, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*loader_fini)(void), void *stack_end);

/* What a call is about, and where its arguments are. */
typedef enum call_kind {
    CALL_BY_PATH,   /* a path is argument 0 */
    CALL_IN_FOLDER, /* a path is argument 1, a folder argument 0 */
    CALL_BY_FILE,   /* a descriptor is argument 0 */
    CALL_READS,     /* the same, and a size is argument 2 */
    CALL_WRITES,    /* the same */
    CALL_COPIES,    /* copy_file_range: from argument 0 to 2, the size is argument 4 */
    CALL_MAPS,      /* a descriptor is argument 4 */
    CALL_OTHER
} call_kind;

typedef struct call {
    const char *name;
    long number;
    call_kind kind;
    bool changes; /* files or folders, or gets ready to */
    bool may_be_interrupted;
} call;

static const call known[] = {
    {"read", SYS_read, CALL_READS, false, true},
    {"pread64", SYS_pread64, CALL_READS, false, true},
    {"write", SYS_write, CALL_WRITES, true, true},
    {"pwrite64", SYS_pwrite64, CALL_WRITES, true, true},
    {"writev", SYS_writev, CALL_BY_FILE, true, true},
    {"copy_file_range", SYS_copy_file_range, CALL_COPIES, true, true},
    {"openat", SYS_openat, CALL_IN_FOLDER, true, true},
    {"ftruncate", SYS_ftruncate, CALL_BY_FILE, true, true},
    {"fsync", SYS_fsync, CALL_BY_FILE, true, true},
    {"fdatasync", SYS_fdatasync, CALL_BY_FILE, true, true},
    {"renameat", SYS_renameat, CALL_IN_FOLDER, true, false},
    {"renameat2", SYS_renameat2, CALL_IN_FOLDER, true, false},
    {"linkat", SYS_linkat, CALL_IN_FOLDER, true, false},
    {"unlinkat", SYS_unlinkat, CALL_IN_FOLDER, true, false},
    {"mkdirat", SYS_mkdirat, CALL_IN_FOLDER, true, false},
#ifdef SYS_rename /* new machines have only those with "at" */
    {"open", SYS_open, CALL_BY_PATH, true, true},
    {"rename", SYS_rename, CALL_BY_PATH, true, false},
    {"link", SYS_link, CALL_BY_PATH, true, false},
    {"unlink", SYS_unlink, CALL_BY_PATH, true, false},
    {"mkdir", SYS_mkdir, CALL_BY_PATH, true, false},
    {"rmdir", SYS_rmdir, CALL_BY_PATH, true, false},
    {"stat", SYS_stat, CALL_BY_PATH, false, false},
    {"lstat", SYS_lstat, CALL_BY_PATH, false, false},
    {"access", SYS_access, CALL_BY_PATH, false, false},
    {"readlink", SYS_readlink, CALL_BY_PATH, false, false},
    {"dup2", SYS_dup2, CALL_BY_FILE, false, false},
#endif
    {"newfstatat", SYS_newfstatat, CALL_IN_FOLDER, false, false},
    {"fstat", SYS_fstat, CALL_BY_FILE, false, false},
    {"lseek", SYS_lseek, CALL_BY_FILE, false, false},
    {"flock", SYS_flock, CALL_BY_FILE, false, true},
    {"fcntl", SYS_fcntl, CALL_BY_FILE, false, false},
    {"ioctl", SYS_ioctl, CALL_BY_FILE, false, false},
    {"getdents64", SYS_getdents64, CALL_BY_FILE, false, false},
    {"close", SYS_close, CALL_BY_FILE, false, false},
    {"mmap", SYS_mmap, CALL_MAPS, false, false},
    {"faccessat", SYS_faccessat, CALL_IN_FOLDER, false, false},
    {"readlinkat", SYS_readlinkat, CALL_IN_FOLDER, false, false},
    {"dup3", SYS_dup3, CALL_BY_FILE, false, false},
    {"pipe2", SYS_pipe2, CALL_OTHER, false, false},
    {"getcwd", SYS_getcwd, CALL_OTHER, false, false},
    {"getrandom", SYS_getrandom, CALL_OTHER, false, false},
};
enum { KNOWN = sizeof known / sizeof known[0] };

/* What LAMELLA_CALL_DOES says. */
typedef enum call_fate {
    FATE_NONE,
    FATE_FAILS,
    FATE_KILLS,
    FATE_KILLS_AFTER,
    FATE_TERMS,
    FATE_IS_SHORT,
    FATE_IS_FULL
} call_fate;

static atomic_ulong calls;
static atomic_ulong written; /* bytes, to files */
static call_fate fate;
static int os_error;
static unsigned long at;
static bool stays, of_all;
static int names = -1;
static main_function *real_main;

/* --- Calls that pass ------------------------------------------------------------------------- */

long lamella_pass(long number, long a, long b, long c, long d, long e, long f);
extern const char lamella_passed[]; /* behind the instruction */

#if defined(__x86_64__)
__asm__(".text\n.globl lamella_pass\n.type lamella_pass, @function\nlamella_pass:\n"
        "movq %rdi, %rax\nmovq %rsi, %rdi\nmovq %rdx, %rsi\nmovq %rcx, %rdx\nmovq %r8, %r10\n"
        "movq %r9, %r8\nmovq 8(%rsp), %r9\nsyscall\n"
        ".globl lamella_passed\nlamella_passed:\nret\n.size lamella_pass, . - lamella_pass\n");
#define REGISTER(context, i) ((context)->uc_mcontext.gregs[argument_registers[i]])
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
static const int argument_registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
#elif defined(__aarch64__)
__asm__(".text\n.globl lamella_pass\n.type lamella_pass, %function\nlamella_pass:\n"
        "mov x8, x0\nmov x0, x1\nmov x1, x2\nmov x2, x3\nmov x3, x4\nmov x4, x5\nmov x5, x6\n"
        "svc #0\n.globl lamella_passed\nlamella_passed:\nret\n.size lamella_pass, . - "
        "lamella_pass\n");
#define REGISTER(context, i) ((context)->uc_mcontext.regs[i])
#define RESULT(context) ((context)->uc_mcontext.regs[0])
#endif

static long pass(long number, const long *arguments) {
    return lamella_pass(number, arguments[0], arguments[1], arguments[2], arguments[3],
                        arguments[4], arguments[5]);
}

static void send_signal(int signal_number) {
    const long arguments[6] = {getpid(), signal_number};
    pass(SYS_kill, arguments);
}

static void kill_process(void) {
    for (;;)
        send_signal(SIGKILL);
}

/* --- Which calls count ----------------------------------------------------------------------- */

static bool is_file(long descriptor, bool folders_too) {
    struct stat about;
    const long arguments[6] = {descriptor, (long)&about};
    return descriptor >= 0 && pass(SYS_fstat, arguments) == 0 &&
           (S_ISREG(about.st_mode) || (folders_too && S_ISDIR(about.st_mode)));
}

static bool is_path_of_test(long folder, const char *path) {
    return (int)folder == AT_FDCWD && path[0] != '/';
}

static bool is_of_test(const call *which, const long *arguments) {
    switch (which->kind) {
    case CALL_BY_PATH:
        return is_path_of_test(AT_FDCWD, (const char *)arguments[0]);
    case CALL_IN_FOLDER:
        return is_path_of_test(arguments[0], (const char *)arguments[1]);
    case CALL_COPIES:
        return arguments[2] > STDERR_FILENO && is_file(arguments[2], true);
    default:
        return arguments[0] > STDERR_FILENO && is_file(arguments[0], true);
    }
}

static bool has_size(const call *which) {
    return which->kind == CALL_READS || which->kind == CALL_WRITES || which->kind == CALL_COPIES;
}

static bool counts(const call *which, const long *arguments) {
    if (of_all && which->kind == CALL_MAPS && (int)arguments[4] < 0)
        return false; /* memory */
    if (of_all && which->kind == CALL_WRITES && arguments[0] == STDERR_FILENO)
        return false;
    if (!of_all && (!which->changes || !is_of_test(which, arguments)))
        return false;
    if (fate == FATE_IS_SHORT)
        return has_size(which);
    return fate != FATE_FAILS || os_error != EINTR || which->may_be_interrupted;
}

/* --- What becomes of them -------------------------------------------------------------------- */

static void note_name(const char *name) {
    char line[40];
    size_t size = strlen(name);
    memcpy(line, name, size);
    line[size] = '\n';
    const long arguments[6] = {names, (long)line, (long)size + 1};
    if (names >= 0 && pass(SYS_write, arguments) != (long)size + 1)
        _exit(99);
}

/* As much of it as a disk takes that is full at byte `at`. */
static long write_to_full_disk(const call *which, long *arguments) {
    int size = which->kind == CALL_COPIES ? 4 : 2;
    unsigned long before = atomic_load(&written);
    if (arguments[size - 2] == STDERR_FILENO || !is_file(arguments[size - 2], false))
        return pass(which->number, arguments);
    if (before >= at && arguments[size] > 0)
        return -ENOSPC;
    if ((unsigned long)arguments[size] > at - before)
        arguments[size] = (long)(at - before);
    long done = pass(which->number, arguments);
    if (done > 0)
        atomic_fetch_add(&written, (unsigned long)done);
    return done;
}

static long fail(const call *which, const long *arguments) {
    if (which->number == SYS_close) /* it fails, and is closed */
        (void)pass(which->number, arguments);
    return -os_error;
}

static long meet_fate(const call *which, long *arguments) {
    if (fate == FATE_IS_FULL && (which->kind == CALL_WRITES || which->kind == CALL_COPIES))
        return write_to_full_disk(which, arguments);
    if (fate == FATE_IS_FULL || !counts(which, arguments))
        return pass(which->number, arguments);
    unsigned long count = atomic_fetch_add(&calls, 1) + 1;
    note_name(which->name);
    if (fate == FATE_NONE || at == 0 || count < at || (count > at && !stays))
        return pass(which->number, arguments);
    if (fate == FATE_KILLS)
        kill_process();
    if (fate == FATE_TERMS)
        send_signal(SIGTERM);
    if (fate == FATE_FAILS)
        return fail(which, arguments);
    int size = which->kind == CALL_COPIES ? 4 : 2;
    if (fate == FATE_IS_SHORT && arguments[size] > 1)
        arguments[size] /= 2;
    long result = pass(which->number, arguments);
    if (fate == FATE_KILLS_AFTER)
        kill_process();
    return result;
}

static void on_call(int signal_number, siginfo_t *about, void *context_of_call) {
    ucontext_t *context = context_of_call;
    long arguments[6];
    (void)signal_number;
    for (int i = 0; i < 6; i++)
        arguments[i] = (long)REGISTER(context, i);
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i].number == about->si_syscall) {
            RESULT(context) = meet_fate(&known[i], arguments);
            return;
        }
    RESULT(context) = -ENOSYS;
}

/* --- Beginning ------------------------------------------------------------------------------- */

static const char *variable(const char *name) {
    const char *text = getenv(name);
    return text != NULL ? text : "";
}

static call_fate fate_of(const char *does) {
    static const struct {
        const char *name;
        call_fate fate;
    } all[] = {{"kill", FATE_KILLS},
               {"kill-after", FATE_KILLS_AFTER},
               {"term", FATE_TERMS},
               {"short", FATE_IS_SHORT},
               {"full", FATE_IS_FULL}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(does, all[i].name) == 0)
            return all[i].fate;
    return os_error > 0 ? FATE_FAILS : FATE_NONE;
}

static void read_variables(void) {
    const char *path = variable("LAMELLA_CALL_NAMES");
    os_error = atoi(variable("LAMELLA_CALL_DOES"));
    fate = fate_of(variable("LAMELLA_CALL_DOES"));
    at = strtoul(variable("LAMELLA_CALL_AT"), NULL, 10);
    stays = getenv("LAMELLA_CALL_STAYS") != NULL;
    of_all = strcmp(variable("LAMELLA_CALL_OF"), "all") == 0;
    if (*path == '\0')
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    names = fcntl(file, F_DUPFD_CLOEXEC, 500); /* the program's descriptors stay as they are */
    if (file < 0 || names < 0)
        _exit(99);
    close(file);
}

/* Lets pass what comes from lamella_pass, and sends a signal for the rest of what is known. */
static void install_filter(void) {
    struct sock_filter filter[KNOWN + 7];
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
    uint64_t passed = (uint64_t)(uintptr_t)lamella_passed;
    const unsigned pointer = offsetof(struct seccomp_data, instruction_pointer);
    const unsigned number = offsetof(struct seccomp_data, nr), equal = BPF_JMP | BPF_JEQ | BPF_K;
    const struct sock_filter beginning[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, pointer), /* little endian */
        BPF_JUMP(equal, (uint32_t)passed, 0, 2), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, pointer + 4),
        BPF_JUMP(equal, (uint32_t)(passed >> 32), KNOWN + 1, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number)};
    memcpy(filter, beginning, sizeof beginning);
    for (size_t i = 0; i < KNOWN; i++)
        filter[5 + i] = (struct sock_filter)BPF_JUMP(equal, (uint32_t)known[i].number,
                                                     (unsigned char)(KNOWN - i), 0);
    filter[5 + KNOWN] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[6 + KNOWN] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {KNOWN + 7, filter};
    if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(98);
}

static int counted_main(int argc, char **argv, char **environment) {
    read_variables();
    install_filter();
    return real_main(argc, argv, environment);
}

/* What a program's first instructions call to get to main. */
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end);
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end) {
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}

/* The signal of a call would end the process where it is blocked. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *ret_before) {
    __typeof__(&pthread_sigmask) real =
        (__typeof__(&pthread_sigmask))dlsym(RTLD_NEXT, "pthread_sigmask");
    sigset_t less;
    if (set == NULL || how == SIG_UNBLOCK)
        return real(how, set, ret_before);
    less = *set;
    sigdelset(&less, SIGSYS);
    return real(how, &less, ret_before);
}
