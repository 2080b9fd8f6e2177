// Where the peers' session.h finds the declarations that TensorIO itself uses.
#include "../../../Sources/Runtimes/CLiteRT/include/CLiteRT.h"
