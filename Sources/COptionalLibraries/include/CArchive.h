// The parts of libarchive's C API that TensorIO uses: the gzip filter, for reading and writing.
//
// The library is loaded at run time, on first use, and nothing here is linked: the declarations
// only provide the types of the function table that `carchive_open` fills. All functions exist in
// libarchive 3.1 and later.

#ifndef CARCHIVE_H
#define CARCHIVE_H

#include "FunctionTable.h"

#include <stddef.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// MARK: Values

/// Return values: negative values are errors, 1 is the end.
enum { CArchiveOK = 0, CArchiveEnd = 1 };
/// The type of an entry, as in `st_mode`.
enum { CArchiveRegularFile = 0100000 };

// MARK: Handles

struct archive;
struct archive_entry;

/// Provides the next bytes to read. Returns their number, or -1 on failure.
typedef ssize_t CArchiveRead(
    struct archive *handle, void *client, const void *_Nullable *_Nonnull bytes);
/// Consumes bytes that were written. Returns their number, or -1 on failure.
typedef ssize_t CArchiveWrite(
    struct archive *handle, void *client, const void *bytes, size_t count);
/// Opens or closes a source or target.
typedef int CArchiveStep(struct archive *handle, void *client);

// MARK: Functions

const char *archive_version_string(void);
const char *_Nullable archive_error_string(struct archive *handle);

struct archive *_Nullable archive_read_new(void);
int archive_read_support_filter_gzip(struct archive *handle);
int archive_read_support_format_raw(struct archive *handle);
int archive_read_support_format_empty(struct archive *handle);
int archive_read_open(
    struct archive *handle, void *client, CArchiveStep *_Nullable open, CArchiveRead *read,
    CArchiveStep *_Nullable close);
int archive_read_next_header(
    struct archive *handle, struct archive_entry *_Nullable *_Nonnull entry);
ssize_t archive_read_data(struct archive *handle, void *buffer, size_t count);
int archive_read_free(struct archive *handle);

struct archive *_Nullable archive_write_new(void);
int archive_write_add_filter_gzip(struct archive *handle);
int archive_write_set_format_raw(struct archive *handle);
int archive_write_set_bytes_in_last_block(struct archive *handle, int count);
int archive_write_open(
    struct archive *handle, void *client, CArchiveStep *_Nullable open, CArchiveWrite *write,
    CArchiveStep *_Nullable close);
int archive_write_header(struct archive *handle, struct archive_entry *entry);
ssize_t archive_write_data(struct archive *handle, const void *bytes, size_t count);
int archive_write_close(struct archive *handle);
int archive_write_free(struct archive *handle);

struct archive_entry *_Nullable archive_entry_new(void);
void archive_entry_set_filetype(struct archive_entry *entry, unsigned int type);
void archive_entry_free(struct archive_entry *entry);

// MARK: The table

#define CARCHIVE_FUNCTIONS(F)                                                                      \
  F(archive_version_string)                                                                        \
  F(archive_error_string)                                                                          \
  F(archive_read_new)                                                                              \
  F(archive_read_support_filter_gzip)                                                              \
  F(archive_read_support_format_raw)                                                               \
  F(archive_read_support_format_empty)                                                             \
  F(archive_read_open)                                                                             \
  F(archive_read_next_header)                                                                      \
  F(archive_read_data)                                                                             \
  F(archive_read_free)                                                                             \
  F(archive_write_new)                                                                             \
  F(archive_write_add_filter_gzip)                                                                 \
  F(archive_write_set_format_raw)                                                                  \
  F(archive_write_set_bytes_in_last_block)                                                         \
  F(archive_write_open)                                                                            \
  F(archive_write_header)                                                                          \
  F(archive_write_data)                                                                            \
  F(archive_write_close)                                                                           \
  F(archive_write_free)                                                                            \
  F(archive_entry_new)                                                                             \
  F(archive_entry_set_filetype)                                                                    \
  F(archive_entry_free)

/// The functions of the loaded library.
typedef struct {
  CARCHIVE_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CArchiveTable;

/// Loads the library and looks up all functions.
///
/// The table and the library stay loaded for the lifetime of the process. On failure the result is
/// null and `message` is set to a message, which the caller must `free`.
const CArchiveTable *_Nullable carchive_open(
    const char *path, char *_Nullable *_Nonnull message);

#pragma clang assume_nonnull end

#endif
