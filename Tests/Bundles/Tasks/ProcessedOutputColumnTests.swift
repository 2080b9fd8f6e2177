import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// Tests of the columns of a model's results.
struct ProcessedOutputColumnTests {
  private struct Lines: TaskResult {
    let content: [String]

    var key: String { "lines" }
  }

  private func column(
    of runs: [([String]?, [ModelOutput.Layer])], labels: LabelSelection = LabelSelection()
  ) -> ResultColumn {
    TaskPostprocessor.ProcessedOutput.column(
      of: runs.map { lines, layers in
        TaskPostprocessor.ProcessedOutput(
          output: ModelOutput(layers: layers), result: lines.map(Lines.init))
      }, labels: labels)
  }

  @Test func `Runs are the entries of a column for each output`() {
    let found = column(of: [
      (["a", "b"], [.init(name: "y", value: 2.5.layerValue)]),
      ([], [.init(name: "y", value: 3.5.layerValue)]),
    ])
    #expect(
      found
        == .records([
          .init("lines", .lists(ends: [2, 2], of: .texts(["a", "b"]))),
          .init("y", Double.column(of: [2.5, 3.5])),
        ]))
  }

  @Test func `An output that a run does not have is missing`() {
    let found = column(of: [
      (nil, [.init(name: "y", value: 1.5.layerValue)]), (["a"], []),
    ])
    #expect(
      found
        == .records([
          .init(
            "lines", .optionals(isPresent: [false, true], of: .lists(ends: [1], of: .texts(["a"])))),
          .init("y", .optionals(isPresent: [true, false], of: Double.column(of: [1.5]))),
        ]))
  }

  @Test func `Images have their pixels`() throws {
    let image = try ImageBuffer.filled(width: 2, height: 1, red: 1, green: 2, blue: 3)
    let found = column(of: [(nil, [.init(name: "image", value: .image(image))])])
    #expect(
      found
        == .records([
          .init(
            "image",
            .records([
              .init("width", Int.column(of: [2])), .init("height", Int.column(of: [1])),
              .init("png", .images([image])),
            ]))
        ]))
  }
}
