#include "CFunctionTable.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *lackOf(const char *name, FunctionList list) {
  const char *format = list.lack ? list.lack : "it lacks the function %s";
  const size_t size = strlen(format) + strlen(name) + 1;
  char *text = malloc(size);
  if (text) snprintf(text, size, format, name);
  return text;
}

// Returns the name of the first function that the library lacks, or NULL.
static const char *lookUp(void *library, void **functions, FunctionList list) {
  for (size_t index = 0; index < list.count; index++) {
    functions[index] = dlsym(library, list.names[index]);
    if (!functions[index]) return list.names[index];
  }
  return NULL;
}

bool function_table_fill(void *table, const char *path, FunctionList list, char **problem) {
  void *library = dlopen(path, (list.isLazy ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    *problem = strdup(reason ? reason : "it cannot be opened");
    return false;
  }
  const char *missing = lookUp(library, table, list);
  if (!missing) return true;
  *problem = lackOf(missing, list);
  dlclose(library);
  return false;
}

const void *function_table_open(const char *path, FunctionList list, char **problem) {
  void *table = calloc(list.count, sizeof(void *));
  if (!table) return *problem = strdup("no memory for its functions"), NULL;
  if (function_table_fill(table, path, list, problem)) return table;
  free(table);
  return NULL;
}
