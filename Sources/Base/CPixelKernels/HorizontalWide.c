#include "Kernels.h"

#include <stdlib.h>
#include <string.h>

#if PIXELS_X86
#include <immintrin.h>
#endif

// One instruction adds four products of a pixel byte and a signed byte to a 32-bit sum, so a 24-bit
// weight takes three instructions. Each of the sixteen sums belongs to one channel of one output.
// Adjacent outputs are computed together from at most 128 bytes of the row at a time, from which
// one shuffle selects the next four pixels of each output.

enum { ROWS = 4, LANES = 16, TAPS = 4, LOAD = 64, REACH = 2 * LOAD };

// The byte indices that the shuffle selects for every sum of a group.
typedef struct {
  uint8_t bytes[LOAD];
} pixels_picks;

// The weights of four pixels for every sum of a group, split into bytes.
typedef struct {
  int8_t parts[3][LOAD];
} pixels_step;

// A part of the row that is loaded once.
typedef struct {
  ptrdiff_t offset;
  uint64_t masks[2];
} pixels_segment;

struct pixels_arrangement {
  int32_t channels, length;
  // Outputs per group, groups, segments per group, steps per segment.
  int32_t outputs, groups, segment_count, steps;
  pixels_picks *picks;
  pixels_segment *segments;
  pixels_step *weights;
};

#if PIXELS_X86

static int32_t outputs_of(int32_t channels) { return LANES / channels; }

static int32_t min(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t max(int32_t a, int32_t b) { return a > b ? a : b; }

// Returns the maximum distance in pixels between the starts of the first and last output of a
// group.
static int32_t spread(const pixels_taps *taps, int32_t outputs) {
  int32_t widest = 0;
  for (int32_t x = 0; x < taps->length; x += outputs)
    for (int32_t i = x; i < min(x + outputs, taps->length); i++) {
      if (taps->starts[i] < taps->starts[x]) return INT32_MAX;
      widest = max(widest, taps->starts[i] - taps->starts[x]);
    }
  return widest;
}

static int32_t max_count(const pixels_taps *taps) {
  int32_t count = 0;
  for (int32_t x = 0; x < taps->length; x++) count = max(count, taps->counts[x]);
  return count;
}

static int all_split(const pixels_taps *taps) {
  for (int32_t x = 0; x < taps->length; x++)
    for (int32_t i = 0; i < taps->counts[x]; i++)
      if (!pixels_can_split(taps->weights[(ptrdiff_t)x * taps->stride + i])) return 0;
  return 1;
}

static uint64_t mask(ptrdiff_t bytes) {
  return bytes <= 0 ? 0 : bytes >= LOAD ? ~0ull : (1ull << bytes) - 1;
}

static void fill_group(
    pixels_arrangement *arranged, const pixels_taps *taps, int32_t group, int32_t width) {
  const int32_t x = group * arranged->outputs, channels = arranged->channels;
  const int32_t count = min(arranged->outputs, taps->length - x), start = taps->starts[x];
  for (int32_t segment = 0; segment < arranged->segment_count; segment++) {
    pixels_segment *current = arranged->segments + group * arranged->segment_count + segment;
    ptrdiff_t first = start + (ptrdiff_t)segment * arranged->steps * TAPS;
    ptrdiff_t bytes = ((ptrdiff_t)width - first) * channels;
    current->offset = bytes > 0 ? first * channels : 0;
    current->masks[0] = mask(bytes);
    current->masks[1] = mask(bytes - LOAD);
  }
  for (int32_t output = 0; output < count; output++) {
    const int32_t *weights = taps->weights + (ptrdiff_t)(x + output) * taps->stride;
    int32_t shift = taps->starts[x + output] - start;
    for (int32_t channel = 0; channel < channels; channel++)
      for (int32_t tap = 0; tap < TAPS; tap++) {
        int32_t index = (output * channels + channel) * TAPS + tap;
        arranged->picks[group].bytes[index] = (uint8_t)((shift + tap) * channels + channel);
        for (int32_t i = tap; i < taps->counts[x + output]; i += TAPS) {
          pixels_parts parts = pixels_split(weights[i]);
          pixels_step *step =
              arranged->weights + group * arranged->segment_count * arranged->steps + i / TAPS;
          for (int part = 0; part < 3; part++) step->parts[part][index] = parts.bytes[part];
        }
      }
  }
}

static void *zeros(int32_t count, size_t size) {
  size_t bytes = ((size_t)count * size + LOAD - 1) / LOAD * LOAD;
  void *memory = aligned_alloc(LOAD, bytes);
  if (memory) memset(memory, 0, bytes);
  return memory;
}

pixels_arrangement *pixels_arrange(
    pixels_form form, const pixels_taps *taps, int32_t channels, int32_t width) {
  if (form < PIXELS_AVX512 || taps->length == 0 || !all_split(taps)) return NULL;
  const int32_t outputs = outputs_of(channels), between = spread(taps, outputs);
  if (between > REACH / channels) return NULL;
  const int32_t steps = max(1, (max_count(taps) + TAPS - 1) / TAPS);
  const int32_t fitting = min(steps, (REACH / channels - between) / TAPS);
  if (fitting < 1) return NULL;
  pixels_arrangement *arranged = malloc(sizeof *arranged);
  if (!arranged) return NULL;
  arranged->channels = channels;
  arranged->length = taps->length;
  arranged->outputs = outputs;
  arranged->groups = (taps->length + outputs - 1) / outputs;
  arranged->segment_count = (steps + fitting - 1) / fitting;
  arranged->steps = (steps + arranged->segment_count - 1) / arranged->segment_count;
  arranged->picks = zeros(arranged->groups, sizeof *arranged->picks);
  arranged->segments = zeros(arranged->groups * arranged->segment_count, sizeof *arranged->segments);
  arranged->weights = zeros(
      arranged->groups * arranged->segment_count * arranged->steps, sizeof *arranged->weights);
  if (!arranged->picks || !arranged->segments || !arranged->weights) {
    pixels_arrangement_free(arranged);
    return NULL;
  }
  for (int32_t group = 0; group < arranged->groups; group++)
    fill_group(arranged, taps, group, width);
  return arranged;
}

PIXELS_FOR_AVX512 static inline __m512i finished(__m512i low, __m512i middle, __m512i high) {
  __m512i upper = _mm512_add_epi32(_mm512_slli_epi32(high, 8), middle);
  return _mm512_srai_epi32(
      _mm512_add_epi32(_mm512_slli_epi32(upper, 8), low), PIXELS_WEIGHT_BITS);
}

// Converts four rows of sixteen sums to bytes, one row per 128-bit lane.
PIXELS_FOR_AVX512 static inline __m512i narrowed(const __m512i sums[ROWS]) {
  __m512i words = _mm512_packs_epi32(sums[0], sums[1]);
  __m512i others = _mm512_packs_epi32(sums[2], sums[3]);
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, _mm512_packus_epi16(words, others));
}

