import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct SignatureValidatorTests {
  private func diagnostics(
    inputs: (declared: Int, actual: Int), outputs: (declared: Int, actual: Int)
  ) -> [Diagnostic] {
    func layers(_ count: Int) -> [Layer] {
      (0..<count).map { Layer(name: "\($0)", kind: .array(NumericLayer(shape: [1]))) }
    }
    func tensors(_ count: Int) -> [TensorInfo] {
      (0..<count).map { TensorInfo(name: "\($0)", elementType: .float32, shape: [1]) }
    }
    return SignatureValidator(
      description: ModelDescription(
        inputs: layers(inputs.declared), outputs: layers(outputs.declared)),
      signature: ModelSignature(
        name: "main", inputs: tensors(inputs.actual), outputs: tensors(outputs.actual))
    ).diagnostics
  }

  @Test func `Equal numbers of layers and tensors have no diagnostics`() {
    #expect(diagnostics(inputs: (2, 2), outputs: (1, 1)).isEmpty)
  }

  @Test(arguments: [(1, 2), (2, 1), (0, 1)])
  func `Every input tensor must be declared, and no others`(declared: Int, actual: Int) throws {
    let diagnostics = diagnostics(inputs: (declared, actual), outputs: (1, 1))
    #expect(diagnostics.map(\.code) == ["tensor-count"])
    #expect(diagnostics.map(\.severity) == [.error])
    #expect(diagnostics.map(\.path) == ["/inputs"])
    #expect(diagnostics.map(\.found) == ["\(declared)"])
    #expect(diagnostics.map(\.expected) == ["\(actual)"])
  }

  @Test func `An output may be omitted, but an additional one is an error`() {
    let fewer = diagnostics(inputs: (1, 1), outputs: (1, 2))
    #expect(fewer.map(\.severity) == [.warning])
    #expect(fewer.map(\.path) == ["/outputs"])
    let more = diagnostics(inputs: (1, 1), outputs: (2, 1))
    #expect(more.map(\.severity) == [.error])
    #expect(more.map(\.code) == ["tensor-count"])
  }

  @Test func `The model's tensor names in another order cause a warning`() {
    let layers = ["b", "a", "mine"].map { Layer(name: $0, kind: .array(NumericLayer(shape: [1]))) }
    let tensors = ["a", "b", "c"].map {
      TensorInfo(name: $0, elementType: .float32, shape: [1])
    }
    let match = SignatureValidator(
      description: ModelDescription(inputs: layers, outputs: []),
      signature: ModelSignature(name: "main", inputs: tensors, outputs: []))
    #expect(match.diagnostics.map(\.code) == ["layer-order", "layer-order"])
    #expect(match.diagnostics.map(\.path) == ["/inputs/0/name", "/inputs/1/name"])
    #expect(match.diagnostics.map(\.severity) == [.warning, .warning])
  }

  @Test func `All diagnostics are reported, each at its layer`() throws {
    let description = ModelDescription(
      inputs: [
        Layer(name: "a", kind: .array(NumericLayer(shape: [1]))),
        Layer(name: "b", kind: .array(NumericLayer(shape: [3], elementType: .int32))),
      ],
      outputs: [Layer(name: "c", kind: .array(NumericLayer(shape: [4])))])
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [2])
    let signature = ModelSignature(name: "main", inputs: [tensor, tensor], outputs: [tensor])
    #expect(
      description.diagnostics(against: signature).map(\.path)
        == ["/inputs/0/shape", "/inputs/1/shape", "/inputs/1/dtype", "/outputs/0/shape"])
    #expect(throws: ModelError.self) {
      let model = FakeModel(inputs: [tensor, tensor], outputs: [tensor]) { $0 }
      return try TestBundle().read().warnings(for: model, in: .predict)
    }
  }
}
