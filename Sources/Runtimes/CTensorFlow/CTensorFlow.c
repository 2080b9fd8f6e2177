#include "CTensorFlow.h"

#include <stdlib.h>

const CTensorFlowTable *ctensorflow_open(const char *path, char **message) {
  static const char missingFormat[] =
      "lacks the function %s, so it is not TensorFlow 2.21 or a compatible version";
  static const char *const names[] = {CTENSORFLOW_FUNCTIONS(FUNCTION_TABLE_NAME)};
  // Binding all functions of this large library eagerly takes longer than loading most models. The
  // loader finds the second library in the folder of the first.
  const FunctionList list =
      FUNCTION_TABLE_LIST(names, .missingFormat = missingFormat, .bindsLazily = true);
  return function_table_open(path, list, message);
}

static void releaseStrings(void *memory, size_t byteCount, void *table) {
  TF_TString *strings = memory;
  for (size_t index = 0; index < byteCount / sizeof *strings; index++)
    ((const CTensorFlowTable *)table)->TF_StringDealloc(strings + index);
  free(memory);
}

TF_Tensor *ctensorflow_new_strings(
    const CTensorFlowTable *table, const int64_t *lengths, int axisCount, size_t count) {
  enum { alignment = 64 };
  const size_t byteCount = count * sizeof(TF_TString);
  // The size is a positive multiple of the alignment, also for zero strings.
  void *memory = aligned_alloc(alignment, (byteCount / alignment + 1) * alignment);
  if (!memory) return NULL;
  for (size_t index = 0; index < count; index++) table->TF_StringInit((TF_TString *)memory + index);
  TF_Tensor *tensor = table->TF_NewTensor(
      CTensorFlowString, lengths, axisCount, memory, byteCount, releaseStrings, (void *)table);
  if (!tensor) releaseStrings(memory, byteCount, (void *)table);
  return tensor;
}
