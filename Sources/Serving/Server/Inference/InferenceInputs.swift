import TensorIOBundle
import TensorIOCore

/// The inputs of a request, checked against the model, as inputs of the model's items.
struct InferenceInputs: Sendable {
  private struct Source: Sendable {
    var tensor: InferenceTensor
    let declaration: TensorDeclaration
    /// Whether the elements are encoded images or sounds.
    var holdsFiles = false
  }

  /// The number of items.
  let itemCount: Int
  /// Whether an input consists of encoded images or sounds.
  let hasFiles: Bool
  private let sources: [Source]
  private let placeholders: [String: LayerValue]
  private let isBatched: Bool

  /// Checks the inputs of a request.
  ///
  /// - Throws: A ``ClientError`` that names the input and states what was expected.
  init(
    _ request: InferenceRequest, _ signature: InferenceSignature, maxItemCount: Int,
    _ context: RequestContext
  ) throws(ClientError) {
    isBatched = signature.isBatched
    var sources: [Source] = []
    var placeholders: [String: LayerValue] = [:]
    var names: Set<String> = []
    for tensor in request.inputs {
      guard names.insert(tensor.name).inserted else {
        throw .invalidInput(tensor.name, "the request has this input twice")
      }
      if let declaration = signature.inputs.first(where: { $0.name == tensor.name }) {
        sources.append(try Self.checked(tensor, declaration, isBatched: signature.isBatched))
      } else if signature.placeholders.contains(where: { $0.name == tensor.name }) {
        placeholders[tensor.name] = try Self.placeholder(tensor.filled(context))
      } else {
        let known = signature.inputs.map { "'\($0.name)'" }.joined(separator: ", ")
        throw .invalidInput(
          tensor.name,
          "unexpected inference input for model '\(request.model.name)'; expected \(known)")
      }
    }
    let missing = signature.inputs.map(\.name).filter { !names.contains($0) }
    guard missing.isEmpty else {
      let list = missing.map { "'\($0)'" }.joined(separator: ", ")
      throw ClientError(
        .badRequest, "invalid-input",
        "expected \(signature.inputs.count) inputs but got \(sources.count) inputs for model "
          + "'\(request.model.name)'; missing \(list)")
    }
    itemCount = try Self.itemCount(sources, isBatched: signature.isBatched, max: maxItemCount)
    hasFiles = sources.contains(where: \.holdsFiles)
    for index in sources.indices where sources[index].tensor.repeatsLast {
      sources[index].tensor = try sources[index].tensor.filled(context)
    }
    // The items are ranges of the memory, which is made once for all of them.
    if itemCount > 1 {
      for index in sources.indices {
        guard case .tensor = sources[index].tensor.content else { continue }
        sources[index].tensor.content = .bytes(sources[index].tensor.binary)
      }
    }
    (self.sources, self.placeholders) = (sources, placeholders)
  }

  /// The memory of all elements.
  var memoryByteCount: Int { sources.reduce(0) { $0 + $1.tensor.memoryByteCount } }

  /// Returns the input of one item.
  func input(_ index: Int) throws(ClientError) -> ModelInput {
    var values = placeholders
    for source in sources {
      values[source.declaration.name] = try value(of: source, index)
    }
    return .named(values)
  }
}

// MARK: Checks

extension InferenceInputs {
  private static func checked(
    _ tensor: InferenceTensor, _ declaration: TensorDeclaration, isBatched: Bool
  ) throws(ClientError) -> Source {
    let count = try InferenceTensor.elementCount(of: tensor.shape, input: tensor.name)
    if !tensor.repeatsLast { try tensor.requireElements(count) }
    if declaration.takesFiles, tensor.datatype == .bytes {
      guard tensor.shape.count == 1 || tensor.shape.count == 2 && tensor.shape[1] == 1,
        isBatched || count == 1
      else {
        throw .invalidInput(
          tensor.name,
          "shape \(tensor.shape) of encoded files; expected \(isBatched ? "[-1]" : "[1]")")
      }
      return Source(tensor: tensor, declaration: declaration, holdsFiles: true)
    }
    guard tensor.datatype == declaration.datatype else {
      throw .invalidInput(
        tensor.name,
        "datatype is '\(tensor.datatype.rawValue)'; expected '\(declaration.datatype.rawValue)'"
          + (declaration.takesFiles ? ", or 'BYTES' for encoded files" : ""))
    }
    let expected = declaration.dimensions(isBatched: isBatched)
    let isText = declaration.content == .text
    guard matches(tensor.shape, expected) || isText && matches(tensor.shape, expected + [1]) else {
      let shape = expected.map { $0.map(String.init) ?? "-1" }.joined(separator: ",")
      throw .invalidInput(
        tensor.name, "unexpected shape \(tensor.shape.jsonText); expected [\(shape)]")
    }
    return Source(tensor: tensor, declaration: declaration)
  }

