import TensorIOBundle
import TensorIOCore
import TensorIOJSON

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Reads the JSON tensors of TensorFlow Serving and of the protocols that follow it: numbers, texts
/// and `{"b64": "…"}`, in nested arrays.
struct JSONTensorReader {
  /// The input that the values are for.
  let input: InferenceModelMetadata.TensorMetadata

  /// Returns a tensor whose first axis is the batch.
  ///
  /// - Parameters:
  ///   - nodes: The values of the items.
  ///   - isBatch: Whether the nodes are items; `false` for a single node with the entire tensor.
  /// - Returns: The tensor.
  /// - Throws: A ``ClientError`` if the values do not have the datatype, or have different shapes.
  func tensor(_ nodes: [JSONNode], isBatch: Bool) throws(ClientError) -> InferenceTensor {
    if input.datatype == .bytes || nodes.contains(where: \.isEncodedOrText) {
      return try strings(nodes, isBatch: isBatch)
    }
    switch input.datatype.jsonElements {
    case .signed, .unsigned:
      var integers: [Int64] = []
      let shape = try shape(nodes, isBatch) { node in
        try node.numbers(into: &integers)
      }
      return try input.tensor(integers, shape: shape)
    case .bool:
      var flags: [Bool] = []
      let shape = try self.shape(nodes, isBatch) { node in
        try node.booleans(into: &flags)
      }
      return InferenceTensor(input.name, .bool, shape: shape, .tensor(Tensor(flags, shape: shape)))
    case .double:
      var doubles: [Double] = []
      let shape = try self.shape(nodes, isBatch) { node in
        try node.numbers(into: &doubles)
      }
      return InferenceTensor(
        input.name, .fp64, shape: shape, .tensor(Tensor(doubles, shape: shape)))
    case .float, nil:
      var values: [Float] = []
      let shape = try self.shape(nodes, isBatch) { node in
        try node.numbers(into: &values)
      }
      return input.tensor(values, shape: shape)
    }
  }

  /// Reads the items, which must have equal shapes, and returns the shape of all.
  private func shape(
    _ nodes: [JSONNode], _ isBatch: Bool, _ read: (JSONNode) throws -> [Int]
  ) throws(ClientError) -> [Int] {
    var first: [Int]?
    for (index, node) in nodes.enumerated() {
      let shape: [Int]
      do {
        shape = try read(node)
      } catch {
        let message = (error as? ClientError)?.message ?? "\(error)"
        throw .invalidInput(input.name, "item \(index): \(message)")
      }
      guard first == nil || first == shape else {
        throw .invalidInput(
          input.name,
          "item \(index) has shape \(shape.jsonText), but item 0 \(first?.jsonText ?? "")"
        )
      }
      first = shape
    }
    return padded((isBatch ? [nodes.count] : []) + (first ?? []))
  }

  /// Returns the shape with the batch axis that the input has and a single value omits.
  private func padded(_ shape: [Int]) -> [Int] {
    // A scalar of an item is a tensor with one element.
    shape.count == 1 && input.shape.count == 2 && input.shape[1] == 1 ? shape + [1] : shape
  }
}

// MARK: Strings

extension JSONTensorReader {
  private func strings(_ nodes: [JSONNode], isBatch: Bool) throws(ClientError) -> InferenceTensor {
    var strings: [[UInt8]] = []
    var first: [Int]?
    for (index, node) in nodes.enumerated() {
      let shape = try appendStrings(of: node, to: &strings, depth: 0)
      guard first == nil || first == shape else {
        throw .invalidInput(input.name, "item \(index) has another shape than item 0")
      }
      first = shape
    }
    let shape = (isBatch ? [nodes.count] : []) + (first ?? [])
    return InferenceTensor(
      input.name, .bytes, shape: shape.isEmpty ? [1] : shape, .strings(strings))
  }

  private func appendStrings(
    of node: JSONNode, to strings: inout [[UInt8]], depth: Int
  ) throws(ClientError) -> [Int] {
    if let bytes = try bytes(node) {
      strings.append(bytes)
      return []
    }
    guard let elements = node.elements else {
      throw .invalidInput(input.name, "expected strings, found \(node.summary)")
    }
    var first: [Int]?
    for element in elements {
      let shape = try appendStrings(of: element, to: &strings, depth: depth + 1)
      guard first == nil || first == shape else {
        throw .invalidInput(input.name, "the arrays have different lengths")
      }
      first = shape
    }
    return [node.count] + (first ?? [])
  }

  /// Returns the bytes of a string or of `{"b64": "…"}`; `nil` for other values.
  private func bytes(_ node: JSONNode) throws(ClientError) -> [UInt8]? {
    if let text = node.string, node.kind == .string {
      guard input.datatype == .bytes else {
        throw .invalidInput(
          input.name, "expected numbers of \(input.datatype.rawValue), found a string")
      }
      return Array(text.utf8)
    }
    guard node.kind == .object else { return nil }
    guard node.count == 1, let text = node["b64"]?.string, let data = Data(base64Encoded: text)
    else {
      throw .invalidInput(input.name, #"expected {"b64": "…"} with base64"#)
    }
    guard input.datatype == .bytes || input.takesFiles else {
      throw .invalidInput(
        input.name, "base64 is for strings, images and sounds, not for \(input.datatype.rawValue)")
    }
    return [UInt8](data)
  }
}

extension JSONNode {
  /// Whether the value, or the first value in its arrays, is a text or base64.
  var isEncodedOrText: Bool {
    var node = self
    while node.kind == .array, let first = node[0] { node = first }
    return node.kind == .string || node.kind == .object
  }

  /// Appends all Boolean values of nested arrays of equal lengths, and returns the shape.
  fileprivate func booleans(into values: inout [Bool]) throws(ClientError) -> [Int] {
    if let flag = bool {
      values.append(flag)
      return []
    }
    guard let elements else {
      throw ClientError(.badRequest, "invalid-input", "expected true or false, found \(summary)")
    }
    var first: [Int]?
    for element in elements {
      let shape = try element.booleans(into: &values)
      guard first == nil || first == shape else {
        throw ClientError(.badRequest, "invalid-input", "the arrays have different lengths")
      }
      first = shape
    }
    return [count] + (first ?? [])
  }
}
