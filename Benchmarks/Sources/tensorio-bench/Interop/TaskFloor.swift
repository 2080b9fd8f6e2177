import CTaskFloor

/// The decoding of outputs in plain C.
enum TaskFloor {
  /// The class with the highest score of each cell.
  static func argmax(_ scores: [Float], classes: Int, into best: inout [UInt16]) {
    unsafe scores.withUnsafeBufferPointer { scores in
      unsafe best.withUnsafeMutableBufferPointer { best in
        guard let scores = scores.baseAddress, let start = best.baseAddress else { return }
        unsafe task_floor_argmax(scores, best.count, classes, start)
      }
    }
  }

  /// The class of each pixel of an image, with the scores interpolated between the centers of cells.
  static func argmax(
    _ scores: [Float], cells: (wide: Int, high: Int), classes: Int, width: Int, height: Int,
    into best: inout [UInt16]
  ) {
    unsafe scores.withUnsafeBufferPointer { scores in
      unsafe best.withUnsafeMutableBufferPointer { best in
        guard let scores = scores.baseAddress, let start = best.baseAddress else { return }
        unsafe task_floor_enlarged_argmax(
          scores, Int32(cells.wide), Int32(cells.high), Int32(classes), Int32(width),
          Int32(height), start)
      }
    }
  }

  /// The boxes of a YOLO v8 output without duplicates: label and score, best first.
  static func yolov8(
    _ output: [Float], classes: Int, boxes: Int, threshold: Float, maxOverlap: Float, most: Int
  ) -> [(label: Int, score: Float)] {
    let none = TaskFloorBox(left: 0, top: 0, right: 0, bottom: 0, score: 0, label: 0)
    var found = [TaskFloorBox](repeating: none, count: most)
    let count = unsafe output.withUnsafeBufferPointer { output in
      unsafe found.withUnsafeMutableBufferPointer { found in
        guard let output = output.baseAddress, let found = found.baseAddress else { return 0 }
        return unsafe task_floor_yolov8(
          output, Int32(classes), Int32(boxes), threshold, maxOverlap, most, found)
      }
    }
    return found.prefix(count).map { (Int($0.label), $0.score) }
  }
}
