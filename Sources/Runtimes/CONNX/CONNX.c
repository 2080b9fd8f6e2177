// For `pipe2`.
#define _GNU_SOURCE

#include "CONNX.h"

#include <FunctionTable.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The structure that the library's only function returns.
typedef struct {
  const void *const *(*GetApi)(uint32_t version);
  const char *(*GetVersionString)(void);
} OrtApiBase;

typedef struct {
  const OrtApiBase *(*OrtGetApiBase)(void);
} EntryTable;

static void disableTelemetry(void) {
  static const char name[] = "ORT_DISABLE_TELEMETRY";
  const char *value = getenv(name);
  if (!value || strcmp(value, "1") != 0) setenv(name, "1", 1);
}

// A library without the requested version of the API would print a line.
static bool isSupported(const char *version) {
  char *end = NULL;
  if (strtol(version, &end, 10) != 1 || *end != '.') return false;
  return strtol(end + 1, NULL, 10) >= CONNXAPIVersion;
}

static char *unsupportedMessage(const char *version) {
  enum { capacity = 200 };
  char *text = malloc(capacity);
  if (text)
    snprintf(
        text, capacity, "is ONNX Runtime %.40s; version 1.%d or later is required", version,
        CONNXAPIVersion);
  return text;
}

const CONNXTable *connx_open(const char *path, char **message) {
  static const char missingFormat[] = "lacks the function %s, so it is not ONNX Runtime";
  static const char *const names[] = {"OrtGetApiBase"};
  const FunctionList list = FUNCTION_TABLE_LIST(names, .missingFormat = missingFormat);
  disableTelemetry();
  EntryTable entry;
  if (!function_table_fill(&entry, path, list, message)) return NULL;
  const OrtApiBase *base = entry.OrtGetApiBase();
  const char *version = base ? base->GetVersionString() : NULL;
  const void *const *functions =
      version && isSupported(version) ? base->GetApi(CONNXAPIVersion) : NULL;
  if (!functions) {
    *message = unsupportedMessage(version ? version : "of an unknown version");
    return NULL;
  }
  CONNXTable *table = malloc(sizeof *table);
  if (!table) return *message = strdup("out of memory"), NULL;
#define CONNX_COPY(index, name) memcpy(&table->name, &functions[index], sizeof table->name);
  CONNX_FUNCTIONS(CONNX_COPY)
#undef CONNX_COPY
  table->version = version;
  return table;
}

static void discard(
    void *parameter, int severity, const char *category, const char *identifier,
    const char *location, const char *message) {
  (void)parameter, (void)severity, (void)category, (void)identifier, (void)location, (void)message;
}

OrtStatus *connx_create_environment(const CONNXTable *table, OrtEnv **environment) {
  enum { fatal = 4 };
  return table->OrtCreateEnvWithCustomLogger(discard, NULL, fatal, "tensorio", environment);
}

int connx_pipe(int ends[2]) {
#ifdef __APPLE__
  if (pipe(ends)) return -1;
  for (int end = 0; end < 2; ++end) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
  return 0;
#else
  // A program that another thread launches would keep the pipe open until it exits.
  if (pipe2(ends, O_CLOEXEC)) return -1;
  // With the default size, the threads at both ends would wait for each other every 64 KiB.
  enum { byteCount = 1 << 20 };
  fcntl(ends[1], F_SETPIPE_SZ, byteCount);
  return 0;
#endif
}
