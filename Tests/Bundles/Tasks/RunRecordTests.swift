import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOCore
@testable import TensorIOJSON
@testable import TensorIOTasks

@Suite struct RunRecordTests {
  private let timings: Timings = {
    var timings = Timings()
    timings.image = .microseconds(1900)
    timings.run = .nanoseconds(4_123_456)
    timings.total = .milliseconds(7)
    return timings
  }()

  private func written(
    _ result: Result<RunRecord.Success, OperationError>, labels: LabelSelection = .init()
  ) throws -> String {
    let bundle = try TestBundle().read()
    var writer = JSONWriter()
    RunRecord(model: .init(bundle), input: "cat.jpg", result: result)
      .write(to: &writer, labels: labels)
    return writer.string
  }

  /// The JSON of `outputs` and of everything after it up to the timings.
  private func outputs(
    _ values: [LayerValue], labels: LabelSelection = .init(),
    images: [String: ImageReference] = [:]
  ) throws -> String {
    let layers = values.enumerated().map { ModelOutput.Layer(name: "\($0)", value: $1) }
    var success = RunRecord.Success(.init(output: ModelOutput(layers: layers)), Timings())
    success.images = images
    let text = try written(.success(success), labels: labels)
    let start = try #require(text.firstRange(of: #""outputs":"#)).upperBound
    let end = try #require(text.firstRange(of: #","timing_ms""#)).lowerBound
    return String(text[start..<end])
  }

  @Test func `A record has its keys in order`() throws {
    let output = ModelOutput(layers: [.init(name: "y", value: 2.5.layerValue)])
    var success = RunRecord.Success(.init(output: output), timings)
    success.annotatedImagePath = "out/cat.png"
    let model = #""model":{"id":"test","version":"3","backend":"tflite"}"#
    let times = #"{"image":1.9,"input":0,"run":4.123,"output":0,"total":7}"#
    #expect(
      try written(.success(success))
        == #"{\#(model),"input":"cat.jpg","outputs":{"y":2.5},"annotated":"out/cat.png","#
        + #""timing_ms":\#(times)}"#)
  }

  @Test func `The record of a failed item has its input and error`() throws {
    #expect(
      try written(.failure(.input("wrong-count", "a \"b\"")))
        == #"{"input":"cat.jpg","error":{"code":"wrong-count","message":"a \"b\""}}"#)
  }

  @Test func `The record of a placeholder has no outputs`() throws {
    #expect(try outputs([]) == "{}")
  }

  static let values: [(value: LayerValue, json: String)] = [
    ([1, 2].layerValue, "[1,2]"), ([[1, 2], [3, 4]].layerValue, "[1,2,3,4]"),
    ([7].layerValue, "7"), (7.layerValue, "7"), ([[2.5]].layerValue, "2.5"),
    ([0.1 as Float].layerValue, "0.1"), ([Float]().layerValue, "[]"),
    ([Int64.max].layerValue, "9223372036854775807"), ([true, false].layerValue, "[true,false]"),
    (true.layerValue, "true"), ("é".layerValue, #""é""#),
    (["a", ""].layerValue, #"["a",""]"#), ([String]().layerValue, "[]"),
    (.bytes([0, 255]), #""base64:AP8=""#),
    (.list([1.layerValue, [2, 3].layerValue]), "[1,[2,3]]"),
  ]

  @Test(arguments: values)
  func `Values are written in the documented JSON form`(value: LayerValue, json: String) throws {
    #expect(try outputs([value]) == #"{"0":\#(json)}"#)
  }

  @Test func `Non-finite numbers are null and counted per output`() throws {
    #expect(
      try outputs([
        ([1, .nan, -.infinity] as [Double]).layerValue, [1.5].layerValue, Float.nan.layerValue,
      ]) == #"{"0":[1,null,null],"1":1.5,"2":null},"nonfinite":{"0":2,"2":1}"#)
    let scores = Classification(labels: ["a"], scores: [.nan])
    #expect(
      try outputs([.classification(scores)])
        == #"{"0":[{"label":"a","score":null,"index":0}]},"nonfinite":{"0":1}"#)
  }

  @Test func `Labels are listed with the highest score first, up to the requested number`() throws {
    let value = LayerValue.classification(
      Classification(labels: ["a", "b", "c"], scores: [0.25, 0.5, 0.25]))
    let (a, b, c) = (
      #"{"label":"a","score":0.25,"index":0}"#, #"{"label":"b","score":0.5,"index":1}"#,
      #"{"label":"c","score":0.25,"index":2}"#
    )
    #expect(try outputs([value]) == #"{"0":[\#(b),\#(a),\#(c)]}"#)
    #expect(try outputs([value], labels: .init(top: 2)) == #"{"0":[\#(b),\#(a)]}"#)
    #expect(try outputs([value], labels: .init(scoreAbove: 0.25)) == #"{"0":[\#(b)]}"#)
    #expect(try outputs([value], labels: .init(top: 0)) == #"{"0":[]}"#)
  }

  @Test func `Task results precede the outputs, and notes follow them`() throws {
    struct FakeTaskResult: TaskResult {
      let key = "result"
      let textLines: [String] = []
      let tableRows: [ResultRow] = []
      let summary = "7"
      let notes = ["too many"]
      let content = 7
    }
    let output = ModelOutput(layers: [.init(name: "raw", value: 1.layerValue)])
    let success = RunRecord.Success(.init(output: output, result: FakeTaskResult()), Timings())
    let bundle = try TestBundle()
    let record = RunRecord(
      model: RunRecord.ModelIdentity(try bundle.read()), input: "x", result: .success(success))
    var writer = JSONWriter()
    record.write(to: &writer, labels: LabelSelection())
    #expect(
      writer.string.contains(#""outputs":{"result":7,"raw":1},"notes":["too many"],"timing_ms""#))
  }

  @Test func `An image is written as its size and location`() throws {
    let image = try ImageBuffer.filled(width: 2, height: 1, red: 0, green: 0, blue: 0)
    let text = try outputs(
      [.image(image), .image(image)], images: ["0": .file("out/a.png"), "1": .png([1, 2, 3])])
    #expect(
      text == #"{"0":{"width":2,"height":1,"path":"out/a.png"},"#
        + #""1":{"width":2,"height":1,"png":"AQID"}}"#)
  }
}
