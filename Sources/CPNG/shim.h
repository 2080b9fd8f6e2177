// The simplified API only: it reports failure by value, never by longjmp.
#include <png.h>
