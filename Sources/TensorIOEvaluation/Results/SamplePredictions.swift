public import TensorIOTasks

/// The answers that tell most about a model: its worst mistakes and its surest successes.
public struct SamplePredictions: Sendable, Hashable {
  /// So many of each kind are kept.
  public static let maxCount = 12

  /// The worst first.
  public private(set) var worst: [SamplePrediction] = []
  /// The best first.
  public private(set) var best: [SamplePrediction] = []

  /// No answers.
  public init() {}

  /// Answers in their order.
  public init(worst: [SamplePrediction], best: [SamplePrediction]) {
    (self.worst, self.best) = (worst, best)
  }

  /// Keeps an answer if it is among the worst or the best; of equal ones the earlier stays.
  public mutating func add(_ answer: SamplePrediction) {
    if answer.isCorrect {
      Self.insert(answer, into: &best) { $0.loss < $1.loss }
    } else {
      Self.insert(answer, into: &worst) { $0.loss > $1.loss }
    }
  }

  private static func insert(
    _ answer: SamplePrediction, into list: inout [SamplePrediction],
    before: (SamplePrediction, SamplePrediction) -> Bool
  ) {
    let place = list.firstIndex { before(answer, $0) } ?? list.count
    guard place < maxCount else { return }
    list.insert(answer, at: place)
    if list.count > maxCount { list.removeLast() }
  }
}

/// What a model said of one item, and what it should have said.
public struct SamplePrediction: Sendable, Hashable {
  /// What the data calls the item.
  public var name: String
  /// Where its picture lies; `nil` where it has none.
  public var imagePath: String?
  /// What should have come out.
  public var groundTruth: String
  /// What came out.
  public var prediction: String
  /// Whether it is as it should be.
  public var isCorrect: Bool
  /// How far off it is; the more, the worse.
  public var loss: Double
  /// The boxes that are in the picture.
  public var groundTruthBoxes: [SampleBox] = []
  /// The boxes that were found.
  public var predictedBoxes: [SampleBox] = []

  /// An answer without boxes.
  public init(
    name: String, imagePath: String?, groundTruth: String, prediction: String, isCorrect: Bool, loss: Double
  ) {
    (self.name, self.imagePath, self.groundTruth, self.prediction) = (name, imagePath, groundTruth, prediction)
    (self.isCorrect, self.loss) = (isCorrect, loss)
  }
}

/// A box with its class, in pixels of the upright picture.
public struct SampleBox: Sendable, Hashable {
  /// Its class.
  public var label: String
  /// The class as a number, by which it has its colour.
  public var classIndex: Int
  /// Where it is.
  public var box: BoundingBox
  /// How sure the model is; `nil` for one that is true.
  public var score: Double?

  /// A box of a class.
  public init(label: String, classIndex: Int, box: BoundingBox, score: Double? = nil) {
    (self.label, self.classIndex, self.box, self.score) = (label, classIndex, box, score)
  }
}
