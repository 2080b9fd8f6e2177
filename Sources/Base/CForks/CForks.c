#ifdef __linux__

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CForks.h"

#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// Readers are threads that prevent forks, and the writer is a thread that forks. Readers go first, which is the default:
// a reader may start a thread that is a reader as well, and wait for it.
static pthread_rwlock_t forks = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t registration = PTHREAD_ONCE_INIT;

// The number of this thread while it forks. The variable also leads to the others of the library: those of one thread
// are in one block.
static __thread uint32_t forking_thread;
// The distance from the start of the block to `forking_thread`, and the number of words in the block.
static size_t offset_in_block, words_in_block;

static uint32_t thread_number(void) { return (uint32_t)syscall(SYS_gettid); }

// Finds the variables of the library that this file is linked into.
static int find_block(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  const uintptr_t code = (uintptr_t)&find_block;
  const ElfW(Phdr) *block = NULL;
  int is_this_library = 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
    if (segment->p_type == PT_TLS) block = segment;
    if (segment->p_type == PT_LOAD && code - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz) {
      is_this_library = 1;
    }
  }
  if (!is_this_library || block == NULL || info->dlpi_tls_data == NULL) return is_this_library;
  offset_in_block = (size_t)((uintptr_t)&forking_thread - (uintptr_t)info->dlpi_tls_data);
  words_in_block = block->p_memsz / sizeof(uint32_t);
  return 1;
}

static void before_fork(void) {
  pthread_rwlock_wrlock(&forks);
  forking_thread = thread_number();
}

static void after_fork_in_parent(void) {
  forking_thread = 0;
  pthread_rwlock_unlock(&forks);
}

// Gives the variables that contain the number of the parent's thread the number of this one. They are local to the
// files that Swift's compiler writes, so that they have no names here.
static void after_fork_in_child(void) {
  const uint32_t old = forking_thread, new = thread_number();
  uint32_t *words = (uint32_t *)((uintptr_t)&forking_thread - offset_in_block);
  for (size_t index = 0; index < words_in_block; index++) {
    if (words[index] == old) words[index] = new;
  }
  forking_thread = 0;
  forks = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
}

static void register_handlers(void) {
  forking_thread = 0;  // so that the block of this thread exists
  dl_iterate_phdr(find_block, NULL);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void cforks_prevent(void) {
  pthread_once(&registration, register_handlers);
  pthread_rwlock_rdlock(&forks);
}

void cforks_allow(void) { pthread_rwlock_unlock(&forks); }

#else

#include "CForks.h"

// Elsewhere the locks of Swift have no number of a thread, and a program that has threads cannot use a child of `fork`.
void cforks_prevent(void) {}
void cforks_allow(void) {}

#endif
