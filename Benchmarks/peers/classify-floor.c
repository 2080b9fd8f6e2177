// A JPEG to five labels in plain C: TurboJPEG, bilinear, LiteRT. The floor under a whole process.
//
// `classify-floor once MODEL LABELS JPEG` classifies and prints the labels; without `once` it starts
// itself repeatedly and measures entire processes. `classify-floor folder MODEL LABELS FOLDER`
// classifies all JPEGs of a folder, each thread with its own model, and prints a line for each.
// Models have one square uint8 or float32
// (-1 to 1) RGB input and one output of scores.

#include <glob.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <turbojpeg.h>

#include "measure.h"
#include "session.h"

static const char usage[] =
    "classify-floor [once | folder] MODEL LABELS JPEG|FOLDER [--rounds N] [--iterations N] [--threads N]";

enum { channels = 3, shown = 5, most_labels = 4096, most_side = 4096, one = 256 };

extern char **environ;

typedef struct {
  unsigned char *pixels;
  int width, height;
} Picture;

/// The smallest size that the decoder gives for little and that is at least twice the target's.
static void scale_down(int *width, int *height, int target_width, int target_height) {
  int count, full_width = *width, full_height = *height;
  tjscalingfactor *factors = tjGetScalingFactors(&count);
  for (int i = 0; i < count; i++) {
    int scaled_width = TJSCALED(full_width, factors[i]);
    int scaled_height = TJSCALED(full_height, factors[i]);
    int power_of_two = factors[i].num == 1 && factors[i].denom <= 8;
    if (power_of_two && scaled_width >= 2 * target_width && scaled_height >= 2 * target_height
        && scaled_width < *width) {
      *width = scaled_width;
      *height = scaled_height;
    }
  }
}

static Picture decoded(const char *path, int target_width, int target_height) {
  Picture picture;
  size_t size;
  int sampling, colorspace;
  unsigned char *bytes = file_contents(path, &size);
  tjhandle decoder = tjInitDecompress();
  if (tjDecompressHeader3(
          decoder, bytes, size, &picture.width, &picture.height, &sampling, &colorspace))
    fail(path, tjGetErrorStr2(decoder));
  scale_down(&picture.width, &picture.height, target_width, target_height);
  picture.pixels = malloc((size_t)picture.width * picture.height * channels);
  if (!picture.pixels
      || tjDecompress2(
          decoder, bytes, size, picture.pixels, picture.width, 0, picture.height, TJPF_RGB, 0))
    fail(path, tjGetErrorStr2(decoder));
  tjDestroy(decoder);
  free(bytes);
  return picture;
}

/// Computes the position of a target pixel between two source pixels, in 256ths.
static void place(int target, int target_size, int source_size, int *first, int *second, int *share) {
  float position = (target + 0.5f) * source_size / target_size - 0.5f;
  if (position < 0) position = 0;
  *first = (int)position;
  *second = *first + 1 < source_size ? *first + 1 : *first;
  *share = (int)((position - *first) * one);
}

static void resize(Picture picture, unsigned char *target, int width, int height) {
  int left[most_side], right[most_side], across[most_side];
  for (int x = 0; x < width; x++) {
    place(x, width, picture.width, &left[x], &right[x], &across[x]);
    left[x] *= channels;
    right[x] *= channels;
  }
  for (int y = 0; y < height; y++) {
    int upper, lower, down;
    place(y, height, picture.height, &upper, &lower, &down);
    const unsigned char *top = picture.pixels + (size_t)upper * picture.width * channels;
    const unsigned char *bottom = picture.pixels + (size_t)lower * picture.width * channels;
    for (int x = 0; x < width; x++)
      for (int c = 0; c < channels; c++) {
        int over = top[left[x] + c] * (one - across[x]) + top[right[x] + c] * across[x];
        int under = bottom[left[x] + c] * (one - across[x]) + bottom[right[x] + c] * across[x];
        *target++ = (over * (one - down) + under * down + one * one / 2) / (one * one);
      }
  }
}

static void write_picture(Layer *input, const unsigned char *pixels, int count) {
  if (input->type.element_type == CLiteRTElementUInt8) {
    layer_write(input, pixels);
    return;
  }
  float *values = malloc(count * sizeof *values);
  for (int i = 0; i < count; i++) values[i] = pixels[i] * (2 / 255.0f) - 1;
  layer_write(input, values);
  free(values);
}

static float score(const Layer *output, const void *values, int index) {
  if (output->type.element_type == CLiteRTElementFloat32) return ((const float *)values)[index];
  return (((const uint8_t *)values)[index] - output->quantization.zero_point)
         * output->quantization.scale;
}

/// The labels of the best scores, a line each; of a folder's pictures, the best label alone.
static void print_best(Layer *output, char **labels, int label_count, const char *jpeg) {
  int best[shown], found = 0;
  int size = output->type.element_type == CLiteRTElementFloat32 ? sizeof(float) : 1;
  int count = output->size / size;
  void *values = malloc(output->size);
  layer_read(output, values);
  for (int i = 0; i < count; i++) {
    int place = found < shown ? found++ : shown;
    while (place > 0 && score(output, values, i) > score(output, values, best[place - 1])) {
      if (place < shown) best[place] = best[place - 1];
      place--;
    }
    if (place < shown) best[place] = i;
  }
  char text[4096];
  int length = jpeg ? snprintf(text, sizeof text, "%s", jpeg) : 0;
  for (int i = 0; i < found; i++)
    length += snprintf(
        text + length, sizeof text - length, "%s%.4f %s%s", jpeg ? " " : "",
        score(output, values, best[i]), best[i] < label_count ? labels[best[i]] : "?",
        jpeg ? "" : "\n");
  printf(jpeg ? "%s\n" : "%s", text);
  free(values);
}

