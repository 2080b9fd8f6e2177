#include "CCairo.h"

#include <stdlib.h>
#include <string.h>

const CCairoTable *ccairo_open(
    const char *cairo, const char *freetype, int *library, char **message) {
  static const char *const cairoNames[] = {CCAIRO_CAIRO_FUNCTIONS(FUNCTION_TABLE_NAME)};
  static const char *const freetypeNames[] = {CCAIRO_FREETYPE_FUNCTIONS(FUNCTION_TABLE_NAME)};
  const FunctionList cairoList = FUNCTION_TABLE_LIST(cairoNames);
  const FunctionList freetypeList = FUNCTION_TABLE_LIST(freetypeNames);
  *library = CCairoLibraryCairo;
  CCairoTable *table = calloc(1, sizeof *table);
  if (!table) return *message = strdup("out of memory"), NULL;
  if (function_table_fill(table, cairo, cairoList, message)) {
    *library = CCairoLibraryFreeType;
    if (function_table_fill(&table->FT_Init_FreeType, freetype, freetypeList, message))
      return table;
  }
  free(table);
  return NULL;
}

// The resources of a font, which are freed when cairo releases the font face.
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

cairo_font_face_t *ccairo_open_font(const CCairoTable *table, const char *path, FT_Error *status) {
  enum { outOfMemory = 0x40 };
  Font *font = calloc(1, sizeof *font);
  if (!font) return *status = outOfMemory, NULL;
  font->table = table;
  *status = table->FT_Init_FreeType(&font->library);
  if (!*status) *status = table->FT_New_Face(font->library, path, 0, &font->face);
  if (*status) return closeFont(font), NULL;

  cairo_font_face_t *face = table->cairo_ft_font_face_create_for_ft_face(font->face, 0);
  if (table->cairo_font_face_status(face) ||
      table->cairo_font_face_set_user_data(face, &fontKey, font, closeFont)) {
    *status = outOfMemory;
    table->cairo_font_face_destroy(face);
    return closeFont(font), NULL;
  }
  return face;
}
