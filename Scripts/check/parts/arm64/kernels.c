// Compares the fastest form of every kernel with the portable one, bit by bit, on random rows.
//
//   kernels compare ROWS         prints a line for each kernel; exit code 1 if a row differs
//   kernels run KERNEL FORM N    runs one kernel on the same row N times, for counting instructions

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CPixelKernels.h"
#include "CSHA256.h"

enum { WIDTH = 300, LENGTH = 90, STRIDE = 40, ROWS = 4, COUNT = 64, BLOCKS = 9, GUARD = 64 };

static uint64_t state = 1;

// SplitMix64
static uint64_t next(void) {
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
static int32_t between(int32_t low, int32_t high) {
  return low + (int32_t)(next() % (uint64_t)(high - low + 1));
}

// Many bytes are black or white, so that sums exceed the range of a byte.
static void fill(uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t number = next();
    bytes[i] = number % 3 == 0 ? 0 : number % 3 == 1 ? 255 : (uint8_t)(number >> 8);
  }
}

// Such that the sum of `count` products fits into 32 bits.
static int32_t weight_of(int32_t count) {
  int32_t limit = 8000000 / (count < 6 ? 6 : count);
  return between(-limit / 2, limit);
}

// The rows end at the end of their memory, so that reading past them is noticed by a sanitizer and seldom goes
// unnoticed without one.
typedef struct {
  int32_t channels, width, rows;
  uint8_t *source[ROWS];
  int32_t starts[LENGTH], counts[LENGTH], weights[LENGTH * STRIDE];
  pixels_taps taps;
} horizontal_case;

static void make_horizontal(horizontal_case *made, int32_t channels, int32_t rows, int fixed) {
  made->channels = channels;
  made->rows = rows;
  made->width = fixed ? WIDTH : between(1, WIDTH);
  int32_t length = fixed ? LENGTH : between(1, LENGTH);
  int32_t longest = fixed ? 12 : between(1, STRIDE);
  for (int32_t row = 0; row < rows; row++) {
    made->source[row] = malloc((size_t)(made->width * channels));
    fill(made->source[row], (size_t)(made->width * channels));
  }
  memset(made->weights, 0, sizeof made->weights);
  int is_ordered = fixed || between(0, 3) != 0;
  for (int32_t x = 0; x < length; x++) {
    int32_t start = is_ordered ? x * made->width / length : between(0, made->width - 1);
    int32_t count = longest < made->width - start ? longest : made->width - start;
    made->starts[x] = start;
    made->counts[x] = count;
    for (int32_t i = 0; i < count; i++) made->weights[x * STRIDE + i] = weight_of(count);
    // The largest weights, alone.
    if (!fixed && between(0, 40) == 0) {
      memset(made->weights + x * STRIDE, 0, STRIDE * sizeof *made->weights);
      made->weights[x * STRIDE] = between(0, 1) ? 0x7F7F80 : -0x7F7F80;
    }
  }
  made->taps = (pixels_taps){length, STRIDE, made->starts, made->counts, made->weights};
}

static void free_horizontal(horizontal_case *made) {
  for (int32_t row = 0; row < made->rows; row++) free(made->source[row]);
}

static void run_horizontal(const horizontal_case *made, pixels_form form, uint8_t *target) {
  size_t bytes = (size_t)(made->taps.length * made->channels);
  const uint8_t *source[ROWS];
  uint8_t *rows[ROWS];
  for (int32_t row = 0; row < made->rows; row++) {
    source[row] = made->source[row];
    rows[row] = target + (size_t)row * bytes;
  }
  pixels_arrangement *arranged = pixels_arrange(form, &made->taps, made->channels, made->width);
  pixels_horizontal(
      form, source, rows, made->rows, made->channels, made->width, &made->taps, arranged);
  if (arranged) pixels_arrangement_free(arranged);
}

static int compare_horizontal(int32_t channels, long wanted, pixels_form form) {
  static horizontal_case made;
  uint8_t expected[ROWS * LENGTH * 4 + GUARD], actual[ROWS * LENGTH * 4 + GUARD];
  for (long rows = 0; rows < wanted; rows += made.rows) {
    make_horizontal(&made, channels, between(1, ROWS), 0);
    memset(expected, 0xA5, sizeof expected);
    memset(actual, 0xA5, sizeof actual);
    run_horizontal(&made, PIXELS_PORTABLE, expected);
    run_horizontal(&made, form, actual);
    free_horizontal(&made);
    if (memcmp(expected, actual, sizeof expected) != 0) return 0;
  }
  return 1;
}

