package import TensorIOTasks

/// The worst incorrect and the best correct predictions of a model.
package struct SamplePredictions: Sendable, Hashable {
  /// The maximum number of predictions of each kind.
  package static let maxCount = 12

  /// The incorrect predictions with the highest loss, highest first.
  package internal(set) var worst: [SamplePrediction] = []
  /// The correct predictions with the lowest loss, lowest first.
  package internal(set) var best: [SamplePrediction] = []

  /// Creates an empty collection.
  package init() {}

  /// Creates a collection from sorted predictions.
  package init(worst: [SamplePrediction], best: [SamplePrediction]) {
    (self.worst, self.best) = (worst, best)
  }

  /// Adds a prediction if it is among the worst or the best.
  ///
  /// Equal losses are spread over the classes; of a class, the earlier one wins.
  package mutating func add(_ prediction: SamplePrediction) {
    if prediction.isCorrect {
      Self.insert(prediction, into: &best) { $0.loss < $1.loss }
    } else {
      Self.insert(prediction, into: &worst) { $0.loss > $1.loss }
    }
  }

  private static func insert(
    _ prediction: SamplePrediction, into list: inout [SamplePrediction],
    before: (SamplePrediction, SamplePrediction) -> Bool
  ) {
    if list.count == maxCount, let last = list.last, before(last, prediction) { return }
    func rank(_ other: SamplePrediction, before end: Int) -> Int {
      list[..<end].count { $0.loss == other.loss && $0.groundTruth == other.groundTruth }
    }
    let own = rank(prediction, before: list.count)
    let index =
      list.indices.first { index in
        before(prediction, list[index])
          || list[index].loss == prediction.loss && own < rank(list[index], before: index)
      } ?? list.count
    guard index < maxCount else { return }
    list.insert(prediction, at: index)
    if list.count > maxCount { list.removeLast() }
  }
}

/// The prediction for one item, with its ground truth.
package struct SamplePrediction: Sendable, Hashable {
  /// The name of the item in the dataset.
  package var name: String
  /// The path of the image, if the item has one.
  package var imagePath: String?
  /// The ground truth as text.
  package var groundTruth: String
  /// The prediction as text.
  package var prediction: String
  /// Whether the prediction counts as correct.
  package var isCorrect: Bool
  /// The loss used to rank predictions; higher is worse.
  package var loss: Double
  /// The ground-truth boxes.
  package var groundTruthBoxes: [SampleBox] = []
  /// The predicted boxes.
  package var predictedBoxes: [SampleBox] = []

  /// Creates a prediction without boxes.
  package init(
    name: String, imagePath: String?, groundTruth: String, prediction: String, isCorrect: Bool,
    loss: Double
  ) {
    (self.name, self.imagePath, self.groundTruth, self.prediction) = (
      name, imagePath, groundTruth, prediction
    )
    (self.isCorrect, self.loss) = (isCorrect, loss)
  }
}

/// A box and its class, in pixels of the upright image.
package struct SampleBox: Sendable, Hashable {
  /// The label of the class.
  package var label: String
  /// The index of the class, which determines its color.
  package var classIndex: Int
  /// The box.
  package var box: BoundingBox
  /// The score of a predicted box; `nil` for a ground-truth box.
  package var score: Double?

  /// Creates a box.
  package init(label: String, classIndex: Int, box: BoundingBox, score: Double? = nil) {
    (self.label, self.classIndex, self.box, self.score) = (label, classIndex, box, score)
  }
}
