import TensorIO
import TensorIOTestSupport
import Testing

/// Compares an output with the expectation of a case.
struct Expectation {
  let tree: JSONTree
  let tolerance: Double

  func check(_ output: CaseOutput) throws {
    if let outputs = tree["outputs"]?.object {
      #expect(output.values.keys.sorted() == outputs.keys.sorted())
      for (name, expected) in outputs { checkNumbers(output.values[name], expected, name) }
    }
    for (name, expected) in tree["top"]?.object ?? [:] {
      try checkLabels(output.values[name], expected.array ?? [], name)
    }
    for (name, counts) in tree["counts_of"]?.object ?? [:] {
      checkCounts(output.values[name], counts.object ?? [:], name)
    }
  }

  private func checkNumbers(_ value: CaseOutput.Value?, _ expected: JSONTree, _ name: String) {
    switch value {
    case .number(let number):
      #expect(isClose([number], to: [expected.number ?? .nan], within: tolerance), "\(name)")
    case .numbers(let numbers):
      #expect(isClose(numbers, to: expected.numbers ?? [], within: tolerance), "\(name)")
    default: Issue.record("\(name) has no numbers but \(String(describing: value))")
    }
  }

  private func checkLabels(
    _ value: CaseOutput.Value?, _ expected: [JSONTree], _ name: String
  ) throws {
    guard case .labels(let labels) = value else {
      Issue.record("\(name) has no labels but \(String(describing: value))")
      return
    }
    try #require(!expected.isEmpty && labels.count > expected.count)
    #expect(labels.map(\.score) == labels.map(\.score).sorted(by: >))
    for (label, pair) in zip(labels, expected) {
      #expect(label.text == pair[0]?.string)
      #expect(isClose(label.score, to: pair[1]?.number ?? .nan, within: tolerance), "\(label)")
    }
    if let limit = tree["only_above"]?.number {
      #expect(labels.filter { $0.score > limit }.count == expected.count)
    }
  }

  private func checkCounts(_ value: CaseOutput.Value?, _ counts: [String: JSONTree], _ name: String)
  {
    guard case .numbers(let numbers) = value, !counts.isEmpty else {
      Issue.record("\(name) has no numbers but \(String(describing: value))")
      return
    }
    for (number, count) in counts {
      let expected = count.number ?? .nan
      let found = Double(numbers.count { $0 == Double(number) })
      #expect(isClose(found, to: expected, within: expected / 100), "\(name) \(number)")
    }
  }
}
