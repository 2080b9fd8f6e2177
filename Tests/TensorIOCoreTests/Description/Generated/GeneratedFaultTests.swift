import TensorIOTestSupport
import Testing
@testable import TensorIOBundle

/// Ten thousand random descriptions, each good until one fault is planted in it.
@Suite struct GeneratedFaultTests {
  static let runs: [UInt64] = Array(0..<10)
  private static let descriptionsPerRun = 1000

  @Test(arguments: runs)
  func `a planted fault is the first that is reported, at its line and column`(run: UInt64) {
    var descriptions = RandomDescription(seed: run)
    var random = SeededGenerator(seed: 1_000 + run)
    var codes: Set<String> = []
    for number in 0..<Self.descriptionsPerRun {
      var sketch = descriptions.next()
      let fault = PlantedFault.plant(in: &sketch, &random)
      let text = SketchText(sketch, blanksFrom: random)
      let first = DescriptionReader().read(text.bytes).errors.first
      let place = fault.place(in: text)
      let isTold =
        first?.path == fault.pointer && first?.line == place?.line
        && first?.column == place?.column && (fault.code == nil || first?.code == fault.code)
      codes.insert(first?.code ?? "")
      #expect(
        isTold, "\(run).\(number) \(fault) \(String(describing: first)) in \(text.string)")
    }
    #expect(codes.count > 15, "\(codes)")
  }

  @Test func `the descriptions are good before that`() {
    var descriptions = RandomDescription(seed: 77)
    let random = SeededGenerator(seed: 78)
    for _ in 0..<1000 {
      let text = SketchText(descriptions.next(), blanksFrom: random)
      let errors = DescriptionReader().read(text.bytes).errors
      #expect(errors.isEmpty, "\(errors) in \(text.string)")
    }
  }
}

extension SketchText {
  fileprivate var string: String { String(decoding: bytes, as: UTF8.self) }
}
