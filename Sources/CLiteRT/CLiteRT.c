#include "CLiteRT.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char *lookUp(void *library, CLiteRTTable *table) {
#define CLITERT_LOOK_UP(name)                                                                      \
  *(void **)(&table->name) = dlsym(library, #name);                                                \
  if (!table->name) return #name;
  CLITERT_FUNCTIONS(CLITERT_LOOK_UP)
#undef CLITERT_LOOK_UP
  return NULL;
}

static char *missingFunction(const char *name) {
  static const char before[] = "lacks the function ";
  static const char after[] = ", so it is not LiteRT 2.3.0 or a later one like it";
  char *text = calloc(1, sizeof before + strlen(name) + sizeof after);
  if (text) strcat(strcat(strcpy(text, before), name), after);
  return text;
}

const CLiteRTTable *clitert_open(const char *path, char **problem) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    *problem = strdup(reason ? reason : "cannot be opened");
    return NULL;
  }
  CLiteRTTable *table = calloc(1, sizeof *table);
  const char *missing = table ? lookUp(library, table) : NULL;
  if (!table || missing) {
    *problem = missing ? missingFunction(missing) : strdup("no memory for its functions");
    free(table);
    dlclose(library);
    return NULL;
  }
  return table;
}

LiteRtStatus clitert_create_environment(
    const CLiteRTTable *table, LiteRtEnvironment *environment) {
  enum { integer = 2, acceleratorsTag = 24, severityTag = 25, silent = 4 };
  const LiteRtEnvOption options[] = {
      {.tag = acceleratorsTag, .value = {.type = integer, .integer = CLiteRTAcceleratorCPU}},
      {.tag = severityTag, .value = {.type = integer, .integer = silent}},
  };
  return table->LiteRtCreateEnvironment(
      sizeof options / sizeof *options, options, environment);
}

LiteRtStatus clitert_add_options(
    const CLiteRTTable *table, LiteRtOptions options, const char *section, const char *toml) {
  enum { noMemory = 2 };
  char *payload = strdup(toml);
  if (!payload) return noMemory;
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

size_t clitert_rank(const LiteRtLayout *layout) { return layout->rank; }

int32_t clitert_axis(const LiteRtLayout *layout, size_t axis) {
  return axis < CLiteRTMaximumRank ? layout->dimensions[axis] : 0;
}
