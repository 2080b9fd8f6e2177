// Limits libFuzzer's coverage counters to the parts of the program that a reader reaches.
//
// After each input, libFuzzer scans a counter for every edge of the program. One reader reaches a twentieth of
// them, and the scan takes three times as long as a small reader itself. So this file reads all seeds before
// fuzzing starts, and registers only the counters near one that was incremented.

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uintptr_t place, kind; } Place;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
void __real___sanitizer_cov_8bit_counters_init(uint8_t *begin, uint8_t *end);
void __real___sanitizer_cov_pcs_init(const Place *begin, const Place *end);

// The number of counters that are registered together.
enum { near = 2048, longest = 1 << 16 };

static uint8_t *counters, *countersEnd;
static const Place *places;

void __wrap___sanitizer_cov_8bit_counters_init(uint8_t *begin, uint8_t *end) {
  counters = begin;
  countersEnd = end;
}

void __wrap___sanitizer_cov_pcs_init(const Place *begin, const Place *end) {
  (void)end;
  places = begin;
}

static void readFile(const char *folder, const char *name) {
  static uint8_t bytes[longest];
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return;
  size_t count = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  LLVMFuzzerTestOneInput(bytes, count);
}

static void readFolder(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (entry->d_name[0] != '.') readFile(path, entry->d_name);
  closedir(folder);
}

static size_t part(size_t index, size_t count) { return index * near < count ? index * near : count; }

static int isTouched(size_t begin, size_t end) {
  for (size_t index = begin; index < end; index++)
    if (counters[index]) return 1;
  return 0;
}

int LLVMFuzzerInitialize(int *count, char ***words) {
  for (int index = 1; index < *count; index++)
    if ((*words)[index][0] != '-') readFolder((*words)[index]);
  size_t all = (size_t)(countersEnd - counters);
  for (size_t index = 0; part(index, all) < all; index++) {
    size_t begin = part(index, all), end = part(index + 1, all);
    if (!isTouched(begin, end)) continue;
    __real___sanitizer_cov_8bit_counters_init(counters + begin, counters + end);
    __real___sanitizer_cov_pcs_init(places + begin, places + end);
  }
  memset(counters, 0, all);
  return 0;
}
