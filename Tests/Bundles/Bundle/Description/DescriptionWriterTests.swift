import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON

@Suite struct DescriptionWriterTests {
  @Test(arguments: DescriptionFixture.valid)
  func `A valid description survives a round trip`(_ fixture: DescriptionFixture) throws {
    let description = try ModelDescription(json: fixture.bytes())
    #expect(try ModelDescription(json: description.json) == description)
    #expect(
      try ModelDescription(json: DescriptionWriter(.compact).write(description)) == description)
  }

  @Test(arguments: ["schema/tflite", "schema/tensorflow"])
  func `Descriptions of the original library survive a round trip`(_ folder: String) throws {
    for fixture in SharedFixtures.descriptions(in: folder) {
      guard let description = try? ModelDescription(json: fixture.bytes()) else { continue }
      #expect(try ModelDescription(json: description.json) == description, "\(fixture)")
    }
  }

  @Test func `Random descriptions survive a round trip`() throws {
    var descriptions = RandomDescription(seed: 11)
    for number in 0..<1000 {
      let text = SketchText(descriptions.next(), whitespaceFrom: SeededGenerator(seed: 12))
      let description = try ModelDescription(json: text.bytes)
      #expect(try ModelDescription(json: description.json) == description, "\(number)")
    }
  }

  @Test func `Writing is idempotent`() throws {
    for fixture in DescriptionFixture.valid {
      let text = try ModelDescription(json: fixture.bytes()).json
      #expect(try ModelDescription(json: text).json == text)
    }
  }

  @Test func `Mean and standard deviation per color survive a round trip exactly`() throws {
    var generator = SeededGenerator(seed: 3)
    func colors(_ range: ClosedRange<Float>) -> ColorTriple {
      ColorTriple(
        red: .random(in: range, using: &generator), green: .random(in: range, using: &generator),
        blue: .random(in: range, using: &generator))
    }
    for _ in 0..<500 {
      let (mean, deviation) = (colors(0...1), colors(0.01...1))
      let layer = ImageLayer(
        shape: [8, 8, 3], height: 8, width: 8, format: .rgb,
        normalize: .normalizing(mean: mean, standardDeviation: deviation))
      let output = ImageLayer(
        shape: [8, 8, 3], height: 8, width: 8, format: .rgb,
        denormalize: .denormalizing(mean: mean, standardDeviation: deviation))
      let description = ModelDescription(
        backend: .tflite, inputs: [Layer(name: "in", kind: .image(layer))],
        outputs: [Layer(name: "out", kind: .image(output))])
      #expect(try ModelDescription(json: description.json) == description)
    }
  }

  @Test func `Keys are written in the order of the documentation`() {
    let layer = Layer(name: "x", kind: .array(NumericLayer(shape: [2], elementType: .int8)))
    let description = ModelDescription(
      name: "A", id: "a", backend: .tflite, inputs: [layer], outputs: [layer])
    let text = String(decoding: DescriptionWriter(.compact).write(description), as: UTF8.self)
    #expect(
      text == """
        {"name":"A","details":"","id":"a","version":"1","author":"","license":"",\
        "model":{"file":"model.tflite","quantized":false,"backend":"tflite","modes":["predict"]},\
        "inputs":[{"name":"x","type":"array","shape":[2],"dtype":"int8"}],\
        "outputs":[{"name":"x","type":"array","shape":[2],"dtype":"int8"}]}

        """)
  }
}