typedef struct {
  int32_t count;
  size_t bytes;
  uint8_t *rows[COUNT];
  int32_t weights[COUNT];
} vertical_case;

static void make_vertical(vertical_case *made, int fixed) {
  made->bytes = fixed ? WIDTH : (size_t)between(1, WIDTH);
  made->count = fixed ? 12 : between(1, COUNT);
  for (int32_t y = 0; y < made->count; y++) {
    made->rows[y] = malloc(made->bytes);
    fill(made->rows[y], made->bytes);
    made->weights[y] = weight_of(made->count);
  }
  if (!fixed && between(0, 9) == 0) {
    memset(made->weights, 0, sizeof made->weights);
    made->weights[between(0, made->count - 1)] = between(0, 1) ? 0x7F7F7F : -0x7F7F80;
  }
}

static void run_vertical(const vertical_case *made, pixels_form form, uint8_t *target) {
  pixels_vertical(
      form, (const uint8_t *const *)made->rows, made->count, made->weights, target, made->bytes);
}

static int compare_vertical(long wanted, pixels_form form) {
  static vertical_case made;
  uint8_t expected[WIDTH + GUARD], actual[WIDTH + GUARD];
  for (long row = 0; row < wanted; row++) {
    make_vertical(&made, 0);
    memset(expected, 0xA5, sizeof expected);
    memset(actual, 0xA5, sizeof actual);
    run_vertical(&made, PIXELS_PORTABLE, expected);
    run_vertical(&made, form, actual);
    for (int32_t y = 0; y < made.count; y++) free(made.rows[y]);
    if (memcmp(expected, actual, sizeof expected) != 0) return 0;
  }
  return 1;
}

static float real(float low, float high) {
  return low + (high - low) * (float)((double)(next() >> 11) / 9007199254740992.0);
}

typedef struct {
  int32_t channels, count;
  uint8_t *source;
  float scales[PIXELS_PERIOD], biases[PIXELS_PERIOD];
} float_case;

static void make_floats(float_case *made, int32_t channels, int fixed) {
  made->channels = channels;
  made->count = fixed ? WIDTH : between(1, WIDTH);
  made->source = malloc((size_t)(made->count * channels));
  fill(made->source, (size_t)(made->count * channels));
  for (int32_t i = 0; i < PIXELS_PERIOD; i++) {
    made->scales[i] = i < channels ? real(-3, 3) : made->scales[i % channels];
    made->biases[i] = i < channels ? real(-300, 300) : made->biases[i % channels];
  }
}

static void run_floats(const float_case *made, int planar, pixels_form form, float *target) {
  if (planar)
    pixels_planes(
        form, made->source, made->count, made->channels, made->scales, made->biases, target,
        made->count);
  else
    pixels_floats(
        form, made->source, (size_t)(made->count * made->channels), made->scales, made->biases,
        target);
}

static int compare_floats(int32_t channels, int planar, long wanted, pixels_form form) {
  static float_case made;
  static float expected[WIDTH * 4 + GUARD], actual[WIDTH * 4 + GUARD];
  for (long row = 0; row < wanted; row++) {
    make_floats(&made, channels, 0);
    memset(expected, 0xA5, sizeof expected);
    memset(actual, 0xA5, sizeof actual);
    run_floats(&made, planar, PIXELS_PORTABLE, expected);
    run_floats(&made, planar, form, actual);
    free(made.source);
    if (memcmp(expected, actual, sizeof expected) != 0) return 0;
  }
  return 1;
}

// FIPS 180-4, without special instructions.
static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static uint32_t constants[64];

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static void make_constants(void) {
  int found = 0;
  for (int prime = 2; found < 64; prime++) {
    int is_prime = 1;
    for (int divisor = 2; divisor < prime; divisor++) is_prime &= prime % divisor != 0;
    if (!is_prime) continue;
    const unsigned __int128 cube = (unsigned __int128)prime << 96;
    unsigned __int128 root = 0;
    for (int bit = 35; bit >= 0; bit--) {
      const unsigned __int128 larger = root | (unsigned __int128)1 << bit;
      if (larger * larger * larger <= cube) root = larger;
    }
    constants[found++] = (uint32_t)root;
  }
}

static uint32_t turned(uint32_t word, int count) { return word >> count | word << (32 - count); }

