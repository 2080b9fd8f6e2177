#include "CWebP.h"

const CWebPTable *cwebp_open(const char *path, char **message) {
  static const char *const names[] = {CWEBP_FUNCTIONS(FUNCTION_TABLE_NAME)};
  return function_table_open(path, FUNCTION_TABLE_LIST(names), message);
}
