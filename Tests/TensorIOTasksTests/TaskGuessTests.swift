import TensorIOBundle
import TensorIOImage
import Testing

@testable import TensorIOTasks

@Suite struct TaskGuessTests {
  private static func guess(_ shape: [Int?], labels: Int? = nil, images: Int = 1) -> TaskGuess? {
    let image = ImageLayer(
      shape: TensorShape([1, 64, 48, 3]), height: 64, width: 48, format: .rgb, layout: .channelsLast
    )
    let description = ModelDescription(
      modelFile: "m.tflite", backend: .tflite,
      inputs: (0..<images).map { Layer(name: "i\($0)", kind: .image(image)) },
      outputs: [Layer(name: "o", kind: .array(NumericLayer(shape: TensorShape(shape))))])
    let evidence = TaskGuess.Evidence(description, labelCount: labels)
    return TaskRegistry.standard.handlers.lazy.compactMap { $0.guess(evidence) }.first
  }

  @Test(
    arguments: [
      ([1, 64, 48, 21], 21, true), ([1, 64, 48, 21], nil, false), ([nil, 32, 24, 1], nil, true),
      ([1, 64, 48], nil, true), ([1, 12, 9, 2], 2, true),
    ] as [([Int?], Int?, Bool)])
  func `A grid like the image is a segmentation`(shape: [Int?], labels: Int?, isLabeled: Bool) {
    let guess = Self.guess(shape, labels: labels)
    #expect(guess?.type == "segmentation" && guess?.roles == [0: .mask])
    #expect((guess?.labeledOutput == 0) == isLabeled)
    #expect(guess?.settings.isEmpty == true)
  }

  @Test func `Planes of scores are recognized`() {
    let guess = Self.guess([1, 19, 64, 48], labels: 19)
    #expect(guess?.settings == ["layout": "\"NCHW\""])
  }

  @Test(
    arguments: [
      ([1, 1000], nil, 1), ([1, 48, 64, 21], nil, 1), ([1, 64, 48, 21], 5, 1),
      ([1, 4, 3, 21], nil, 1), ([1, 64, 48, 21], nil, 2), ([1, 64, nil, 21], nil, 1),
      ([1, 2, 64, 48, 3], nil, 1),
    ] as [([Int?], Int?, Int)])
  func `Other outputs are not`(shape: [Int?], labels: Int?, images: Int) {
    #expect(Self.guess(shape, labels: labels, images: images) == nil)
  }
}
