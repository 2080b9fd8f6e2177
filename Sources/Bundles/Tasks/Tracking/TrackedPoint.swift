public import TensorIOImage

/// The point of an object whose position is counted.
public enum TrackedPoint: String, Sendable, Hashable, CaseIterable {
  /// The center of the box.
  case center
  /// The center of the lower edge of the box, where people and cars touch the ground.
  case bottom

  /// Returns the point of a box.
  public func point(of box: BoundingBox) -> AffineMap.Point {
    AffineMap.Point(
      x: (box.xmin + box.xmax) / 2, y: self == .center ? (box.ymin + box.ymax) / 2 : box.ymax)
  }
}

/// Values of objects, which are forgotten when an object is not in a frame for some time.
struct ObjectMemory<Value: Sendable>: Sendable {
  private let maxAbsentFrames: Int
  private var frame = 0
  private var entries: [Int: (value: Value, frame: Int)] = [:]

  init(maxAbsentFrames: Int) { self.maxAbsentFrames = maxAbsentFrames }

  /// The value of an object; `nil` if it has none.
  subscript(id: Int) -> Value? {
    get { entries[id]?.value }
    set { entries[id] = newValue.map { ($0, frame) } }
  }

  /// Begins the next frame.
  mutating func advance() {
    frame += 1
    let oldest = frame - maxAbsentFrames - 1
    if entries.contains(where: { $0.value.frame < oldest }) {
      entries = entries.filter { $0.value.frame >= oldest }
    }
  }
}
