import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// A task that is not one of the library's.
@Suite struct OwnTaskTests {
  private static let registry = TaskRegistry.standard + [Grading.self]

  private func report(task: String, role: String, _ tasks: TaskRegistry) -> DescriptionReport {
    let json = """
      {"name": "n", "details": "d", "id": "i", "version": "1", "author": "a", "license": "l",
       "model": {"file": "m.tflite", "backend": "tflite", "quantized": false, "modes": ["predict"]},
       "inputs": [{"name": "x", "type": "array", "shape": [1]}],
       "outputs": [{"name": "y", "type": "array", "shape": [2], "role": "\(role)"}],
       "task": \(task)}
      """
    return DescriptionReader(tasks: tasks).read(Array(json.utf8))
  }

  @Test func `A description may have its settings and roles`() throws {
    let found = report(
      task: #"{"type": "grading", "minimum": 0.25}"#, role: "grades", Self.registry)
    #expect(found.diagnostics.map(\.message) == [])
    let description = try found.get()
    #expect(description.outputs[0].role == OutputRole("grades"))
    #expect(description.task?.format?.task == Grading.self)
    #expect(Grading.minimum.value(in: description.task) == 0.25)
  }

  @Test(arguments: [
    (#"{"type": "grading", "minimum": 2}"#, "grades", "a number from 0 to 1"),
    (#"{"type": "grading", "minimun": 0.5}"#, "grades", "minimun"),
    (#"{"type": "grading"}"#, "scores", "an output with the role \"grades\""),
    (#"{"type": "grading"}"#, "grade", "unknown"),
  ])
  func `Mistakes are reported like those of the library's tasks`(
    _ task: String, _ role: String, _ message: String
  ) {
    let texts = report(task: task, role: role, Self.registry).diagnostics.map(\.description)
    #expect(texts.contains { $0.contains(message) }, "\(texts)")
  }

  @Test func `A reader without the task knows neither its name nor its role`() {
    let found = report(task: #"{"type": "grading"}"#, role: "grades", .standard)
    #expect(found.errors.map(\.code) == [DiagnosticCode.unknownRole.rawValue])
  }

  @Test func `A task replaces another with its name`() {
    let twice = Self.registry + [Grading.self]
    #expect(twice.formats.filter { $0.names == ["grading"] }.count == 1)
    #expect(twice.formats.count == TaskRegistry.standard.formats.count + 1)
  }

  @Test func `The JSON has the members that are present`() throws {
    let grades = Grades(content: [.init(name: "a", score: 0.75), .init(name: "b", score: nil)])
    var writer = JSONWriter()
    grades.write(to: &writer)
    #expect(writer.string == #"[{"name":"a","score":0.75},{"name":"b"}]"#)
  }

  @Test func `What a task does not declare, it does not do`() throws {
    #expect(Grading.guess(.init(try description(), labelCount: nil)) == nil)
    #expect(Grading.forms(for: try description()).isEmpty && !Grading.canTrack)
  }

  private func description() throws -> ModelDescription {
    try report(task: #"{"type": "grading"}"#, role: "grades", Self.registry).get()
  }
}

private struct Grading: ModelTask {
  static let minimum = TaskSetting.number("minimum", in: .fraction, default: 0.5, "The minimum.")
  static let format = TaskFormat("grading", outputs: [OutputRole("grades")], settings: minimum)

  init(_ model: ModelInfo) throws(ModelError) {}

  func result(of output: ModelOutput) throws(ModelError) -> Grades { Grades(content: []) }
}

private struct Grades: TaskResult {
  struct Grade: ResultRecord {
    let name: String
    let score: Float?

    static let members = [Member("name", \.name), Member("score", \.score)]
  }

  let content: [Grade]
  var key: String { "grades" }
}
