#include "CSQLite.h"

const CSQLiteTable *csqlite_open(const char *path, char **message) {
  static const char *const names[] = {CSQLITE_FUNCTIONS(FUNCTION_TABLE_NAME)};
  return function_table_open(path, FUNCTION_TABLE_LIST(names), message);
}
