#define _GNU_SOURCE
#include "CIsolation.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

static int add_descriptors(posix_spawn_file_actions_t *actions, int socket, bool inheritsStderr) {
  // The socket is duplicated first, because its number may be one of those opened below.
  int error = posix_spawn_file_actions_adddup2(actions, socket, cisolation_worker_socket);
  int standard = inheritsStderr ? 2 : 3;
  for (int number = 0; !error && number < standard; number++) {
    error = posix_spawn_file_actions_addopen(
        actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0);
  }
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  if (!error)
    error = posix_spawn_file_actions_addclosefrom_np(actions, cisolation_worker_socket + 1);
#endif
#ifdef __APPLE__
  if (!error && inheritsStderr) error = posix_spawn_file_actions_addinherit_np(actions, 2);
#endif
  return error;
}

static int set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
  if (!error) error = posix_spawnattr_setflags(attributes, flags);
  return error;
}

int cisolation_spawn(
    pid_t *worker, const char *path, char *const *arguments, char *const *environment, int socket,
    bool inheritsStderr) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = add_descriptors(&actions, socket, inheritsStderr);
    if (!error) error = set_attributes(&attributes);
    if (!error) error = posix_spawn(worker, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

void cisolation_wait_for_exit(pid_t worker) {
  siginfo_t info;
  while (waitid(P_PID, (id_t)worker, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
}

void cisolation_reap(pid_t worker, int *signal, int *status) {
  int wait_status = 0;
  pid_t reaped;
  do reaped = waitpid(worker, &wait_status, 0);
  while (reaped < 0 && errno == EINTR);
  *signal = reaped == worker && WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  *status = reaped == worker && WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0;
}

bool cisolation_executable_path(char *path, size_t capacity) {
#ifdef __APPLE__
  uint32_t size = (uint32_t)capacity;
  return _NSGetExecutablePath(path, &size) == 0;
#else
  ssize_t length = readlink("/proc/self/exe", path, capacity - 1);
  if (length < 0 || (size_t)length >= capacity - 1) return false;
  path[length] = 0;
  return true;
#endif
}
