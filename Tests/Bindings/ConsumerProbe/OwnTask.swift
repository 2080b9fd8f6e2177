import TensorIO
import Testing

/// A task that an application writes with public declarations only.
@Suite struct OwnTask {
  @Test func `Its settings have defaults, and columns follow from the members of its result`() {
    #expect(Grading.minimum.defaultValue == 0.5)
    let result = Grades(content: [.init(name: "a", score: 0.75), .init(name: "b", score: nil)])
    #expect(result.textLines == ["  grades", "    a  0.7500", "    b"])
    #expect(result.summary == "a  0.7500, b")
    #expect(
      result.tableRows == [
        ResultRow(output: "grades/name", index: "0", value: "a"),
        ResultRow(output: "grades/score", index: "0", value: "0.75"),
        ResultRow(output: "grades/name", index: "1", value: "b"),
      ])
    guard case .lists(let ends, of: .records(let members)) = Grades.column(of: [result, result])
    else {
      Issue.record("no list of records")
      return
    }
    #expect(ends == [2, 4])
    #expect(members.map(\.name) == ["name", "score"])
    #expect(
      members[1].column
        == .optionals(
          isPresent: [true, false, true, false], of: .numbers(Numbers(.floats([0.75, 0.75])))))
  }
}

private struct Grading: ModelTask {
  static let minimum = TaskSetting.number(
    "minimum", in: .fraction, default: 0.5, "The minimum grade.")
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
