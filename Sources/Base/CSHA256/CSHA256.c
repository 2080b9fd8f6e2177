#include "CSHA256.h"

enum { blockBytes = 64, wordsOfBlock = 4, quadRounds = 16 };

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

static bool has_instructions(void) {
  unsigned a, b, c, d;
  const unsigned ssse3 = 1u << 9, sse41 = 1u << 19, sha = 1u << 29;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & ssse3) || !(c & sse41)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & sha);
}

// Returns the next four words of the schedule from the previous sixteen.
__attribute__((target("sha,sse4.1"))) static inline __m128i
next_words(const __m128i *words, int quad) {
  const __m128i first = words[quad & 3], second = words[(quad + 1) & 3];
  const __m128i third = words[(quad + 2) & 3], fourth = words[(quad + 3) & 3];
  const __m128i sum =
      _mm_add_epi32(_mm_sha256msg1_epu32(first, second), _mm_alignr_epi8(fourth, third, 4));
  return _mm_sha256msg2_epu32(sum, fourth);
}

__attribute__((target("sha,sse4.1"))) static void
add_blocks(uint32_t *state, const uint8_t *bytes, size_t blocks, const uint32_t *constants) {
  const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions require the words in the order abef and cdgh.
  __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
  __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(low, high, 8);
  __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
  for (; blocks > 0; blocks--, bytes += blockBytes) {
    const __m128i previousABEF = abef, previousCDGH = cdgh;
    __m128i words[wordsOfBlock];
    for (int i = 0; i < wordsOfBlock; i++)
      words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)bytes + i), bigEndian);
#pragma clang loop unroll(full)
    for (int quad = 0; quad < quadRounds; quad++) {
      if (quad >= wordsOfBlock) words[quad & 3] = next_words(words, quad);
      const __m128i four = _mm_loadu_si128((const __m128i *)constants + quad);
      const __m128i round = _mm_add_epi32(words[quad & 3], four);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, round);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(round, 0x0E));
    }
    abef = _mm_add_epi32(abef, previousABEF);
    cdgh = _mm_add_epi32(cdgh, previousCDGH);
  }
  low = _mm_shuffle_epi32(abef, 0x1B);
  high = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

#elif defined(__aarch64__) && defined(__ARM_NEON)

#include <arm_neon.h>

#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

static bool has_instructions(void) { return getauxval(AT_HWCAP) & HWCAP_SHA2; }
#elif defined(__APPLE__)
static bool has_instructions(void) { return true; }  // every processor that Apple has used
#else
static bool has_instructions(void) { return false; }
#endif

__attribute__((target("sha2"))) static void
add_blocks(uint32_t *state, const uint8_t *bytes, size_t blocks, const uint32_t *constants) {
  uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
  for (; blocks > 0; blocks--, bytes += blockBytes) {
    const uint32x4_t previousABCD = abcd, previousEFGH = efgh;
    uint32x4_t words[wordsOfBlock];
    for (int i = 0; i < wordsOfBlock; i++)
      words[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16 * i)));
#pragma clang loop unroll(full)
    for (int quad = 0; quad < quadRounds; quad++) {
      const uint32x4_t current = words[quad & 3];
      // The schedule's words of four quads later replace the current ones.
      if (quad < quadRounds - wordsOfBlock)
        words[quad & 3] = vsha256su1q_u32(
            vsha256su0q_u32(current, words[(quad + 1) & 3]), words[(quad + 2) & 3],
            words[(quad + 3) & 3]);
      const uint32x4_t round = vaddq_u32(current, vld1q_u32(constants + 4 * quad));
      const uint32x4_t before = abcd;
      abcd = vsha256hq_u32(before, efgh, round);
      efgh = vsha256h2q_u32(efgh, before, round);
    }
    abcd = vaddq_u32(abcd, previousABCD);
    efgh = vaddq_u32(efgh, previousEFGH);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

#else

static bool has_instructions(void) { return false; }

static void
add_blocks(uint32_t *state, const uint8_t *bytes, size_t blocks, const uint32_t *constants) {
  (void)state, (void)bytes, (void)blocks, (void)constants;
}

#endif

bool csha256_add_blocks(
    uint32_t *state, const uint8_t *bytes, size_t blocks, const uint32_t *constants) {
  static _Atomic(int) support;  // 0: not determined yet, 1: supported, 2: not supported
  if (!support) support = has_instructions() ? 1 : 2;
  if (support != 1) return false;
  add_blocks(state, bytes, blocks, constants);
  return true;
}
