public import TensorIOTasks

/// The answers that tell most about a model: its worst mistakes and its surest successes.
public struct SampleAnswers: Sendable, Hashable {
  /// So many of each kind are kept.
  public static let limit = 12

  /// The worst first.
  public private(set) var worst: [SampleAnswer] = []
  /// The best first.
  public private(set) var best: [SampleAnswer] = []

  /// No answers.
  public init() {}

  /// Answers in their order.
  public init(worst: [SampleAnswer], best: [SampleAnswer]) {
    (self.worst, self.best) = (worst, best)
  }

  /// Keeps an answer if it is among the worst or the best; of equal ones the earlier stays.
  public mutating func add(_ answer: SampleAnswer) {
    if answer.isRight {
      Self.insert(answer, into: &best) { $0.loss < $1.loss }
    } else {
      Self.insert(answer, into: &worst) { $0.loss > $1.loss }
    }
  }

  private static func insert(
    _ answer: SampleAnswer, into list: inout [SampleAnswer],
    before: (SampleAnswer, SampleAnswer) -> Bool
  ) {
    let place = list.firstIndex { before(answer, $0) } ?? list.count
    guard place < limit else { return }
    list.insert(answer, at: place)
    if list.count > limit { list.removeLast() }
  }
}

/// What a model said of one item, and what it should have said.
public struct SampleAnswer: Sendable, Hashable {
  /// What the data calls the item.
  public var name: String
  /// Where its picture lies; `nil` where it has none.
  public var picture: String?
  /// What should have come out.
  public var truth: String
  /// What came out.
  public var found: String
  /// Whether it is as it should be.
  public var isRight: Bool
  /// How far off it is; the more, the worse.
  public var loss: Double
  /// The boxes that are in the picture.
  public var trueBoxes: [SampleBox] = []
  /// The boxes that were found.
  public var foundBoxes: [SampleBox] = []

  /// An answer without boxes.
  public init(
    name: String, picture: String?, truth: String, found: String, isRight: Bool, loss: Double
  ) {
    (self.name, self.picture, self.truth, self.found) = (name, picture, truth, found)
    (self.isRight, self.loss) = (isRight, loss)
  }
}

/// A box with its class, in pixels of the upright picture.
public struct SampleBox: Sendable, Hashable {
  /// Its class.
  public var label: String
  /// The class as a number, by which it has its colour.
  public var index: Int
  /// Where it is.
  public var box: Box
  /// How sure the model is; `nil` for one that is true.
  public var score: Double?

  /// A box of a class.
  public init(label: String, index: Int, box: Box, score: Double? = nil) {
    (self.label, self.index, self.box, self.score) = (label, index, box, score)
  }
}
