// Where the declarations that TensorIO itself uses find how their tables are made.
#include "../../../Sources/CFunctionTable/include/CFunctionTable.h"
