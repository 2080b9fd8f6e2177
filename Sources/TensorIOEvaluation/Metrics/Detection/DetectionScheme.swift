/// The sizes of things that COCO tells apart, by the pixels that they cover.
public enum BoxSize: Int, Sendable, Hashable, CaseIterable {
  /// Everything.
  case all
  /// Up to 32 × 32 pixels.
  case small
  /// From 32 × 32 to 96 × 96 pixels.
  case medium
  /// From 96 × 96 pixels.
  case large

  /// Both ends belong to it, so what is exactly on an edge belongs to two sizes.
  func contains(_ area: Double) -> Bool {
    switch self {
    case .all: area >= 0 && area <= 1e10
    case .small: area >= 0 && area <= 1024
    case .medium: area >= 1024 && area <= 9216
    case .large: area >= 9216 && area <= 1e10
    }
  }
}

/// What COCO measures with.
public enum DetectionScheme {
  /// How much boxes must have in common to be of the same thing: 0.50, 0.55, … 0.95.
  public static let thresholds: [Double] = spaced(from: 0.5, to: 0.95, count: 10)
  /// The recalls at which precision is read: 0, 0.01, … 1.
  public static let recalls: [Double] = spaced(from: 0, to: 1, count: 101)
  /// So many detections of a class count in a picture, the surest ones.
  public static let limit = 100

  /// Rounded as numpy's `linspace` is, since precision is read at the first recall not below these.
  private static func spaced(from start: Double, to end: Double, count: Int) -> [Double] {
    let step = (end - start) / Double(count - 1)
    return (0..<count - 1).map { Double($0) * step + start } + [end]
  }
}

/// A question that every detection has an answer to: a size and a threshold.
struct DetectionQuestion {
  let size: BoxSize
  let threshold: Int

  /// The answer's bit.
  var bit: UInt64 { 1 << UInt64(size.rawValue * DetectionScheme.thresholds.count + threshold) }
}

extension BoxSize {
  /// The bits of the answers to all questions about things of this size.
  var bits: UInt64 {
    let count = DetectionScheme.thresholds.count
    return ((1 << UInt64(count)) - 1) << UInt64(rawValue * count)
  }

  /// The questions about things of this size, one for each threshold.
  var questions: [DetectionQuestion] {
    DetectionScheme.thresholds.indices.map { DetectionQuestion(size: self, threshold: $0) }
  }
}
