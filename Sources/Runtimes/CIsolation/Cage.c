#define _GNU_SOURCE
#include "CIsolation.h"

#ifndef __linux__

unsigned cisolation_enter_sandbox(const char *folder) {
  (void)folder;
  return cisolation_lacks_landlock | cisolation_lacks_seccomp;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

// Runtimes read the processors' features to select kernels, and random numbers for seeds.
static const char *const readable_paths[] = {"/proc/cpuinfo", "/sys/devices/system/cpu", "/dev/urandom"};

static void allow_read(int rules, const char *path) {
  int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0) return;
  struct stat status;
  uint64_t rights = LANDLOCK_ACCESS_FS_READ_FILE;
  if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) rights |= LANDLOCK_ACCESS_FS_READ_DIR;
  struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = file};
  syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(file);
}

// Returns all file access rights of a Landlock ABI version.
static uint64_t file_rights(long version) {
  uint64_t bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return (UINT64_C(1) << bits) - 1;
}

static bool restrict_files(const char *folder) {
  long version =
      syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  uint64_t handled = file_rights(version);
  int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  if (rules < 0) return false;
  for (size_t index = 0; index < sizeof readable_paths / sizeof *readable_paths; index++) {
    allow_read(rules, readable_paths[index]);
  }
  if (folder) allow_read(rules, folder);
  bool isRestricted = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return isRestricted;
}

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_ARCHITECTURE

#define FIELD(name) offsetof(struct seccomp_data, name)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define JUMP_UNLESS_EQUAL(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define DENIED (SECCOMP_RET_ERRNO | EPERM)
// Allows a system call.
#define ALLOW(name) JUMP_UNLESS_EQUAL(__NR_##name, 1), RETURN(SECCOMP_RET_ALLOW)
// Allows a system call if the low half of an argument has a value; these calls ignore the high half.
#define ALLOW_WITH(name, argument, value)                                          \
  JUMP_UNLESS_EQUAL(__NR_##name, 4), LOAD(FIELD(args[argument])), JUMP_UNLESS_EQUAL((value), 1),         \
      RETURN(SECCOMP_RET_ALLOW), RETURN(DENIED)

static bool install_seccomp_filter(void) {
  uint32_t self = (uint32_t)getpid();
  struct sock_filter steps[] = {
      LOAD(FIELD(arch)),
      JUMP_UNLESS_EQUAL(THIS_ARCHITECTURE, 1),
      BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
      RETURN(SECCOMP_RET_KILL_PROCESS),
      LOAD(FIELD(nr)),
      ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW(lseek),
      ALLOW(close), ALLOW(fstat), ALLOW(newfstatat), ALLOW(statx), ALLOW(fcntl),
      ALLOW(openat), ALLOW(faccessat), ALLOW(readlinkat), ALLOW(getdents64),
      ALLOW(mmap), ALLOW(munmap), ALLOW(mprotect), ALLOW(mremap), ALLOW(madvise), ALLOW(brk),
      ALLOW(futex), ALLOW(set_robust_list), ALLOW(set_tid_address), ALLOW(rseq),
      ALLOW(membarrier), ALLOW(sched_yield), ALLOW(sched_getaffinity), ALLOW(sched_setaffinity),
      ALLOW(getpid), ALLOW(gettid), ALLOW(getcpu), ALLOW(uname), ALLOW(sysinfo),
      ALLOW(getrusage), ALLOW(getrandom), ALLOW(clock_gettime), ALLOW(clock_getres),
      ALLOW(clock_nanosleep), ALLOW(nanosleep), ALLOW(gettimeofday),
      ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack),
      ALLOW(ppoll), ALLOW(sendmsg), ALLOW(recvmsg), ALLOW(exit), ALLOW(exit_group),
      ALLOW(restart_syscall),
#ifdef __NR_poll
      ALLOW(poll), ALLOW(access), ALLOW(readlink), ALLOW(open), ALLOW(stat),
#endif
      ALLOW_WITH(tgkill, 0, self),
      ALLOW_WITH(prctl, 0, PR_SET_NAME),
      ALLOW_WITH(prlimit64, 0, 0),
      // With ENOSYS the C library falls back to `clone`, whose flags a filter can inspect.
      JUMP_UNLESS_EQUAL(__NR_clone3, 1), RETURN(SECCOMP_RET_ERRNO | ENOSYS),
      JUMP_UNLESS_EQUAL(__NR_clone, 4), LOAD(FIELD(args[0])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1), RETURN(SECCOMP_RET_ALLOW),
      RETURN(DENIED),
      RETURN(DENIED),
  };
  struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else
static bool install_seccomp_filter(void) { return false; }
#endif

// A directory has two links and one more for each subdirectory, here for each thread.
static bool has_threads(void) {
  struct stat status;
  return stat("/proc/self/task", &status) != 0 || status.st_nlink != 3;
}

static bool can_open(const char *path, int flags) {
  int file = open(path, flags | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

static bool can_connect(void) {
  int probe = socket(AF_INET, SOCK_STREAM, 0);
  if (probe < 0) probe = socket(AF_UNIX, SOCK_STREAM, 0);
  if (probe >= 0) close(probe);
  return probe >= 0;
}

// The path does not exist, so that an allowed call has no effect.
static bool can_execute(void) {
  char *const none[] = {NULL};
  execve("/nonexistent/program", none, none);
  return errno != EPERM;
}

static bool can_fork(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  return child >= 0;
}

static unsigned probe_escapes(void) {
  unsigned found = 0;
  if (can_open("/etc/passwd", O_RDONLY) || can_open("/", O_RDONLY)) found |= cisolation_can_read;
  const char *const probe = "/tmp/tensorio-sandbox-probe";
  if (can_open(probe, O_WRONLY | O_CREAT)) {
    found |= cisolation_can_write;
    unlink(probe);
  }
  if (can_open("/dev/null", O_WRONLY)) found |= cisolation_can_write;
  if (can_connect()) found |= cisolation_can_connect;
  if (can_execute()) found |= cisolation_can_execute;
  if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0) found |= cisolation_can_trace;
  if (can_fork()) found |= cisolation_can_fork;
  if (kill(1, 0) == 0 || errno != EPERM) found |= cisolation_can_signal;
  return found;
}

unsigned cisolation_enter_sandbox(const char *folder) {
  unsigned gaps = 0;
  if (has_threads()) gaps |= cisolation_has_threads;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) gaps |= cisolation_lacks_seccomp;
  if (!restrict_files(folder)) gaps |= cisolation_lacks_landlock;
  if (!install_seccomp_filter()) gaps |= cisolation_lacks_seccomp;
  // Without a complete sandbox the probes could have side effects.
  return gaps ? gaps : probe_escapes();
}

#endif
