// The decoding of outputs in plain C: the floor under the results of tasks.

#ifndef CTaskFloor_h
#define CTaskFloor_h

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The class with the highest of the scores of each cell, the first of equal ones.
void task_floor_argmax(const float *scores, size_t cells, size_t classes, uint16_t *best);

/// The same for each pixel of an image, with the scores interpolated between the centers of cells.
void task_floor_enlarged_argmax(
    const float *scores, int cells_wide, int cells_high, int classes, int width, int height,
    uint16_t *best);

/// A detected object.
typedef struct {
  float left, top, right, bottom, score;
  int32_t label;
} TaskFloorBox;

/// Selects the boxes of a YOLO v8 output `[4 + classes, boxes]` above a threshold, best first, without those that overlap a
/// better one of the same class. Returns their number.
size_t task_floor_yolov8(
    const float *output, int classes, int boxes, float threshold, float max_overlap, size_t most,
    TaskFloorBox *found);

#pragma clang assume_nonnull end

#endif
