#include "CStudioPage.h"

// Files in the program are younger than the C that the rest of it is written in.
#pragma clang diagnostic ignored "-Wc23-extensions"

// The list of the page's files: two lines for each.
static const CStudioFile files[] = {
#define FILE "Page/index.html"
#include "File.inc"
#define FILE "Page/studio.css"
#include "File.inc"
#define FILE "Page/studio.js"
#include "File.inc"
};

const CStudioFile *cstudio_file(size_t index) {
  return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
