// The files of the studio's page, which are part of the program.

#ifndef CSTUDIOPAGE_H
#define CSTUDIOPAGE_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// A file of the page.
typedef struct {
  /// What it is called, without the folder that it lies in.
  const char *name;
  const unsigned char *bytes;
  size_t count;
} CStudioPageFile;

/// A file by its place in the list; nothing behind the last.
const CStudioPageFile *_Nullable CStudioPageFileAtIndex(size_t index);

#pragma clang assume_nonnull end

#endif
