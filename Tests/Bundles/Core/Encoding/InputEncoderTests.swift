import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct InputEncoderTests {
  /// An encoder for vectors of the given lengths, named a, b and so on.
  private func encoder(_ lengths: [Int]) -> InputEncoder {
    let layers = zip("abcdefgh", lengths).map { name, length in
      Layer(name: String(name), kind: .array(NumericLayer(shape: [length])))
    }
    let tensors = lengths.map { TensorInfo(name: "", elementType: .float32, shape: [1, $0]) }
    return InputEncoder(layers, tensors: tensors)
  }

  private func numbers(_ input: ModelInput, _ lengths: Int...) throws -> [[Double]] {
    try encoder(lengths).match(input).map { try [Double]($0) }
  }

  private func matchingError(_ input: ModelInput, _ lengths: Int...) -> ModelError.Reason? {
    do throws(ModelError) {
      _ = try encoder(lengths).match(input)
      return nil
    } catch {
      return error.stage == .input ? error.reason : nil
    }
  }

  @Test func `Named values are matched in any order`() throws {
    #expect(try numbers(["b": [3, 4], "a": 1], 1, 2) == [[1], [3, 4]])
    #expect(try numbers(["a": [1, 2]], 2) == [[1, 2]])
  }

  @Test func `Missing and unexpected names are reported together`() {
    #expect(
      matchingError(["b": 1, "z": 2, "y": 3], 1, 1, 1)
        == .inputNames(missing: ["a", "c"], unexpected: ["y", "z"], declared: ["a", "b", "c"]))
    #expect(
      matchingError(["a": 1, "b": 2], 1)
        == .inputNames(missing: [], unexpected: ["b"], declared: ["a"]))
    #expect(
      matchingError([:] as ModelInput, 1)
        == .inputNames(missing: ["a"], unexpected: [], declared: ["a"]))
    #expect(
      matchingError(["A": 1], 1)
        == .inputNames(missing: ["a"], unexpected: ["A"], declared: ["a"]))
  }

  @Test func `A repeated name keeps its last value`() throws {
    #expect(try numbers(["a": 1, "a": 2], 1) == [[2]])
  }

  @Test func `A single value is matched to the only input`() throws {
    #expect(try numbers(8, 1) == [[8]])
    #expect(try numbers(2.5, 1) == [[2.5]])
    #expect(try numbers([1, 2, 3], 3) == [[1, 2, 3]])
    #expect(try numbers([[1, 2, 3]], 3) == [[1, 2, 3]])
    #expect(matchingError(8, 1, 1) == .inputCount(expected: 2, actual: 1))
  }

  @Test func `A list is matched to several inputs in order`() throws {
    #expect(try numbers([1, 2], 1, 1) == [[1], [2]])
    #expect(try numbers([[1, 2], [3, 4]], 2, 2) == [[1, 2], [3, 4]])
    #expect(try numbers([8, [10, 10]], 1, 2) == [[8], [10, 10]])
    #expect(try numbers([[8], [10, 10]], 1, 2) == [[8], [10, 10]])
    #expect(try numbers([[8], [10, 10], [1, 2, 3]], 1, 2, 3) == [[8], [10, 10], [1, 2, 3]])
  }

  @Test func `Rows of a plain array are matched to several inputs`() throws {
    let rows: [[Float]] = [[1, 2], [3, 4]]
    #expect(try numbers(rows.modelInput, 2, 2) == [[1, 2], [3, 4]])
    let ragged: [[Int]] = [[8], [10, 10]]
    #expect(try numbers(ragged.modelInput, 1, 2) == [[8], [10, 10]])
    let strings = try encoder([1, 1]).match(.value(["x", "y"].layerValue))
    #expect(strings == ["x".layerValue, "y".layerValue])
  }

  static let wrongCounts: [(input: ModelInput, count: Int)] = [
    ([1, 2, 3], 3), ([1], 1), ([[1, 2]], 1), ([], 0), ([[1], [2, 3], [4]], 3),
    (.value(.bytes([1, 2])), 1), (.value(.strings([])), 0), ([Float]().modelInput, 0),
    (.value(.classification(Classification(labels: [], scores: [1, 2]))), 1),
  ]

  @Test(arguments: wrongCounts)
  func `A wrong number of inputs is rejected`(input: ModelInput, count: Int) {
    #expect(matchingError(input, 1, 1) == .inputCount(expected: 2, actual: count))
  }

  @Test func `An empty array is counted without splitting it`() {
    let endless = Numbers(.floats([]), shape: [1 << 60, 0])
    #expect(
      matchingError(.value(.numbers(endless)), 1, 1) == .inputCount(expected: 2, actual: 1 << 60))
  }

  @Test func `An error names its input`() throws {
    let encoder = encoder([1, 2])
    let model = FakeModel(
      inputs: [
        TensorInfo(name: "", elementType: .float32, shape: [1]),
        TensorInfo(name: "", elementType: .float32, shape: [2]),
      ], outputs: []
    ) { _ in [] }
    let session = try model.makeSession(SessionOptions())
    let error = #expect(throws: ModelError.self) {
      try encoder.encode(try encoder.match([1, [1, 2, 3]]), into: session)
    }
    #expect(
      error == ModelError(.input, .wrongCount(expected: 2, actual: 3), layer: "b"))
  }
}
