#include "CSQLite.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// Returns the name of the first function that the library lacks, or NULL.
static const char *lookUp(void *library, CSQLiteTable *table) {
#define CSQLITE_LOOK_UP(name)                                                                     \
  *(void **)(&table->name) = dlsym(library, #name);                                                \
  if (!table->name) return #name;
  CSQLITE_FUNCTIONS(CSQLITE_LOOK_UP)
#undef CSQLITE_LOOK_UP
  return NULL;
}

static char *missingFunction(const char *name) {
  static const char before[] = "it lacks the function ";
  char *text = malloc(sizeof before + strlen(name));
  return text ? strcat(strcpy(text, before), name) : NULL;
}

const CSQLiteTable *csqlite_open(const char *path, char **problem) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    *problem = strdup(reason ? reason : "it cannot be opened");
    return NULL;
  }
  CSQLiteTable *table = calloc(1, sizeof *table);
  const char *missing = table ? lookUp(library, table) : "calloc";
  if (!missing) return table;
  *problem = missingFunction(missing);
  free(table);
  dlclose(library);
  return NULL;
}