static void portable_sha256(uint32_t *hash, const uint8_t *bytes, size_t blocks) {
  for (; blocks > 0; blocks--, bytes += 64) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
      w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 |
          (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
    for (int i = 16; i < 64; i++)
      w[i] = w[i - 16] + w[i - 7] + (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3) +
          (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, hash, sizeof v);
    for (int i = 0; i < 64; i++) {
      uint32_t first = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) +
          ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
      uint32_t second = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) +
          ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      memmove(v + 1, v, 7 * sizeof *v);
      v[4] += first;
      v[0] = first + second;
    }
    for (int i = 0; i < 8; i++) hash[i] += v[i];
  }
}

static int compare_sha256(long wanted) {
  uint8_t bytes[BLOCKS * 64];
  uint32_t expected[8], actual[8];
  for (long row = 0; row < wanted; row++) {
    size_t blocks = (size_t)between(1, BLOCKS);
    fill(bytes, blocks * 64);
    for (int i = 0; i < 8; i++) expected[i] = actual[i] = row % 2 ? (uint32_t)next() : initial[i];
    portable_sha256(expected, bytes, blocks);
    if (!csha256_add_blocks(actual, bytes, blocks, constants)) return 0;
    if (memcmp(expected, actual, sizeof expected) != 0) return 0;
  }
  // The example of FIPS 180-4: "abc".
  uint8_t block[64] = {'a', 'b', 'c', 0x80, [63] = 24};
  memcpy(actual, initial, sizeof actual);
  return csha256_add_blocks(actual, block, 1, constants) && actual[0] == 0xba7816bf &&
      actual[7] == 0xf20015ad;
}

static int report(const char *name, long rows, int is_equal) {
  printf("%-24s %6ld rows %s\n", name, rows, is_equal ? "identical" : "DIFFERENT");
  return !is_equal;
}

static int compare(long rows) {
  pixels_form form = pixels_fastest_form();
  static const char *const names[] = {"portable", "AVX2", "AVX-512", "NEON"};
  printf("fastest form: %s\n", names[form]);
  if (form == PIXELS_PORTABLE) return 1;
  int failures = 0;
  failures += report("horizontal, 1 channel", rows, compare_horizontal(1, rows, form));
  failures += report("horizontal, 3 channels", rows, compare_horizontal(3, rows, form));
  failures += report("horizontal, 4 channels", rows, compare_horizontal(4, rows, form));
  failures += report("vertical", rows, compare_vertical(rows, form));
  failures += report("planes, 1 channel", rows, compare_floats(1, 1, rows, form));
  failures += report("planes, 3 channels", rows, compare_floats(3, 1, rows, form));
  failures += report("planes, 4 channels", rows, compare_floats(4, 1, rows, form));
  failures += report("floats, 3 channels", rows, compare_floats(3, 0, rows, form));
  failures += report("SHA-256", rows, compare_sha256(rows));
  return failures != 0;
}

static int run(const char *kernel, pixels_form form, long rounds) {
  static horizontal_case across;
  static vertical_case down;
  static float_case numbers;
  static uint8_t bytes[ROWS * LENGTH * 4 + WIDTH];
  static float floats[WIDTH * 4];
  uint32_t hash[8];
  make_horizontal(&across, kernel[0] == 'h' ? kernel[1] - '0' : 1, ROWS, 1);
  make_vertical(&down, 1);
  make_floats(&numbers, kernel[0] == 'p' ? kernel[1] - '0' : 3, 1);
  memcpy(hash, initial, sizeof hash);
  for (long i = 0; i < rounds; i++) {
    if (kernel[0] == 'h') run_horizontal(&across, form, bytes);
    else if (kernel[0] == 'v') run_vertical(&down, form, bytes);
    else if (kernel[0] == 'p') run_floats(&numbers, 1, form, floats);
    else if (form == PIXELS_PORTABLE) portable_sha256(hash, numbers.source, 4);
    else if (!csha256_add_blocks(hash, numbers.source, 4, constants)) return 1;
  }
  return 0;
}

int main(int count, char **arguments) {
  make_constants();
  if (count == 3 && strcmp(arguments[1], "compare") == 0) return compare(atol(arguments[2]));
  if (count == 5 && strcmp(arguments[1], "run") == 0) {
    pixels_form form =
        strcmp(arguments[3], "portable") == 0 ? PIXELS_PORTABLE : pixels_fastest_form();
    return run(arguments[2], form, atol(arguments[4]));
  }
  fprintf(stderr, "usage: kernels compare ROWS | run KERNEL FORM N\n");
  return 2;
}