static int read_labels(const char *path, char **labels) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t capacity = 0;
  int count = 0;
  if (!file) fail(path, "cannot be read");
  while (count < most_labels && getline(&line, &capacity, file) > 0) {
    line[strcspn(line, "\r\n")] = 0;
    labels[count++] = strdup(line);
  }
  fclose(file);
  return count;
}

/// A model with what it needs, for one thread.
typedef struct {
  Session session;
  int width, height;
  unsigned char *pixels;
} Classifier;

static void classifier_open(Classifier *classifier, const char *model, int threads) {
  session_open(&classifier->session, model, threads);
  const int32_t *dimensions = classifier->session.inputs[0].type.layout.dimensions;
  int height = dimensions[1], width = dimensions[2];
  if (width < 1 || height < 1 || width > most_side || height > most_side || dimensions[3] != channels)
    fail(model, "takes no picture");
  classifier->width = width;
  classifier->height = height;
  classifier->pixels = malloc((size_t)width * height * channels);
}

static void classify(
    Classifier *classifier, const char *jpeg, char **labels, int label_count, const char *name) {
  int width = classifier->width, height = classifier->height;
  Picture picture = decoded(jpeg, width, height);
  resize(picture, classifier->pixels, width, height);
  free(picture.pixels);
  write_picture(&classifier->session.inputs[0], classifier->pixels, width * height * channels);
  session_run(&classifier->session);
  print_best(&classifier->session.outputs[0], labels, label_count, name);
}

static void classify_once(const char *model, const char *labels_path, const char *jpeg, int threads) {
  static char *labels[most_labels];
  Classifier classifier;
  classifier_open(&classifier, model, threads);
  classify(&classifier, jpeg, labels, read_labels(labels_path, labels), NULL);
}

/// What the threads of a folder share.
typedef struct {
  const char *model;
  char **labels;
  int label_count;
  glob_t found;
  atomic_size_t next;
} Folder;

static void *classify_some(void *context) {
  Folder *folder = context;
  Classifier classifier;
  classifier_open(&classifier, folder->model, 1);
  for (;;) {
    size_t number = atomic_fetch_add(&folder->next, 1);
    if (number >= folder->found.gl_pathc) return NULL;
    const char *path = folder->found.gl_pathv[number];
    classify(&classifier, path, folder->labels, folder->label_count, path);
  }
}

static void classify_folder(
    const char *model, const char *labels_path, const char *path, int threads) {
  static char *labels[most_labels];
  enum { most_threads = 64 };
  pthread_t workers[most_threads];
  char pattern[4096];
  Folder folder = {.model = model, .labels = labels, .label_count = read_labels(labels_path, labels)};
  snprintf(pattern, sizeof pattern, "%s/*.jpg", path);
  if (glob(pattern, 0, NULL, &folder.found)) fail(path, "there are no JPEGs");
  if (threads > most_threads) threads = most_threads;
  for (int i = 0; i < threads; i++)
    if (pthread_create(&workers[i], NULL, classify_some, &folder)) fail("thread", "did not start");
  for (int i = 0; i < threads; i++) pthread_join(workers[i], NULL);
}

/// Starts this program once more and waits for its end, without its output.
static void process(void *context) {
  pid_t child;
  int status;
  posix_spawn_file_actions_t silence;
  posix_spawn_file_actions_init(&silence);
  posix_spawn_file_actions_addopen(&silence, 1, "/dev/null", 1 /* O_WRONLY */, 0);
  posix_spawn_file_actions_addopen(&silence, 2, "/dev/null", 1 /* O_WRONLY */, 0);
  char **words = context;
  if (posix_spawn(&child, words[0], &silence, NULL, words, environ)) fail(words[0], "did not start");
  posix_spawn_file_actions_destroy(&silence);
  if (waitpid(child, &status, 0) != child || status != 0) fail(words[0], "a process failed");
}

static void measure_processes(char *program, Arguments arguments) {
  char threads[16];
  snprintf(threads, sizeof threads, "%d", arguments.threads);
  char *words[] = {
      program,
      "once",
      (char *)arguments.words[0],
      (char *)arguments.words[1],
      (char *)arguments.words[2],
      "--threads",
      threads,
      NULL,
  };
  Measurement whole = {.name = "process", .work = process, .context = words};
  measure("classify-floor", arguments.words[2], arguments, &whole, 1);
}

int main(int count, char **values) {
  Arguments arguments = arguments_of(count, values, 4, usage);
  const char **words = arguments.words;
  if (arguments.word_count == 4 && !strcmp(words[0], "once"))
    classify_once(words[1], words[2], words[3], arguments.threads);
  else if (arguments.word_count == 4 && !strcmp(words[0], "folder"))
    classify_folder(words[1], words[2], words[3], arguments.threads);
  else if (arguments.word_count == 3)
    measure_processes(values[0], arguments);
  else
    fail("usage", usage);
  return 0;
}
