#include "CStudioPage.h"

// #embed is a C23 feature; the package is compiled as an earlier version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const CStudioPageFile files[] = {
#include "Files.inc"
};

const CStudioPageFile *CStudioPageFileAtIndex(size_t index) {
  return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
