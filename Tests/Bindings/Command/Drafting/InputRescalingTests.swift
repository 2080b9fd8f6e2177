import TensorIOCore
import Testing

@testable import TensorIODrafting

@Suite struct InputRescalingTests {
  private struct Step {
    let operation: InputRescaling.Operation
    let constant: [Float]
    let isReversed: Bool

    init(_ operation: InputRescaling.Operation, _ constant: Float..., isReversed: Bool = false) {
      (self.operation, self.constant, self.isReversed) = (operation, constant, isReversed)
    }
  }

  private func rescaling(_ steps: [Step]) -> InputRescaling? {
    var result = InputRescaling()
    for step in steps {
      let isAffine = result.apply(step.operation, step.constant, isReversed: step.isReversed)
      guard isAffine else { return nil }
    }
    return result
  }

  private func range(_ steps: Step...) -> PixelRange? {
    rescaling(steps).flatMap(PixelRange.init(expectedBy:))
  }

  @Test func `Operations with constants add up to one affine function`() throws {
    let steps = [Step(.divide, 8), Step(.subtract, 1), Step(.multiply, 2, 4, 8)]
    let result = try #require(rescaling(steps))
    let (scale, offset): ([Float], [Float]) = ([0.25, 0.5, 1], [-2, -4, -8])
    #expect(result.scale == scale)
    #expect(result.offset == offset)
    let reversed = try #require(rescaling([Step(.subtract, 255, isReversed: true)]))
    #expect(reversed.scale == [-1])
    #expect(reversed.offset == [255])
    #expect(reversed.range(of: 0...255) == 0...255)
  }

  @Test(
    arguments: [
      (0...255, .raw), (0...1, .zeroToOne), (-1...0.992, .minusOneToOne), (0...6, nil),
    ] as [(ClosedRange<Float>, PixelRange?)])
  func `A graph that first stores bytes expects what they can store`(
    _ stored: ClosedRange<Float>, _ expected: PixelRange?
  ) {
    var rescaling = InputRescaling()
    rescaling.storedInterval = stored
    #expect(PixelRange(expectedBy: rescaling) == expected)
  }

  @Test func `A function that is not affine or not finite is not a rescaling`() {
    #expect(rescaling([Step(.divide, 1, isReversed: true)]) == nil)
    #expect(rescaling([Step(.divide, 0)]) == nil)
    #expect(rescaling([Step(.add, 1, 2), Step(.add, 1, 2, 3)]) == nil)
    #expect(rescaling([Step(.add)]) == nil)
  }

  @Test func `The expected range is the one that the first operators map to usual values`() {
    let (unit, spread) = (Float(1) / 255, Float(1) / 127.5)
    // Keras for MobileNet and EfficientNet, torchvision's mean and deviation, Caffe's mean.
    #expect(range(Step(.multiply, spread), Step(.add, -1)) == .raw)
    #expect(range(Step(.multiply, unit)) == .raw)
    let torchvision = range(
      Step(.multiply, unit), Step(.subtract, 0.485, 0.456, 0.406),
      Step(.divide, 0.229, 0.224, 0.225))
    #expect(torchvision == .raw)
    #expect(range(Step(.subtract, 103.939, 116.779, 123.68)) == .raw)
    #expect(range(Step(.multiply, 2), Step(.subtract, 1)) == .zeroToOne)
    #expect(range(Step(.multiply, 255)) == .zeroToOne)
    #expect(range(Step(.multiply, 127.5), Step(.add, 127.5)) == .minusOneToOne)
    #expect(range() == nil)
    #expect(range(Step(.multiply, 1_000_000)) == nil)
  }
}
