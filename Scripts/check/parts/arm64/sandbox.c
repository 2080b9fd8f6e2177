// The first program of a virtual machine: tests the C functions for worker processes on a real kernel, for another processor
// and for other page sizes, and switches the machine off.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CIsolation.h"

static int failures = 0, checks = 0;

static void expect(int holds, const char *what) {
  checks++;
  if (!holds) {
    failures++;
    printf("FAILED: %s (errno %d)\n", what, errno);
  }
}

static int can_open(const char *path, int flags) {
  int file = open(path, flags | O_CLOEXEC);
  if (file >= 0) close(file);
  return file >= 0;
}

static void *compute(void *sum) {
  for (int i = 1; i <= 1000; i++) *(long *)sum += i;
  return NULL;
}

// What a runtime does in a sandbox works, and nothing else.
static void test_sandbox(void) {
  unsigned gaps = cisolation_enter_sandbox("/bundle");
  if (gaps) printf("gaps: %#x\n", gaps);
  expect(gaps == 0, "the sandbox is complete");
  expect(can_open("/proc/cpuinfo", O_RDONLY), "the processors are readable");
  expect(can_open("/sys/devices/system/cpu/online", O_RDONLY), "the list of processors is readable");
  expect(can_open("/dev/urandom", O_RDONLY), "random numbers are readable");
  expect(can_open("/bundle/model", O_RDONLY), "the bundle is readable");
  expect(!can_open("/bundle/model", O_WRONLY), "the bundle is not writable");
  expect(!can_open("/etc/passwd", O_RDONLY), "other files are not readable");
  expect(socket(AF_UNIX, SOCK_STREAM, 0) < 0, "sockets cannot be created");
  expect(fork() < 0, "processes cannot be created");
  expect(kill(getppid(), 0) != 0, "other processes receive no signals");
  void *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect(memory != MAP_FAILED, "memory can be allocated");
  pthread_t threads[4];
  long sums[4] = {0};
  int error = 0;
  for (int i = 0; i < 4; i++) error |= pthread_create(&threads[i], NULL, compute, &sums[i]);
  for (int i = 0; i < 4; i++) error |= pthread_join(threads[i], NULL);
  expect(error == 0 && sums[3] == 500500, "threads run");
  expect(sysconf(_SC_NPROCESSORS_ONLN) == 2, "the number of processors is known");
}

// Memory of a size that is no multiple of a page, as tensors are.
static void test_memory(size_t bytes) {
  int memory = cisolation_create_memory(bytes);
  expect(memory >= 0, "shared memory is created");
  struct stat status;
  expect(fstat(memory, &status) == 0 && (size_t)status.st_size == bytes, "it has the exact size");
  unsigned char *first = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  unsigned char *second = mmap(NULL, bytes, PROT_READ, MAP_SHARED, memory, 0);
  expect(first != MAP_FAILED && second != MAP_FAILED, "it is mapped twice");
  first[0] = 17;
  first[bytes - 1] = 23;
  expect(second[bytes - 1] == 23, "both mappings share its last byte");
  expect(ftruncate(memory, (off_t)bytes + 1) != 0, "its size cannot change");
  munmap(first, bytes);
  munmap(second, bytes);
  expect(cisolation_seal_memory(memory), "it is sealed");
  expect(
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) == MAP_FAILED,
      "it is read-only afterwards");
  second = mmap(NULL, bytes, PROT_READ, MAP_SHARED, memory, 0);
  expect(second != MAP_FAILED && second[bytes - 1] == 23, "its contents remain");
  munmap(second, bytes);
  close(memory);
}

// A model's file is mapped privately; the rest of its last page is zero.
static void test_file(size_t bytes) {
  char name[] = "/tmp/model-XXXXXX";
  int file = mkstemp(name);
  expect(file >= 0 && ftruncate(file, (off_t)bytes) == 0, "a file is created");
  unsigned char *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  expect(mapped != MAP_FAILED, "it is mapped");
  mapped[bytes - 1] = 1;
  unsigned char byte = 9;
  expect(pread(file, &byte, 1, (off_t)bytes - 1) == 1 && byte == 0, "the file does not change");
  expect(munmap(mapped, bytes) == 0, "it is unmapped");
  close(file);
  unlink(name);
}

// A worker process ends when its socket is closed, with its limits of memory.
static void test_worker(void) {
  int ends[2];
  expect(cisolation_socket_pair(ends), "sockets are created");
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    int works = cisolation_set_limits(UINT64_C(256) << 20, 64) && cisolation_exit_with_parent(getppid()) &&
        cisolation_exit_on_hangup(ends[1]);
    if (!works) _exit(7);
    for (;;) pause();
  }
  close(ends[1]);
  char text[] = "hello";
  int memory = cisolation_create_memory(5);
  expect(cisolation_send(ends[0], text, sizeof text, memory) == sizeof text, "a message is sent");
  close(ends[0]);
  int signal = 0, status = 0;
  cisolation_wait_for_exit(child);
  cisolation_reap(child, &signal, &status);
  expect(signal == 0 && status == 0, "a worker process ends with its connection");
}

static void make_system(void) {
  const char *const folders[] = {"/proc", "/sys", "/dev", "/tmp", "/etc", "/bundle"};
  for (int i = 0; i < 6; i++) mkdir(folders[i], 0755);
  mount("proc", "/proc", "proc", 0, 0);
  mount("sysfs", "/sys", "sysfs", 0, 0);
  mount("devtmpfs", "/dev", "devtmpfs", 0, 0);
  close(open("/etc/passwd", O_CREAT | O_WRONLY, 0644));
  close(open("/bundle/model", O_CREAT | O_WRONLY, 0644));
}

// A new process has no threads and the kernel's full view of it.
static void run_test(const char *name) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    failures = checks = 0;
    if (strcmp(name, "sandbox") == 0) test_sandbox();
    if (strcmp(name, "worker") == 0) test_worker();
    if (strcmp(name, "memory") == 0) {
      size_t page = (size_t)sysconf(_SC_PAGESIZE);
      const size_t sizes[] = {1, 4096, 4097, 16384, 16385, 65536, 65537, page - 1, page, page + 1, 150528};
      for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_memory(sizes[i]);
        test_file(sizes[i]);
      }
    }
    printf("%s: %d checks, %d failed\n", name, checks, failures);
    fflush(stdout);
    _exit(failures != 0);
  }
  int status;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, name);
}

int main(void) {
  make_system();
  struct utsname system;
  uname(&system);
  printf("kernel: %s %s, pages of %ld bytes\n", system.machine, system.release, sysconf(_SC_PAGESIZE));
  run_test("memory");
  run_test("worker");
  run_test("sandbox");
  printf("result: %s\n", failures == 0 ? "passed" : "FAILED");
  fflush(stdout);
  sync();
  reboot(RB_POWER_OFF);
  return 0;
}