PIXELS_FOR_AVX512 PIXELS_INLINE __m512i group_of_four_rows(
    const uint8_t *const *source, const pixels_arrangement *arranged, int32_t group) {
  __m512i low[ROWS], middle[ROWS], high[ROWS];
  for (int row = 0; row < ROWS; row++) {
    low[row] = middle[row] = _mm512_setzero_si512();
    high[row] = _mm512_set1_epi32(PIXELS_HALF >> 16);
  }
  const pixels_segment *current = arranged->segments + (ptrdiff_t)group * arranged->segment_count;
  const pixels_step *step =
      arranged->weights + (ptrdiff_t)group * arranged->segment_count * arranged->steps;
  const __m512i next = _mm512_set1_epi8((char)(TAPS * arranged->channels));
  for (int32_t segment = 0; segment < arranged->segment_count; segment++, current++) {
    __m512i front[ROWS], back[ROWS];
    for (int row = 0; row < ROWS; row++) {
      const uint8_t *bytes = source[row] + current->offset;
      front[row] = _mm512_maskz_loadu_epi8(current->masks[0], bytes);
      back[row] = _mm512_maskz_loadu_epi8(current->masks[1], bytes + LOAD);
    }
    __m512i picks = _mm512_load_si512(arranged->picks + group);
    for (int32_t i = 0; i < arranged->steps; i++, step++) {
      for (int row = 0; row < ROWS; row++) {
        __m512i pixels = _mm512_permutex2var_epi8(front[row], picks, back[row]);
        low[row] = _mm512_dpbusd_epi32(low[row], pixels, _mm512_load_si512(step->parts[0]));
        middle[row] = _mm512_dpbusd_epi32(middle[row], pixels, _mm512_load_si512(step->parts[1]));
        high[row] = _mm512_dpbusd_epi32(high[row], pixels, _mm512_load_si512(step->parts[2]));
      }
      picks = _mm512_add_epi8(picks, next);
    }
  }
  __m512i sums[ROWS];
  for (int row = 0; row < ROWS; row++) sums[row] = finished(low[row], middle[row], high[row]);
  return narrowed(sums);
}

PIXELS_FOR_AVX512 PIXELS_INLINE void store(
    __m512i bytes, uint8_t *const *target, ptrdiff_t offset, size_t count) {
  __m128i rows[ROWS] = {
      _mm512_castsi512_si128(bytes), _mm512_extracti32x4_epi32(bytes, 1),
      _mm512_extracti32x4_epi32(bytes, 2), _mm512_extracti32x4_epi32(bytes, 3)};
  for (int row = 0; row < ROWS; row++) memcpy(target[row] + offset, rows + row, count);
}

PIXELS_FOR_AVX512 void pixels_horizontal_wide(
    const uint8_t *const *source, uint8_t *const *target, int32_t rows,
    const pixels_arrangement *arranged) {
  const uint8_t *from[ROWS];
  uint8_t *to[ROWS];
  for (int32_t row = 0; row < ROWS; row++) {
    from[row] = source[row < rows ? row : rows - 1];
    to[row] = target[row < rows ? row : rows - 1];
  }
  const ptrdiff_t stride = arranged->outputs * arranged->channels;
  const ptrdiff_t end = (ptrdiff_t)arranged->length * arranged->channels;
  for (int32_t group = 0; group < arranged->groups; group++) {
    ptrdiff_t offset = group * stride;
    __m512i bytes = group_of_four_rows(from, arranged, group);
    // The sixteenth byte is overwritten by the next group.
    if (offset + LANES <= end) store(bytes, to, offset, LANES);
    else store(bytes, to, offset, (size_t)(end - offset));
  }
}

void pixels_arrangement_free(pixels_arrangement *arranged) {
  free(arranged->picks);
  free(arranged->segments);
  free(arranged->weights);
  free(arranged);
}

#else

pixels_arrangement *pixels_arrange(
    pixels_form form, const pixels_taps *taps, int32_t channels, int32_t width) {
  (void)form, (void)taps, (void)channels, (void)width;
  return NULL;
}

void pixels_arrangement_free(pixels_arrangement *arranged) { (void)arranged; }

#endif
