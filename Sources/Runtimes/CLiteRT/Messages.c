#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CLiteRT.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__

// TensorFlow Lite announces its delegate with `fprintf(stderr, …)` when it creates the first one of the process, whatever the
// severity of LiteRT's messages is. While LiteRT compiles, and until the line has been written, `stderr` is a stream that leaves
// this line out and passes everything else on. The file descriptor is not touched, so nothing that the application writes is lost.

static const char announcement[] = "INFO: Created TensorFlow Lite XNNPACK delegate for CPU.\n";
static atomic_bool isAnnounced = false;

/// Writes bytes to the standard error stream of the process.
static void pass_on(const char *bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = write(STDERR_FILENO, bytes, count);
    if (written < 0 && errno != EINTR) return;
    if (written <= 0) continue;
    bytes += written;
    count -= (size_t)written;
  }
}

/// Passes lines on, except the announcement.
static ssize_t write_lines(void *context, const char *bytes, size_t count) {
  (void)context;
  const size_t length = sizeof announcement - 1;
  const char *found = memmem(bytes, count, announcement, length);
  if (found) {
    atomic_store(&isAnnounced, true);
    pass_on(bytes, (size_t)(found - bytes));
    pass_on(found + length, count - length - (size_t)(found - bytes));
  } else {
    pass_on(bytes, count);
  }
  return (ssize_t)count;
}

/// Returns the stream, which is never closed: another thread may have read `stderr` just before it is restored.
static FILE *filtering_stream(void) {
  static FILE *stream = NULL;
  if (stream) return stream;
  stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_lines});
  // The line is written in three parts.
  if (stream) setvbuf(stream, NULL, _IOLBF, BUFSIZ);
  return stream;
}

static bool is_filtered(void) {
  if (atomic_load(&isAnnounced)) return false;
  const char *level = getenv("TENSORIO_LOG");
  return !level || strcmp(level, "debug") != 0;
}

LiteRtStatus clitert_create_compiled_model(
    const CLiteRTTable *table, LiteRtEnvironment environment, LiteRtModel model,
    LiteRtOptions options, LiteRtCompiledModel *compiled) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (!is_filtered()) return table->LiteRtCreateCompiledModel(environment, model, options, compiled);
  pthread_mutex_lock(&mutex);
  FILE *const original = stderr, *const stream = filtering_stream();
  if (stream) stderr = stream;
  const LiteRtStatus status =
      table->LiteRtCreateCompiledModel(environment, model, options, compiled);
  if (stream) {
    stderr = original;
    fflush(stream);
  }
  pthread_mutex_unlock(&mutex);
  return status;
}

#else

LiteRtStatus clitert_create_compiled_model(
    const CLiteRTTable *table, LiteRtEnvironment environment, LiteRtModel model,
    LiteRtOptions options, LiteRtCompiledModel *compiled) {
  return table->LiteRtCreateCompiledModel(environment, model, options, compiled);
}

#endif
