import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTestSupport
import Testing

/// Tensors in this process and in workers.
@Suite(.ownThreads) struct IsolatedTensorTests {
  private static let isolations = [nil, Isolation()]

  @Test(arguments: isolations.indices)
  func `A tensor keeps its type`(_ index: Int) throws {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [1, 4]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [1, 4]}"#)
    let file = ProjectFiles.path("Tests/Fixtures/Models/double-int32.tflite")
    try bundle.write(Array(Data(contentsOf: URL(filePath: file))), to: "model.tflite")
    let options = OpeningOptions(threads: 1, isolation: Self.isolations[index])
    let model = try Model(at: bundle.path, options: options)
    let signature = try #require(model.signature)
    let shape = signature.inputs[0].shape.dimensions.map { $0 ?? 1 }
    let count = shape.reduce(1, *)
    let input = Tensor((0..<Int32(count)).map { $0 - 1 }, shape: shape)
    let doubled = (0..<Int32(count)).map { 2 * ($0 - 1) }
    #expect(try model.run(input).tensor("y") == Tensor(doubled, shape: shape))
    let last = try model.run(input.modelInput) { (outputs) throws(ModelError) in
      try outputs.withSpan(of: "y", as: Int32.self) { (span, _) throws(ModelError) in
        span[count - 1]
      }
    }
    #expect(last == doubled.last)
  }
}
