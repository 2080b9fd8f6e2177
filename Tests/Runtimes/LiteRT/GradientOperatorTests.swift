import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOLiteRT

/// Compares the operators of training graphs with TensorFlow, whose results `Models/make_gradient_cases.py` has written.
@Suite struct GradientOperatorTests {
  private static func cases() throws -> [JSONTree] {
    try #require(try JSONTree(contentsOf: FixturePath("Golden/gradient-operators.json").path).array)
  }

  private func tensors(_ list: JSONTree?) throws -> [TensorIOCore.Tensor] {
    try #require(list?.array).map { tree in
      let shape = try #require(tree["shape"]?.numbers).map { Int($0) }
      let numbers = try #require(tree["numbers"]?.numbers)
      return tree["integers"]?.bool == true
        ? TensorIOCore.Tensor(numbers.map { Int32($0) }, shape: shape)
        : TensorIOCore.Tensor(numbers.map { Float($0) }, shape: shape)
    }
  }

  private func node(
    _ tree: JSONTree
  ) throws -> (
    node: CustomOperatorNode, inputs: [TensorIOCore.Tensor], outputs: [TensorIOCore.Tensor]
  ) {
    let options = try #require(tree["options"]?.string.flatMap { Data(base64Encoded: $0) })
    let (inputs, outputs) = (try tensors(tree["inputs"]), try tensors(tree["outputs"]))
    let info = { (tensor: TensorIOCore.Tensor) in
      TensorInfo(
        name: "tensor", elementType: tensor.elementType,
        shape: TensorShape(signedDimensions: tensor.shape))
    }
    let count = Int(try #require(tree["outputCount"]?.number))
    let unused = TensorInfo(name: "unused", elementType: .float32, shape: TensorShape([0]))
    let node = CustomOperatorNode(
      name: try #require(tree["operator"]?.string), options: Array(options),
      inputs: inputs.map(info),
      outputs: outputs.map(info) + Array(repeating: unused, count: count - outputs.count))
    return (node, inputs, outputs)
  }

  private func results<Operator: CustomOperator>(
    of type: Operator.Type, _ node: CustomOperatorNode, _ inputs: [TensorIOCore.Tensor]
  ) throws -> [TensorIOCore.Tensor] {
    var instance = try type.init(node)
    return try node.outputs(of: &instance, for: inputs)
  }

  @Test func `Gradients equal those of TensorFlow`() throws {
    let cases = try Self.cases()
    #expect(cases.count >= 32)
    var names: Set<String> = []
    for (index, tree) in cases.enumerated() {
      let (node, inputs, expected) = try node(tree)
      names.insert(node.name)
      let type = try #require(BuiltInCustomOperators.byName[node.name])
      let found = try results(of: type, node, inputs)
      for (found, expected) in zip(found, expected) {
        #expect(found.shape == expected.shape, "\(node.name), case \(index)")
        let pairs = zip(try found.array(of: Float.self), try expected.array(of: Float.self))
        for (found, expected) in pairs {
          #expect(
            abs(found - expected) <= 2e-4 * max(1, abs(expected)), "\(node.name), case \(index)")
        }
      }
    }
    #expect(names == Set(BuiltInCustomOperators.byName.keys.filter { $0.hasPrefix("Flex") }))
  }

  @Test func `Options that are not those of a TensorFlow operator are rejected`() throws {
    for tree in try Self.cases() {
      let (node, _, _) = try node(tree)
      let type = try #require(BuiltInCustomOperators.byName[node.name])
      // The activations have no attributes.
      guard !node.name.hasSuffix("ReluGrad"), !node.name.hasSuffix("Relu6Grad") else { continue }
      for count in 0..<node.options.count {
        let shortened = CustomOperatorNode(
          name: node.name, options: Array(node.options.prefix(count)), inputs: node.inputs,
          outputs: node.outputs)
        // Whether it is rejected depends on what is missing; it must not end the process.
        _ = try? type.init(shortened)
      }
      let empty = CustomOperatorNode(
        name: node.name, options: [], inputs: node.inputs, outputs: node.outputs)
      #expect(throws: ModelError.self) { try type.init(empty) }
    }
  }

  @Test func `Inputs of other shapes are rejected`() throws {
    for tree in try Self.cases() {
      let (node, inputs, _) = try node(tree)
      let instance = try #require(BuiltInCustomOperators.byName[node.name]).init(node)
      var shapes = inputs.map(\.shape)
      shapes[shapes.count - 1] = node.name == "FlexFusedBatchNormGradV3" ? [1] : [3, 1, 1, 1, 2]
      if node.name == "FlexFusedBatchNormGradV3" { shapes[2] = [99] }
      #expect(throws: ModelError.self, "\(node.name)") {
        try instance.outputShapes(forInputs: shapes)
      }
    }
  }
}
