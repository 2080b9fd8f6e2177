// Where the declarations that TensorIO itself uses find how their tables are made.
#include "../../../Sources/Base/COptionalLibraries/include/FunctionTable.h"