  private static func matches(_ shape: [Int], _ expected: [Int?]) -> Bool {
    shape.count == expected.count
      && zip(shape, expected).allSatisfy { $1 == nil || $0 == $1 }
  }

  /// Returns the number of items, which all inputs have.
  private static func itemCount(
    _ sources: [Source], isBatched: Bool, max: Int
  ) throws(ClientError) -> Int {
    guard isBatched, let first = sources.first, let count = first.tensor.shape.first else {
      return 1
    }
    for source in sources where source.tensor.shape.first != count {
      throw .invalidInput(
        source.tensor.name,
        "has a batch of \(source.tensor.shape[0]), but input '\(first.tensor.name)' has one of "
          + "\(count)")
    }
    try requireItemCount(count, atMost: max, input: first.tensor.name)
    return count
  }

  /// Throws an error for more items than a request may have.
  ///
  /// Readers count items before they convert them, because the conversion of a million takes long.
  static func requireItemCount(
    _ count: Int, atMost max: Int, input: String
  ) throws(ClientError) {
    guard count <= max else {
      throw .invalidInput(input, "inference request batch-size must be <= \(max), got \(count)")
    }
  }

  private static func placeholder(_ tensor: InferenceTensor) throws(ClientError) -> LayerValue {
    guard let type = tensor.datatype.elementType, type != .string else {
      throw .invalidInput(tensor.name, "datatype '\(tensor.datatype.rawValue)' is not supported")
    }
    let numbers = try self.tensor(tensor, type, tensor.shape, 0..<tensor.count)
    return numbers.layerValue
  }
}

// MARK: Values

extension InferenceInputs {
  private func value(of source: Source, _ index: Int) throws(ClientError) -> LayerValue {
    let (tensor, declaration) = (source.tensor, source.declaration)
    let length = itemCount > 0 ? tensor.count / max(1, itemCount) : 0
    let range = index * length..<(index + 1) * length
    if source.holdsFiles { return .bytes(tensor.strings?[index] ?? []) }
    switch declaration.content {
    case .text, .strings:
      let strings = Array((tensor.strings ?? [])[range])
      return .strings(Strings(bytes: strings))
    case .memory:
      let size = tensor.datatype.byteCount ?? 1
      let bytes = tensor.binary
      return .bytes(Array(bytes[range.lowerBound * size..<range.upperBound * size]))
    case .numbers(let type):
      let shape = isBatched ? [1] + tensor.shape.dropFirst() : tensor.shape
      return try Self.tensor(
        tensor, type, declaration.takesFlatValues ? [length] : shape, range
      ).layerValue
    }
  }

  /// Returns a range of elements.
  private static func tensor(
    _ tensor: InferenceTensor, _ type: ElementType, _ shape: [Int], _ range: Range<Int>
  ) throws(ClientError) -> Tensor {
    do throws(ModelError) {
      if case .tensor(let elements) = tensor.content, range == 0..<elements.count {
        return try elements.reshaped(shape)
      }
      let size = tensor.datatype.byteCount ?? 1
      let bytes = tensor.binary
      let part =
        range == 0..<tensor.count
        ? bytes : Array(bytes[range.lowerBound * size..<range.upperBound * size])
      return try Tensor(bytes: part, elementType: type, shape: shape)
    } catch {
      throw .invalidInput(tensor.name, error.message)
    }
  }
}

extension [Int] {
  /// The numbers in brackets, without spaces.
  var jsonText: String { "[" + map(String.init).joined(separator: ",") + "]" }
}
