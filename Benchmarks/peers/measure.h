// How every peer measures: samples in rounds, medians, one line of JSON.

#ifndef MEASURE_H
#define MEASURE_H

#include <stddef.h>

/// What every peer takes: `--rounds N --iterations N --threads N`, and its own words.
typedef struct {
  int rounds;
  int iterations;
  int threads;
  const char *words[8];
  int word_count;
} Arguments;

/// Ends the process with a line of usage when an argument is not understood.
Arguments arguments_of(int count, char **values, int words, const char *usage);

/// Ends the process with a message.
_Noreturn void fail(const char *what, const char *why);

double microseconds_now(void);

/// A measured piece of work and the medians of its rounds.
typedef struct {
  const char *name;
  void (*work)(void *context);
  void *context;
  double *round_medians;
} Measurement;

/// Runs all measurements in turns, a round of each, and prints one line of JSON.
///
/// Work too short for the clock is repeated within a sample, and the sample divided.
void measure(
    const char *program, const char *subject, Arguments arguments, Measurement *measurements,
    int count);

#endif
