import TensorIOImage
import TensorIOTasks

/// Readers of the detections of streams.
enum TrackingReaders {
  /// The number of bytes of a detection, and that of the options.
  private static let (detectionLength, optionsLength) = (6, 6)

  /// The numbers of objects are unique and ascend, and every detection has at most one object.
  static func frames(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard bytes.count >= optionsLength else { return }
    var tracker = ObjectTracker(options: options(bytes))
    var line = LineCounter(
      from: .init(x: 0, y: value(bytes[4])), to: .init(x: 60, y: value(bytes[5])))
    var zone = ZoneCounter(
      [.init(x: 0, y: 0), .init(x: value(bytes[4]), y: 5), .init(x: 9, y: value(bytes[5]))],
      point: .bottom)
    var last = 0
    for frame in frames(of: bytes[optionsLength...]) {
      let assigned = tracker.assign(frame)
      let objects = assigned.map(\.object)
      try verify(
        zip(assigned, assigned.dropFirst()).allSatisfy { $0.detectionIndex < $1.detectionIndex },
        "a detection has several objects")
      try verify(Set(objects.map(\.id)).count == objects.count, "a number occurs twice")
      let new = objects.map(\.id).filter { $0 > last }
      try verify(
        new == Array(last + 1..<last + 1 + new.count), "the numbers of new objects have gaps")
      last += new.count
      try verify(tracker.objectCount == last, "the number of objects is another one")
      for (index, object) in assigned {
        try verify(
          frame.indices.contains(index) && object.detection == frame[index]
            && object.state == .detected && object.age > 0, "an object has another detection")
      }
      _ = tracker.objects
      line.update(with: objects)
      zone.update(with: objects)
      try verify(zone.inside <= objects.count, "more objects are in a zone than in the frame")
    }
    try verify(zone.entered >= zone.exited, "more objects have left a zone than entered it")
  }

  private static func options(_ bytes: [UInt8]) -> TrackerOptions {
    TrackerOptions(
      minimumHighScore: score(bytes[0]), minimumNewObjectScore: score(bytes[1]),
      maxLostFrames: Int(bytes[2] % 8), confirmationFrames: Int(bytes[2] / 8 % 4),
      isClassAgnostic: bytes[3] % 2 == 1, maxCount: Int(bytes[3] / 2))
  }

  /// Returns the detections of each frame, which ends with the byte 254.
  private static func frames(of bytes: ArraySlice<UInt8>) -> [[Detection]] {
    bytes.split(separator: 254, omittingEmptySubsequences: false).map { frame in
      stride(from: frame.startIndex, to: frame.endIndex - detectionLength + 1, by: detectionLength)
        .map { first in
          let (x, y) = (value(frame[first]), value(frame[first + 1]))
          return Detection(
            label: "a", index: Int(frame[first + 5] % 4), score: score(frame[first + 4]),
            box: BoundingBox(
              xmin: x, ymin: y, xmax: x + value(frame[first + 2]),
              ymax: y + value(frame[first + 3])))
        }
    }
  }

  private static func value(_ code: UInt8) -> Double {
    Double(FuzzedTensor.number(code, scale: 4))
  }

  private static func score(_ code: UInt8) -> Float { FuzzedTensor.number(code, scale: 200) }
}
