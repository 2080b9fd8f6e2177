/* The main program of worker processes, which is in the library. */
#include "tensorio.h"

int main(int argc, char **argv) { return tio_worker_main(argc, (const char *const *)argv); }
