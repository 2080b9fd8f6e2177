#define _GNU_SOURCE
#include "CIsolation.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

void cisolation_close_descriptors_from(int first) {
#if defined(__linux__) && defined(SYS_close_range)
  if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
#endif
  long max = sysconf(_SC_OPEN_MAX);
  for (int number = first; number < (max < 0 ? 65536 : max); number++) close(number);
}

// Waits until the peer closes the socket, independently of what other threads do.
static void *exit_on_hangup(void *argument) {
  struct pollfd socket = {.fd = (int)(intptr_t)argument, .events = 0};
  while (!(socket.revents & (POLLHUP | POLLERR | POLLNVAL))) {
    if (poll(&socket, 1, -1) < 0 && errno != EINTR) break;
  }
  _exit(EXIT_SUCCESS);
}

bool cisolation_exit_with_parent(pid_t parent) {
#ifdef __linux__
  // SIGKILL also terminates a stopped process.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
#endif
  return getppid() == parent;
}

bool cisolation_exit_on_hangup(int socket) {
  pthread_t thread;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The smallest stack depends on the processor: glibc demands 128 KiB on arm64.
  const size_t smallest = (size_t)PTHREAD_STACK_MIN;
  pthread_attr_setstacksize(&attributes, smallest > 1 << 16 ? smallest : 1 << 16);
  int error =
      pthread_create(&thread, &attributes, exit_on_hangup, (void *)(intptr_t)socket);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

static bool set_limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit current;
  if (getrlimit(resource, &current) != 0) return false;
  if (hard > current.rlim_max) hard = current.rlim_max;
  if (soft > hard) soft = hard;
  struct rlimit limit = {soft, hard};
  return setrlimit(resource, &limit) == 0;
}

bool cisolation_set_limits(uint64_t addressSpace, uint64_t files) {
  bool isLimited = set_limit(RLIMIT_CORE, 0, 0) && set_limit(RLIMIT_NOFILE, files, files);
#ifndef __APPLE__
  // Apple's kernel accepts this limit but does not enforce it.
  if (addressSpace > 0) isLimited &= set_limit(RLIMIT_AS, addressSpace, addressSpace);
#endif
  return isLimited;
}

bool cisolation_limit_processor_time(uint64_t seconds) {
  if (seconds == 0) return set_limit(RLIMIT_CPU, RLIM_INFINITY, RLIM_INFINITY);
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return false;
  uint64_t used = (uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec;
  return set_limit(RLIMIT_CPU, used + seconds + 1, RLIM_INFINITY);
}
