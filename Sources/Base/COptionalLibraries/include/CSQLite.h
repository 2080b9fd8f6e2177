// The part of SQLite's C API that TensorIO uses.
//
// The library is loaded at run time, on first use, and nothing here is linked: the declarations
// only provide the types of the function table that `csqlite_open` fills. All functions exist in SQLite
// 3.20 and later.

#ifndef CSQLITE_H
#define CSQLITE_H

#include "FunctionTable.h"

#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Values

/// Result codes.
enum {
  CSQLiteOK = 0,
  CSQLiteBusy = 5,
  CSQLiteLocked = 6,
  CSQLiteReadOnly = 8,
  CSQLiteCorrupt = 11,
  CSQLiteFull = 13,
  CSQLiteCannotOpen = 14,
  CSQLiteConstraint = 19,
  CSQLiteNotADatabase = 26,
  CSQLiteRow = 100,
  CSQLiteDone = 101,
};
/// Flags of `sqlite3_open_v2`.
enum {
  CSQLiteOpenReadOnly = 0x1,
  CSQLiteOpenReadWrite = 0x2,
  CSQLiteOpenCreate = 0x4,
  CSQLiteOpenFullMutex = 0x10000,
};
/// Fundamental data types of columns.
enum {
  CSQLiteInteger = 1,
  CSQLiteFloat = 2,
  CSQLiteText = 3,
  CSQLiteBlob = 4,
  CSQLiteNull = 5,
};

// MARK: Handles

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

/// Frees the memory of a bound value.
typedef void CSQLiteFree(void *_Nullable memory);

/// `SQLITE_TRANSIENT`: the library copies the value before the call returns.
static CSQLiteFree *_Nullable const csqlite_copy_first = (CSQLiteFree *)-1;

// MARK: Functions

const char *sqlite3_libversion(void);

int sqlite3_open_v2(
    const char *path, sqlite3 *_Nullable *_Nonnull database, int flags,
    const char *_Nullable system);
int sqlite3_close_v2(sqlite3 *_Nullable database);
const char *_Nullable sqlite3_errmsg(sqlite3 *_Nullable database);
int sqlite3_extended_errcode(sqlite3 *_Nullable database);
int sqlite3_busy_timeout(sqlite3 *database, int milliseconds);
int sqlite3_changes(sqlite3 *database);
int64_t sqlite3_last_insert_rowid(sqlite3 *database);
int sqlite3_get_autocommit(sqlite3 *database);

int sqlite3_prepare_v2(
    sqlite3 *database, const char *sql, int byteCount,
    sqlite3_stmt *_Nullable *_Nonnull statement, const char *_Nullable *_Nonnull rest);
int sqlite3_step(sqlite3_stmt *statement);
int sqlite3_reset(sqlite3_stmt *statement);
int sqlite3_finalize(sqlite3_stmt *_Nullable statement);
int sqlite3_clear_bindings(sqlite3_stmt *statement);

int sqlite3_bind_parameter_count(sqlite3_stmt *statement);
int sqlite3_bind_null(sqlite3_stmt *statement, int index);
int sqlite3_bind_int64(sqlite3_stmt *statement, int index, int64_t value);
int sqlite3_bind_double(sqlite3_stmt *statement, int index, double value);
int sqlite3_bind_text(
    sqlite3_stmt *statement, int index, const char *text, int byteCount,
    CSQLiteFree *_Nullable release);
int sqlite3_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int byteCount,
    CSQLiteFree *_Nullable release);
int sqlite3_bind_zeroblob(sqlite3_stmt *statement, int index, int byteCount);

int sqlite3_column_count(sqlite3_stmt *statement);
int sqlite3_column_type(sqlite3_stmt *statement, int index);
int64_t sqlite3_column_int64(sqlite3_stmt *statement, int index);
double sqlite3_column_double(sqlite3_stmt *statement, int index);
const unsigned char *_Nullable sqlite3_column_text(sqlite3_stmt *statement, int index);
const void *_Nullable sqlite3_column_blob(sqlite3_stmt *statement, int index);
int sqlite3_column_bytes(sqlite3_stmt *statement, int index);

// MARK: The table

#define CSQLITE_FUNCTIONS(F)                                                                       \
  F(sqlite3_libversion)                                                                            \
  F(sqlite3_open_v2)                                                                               \
  F(sqlite3_close_v2)                                                                              \
  F(sqlite3_errmsg)                                                                                \
  F(sqlite3_extended_errcode)                                                                      \
  F(sqlite3_busy_timeout)                                                                          \
  F(sqlite3_changes)                                                                               \
  F(sqlite3_last_insert_rowid)                                                                     \
  F(sqlite3_get_autocommit)                                                                        \
  F(sqlite3_prepare_v2)                                                                            \
  F(sqlite3_step)                                                                                  \
  F(sqlite3_reset)                                                                                 \
  F(sqlite3_finalize)                                                                              \
  F(sqlite3_clear_bindings)                                                                        \
  F(sqlite3_bind_parameter_count)                                                                  \
  F(sqlite3_bind_null)                                                                             \
  F(sqlite3_bind_int64)                                                                            \
  F(sqlite3_bind_double)                                                                           \
  F(sqlite3_bind_text)                                                                             \
  F(sqlite3_bind_blob)                                                                             \
  F(sqlite3_bind_zeroblob)                                                                         \
  F(sqlite3_column_count)                                                                          \
  F(sqlite3_column_type)                                                                           \
  F(sqlite3_column_int64)                                                                          \
  F(sqlite3_column_double)                                                                         \
  F(sqlite3_column_text)                                                                           \
  F(sqlite3_column_blob)                                                                           \
  F(sqlite3_column_bytes)

/// The functions of the loaded library.
typedef struct {
  CSQLITE_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CSQLiteTable;

/// Loads the library and looks up all functions.
///
/// The table and the library stay loaded for the lifetime of the process. On failure the result is
/// null and `message` is set to a message, which the caller must `free`.
const CSQLiteTable *_Nullable csqlite_open(const char *path, char *_Nullable *_Nonnull message);

#pragma clang assume_nonnull end

#endif
