import Testing

@testable import TensorIOEvaluation

/// The values of an item's score, as the evaluation log stores them.
@Suite struct DetectionEvaluatorTests {
  /// The values of one predicted box and one of the ground truth, with their classes.
  private static func values(
    count: Double = 1, predicted: Double = 2, groundTruth: Double = 2
  ) -> [Double] {
    let box: [Double] = [0, 0, 10, 10]
    let prediction: [Double] = [predicted] + box + [0.5]
    let annotation: [Double] = [groundTruth] + box + [100, 0]
    return [count] + prediction + annotation
  }

  @Test func `Boxes are read from the values of a score`() throws {
    let boxes = try #require(DetectionEvaluator.boxes(Self.values()))
    #expect(boxes.predictions.map(\.category) == [2])
    #expect(boxes.groundTruth.map(\.category) == [2])
  }

  @Test func `A class that is not an integer makes the score malformed`() {
    #expect(DetectionEvaluator.boxes(Self.values(predicted: 2.5)) == nil)
    #expect(DetectionEvaluator.boxes(Self.values(groundTruth: 2.5)) == nil)
    #expect(DetectionEvaluator.boxes(Self.values(predicted: .nan)) == nil)
    #expect(DetectionEvaluator.boxes(Self.values(count: 2)) == nil)
  }
}
