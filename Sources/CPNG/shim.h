// Only the simplified API is used: it reports errors by return value, never by longjmp.
#include <png.h>
