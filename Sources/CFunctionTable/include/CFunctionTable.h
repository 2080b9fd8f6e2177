// Libraries that are opened when they are needed, and not when a program starts.
//
// A C target of this package lists the functions that it wants once, in a macro
// `X_FUNCTIONS(F) F(one) F(other)…`. The table's type, its names and its opening follow from it:
//
//     typedef struct { X_FUNCTIONS(FUNCTION_TABLE_MEMBER) } XTable;
//
//     const XTable *x_open(const char *path, char **problem) {
//       static const char *const names[] = {X_FUNCTIONS(FUNCTION_TABLE_NAME)};
//       return function_table_open(path, FUNCTION_TABLE_LIST(names), problem);
//     }

#ifndef CFUNCTIONTABLE_H
#define CFUNCTIONTABLE_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A table has a pointer to each function and nothing else, in the order of the names.
#define FUNCTION_TABLE_MEMBER(name) __typeof__(name) *name;
#define FUNCTION_TABLE_NAME(name) #name,

/// The names of a library's functions, and how the library is opened.
typedef struct {
  const char *const _Nonnull *_Nonnull names;
  size_t count;
  /// What is told of a function that is missing: `%s` is its name. Without it, that it is lacking.
  const char *_Nullable lack;
  /// Whether functions are bound when they are first called, and not all at once.
  bool isLazy;
} FunctionList;

#define FUNCTION_TABLE_LIST(names, ...)                                                            \
  (FunctionList){(names), sizeof(names) / sizeof *(names), ##__VA_ARGS__}

/// Opens a library and looks every function up.
///
/// The table and the library stay for the life of the process. On failure there is no table, and a
/// text, the caller's to `free`, says what is the matter.
const void *_Nullable function_table_open(
    const char *path, FunctionList list, char *_Nullable *_Nonnull problem);

/// Fills a table, or a part of one, from a library; false and a text on failure.
bool function_table_fill(
    void *table, const char *path, FunctionList list, char *_Nullable *_Nonnull problem);

#pragma clang assume_nonnull end

#endif
