// Swift uses only the simplified API: it reports errors by return value, never by longjmp.
#include <png.h>
