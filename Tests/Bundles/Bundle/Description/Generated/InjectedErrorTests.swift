import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

/// Injects one error into each of ten thousand random valid descriptions.
@Suite(.ownThreads) struct InjectedErrorTests {
  static let runs: [UInt64] = Array(0..<10)
  private static let descriptionsPerRun = 1000

  @Test(arguments: runs)
  func `An injected error is the first one reported, at its line and column`(run: UInt64) {
    var descriptions = RandomDescription(seed: run)
    var random = SeededGenerator(seed: 1_000 + run)
    var codes: Set<String> = []
    for number in 0..<Self.descriptionsPerRun {
      var sketch = descriptions.next()
      let error = InjectedError.inject(in: &sketch, &random)
      let text = SketchText(sketch, whitespaceFrom: random)
      let first = DescriptionReader.standard.read(text.bytes).errors.first
      let position = error.position(in: text)
      let isReported =
        first?.path == error.pointer && first?.line == position?.line
        && first?.column == position?.column && (error.code == nil || first?.code == error.code)
      codes.insert(first?.code ?? "")
      #expect(
        isReported, "\(run).\(number) \(error) \(String(describing: first)) in \(text.string)")
    }
    #expect(codes.count > 15, "\(codes)")
  }

  @Test func `Generated descriptions are valid`() {
    var descriptions = RandomDescription(seed: 77)
    let random = SeededGenerator(seed: 78)
    for _ in 0..<1000 {
      let text = SketchText(descriptions.next(), whitespaceFrom: random)
      let errors = DescriptionReader.standard.read(text.bytes).errors
      #expect(errors.isEmpty, "\(errors) in \(text.string)")
    }
  }
}

extension SketchText {
  fileprivate var string: String { String(decoding: bytes, as: UTF8.self) }
}
