#include "tensorio.h"
