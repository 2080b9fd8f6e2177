// Runs a program to its end, without its output, and prints what that took as one line of JSON.
//
// The peak memory that a system counts for a process includes that of the process that forked it.
// This one is small.

#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "measure.h"

extern char **environ;

static pid_t started(char **words) {
  pid_t child;
  posix_spawn_file_actions_t silence;
  posix_spawn_file_actions_init(&silence);
  posix_spawn_file_actions_addopen(&silence, 1, "/dev/null", 1 /* O_WRONLY */, 0);
  posix_spawn_file_actions_addopen(&silence, 2, "/dev/null", 1 /* O_WRONLY */, 0);
  if (posix_spawn(&child, words[0], &silence, NULL, words, environ))
    fail(words[0], "did not start");
  posix_spawn_file_actions_destroy(&silence);
  return child;
}

static double microseconds(struct timeval time) { return time.tv_sec * 1e6 + time.tv_usec; }

int main(int count, char **words) {
  int status;
  struct rusage usage;
  if (count < 2) fail("usage", "launch PROGRAM [ARGUMENTS]");
  double start = microseconds_now();
  pid_t child = started(words + 1);
  if (wait4(child, &status, 0, &usage) != child || status != 0) fail(words[1], "failed");
  double end = microseconds_now();
#ifdef __APPLE__
  long kilobytes = usage.ru_maxrss / 1024;
#else
  long kilobytes = usage.ru_maxrss;
#endif
  double processor = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
  printf("{\"microseconds\":%.1f,\"processorMicroseconds\":%.1f,\"peakKilobytes\":%ld}\n",
         end - start, processor, kilobytes);
  return 0;
}
