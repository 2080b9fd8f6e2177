// The files of the studio's page, embedded in the program.

#ifndef CSTUDIOPAGE_H
#define CSTUDIOPAGE_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// A file of the page.
typedef struct {
  /// The name, without the folder.
  const char *name;
  const unsigned char *bytes;
  size_t count;
} CStudioPageFile;

/// Returns the file at an index; `NULL` if the index is past the last file.
const CStudioPageFile *_Nullable CStudioPageFileAtIndex(size_t index);

#pragma clang assume_nonnull end

#endif
