#include "CTaskFloor.h"

#include <math.h>
#include <stdlib.h>

static uint16_t best_of(const float *scores, size_t classes) {
  size_t best = 0;
  for (size_t i = 1; i < classes; i++) {
    if (scores[i] > scores[best]) best = i;
  }
  return (uint16_t)best;
}

void task_floor_argmax(const float *scores, size_t cells, size_t classes, uint16_t *best) {
  for (size_t cell = 0; cell < cells; cell++) best[cell] = best_of(scores + cell * classes, classes);
}

static float position(int pixel, int pixels, int cells) {
  float place = (pixel + 0.5f) * cells / pixels - 0.5f;
  return fminf(fmaxf(place, 0), cells - 1);
}

void task_floor_enlarged_argmax(
    const float *scores, int cells_wide, int cells_high, int classes, int width, int height,
    uint16_t *best) {
  float *row = malloc((size_t)cells_wide * classes * sizeof *row);
  float *pixel = malloc(classes * sizeof *pixel);
  for (int y = 0; y < height; y++) {
    float v = position(y, height, cells_high);
    int top = (int)v, bottom = top + 1 < cells_high ? top + 1 : top;
    const float *upper = scores + (size_t)top * cells_wide * classes;
    const float *lower = scores + (size_t)bottom * cells_wide * classes;
    for (int i = 0; i < cells_wide * classes; i++) row[i] = upper[i] + (lower[i] - upper[i]) * (v - top);
    for (int x = 0; x < width; x++) {
      float u = position(x, width, cells_wide);
      int left = (int)u, right = left + 1 < cells_wide ? left + 1 : left;
      const float *first = row + left * classes, *second = row + right * classes;
      for (int i = 0; i < classes; i++) pixel[i] = first[i] + (second[i] - first[i]) * (u - left);
      best[(size_t)y * width + x] = best_of(pixel, classes);
    }
  }
  free(row);
  free(pixel);
}

static int descending(const void *left, const void *right) {
  float a = ((const TaskFloorBox *)left)->score, b = ((const TaskFloorBox *)right)->score;
  return (a < b) - (a > b);
}

static float overlap(const TaskFloorBox *a, const TaskFloorBox *b) {
  float width = fminf(a->right, b->right) - fmaxf(a->left, b->left);
  float height = fminf(a->bottom, b->bottom) - fmaxf(a->top, b->top);
  if (width <= 0 || height <= 0) return 0;
  float common = width * height;
  return common
         / ((a->right - a->left) * (a->bottom - a->top) + (b->right - b->left) * (b->bottom - b->top)
            - common);
}

size_t task_floor_yolov8(
    const float *output, int classes, int boxes, float threshold, float max_overlap, size_t most,
    TaskFloorBox *found) {
  float *scores = malloc(boxes * sizeof *scores);
  int32_t *labels = calloc(boxes, sizeof *labels);
  for (int i = 0; i < boxes; i++) scores[i] = output[4 * boxes + i];
  for (int label = 1; label < classes; label++) {
    const float *row = output + (size_t)(4 + label) * boxes;
    for (int i = 0; i < boxes; i++) {
      if (row[i] > scores[i]) {
        scores[i] = row[i];
        labels[i] = label;
      }
    }
  }
  TaskFloorBox *candidates = malloc(boxes * sizeof *candidates);
  size_t count = 0, kept = 0;
  for (int i = 0; i < boxes; i++) {
    if (scores[i] < threshold) continue;
    float x = output[i], y = output[boxes + i], w = output[2 * boxes + i], h = output[3 * boxes + i];
    candidates[count++] = (TaskFloorBox){
        x - w / 2, y - h / 2, x + w / 2, y + h / 2, scores[i], labels[i]};
  }
  qsort(candidates, count, sizeof *candidates, descending);
  for (size_t i = 0; i < count && kept < most; i++) {
    size_t other = 0;
    while (other < kept
           && (found[other].label != candidates[i].label
               || overlap(&found[other], &candidates[i]) <= max_overlap)) other++;
    if (other == kept) found[kept++] = candidates[i];
  }
  free(scores);
  free(labels);
  free(candidates);
  return kept;
}
