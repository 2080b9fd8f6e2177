import TensorIOCore

extension BoundingBox: CustomStringConvertible {
  /// The upper left and the lower right corner, such as `(40, 20)–(240, 180)`.
  public var description: String {
    let edges = [xmin, ymin, xmax, ymax].map { $0.formatted(decimals: 0) }
    return "(\(edges[0]), \(edges[1]))–(\(edges[2]), \(edges[3]))"
  }
}

extension Detection: CustomStringConvertible {
  /// The label, the score and the box, such as `car 0.87 (40, 20)–(240, 180)`.
  public var description: String { "\(label) \(score.formatted(decimals: 2)) \(box)" }
}

extension Detections: CustomStringConvertible {
  /// The detections in brackets.
  public var description: String { all.description }
}

extension TrackedObject: CustomStringConvertible {
  /// The number and the last detection, such as `#3 car 0.87 (40, 20)–(240, 180)`.
  public var description: String { "#\(id) \(detection)" + (state == .lost ? " lost" : "") }
}
