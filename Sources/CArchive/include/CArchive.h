// libarchive's C API, as far as TensorIO packs and unpacks with it: its gzip filter, both ways.
//
// The library is opened when something is first packed or unpacked, so nothing here is ever linked
// and the start of a program does not pay for it: the declarations only give types to the table of
// functions that `carchive_open` looks up. Everything in use is there since libarchive 3.1.

#ifndef CARCHIVE_H
#define CARCHIVE_H

#include <CFunctionTable.h>

#include <stddef.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// MARK: Values

/// What functions answer: below zero something went wrong, above there is no more.
enum { CArchiveOK = 0, CArchiveEnd = 1 };
/// The type of an entry, as in `st_mode`.
enum { CArchiveRegularFile = 0100000 };

// MARK: Handles

struct archive;
struct archive_entry;

/// Gives the next bytes of what is read, and answers how many they are, or -1.
typedef ssize_t CArchiveRead(
    struct archive *handle, void *client, const void *_Nullable *_Nonnull bytes);
/// Takes bytes of what is written, and answers how many it took, or -1.
typedef ssize_t CArchiveWrite(
    struct archive *handle, void *client, const void *bytes, size_t count);
/// Begins or ends what is read or written.
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

/// The functions, as found in the opened library.
typedef struct {
  CARCHIVE_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CArchiveTable;

/// Opens the library and looks every function up.
///
/// The table and the library stay for the life of the process. On failure there is no table, and a
/// text, the caller's to `free`, says what is the matter.
const CArchiveTable *_Nullable carchive_open(
    const char *path, char *_Nullable *_Nonnull problem);

#pragma clang assume_nonnull end

#endif
