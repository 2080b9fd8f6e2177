#include "CTensorFlowFloor.h"

// The peers' own code, so that what is measured here is what they would do in a process of theirs.
#include "../../peers/training.c"
