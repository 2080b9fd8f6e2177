#include "CCairo.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// Returns the name of the first function that the library lacks, or NULL.
#define CCAIRO_LOOK_UP(name)                                                                       \
  *(void **)(&table->name) = dlsym(library, #name);                                                \
  if (!table->name) return #name;

static const char *lookUpCairo(void *library, CCairoTable *table) {
  CCAIRO_CAIRO_FUNCTIONS(CCAIRO_LOOK_UP)
  return NULL;
}

static const char *lookUpFreeType(void *library, CCairoTable *table) {
  CCAIRO_FREETYPE_FUNCTIONS(CCAIRO_LOOK_UP)
  return NULL;
}

static char *missingFunction(const char *name) {
  static const char before[] = "it lacks the function ";
  char *text = malloc(sizeof before + strlen(name));
  return text ? strcat(strcpy(text, before), name) : NULL;
}

// Fills one part of the table; on failure says what is the matter.
static int fill(
    CCairoTable *table, const char *path, const char *(*lookUp)(void *, CCairoTable *),
    char **problem) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    *problem = strdup(reason ? reason : "it cannot be opened");
    return 0;
  }
  const char *missing = lookUp(library, table);
  if (!missing) return 1;
  dlclose(library);
  *problem = missingFunction(missing);
  return 0;
}

const CCairoTable *ccairo_open(
    const char *cairo, const char *freetype, int *library, char **problem) {
  *library = CCairoLibraryCairo;
  CCairoTable *table = calloc(1, sizeof *table);
  if (!table) return *problem = strdup("no memory for its functions"), NULL;
  if (fill(table, cairo, lookUpCairo, problem)) {
    *library = CCairoLibraryFreeType;
    if (fill(table, freetype, lookUpFreeType, problem)) return table;
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
