// The parts of the cairo and FreeType C APIs that TensorIO uses.
//
// Both libraries are loaded at run time, on first use, and nothing here is linked: the declarations
// only provide the types of the function table that `ccairo_open` fills. All functions exist in
// cairo 1.12 and later.

#ifndef CCAIRO_H
#define CCAIRO_H

#include "FunctionTable.h"

#pragma clang assume_nonnull begin

// MARK: Values

/// 0 is success.
typedef int cairo_status_t;
/// 0 is success.
typedef int FT_Error;

/// A pixel has 32 bits in native byte order; the upper 8 are unused.
enum { CCairoFormatRGB24 = 1 };
enum { CCairoLineCapRound = 1, CCairoLineJoinRound = 1 };
enum { CCairoAntialiasGray = 2, CCairoHintStyleSlight = 2, CCairoHintMetricsOff = 1 };

typedef struct {
  double x_bearing, y_bearing, width, height, x_advance, y_advance;
} cairo_text_extents_t;

typedef struct {
  double ascent, descent, height, max_x_advance, max_y_advance;
} cairo_font_extents_t;

typedef struct {
  int unused;
} cairo_user_data_key_t;

// MARK: Handles

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef struct _cairo_font_face cairo_font_face_t;
typedef struct _cairo_font_options cairo_font_options_t;
typedef struct FT_LibraryRec_ *FT_Library;
typedef struct FT_FaceRec_ *FT_Face;

// MARK: Functions

const char *cairo_version_string(void);
const char *cairo_status_to_string(cairo_status_t status);

// Functions that create objects never return NULL; errors are reported by the status of the object.
cairo_surface_t *cairo_image_surface_create(int format, int width, int height);
unsigned char *_Nullable cairo_image_surface_get_data(cairo_surface_t *surface);
int cairo_image_surface_get_stride(cairo_surface_t *surface);
void cairo_surface_flush(cairo_surface_t *surface);
void cairo_surface_mark_dirty(cairo_surface_t *surface);
cairo_status_t cairo_surface_status(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);

cairo_t *cairo_create(cairo_surface_t *surface);
cairo_status_t cairo_status(cairo_t *context);
void cairo_destroy(cairo_t *context);
void cairo_save(cairo_t *context);
void cairo_restore(cairo_t *context);

void cairo_set_source_rgba(cairo_t *context, double red, double green, double blue, double alpha);
void cairo_set_line_width(cairo_t *context, double width);
void cairo_set_line_cap(cairo_t *context, int cap);
void cairo_set_line_join(cairo_t *context, int join);

void cairo_new_path(cairo_t *context);
void cairo_move_to(cairo_t *context, double x, double y);
void cairo_line_to(cairo_t *context, double x, double y);
void cairo_rectangle(cairo_t *context, double x, double y, double width, double height);
void cairo_arc(
    cairo_t *context, double x, double y, double radius, double from_angle, double to_angle);
void cairo_close_path(cairo_t *context);
void cairo_stroke(cairo_t *context);
void cairo_fill(cairo_t *context);
void cairo_clip(cairo_t *context);

void cairo_set_font_face(cairo_t *context, cairo_font_face_t *face);
void cairo_set_font_size(cairo_t *context, double size);
void cairo_set_font_options(cairo_t *context, const cairo_font_options_t *options);
void cairo_text_extents(cairo_t *context, const char *text, cairo_text_extents_t *extents);
void cairo_font_extents(cairo_t *context, cairo_font_extents_t *extents);
void cairo_show_text(cairo_t *context, const char *text);

cairo_font_options_t *cairo_font_options_create(void);
void cairo_font_options_set_antialias(cairo_font_options_t *options, int antialias);
void cairo_font_options_set_hint_style(cairo_font_options_t *options, int style);
void cairo_font_options_set_hint_metrics(cairo_font_options_t *options, int metrics);
void cairo_font_options_destroy(cairo_font_options_t *options);

cairo_font_face_t *cairo_ft_font_face_create_for_ft_face(FT_Face face, int load_flags);
cairo_status_t cairo_font_face_status(cairo_font_face_t *face);
cairo_status_t cairo_font_face_set_user_data(
    cairo_font_face_t *face, const cairo_user_data_key_t *key, void *data,
    void (*destroy)(void *_Nullable));
