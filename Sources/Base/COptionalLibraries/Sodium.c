#include "CSodium.h"

const CSodiumTable *csodium_open(const char *path, char **message) {
  static const char *const names[] = {CSODIUM_FUNCTIONS(FUNCTION_TABLE_NAME)};
  return function_table_open(path, FUNCTION_TABLE_LIST(names), message);
}
