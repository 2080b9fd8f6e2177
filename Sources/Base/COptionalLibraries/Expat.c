#include "CExpat.h"

const CExpatTable *cexpat_open(const char *path, char **message) {
  static const char *const names[] = {CEXPAT_FUNCTIONS(FUNCTION_TABLE_NAME)};
  return function_table_open(path, FUNCTION_TABLE_LIST(names), message);
}
