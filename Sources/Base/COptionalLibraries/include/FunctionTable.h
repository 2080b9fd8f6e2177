// Shared libraries that are loaded on demand instead of at program start.
//
// A C target of this package lists the functions that it needs once, in a macro `X_FUNCTIONS(F)
// F(one) F(other)…`. The type of the function table, the names and the function that opens the
// library are derived from it:
//
//     typedef struct { X_FUNCTIONS(FUNCTION_TABLE_MEMBER) } XTable;
//
//     const XTable *x_open(const char *path, char **message) {
//       static const char *const names[] = {X_FUNCTIONS(FUNCTION_TABLE_NAME)};
//       return function_table_open(path, FUNCTION_TABLE_LIST(names), message);
//     }

#ifndef CFUNCTIONTABLE_H
#define CFUNCTIONTABLE_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// A table consists of a pointer to each function, in the order of the names.
#define FUNCTION_TABLE_MEMBER(name) __typeof__(name) *name;
#define FUNCTION_TABLE_NAME(name) #name,

/// The names of a library's functions, and the options for opening it.
typedef struct {
  const char *const _Nonnull *_Nonnull names;
  size_t count;
  /// The format of the message for a missing function; `%s` is its name. NULL for the default.
  const char *_Nullable missingFormat;
  /// Whether functions are bound on their first call instead of when the library is opened.
  bool bindsLazily;
} FunctionList;

#define FUNCTION_TABLE_LIST(names, ...)                                                            \
  (FunctionList){(names), sizeof(names) / sizeof *(names), ##__VA_ARGS__}

/// Opens a library and looks up all functions.
///
/// The table and the library stay loaded for the lifetime of the process. On failure the result is
/// null and `message` is set to a message, which the caller must `free`.
const void *_Nullable function_table_open(
    const char *path, FunctionList list, char *_Nullable *_Nonnull message);

/// Fills a table, or a part of one, from a library. Returns false and sets a message on failure.
bool function_table_fill(
    void *table, const char *path, FunctionList list, char *_Nullable *_Nonnull message);

/// Returns the path of the program or library that contains this code; null if it is not known.
///
/// For a program it is the name by which it was started, which may not be a path.
const char *_Nullable function_table_own_path(void);

#pragma clang assume_nonnull end

#endif
