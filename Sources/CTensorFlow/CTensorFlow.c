#include "CTensorFlow.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char *lookUp(void *library, CTensorFlowTable *table) {
#define CTENSORFLOW_LOOK_UP(name)                                                                  \
  *(void **)(&table->name) = dlsym(library, #name);                                                \
  if (!table->name) return #name;
  CTENSORFLOW_FUNCTIONS(CTENSORFLOW_LOOK_UP)
#undef CTENSORFLOW_LOOK_UP
  return NULL;
}

static char *missingFunction(const char *name) {
  static const char before[] = "lacks the function ";
  static const char after[] = ", so it is not TensorFlow 2.21 or another version like it";
  char *text = calloc(1, sizeof before + strlen(name) + sizeof after);
  if (text) strcat(strcat(strcpy(text, before), name), after);
  return text;
}

const CTensorFlowTable *ctensorflow_open(const char *path, char **problem) {
  // The library is large: binding all its functions at once would take longer than most models
  // take to load. It finds its other half in its own folder.
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    *problem = strdup(reason ? reason : "cannot be opened");
    return NULL;
  }
  CTensorFlowTable *table = calloc(1, sizeof *table);
  const char *missing = table ? lookUp(library, table) : NULL;
  if (!table || missing) {
    *problem = missing ? missingFunction(missing) : strdup("no memory for its functions");
    free(table);
    dlclose(library);
    return NULL;
  }
  return table;
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
  // Rounded up, with something in it even for no strings.
  void *memory = aligned_alloc(alignment, (byteCount / alignment + 1) * alignment);
  if (!memory) return NULL;
  for (size_t index = 0; index < count; index++) table->TF_StringInit((TF_TString *)memory + index);
  TF_Tensor *tensor = table->TF_NewTensor(
      CTensorFlowString, lengths, axisCount, memory, byteCount, releaseStrings, (void *)table);
  if (!tensor) releaseStrings(memory, byteCount, (void *)table);
  return tensor;
}
