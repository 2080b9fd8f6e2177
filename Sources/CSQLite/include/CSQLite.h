// SQLite's C API, as far as TensorIO keeps records with it.
//
// The library is opened when a database is first asked for, so nothing here is ever linked and the
// start of a program does not pay for it: the declarations only give types to the table of functions
// that `csqlite_open` looks up. Everything in use is there since SQLite 3.20.

#ifndef CSQLITE_H
#define CSQLITE_H

#include <CFunctionTable.h>

#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Values

/// What functions answer.
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
/// How a database is opened: for reading, for writing, made where it is missing, by many threads.
enum {
  CSQLiteOpenReadOnly = 0x1,
  CSQLiteOpenReadWrite = 0x2,
  CSQLiteOpenCreate = 0x4,
  CSQLiteOpenFullMutex = 0x10000,
};
/// What a column of a row holds.
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

/// Frees memory that was bound.
typedef void CSQLiteFree(void *_Nullable memory);

/// In the place of a function that frees: the library is to make a copy of its own.
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
int sqlite3_bind_null(sqlite3_stmt *statement, int place);
int sqlite3_bind_int64(sqlite3_stmt *statement, int place, int64_t value);
int sqlite3_bind_double(sqlite3_stmt *statement, int place, double value);
int sqlite3_bind_text(
    sqlite3_stmt *statement, int place, const char *text, int byteCount,
    CSQLiteFree *_Nullable release);
int sqlite3_bind_blob(
    sqlite3_stmt *statement, int place, const void *bytes, int byteCount,
    CSQLiteFree *_Nullable release);
int sqlite3_bind_zeroblob(sqlite3_stmt *statement, int place, int byteCount);

int sqlite3_column_count(sqlite3_stmt *statement);
int sqlite3_column_type(sqlite3_stmt *statement, int place);
int64_t sqlite3_column_int64(sqlite3_stmt *statement, int place);
double sqlite3_column_double(sqlite3_stmt *statement, int place);
const unsigned char *_Nullable sqlite3_column_text(sqlite3_stmt *statement, int place);
const void *_Nullable sqlite3_column_blob(sqlite3_stmt *statement, int place);
int sqlite3_column_bytes(sqlite3_stmt *statement, int place);

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

/// The functions, as found in the opened library.
typedef struct {
  CSQLITE_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CSQLiteTable;

/// Opens the library and looks every function up.
///
/// The table and the library stay for the life of the process. On failure there is no table, and a
/// text, the caller's to `free`, says what is the matter.
const CSQLiteTable *_Nullable csqlite_open(const char *path, char *_Nullable *_Nonnull problem);

#pragma clang assume_nonnull end

#endif
