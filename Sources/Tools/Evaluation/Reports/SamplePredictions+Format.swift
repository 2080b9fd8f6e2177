import TensorIOBundle
import TensorIOTasks

extension SamplePredictions {
  /// The keys of `samples`.
  static let format = ObjectFormat("samples", schema: "samples", SamplePredictions()) {
    Field("worst", \.worst, .predictions, default: [], "The worst predictions.")
    Field("best", \.best, .predictions, default: [], "The best predictions.")
  }
}

extension ValueFormat<[SamplePrediction]> {
  fileprivate static let predictions = list(of: SamplePrediction.format.value, "objects")
}

extension SamplePrediction {
  fileprivate static let format = ObjectFormat(
    "a prediction", schema: "prediction",
    SamplePrediction(
      name: "", imagePath: nil, groundTruth: "", prediction: "", isCorrect: false, loss: 0)
  ) {
    Field("name", \.name, .string, "The item in the dataset.")
    Field("image", \.imagePath, .string, "The path of its image.")
    Field("ground_truth", \.groundTruth, .string, "What it shows.")
    Field("prediction", \.prediction, .string, "What the model says.")
    Field("correct", \.isCorrect, .boolean, "Whether it is right.")
    Field("loss", \.loss, .anyNumber, "How wrong it is.")
    Field(
      "ground_truth_boxes", \.groundTruthBoxes, .boxes, default: [], "The boxes of the objects.")
    Field("predicted_boxes", \.predictedBoxes, .boxes, default: [], "The boxes that were found.")
  }
}

extension ValueFormat<[SampleBox]> {
  fileprivate static let boxes = list(of: SampleBox.format.value, "objects")
}

extension SampleBox {
  fileprivate static let format = ObjectFormat(
    "a box", schema: "sampleBox", SampleBox(label: "", classIndex: 0, box: edges(0, 0, 0, 0))
  ) {
    Field("label", \.label, .string, "The label.")
    Field("class_index", \.classIndex, .integer, "The class.")
    Field("score", \.score, .anyNumber, "The score of a detection.")
    Field("box", \.box, edgesFormat.value, "The edges in pixels.")
  }

  private static let edgesFormat = ObjectFormat("a box", schema: "box", edges(0, 0, 0, 0)) {
    Field("xmin", \.xmin, .anyNumber, "The left edge.")
    Field("ymin", \.ymin, .anyNumber, "The top edge.")
    Field("xmax", \.xmax, .anyNumber, "The right edge.")
    Field("ymax", \.ymax, .anyNumber, "The bottom edge.")
  }

  private static func edges(
    _ xmin: Double, _ ymin: Double, _ xmax: Double, _ ymax: Double
  ) -> BoundingBox {
    BoundingBox(xmin: xmin, ymin: ymin, xmax: xmax, ymax: ymax)
  }
}
