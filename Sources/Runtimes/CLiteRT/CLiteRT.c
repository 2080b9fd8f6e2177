#include "CLiteRT.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <stdio.h>
#include <sys/auxv.h>
#endif

const CLiteRTTable *clitert_open(const char *path, char **message) {
  static const char missingFormat[] =
      "lacks the function %s, so it is not LiteRT 2.3.0 or a compatible version";
  static const char *const names[] = {CLITERT_FUNCTIONS(FUNCTION_TABLE_NAME)};
  const FunctionList list = FUNCTION_TABLE_LIST(names, .missingFormat = missingFormat);
  return function_table_open(path, list, message);
}

LiteRtStatus clitert_create_environment(
    const CLiteRTTable *table, const char *gpuFolder, LiteRtEnvironment *environment) {
  enum { integer = 2, string = 8 };
  enum { folderTag = 22, acceleratorsTag = 24, severityTag = 25, silent = 4 };
  const int accelerators = CLiteRTAcceleratorCPU | (gpuFolder ? CLiteRTAcceleratorGPU : 0);
  const LiteRtEnvOption options[] = {
      {.tag = acceleratorsTag, .value = {.type = integer, .integer = accelerators}},
      {.tag = severityTag, .value = {.type = integer, .integer = silent}},
      {.tag = folderTag, .value = {.type = string, .text = gpuFolder}},
  };
  const int count = sizeof options / sizeof *options;
  return table->LiteRtCreateEnvironment(gpuFolder ? count : count - 1, options, environment);
}

LiteRtStatus clitert_add_options(
    const CLiteRTTable *table, LiteRtOptions options, const char *section, const char *toml) {
  enum { outOfMemory = 2 };
  char *payload = strdup(toml);
  if (!payload) return outOfMemory;
  LiteRtOpaqueOptions added = NULL;
  LiteRtStatus status = table->LiteRtCreateOpaqueOptions(section, payload, free, &added);
  if (status) {
    free(payload);
    return status;
  }
  status = table->LiteRtAddOpaqueOptions(options, added);
  if (status) table->LiteRtDestroyOpaqueOptions(added);
  return status;
}

#if defined(__x86_64__)
bool clitert_cpuid(uint32_t *words) {
  unsigned *const first = words, *const second = words + 4;
  // Bits 24 to 31 of EBX are the APIC ID of the current core, which must not be part of the key.
  if (!__get_cpuid(1, first, first + 1, first + 2, first + 3)) return false;
  first[1] = 0;
  return __get_cpuid_count(7, 0, second, second + 1, second + 2, second + 3);
}
#elif defined(__aarch64__) && defined(__linux__)
/// Reads the model of the first core (MIDR_EL1); returns false if the kernel does not tell.
static bool read_model(unsigned long long *model) {
  FILE *file = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re");
  if (file) {
    const bool isRead = fscanf(file, "%llx", model) == 1;
    fclose(file);
    if (isRead) return true;
  }
  // The kernel emulates this instruction. It reads the current core, which may differ from the first.
  if (!(getauxval(AT_HWCAP) & HWCAP_CPUID)) return false;
  __asm__("mrs %0, midr_el1" : "=r"(*model));
  return true;
}

bool clitert_cpuid(uint32_t *words) {
  unsigned long long values[3] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2), 0};
  if (!read_model(&values[2])) return false;
  memset(words, 0, CLiteRTCPUIDWordCount * sizeof *words);
  memcpy(words, values, sizeof values);
  return true;
}
#else
bool clitert_cpuid(uint32_t *words) {
  (void)words;
  return false;
}
#endif

size_t clitert_rank(const LiteRtLayout *layout) { return layout->rank; }

int32_t clitert_axis(const LiteRtLayout *layout, size_t axis) {
  return axis < CLiteRTMaxRank ? layout->dimensions[axis] : 0;
}

void clitert_set_dimensions(LiteRtLayout *layout, const int32_t *dimensions, size_t rank) {
  *layout = (LiteRtLayout){.rank = rank < CLiteRTMaxRank ? rank : CLiteRTMaxRank};
  for (size_t axis = 0; axis < layout->rank; axis++) layout->dimensions[axis] = dimensions[axis];
}
