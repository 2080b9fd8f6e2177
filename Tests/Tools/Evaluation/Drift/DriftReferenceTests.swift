import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

@Suite struct DriftReferenceTests {
  private func reference(_ members: String) -> [UInt8] {
    Array(#"{"format": 1, "items": 3, \#(members)}"#.utf8)
  }

  private func distribution(_ members: String) -> String {
    #""distributions": [{"name": "x", "source": "input", \#(members)}]"#
  }

  @Test func `A reference is equal after writing and reading`() throws {
    let bundle = try FunctionBundle(
      outputs: #"{"name": "y", "type": "array", "shape": [3], "role": "embedding"}"#,
      model: FunctionBundle.function, extra: #""task": {"type": "embedding"}"#)
    let model = try bundle.model { (input) throws(ModelError) in
      ModelOutput(layers: [.init(name: "y", value: [3.0, 4, input.number("x") ?? 0].layerValue)])
    }
    let sample = try DriftSample(of: model, count: 40) { index in
      .named(["x": [Double(index), 0.1].layerValue])
    }
    let reference = DriftReference(sample)
    #expect(reference.vectors.count == 40 && reference.count == 40)
    #expect(isClose(reference.vectors[0], to: [0.6, 0.8, 0], within: 1e-6))
    #expect(try DriftReference(parsing: reference.bytes) == reference)
    try reference.write(to: bundle.read())
    #expect(try DriftReference(of: bundle.read()) == reference)
  }

  @Test func `A bundle without a reference has none`() throws {
    #expect(try DriftReference(of: FunctionBundle.classifier().read()) == nil)
  }

  @Test(arguments: [
    #""edges": [1], "counts": [1]"#, #""edges": [2, 1], "counts": [1, 1, 1]"#,
    #""edges": [1, 1], "counts": [1, 1, 1]"#, #""edges": [null], "counts": [1, 1]"#,
    #""edges": ["Infinity"], "counts": [1, 1]"#, #""edges": [1], "counts": [1, -1]"#,
    #""edges": [1], "counts": [1, 1e300]"#, #""edges": [1], "counts": [1, 1], "missing": -1"#,
    #""edges": 1, "counts": [1, 1]"#, #""counts": [1]"#,
  ])
  func `A histogram that is none is rejected`(_ members: String) {
    let error = #expect(throws: ModelError.self) {
      try DriftReference(parsing: reference(distribution(members)))
    }
    #expect(error?.code == "unreadable-file")
  }

  @Test(arguments: [
    "", #""distributions": {}"#, #""distributions": [1]"#,
    #""distributions": [], "dimensions": 3, "embeddings": "AAAA""#,
    #""distributions": [], "dimensions": 3, "embeddings": "?""#,
    #""distributions": [], "dimensions": -1"#, #""distributions": [], "dimensions": 1000000"#,
    // One NaN.
    #""distributions": [], "dimensions": 1, "embeddings": "AADAfw==""#,
  ])
  func `A file that is no reference is rejected`(_ members: String) {
    let bytes = members.isEmpty ? Array("[]".utf8) : reference(members)
    // An invalid text in Base64, and one without a whole number, are the same as none.
    guard !members.contains("?"), !members.contains("AAAA") else {
      return #expect((try? DriftReference(parsing: bytes))?.vectors.isEmpty == true)
    }
    #expect(throws: ModelError.self) { try DriftReference(parsing: bytes) }
  }

  @Test func `Too many or equal distributions are rejected`() {
    let one = #"{"name": "x", "source": "input", "edges": [], "counts": [1]}"#
    #expect(throws: ModelError.self) {
      try DriftReference(parsing: reference(#""distributions": [\#(one), \#(one)]"#))
    }
    let edges = (0..<1025).map { "\($0)" }.joined(separator: ",")
    let counts = (0..<1026).map { _ in "1" }.joined(separator: ",")
    #expect(throws: ModelError.self) {
      try DriftReference(
        parsing: reference(distribution(#""edges": [\#(edges)], "counts": [\#(counts)]"#)))
    }
  }

  @Test func `The reference of another model is rejected`() throws {
    let one = #"{"name": "z", "source": "input", "edges": [], "counts": [1]}"#
    let other = try DriftReference(parsing: reference(#""distributions": [\#(one)]"#))
    let model = try FunctionBundle.classifier().model { _ in ModelOutput(layers: []) }
    let sample = try DriftSample(of: model, count: 1) { _ in .named(["x": .number(1)]) }
    #expect(throws: ModelError.self) { try DriftReport(sample, against: other) }
  }
}