void cairo_font_face_destroy(cairo_font_face_t *face);

FT_Error FT_Init_FreeType(FT_Library _Nullable *_Nonnull library);
FT_Error FT_Done_FreeType(FT_Library library);
FT_Error FT_New_Face(
    FT_Library library, const char *path, long index, FT_Face _Nullable *_Nonnull face);
FT_Error FT_Done_Face(FT_Face face);

// MARK: The table

#define CCAIRO_CAIRO_FUNCTIONS(F)                                                                  \
  F(cairo_version_string)                                                                          \
  F(cairo_status_to_string)                                                                        \
  F(cairo_image_surface_create)                                                                    \
  F(cairo_image_surface_get_data)                                                                  \
  F(cairo_image_surface_get_stride)                                                                \
  F(cairo_surface_flush)                                                                           \
  F(cairo_surface_mark_dirty)                                                                      \
  F(cairo_surface_status)                                                                          \
  F(cairo_surface_destroy)                                                                         \
  F(cairo_create)                                                                                  \
  F(cairo_status)                                                                                  \
  F(cairo_destroy)                                                                                 \
  F(cairo_save)                                                                                    \
  F(cairo_restore)                                                                                 \
  F(cairo_set_source_rgba)                                                                         \
  F(cairo_set_line_width)                                                                          \
  F(cairo_set_line_cap)                                                                            \
  F(cairo_set_line_join)                                                                           \
  F(cairo_new_path)                                                                                \
  F(cairo_move_to)                                                                                 \
  F(cairo_line_to)                                                                                 \
  F(cairo_rectangle)                                                                               \
  F(cairo_arc)                                                                                     \
  F(cairo_close_path)                                                                              \
  F(cairo_stroke)                                                                                  \
  F(cairo_fill)                                                                                    \
  F(cairo_clip)                                                                                    \
  F(cairo_set_font_face)                                                                           \
  F(cairo_set_font_size)                                                                           \
  F(cairo_set_font_options)                                                                        \
  F(cairo_text_extents)                                                                            \
  F(cairo_font_extents)                                                                            \
  F(cairo_show_text)                                                                               \
  F(cairo_font_options_create)                                                                     \
  F(cairo_font_options_set_antialias)                                                              \
  F(cairo_font_options_set_hint_style)                                                             \
  F(cairo_font_options_set_hint_metrics)                                                           \
  F(cairo_font_options_destroy)                                                                    \
  F(cairo_ft_font_face_create_for_ft_face)                                                         \
  F(cairo_font_face_status)                                                                        \
  F(cairo_font_face_set_user_data)                                                                 \
  F(cairo_font_face_destroy)

#define CCAIRO_FREETYPE_FUNCTIONS(F)                                                               \
  F(FT_Init_FreeType)                                                                              \
  F(FT_Done_FreeType)                                                                              \
  F(FT_New_Face)                                                                                   \
  F(FT_Done_Face)

/// The functions of the loaded libraries.
typedef struct {
  CCAIRO_CAIRO_FUNCTIONS(FUNCTION_TABLE_MEMBER)
  CCAIRO_FREETYPE_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CCairoTable;

/// The library that an error refers to.
enum { CCairoLibraryCairo = 0, CCairoLibraryFreeType = 1 };

/// Loads both libraries and looks up all functions.
///
/// The table and the libraries stay loaded for the lifetime of the process. On failure the result
/// is null, `library` is set to the library that failed, and `message` to a message, which the
/// caller must `free`.
const CCairoTable *_Nullable ccairo_open(
    const char *cairo, const char *freetype, int *library, char *_Nullable *_Nonnull message);

/// Opens a font file. Returns NULL and sets a FreeType error code on failure.
///
/// Cairo caches glyphs longer than the font face exists, so the file stays open until the last
/// glyph is released.
cairo_font_face_t *_Nullable ccairo_open_font(
    const CCairoTable *table, const char *path, FT_Error *status);

#pragma clang assume_nonnull end

#endif
