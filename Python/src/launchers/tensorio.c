/* The command line, which is in the library. */
#include "tensorio.h"

int main(int argc, char **argv) { return tio_main(argc, (const char *const *)argv); }
