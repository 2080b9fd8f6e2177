public import TensorIOImage

/// One thing that a model has found in a picture, and where.
public struct Detection: Sendable, Hashable {
  /// What it is; the index as text where the class has no label.
  public var label: String
  /// The class.
  public var index: Int
  /// How sure the model is.
  public var score: Float
  /// Where it is, in pixels of the caller's picture.
  public var box: Box
  /// Points of it that the model has found, in pixels of the caller's picture.
  public var keypoints: [Keypoint]

  /// A thing that was found.
  public init(label: String, index: Int, score: Float, box: Box, keypoints: [Keypoint] = []) {
    self.label = label
    self.index = index
    self.score = score
    self.box = box
    self.keypoints = keypoints
  }

  /// The colour of its class, which is always the same.
  public var color: PixelColor { .forClass(index) }
}

/// A point of a picture that has a name, such as an eye.
public struct Keypoint: Sendable, Hashable {
  /// What it is; its number as text where the bundle does not say.
  public var name: String
  /// From the left, in pixels.
  public var x: Double
  /// From the top, in pixels.
  public var y: Double

  /// A point with a name.
  public init(name: String, x: Double, y: Double) {
    (self.name, self.x, self.y) = (name, x, y)
  }
}

/// What a model has found in a picture, surest first.
public struct Detections: Sendable, Hashable {
  /// What was found, by falling score; equal scores in the order of the model's output.
  public let all: [Detection]
  /// For each of them, which row of the model's outputs it was.
  ///
  /// Where a model gives more for each row, that is how it is found.
  public let rows: [Int]
  /// In what the model's outputs contradict themselves.
  public let findings: [Finding]

  init(_ found: [(row: Int, detection: Detection)], _ findings: [Finding]) {
    all = found.map(\.detection)
    rows = found.map(\.row)
    self.findings = findings
  }

  /// Something in a model's outputs that cannot be so.
  @nonexhaustive
  public enum Finding: Sendable, Hashable {
    /// The count is no number, or of more than the outputs have.
    case countBeyond(told: Double, held: Int)
    /// Outputs have rows for different numbers of things.
    case rowsDiffer([Int])
    /// So many scores, classes or corners are no finite numbers.
    case notNumbers(Int)
  }
}

extension Detections: RandomAccessCollection {
  /// Where the first is.
  public var startIndex: Int { all.startIndex }
  /// Where none is any more.
  public var endIndex: Int { all.endIndex }
  /// What was found as so-and-so-many-th.
  public subscript(position: Int) -> Detection { all[position] }
}

extension Detections.Finding: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch self {
    case .countBeyond(let told, let held):
      "the count says \(told.isFinite ? "\(Int(clamping: told))" : "\(told)"), "
        + "and the outputs hold \(held)"
    case .rowsDiffer(let counts):
      "the outputs hold different numbers of rows: "
        + counts.map(String.init).joined(separator: ", ")
    case .notNumbers(let count):
      "\(count) of the detections have a score, a class or a corner that is no number"
    }
  }
}

extension Int {
  /// The whole number nearest to zero from a finite one, as far as there are such.
  package init(clamping value: Double) {
    self = Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
  }
}
