#include "CCairo.h"

#include <stdlib.h>
#include <string.h>

const CCairoTable *ccairo_open(
    const char *cairo, const char *freetype, int *library, char **problem) {
  static const char *const cairoNames[] = {CCAIRO_CAIRO_FUNCTIONS(FUNCTION_TABLE_NAME)};
  static const char *const freetypeNames[] = {CCAIRO_FREETYPE_FUNCTIONS(FUNCTION_TABLE_NAME)};
  const FunctionList cairoList = FUNCTION_TABLE_LIST(cairoNames);
  const FunctionList freetypeList = FUNCTION_TABLE_LIST(freetypeNames);
  *library = CCairoLibraryCairo;
  CCairoTable *table = calloc(1, sizeof *table);
  if (!table) return *problem = strdup("no memory for its functions"), NULL;
  if (function_table_fill(table, cairo, cairoList, problem)) {
    *library = CCairoLibraryFreeType;
    if (function_table_fill(&table->FT_Init_FreeType, freetype, freetypeList, problem)) return table;
  }
  free(table);
  return NULL;
}

// What a font needs for its end, whoever brings it about.
typedef struct {
  const CCairoTable *table;
  FT_Library library;
  FT_Face face;
} Font;

static void closeFont(void *data) {
  Font *font = data;
  if (font->face) font->table->FT_Done_Face(font->face);
  if (font->library) font->table->FT_Done_FreeType(font->library);
  free(font);
}

static const cairo_user_data_key_t fontKey;

cairo_font_face_t *ccairo_open_font(const CCairoTable *table, const char *path, FT_Error *problem) {
  enum { outOfMemory = 0x40 };
  Font *font = calloc(1, sizeof *font);
  if (!font) return *problem = outOfMemory, NULL;
  font->table = table;
  *problem = table->FT_Init_FreeType(&font->library);
  if (!*problem) *problem = table->FT_New_Face(font->library, path, 0, &font->face);
  if (*problem) return closeFont(font), NULL;

  cairo_font_face_t *face = table->cairo_ft_font_face_create_for_ft_face(font->face, 0);
  if (table->cairo_font_face_status(face) ||
      table->cairo_font_face_set_user_data(face, &fontKey, font, closeFont)) {
    *problem = outOfMemory;
    table->cairo_font_face_destroy(face);
    return closeFont(font), NULL;
  }
  return face;
}
