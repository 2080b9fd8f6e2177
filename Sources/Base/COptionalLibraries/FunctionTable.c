#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // for dladdr
#endif

#include "FunctionTable.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *missingMessage(const char *name, FunctionList list) {
  const char *format = list.missingFormat ? list.missingFormat : "the function %s is missing";
  const size_t size = strlen(format) + strlen(name) + 1;
  char *text = malloc(size);
  if (text) snprintf(text, size, format, name);
  return text;
}

// Returns the name of the first missing function, or NULL.
static const char *lookUp(void *library, void **functions, FunctionList list) {
  for (size_t index = 0; index < list.count; index++) {
    functions[index] = dlsym(library, list.names[index]);
    if (!functions[index]) return list.names[index];
  }
  return NULL;
}

bool function_table_fill(void *table, const char *path, FunctionList list, char **message) {
  void *library = dlopen(path, (list.bindsLazily ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    *message = strdup(reason ? reason : "dlopen failed");
    return false;
  }
  const char *missing = lookUp(library, table, list);
  if (!missing) return true;
  *message = missingMessage(missing, list);
  dlclose(library);
  return false;
}

const void *function_table_open(const char *path, FunctionList list, char **message) {
  void *table = calloc(list.count, sizeof(void *));
  if (!table) return *message = strdup("out of memory"), NULL;
  if (function_table_fill(table, path, list, message)) return table;
  free(table);
  return NULL;
}

const char *function_table_own_path(void) {
  Dl_info info;
  return dladdr((const void *)function_table_own_path, &info) ? info.dli_fname : NULL;
}
