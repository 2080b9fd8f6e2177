// TensorFlow's C API alone, to be measured in the process in which TensorIO is measured.

#ifndef CTensorFlowFloor_h
#define CTensorFlowFloor_h

#include "../../../peers/training.h"

#endif
