// Where the peers' session.h finds the declarations that TensorIO itself uses.
#include "../../../Sources/CLiteRT/include/CLiteRT.h"
