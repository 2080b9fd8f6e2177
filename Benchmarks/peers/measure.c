#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double shortest_sample = 50;
static const int most_repetitions = 1000;

void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static int positive(const char *text, const char *usage) {
  char *end;
  long value = text ? strtol(text, &end, 10) : 0;
  if (value < 1 || value > 1000000 || *end) fail("usage", usage);
  return (int)value;
}

Arguments arguments_of(int count, char **values, int words, const char *usage) {
  Arguments arguments = {.rounds = 5, .iterations = 100, .threads = 1};
  for (int i = 1; i < count; i++) {
    const char *next = i + 1 < count ? values[i + 1] : NULL;
    int *number = !strcmp(values[i], "--rounds")       ? &arguments.rounds
                  : !strcmp(values[i], "--iterations") ? &arguments.iterations
                  : !strcmp(values[i], "--threads")    ? &arguments.threads
                                                       : NULL;
    if (number) {
      *number = positive(next, usage);
      i++;
    } else if (arguments.word_count < words) {
      arguments.words[arguments.word_count++] = values[i];
    } else {
      fail("usage", usage);
    }
  }
  return arguments;
}

double microseconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(const double *values, int count) {
  double *sorted = malloc(count * sizeof *sorted);
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, ascending);
  double middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  free(sorted);
  return middle;
}

static double sample(Measurement *measurement, int repetitions) {
  double start = microseconds_now();
  for (int i = 0; i < repetitions; i++) measurement->work(measurement->context);
  return (microseconds_now() - start) / repetitions;
}

static int repetitions_for(Measurement *measurement) {
  sample(measurement, 1);
  double one = sample(measurement, 1);
  if (one * most_repetitions < shortest_sample) return most_repetitions;
  return one < shortest_sample ? (int)(shortest_sample / one) + 1 : 1;
}

static double round_median(Measurement *measurement, int iterations) {
  double *samples = malloc(iterations * sizeof *samples);
  int repetitions = repetitions_for(measurement);
  for (int i = 0; i < iterations; i++) samples[i] = sample(measurement, repetitions);
  double middle = median(samples, iterations);
  free(samples);
  return middle;
}

static void print_medians(const Measurement *measurements, int count, int rounds) {
  printf("\"median\":{");
  for (int i = 0; i < count; i++)
    printf("%s\"%s\":%.4f", i ? "," : "", measurements[i].name,
           median(measurements[i].round_medians, rounds));
  printf("},\"round_medians\":{");
  for (int i = 0; i < count; i++) {
    printf("%s\"%s\":[", i ? "," : "", measurements[i].name);
    for (int round = 0; round < rounds; round++)
      printf("%s%.4f", round ? "," : "", measurements[i].round_medians[round]);
    printf("]");
  }
  printf("}");
}

static void print_text(const char *text) {
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    putchar((unsigned char)*text < 0x20 ? ' ' : *text);
  }
  putchar('"');
}

void measure(
    const char *program, const char *subject, Arguments arguments, Measurement *measurements,
    int count) {
  for (int i = 0; i < count; i++)
    measurements[i].round_medians = malloc(arguments.rounds * sizeof(double));
  for (int round = 0; round < arguments.rounds; round++)
    for (int i = 0; i < count; i++)
      measurements[i].round_medians[round] = round_median(&measurements[i], arguments.iterations);
  printf("{\"program\":\"%s\",\"subject\":", program);
  print_text(subject);
  printf(",\"threads\":%d,\"rounds\":%d,\"iterations\":%d,\"unit\":\"microseconds\",",
         arguments.threads, arguments.rounds, arguments.iterations);
  print_medians(measurements, count, arguments.rounds);
  printf("}\n");
  for (int i = 0; i < count; i++) free(measurements[i].round_medians);
}
