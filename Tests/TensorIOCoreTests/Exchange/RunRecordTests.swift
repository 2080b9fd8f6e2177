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
    _ result: Result<RunRecord.Success, RunRecord.RunError>, labels: LabelSelection = .init()
  ) throws -> String {
    let bundle = try TestBundle().read()
    var writer = JSONWriter()
    RunRecord(model: .init(bundle), input: "cat.jpg", result: result)
      .write(to: &writer, labels: labels)
    return writer.string
  }

  /// What stands under `outputs`, and behind it up to the timings.
  private func outputs(
    _ values: [LayerValue], labels: LabelSelection = .init(),
    pictures: [String: ImageReference] = [:]
  ) throws -> String {
    let layers = values.enumerated().map { ModelOutput.Layer(name: "\($0)", value: $1) }
    var answer = RunRecord.Success(ModelOutput(layers: layers), Timings())
    answer.images = pictures
    let text = try written(.success(answer), labels: labels)
    let start = try #require(text.firstRange(of: #""outputs":"#)).upperBound
    let end = try #require(text.firstRange(of: #","timing_ms""#)).lowerBound
    return String(text[start..<end])
  }

  @Test func `a record has its keys in order`() throws {
    let output = ModelOutput(layers: [.init(name: "y", value: 2.5.layerValue)])
    var answer = RunRecord.Success(output, timings)
    answer.annotatedImagePath = "out/cat.png"
    let model = #""model":{"id":"test","version":"3","backend":"tflite"}"#
    let times = #"{"picture":1.9,"input":0,"run":4.123,"output":0,"total":7}"#
    #expect(
      try written(.success(answer))
        == #"{\#(model),"input":"cat.jpg","outputs":{"y":2.5},"annotated":"out/cat.png","#
        + #""timing_ms":\#(times)}"#)
  }

  @Test func `a failed item is its input and its error`() throws {
    #expect(
      try written(.failure(.init(code: "wrong-count", message: "a \"b\"")))
        == #"{"input":"cat.jpg","error":{"code":"wrong-count","message":"a \"b\""}}"#)
  }

  @Test func `a placeholder gives no outputs`() throws {
    #expect(try outputs([]) == "{}")
  }

  static let values: [(value: LayerValue, json: String)] = [
    ([1, 2].layerValue, "[1,2]"), ([[1, 2], [3, 4]].layerValue, "[1,2,3,4]"),
    ([7].layerValue, "7"), (7.layerValue, "7"), ([[2.5]].layerValue, "2.5"),
    ([0.1 as Float].layerValue, "0.1"), ([Float]().layerValue, "[]"),
    ([Int64.max].layerValue, "9223372036854775807"), ([true, false].layerValue, "[true,false]"),
    (true.layerValue, "true"), ("é".layerValue, #""w6k=""#),
    (["a", ""].layerValue, #"["YQ==",""]"#), ([String]().layerValue, "[]"),
    (.bytes([0, 255]), #""AP8=""#), (.list([1.layerValue, [2, 3].layerValue]), "[1,[2,3]]"),
  ]

  @Test(arguments: values)
  func `a value is written as scripts expect it`(value: LayerValue, json: String) throws {
    #expect(try outputs([value]) == #"{"0":\#(json)}"#)
  }

  @Test func `numbers that JSON has no words for are null, and counted by output`() throws {
    #expect(
      try outputs([
        ([1, .nan, -.infinity] as [Double]).layerValue, [1.5].layerValue, Float.nan.layerValue,
      ]) == #"{"0":[1,null,null],"1":1.5,"2":null},"nonfinite":{"0":2,"2":1}"#)
    let scores = Classification(labels: ["a"], scores: [.nan])
    #expect(
      try outputs([.classification(scores)])
        == #"{"0":[{"label":"a","score":null,"index":0}]},"nonfinite":{"0":1}"#)
  }

  @Test func `labels are listed highest first, as many as are asked for`() throws {
    let value = LayerValue.classification(
      Classification(labels: ["a", "b", "c"], scores: [0.25, 0.5, 0.25]))
    let (a, b, c) = (
      #"{"label":"a","score":0.25,"index":0}"#, #"{"label":"b","score":0.5,"index":1}"#,
      #"{"label":"c","score":0.25,"index":2}"#
    )
    #expect(try outputs([value]) == #"{"0":[\#(b),\#(a),\#(c)]}"#)
    #expect(try outputs([value], labels: .init(maxCount: 2)) == #"{"0":[\#(b),\#(a)]}"#)
    #expect(try outputs([value], labels: .init(exclusiveThreshold: 0.25)) == #"{"0":[\#(b)]}"#)
    #expect(try outputs([value], labels: .init(maxCount: 0)) == #"{"0":[]}"#)
  }

  @Test func `what a task tells stands before the outputs, and doubts beside them`() throws {
    struct Told: TaskResult {
      let key = "told"
      func write(to writer: inout JSONWriter) { writer.value(7) }
    }
    let output = ModelOutput(layers: [.init(name: "raw", value: 1.layerValue)])
    var answer = RunRecord.Success(output, Timings())
    answer.taskResult = Told()
    answer.notes = ["too many"]
    let bundle = try TestBundle()
    let record = RunRecord(
      model: RunRecord.ModelIdentity(try bundle.read()), input: "x", result: .success(answer))
    var writer = JSONWriter()
    record.write(to: &writer, labels: LabelSelection())
    #expect(
      writer.string.contains(#""outputs":{"told":7,"raw":1},"notes":["too many"],"timing_ms""#))
  }

  @Test func `a picture is its size and where it is`() throws {
    let image = try ImageBuffer.filled(width: 2, height: 1, red: 0, green: 0, blue: 0)
    let text = try outputs(
      [.image(image), .image(image)], pictures: ["0": .file("out/a.png"), "1": .png([1, 2, 3])])
    #expect(
      text == #"{"0":{"width":2,"height":1,"path":"out/a.png"},"#
        + #""1":{"width":2,"height":1,"png":"AQID"}}"#)
  }
}
