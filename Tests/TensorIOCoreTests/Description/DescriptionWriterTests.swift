import TensorIOTestSupport
import Testing

@testable import TensorIOCore

@Suite struct DescriptionWriterTests {
  @Test(arguments: DescriptionFixture.all(in: "valid"))
  func `What is read, written and read again is the same`(_ fixture: DescriptionFixture) throws {
    let description = try ModelDescription(json: fixture.bytes())
    #expect(try ModelDescription(json: description.json) == description)
    #expect(
      try ModelDescription(json: DescriptionWriter(.compact).write(description)) == description)
  }

  @Test(arguments: ["schema/tflite", "schema/tensorflow"])
  func `So are the documents of the original`(_ folder: String) throws {
    for fixture in SharedFixtures.descriptions(in: folder) {
      guard let description = try? ModelDescription(json: fixture.bytes()) else { continue }
      #expect(try ModelDescription(json: description.json) == description, "\(fixture)")
    }
  }

  @Test func `Writing what was written changes nothing`() throws {
    for fixture in DescriptionFixture.all(in: "valid") {
      let text = try ModelDescription(json: fixture.bytes()).json
      #expect(try ModelDescription(json: text).json == text)
    }
  }

  @Test func `Keys stand in the order of the documentation`() {
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
