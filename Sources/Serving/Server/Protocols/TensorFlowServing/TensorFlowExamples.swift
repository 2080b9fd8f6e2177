import TensorIOCore

/// The examples of a request, `tf.Example` messages, each of which has named features.
struct TensorFlowExamples: Sendable {
  private let examples: [ProtobufMessage]
  /// The features that are added to each example.
  private let shared: ProtobufMessage?

  private static let maxCount = InferenceSignature.maxItemCount

  /// Reads the field `input` of a request, which is an `ExampleList` or an `ExampleListWithContext`.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The name of the request's type, for messages.
  ///   - context: The state of the client's request.
  /// - Throws: A ``ClientError`` if the message is malformed, or there are no examples.
  init(
    _ request: ProtobufMessage, in type: String, _ context: RequestContext
  ) throws(ClientError) {
    // Features are nested and short, and each may hold integers of one byte.
    try context.memory.grow(by: request.count * ProtobufValue.bytesPerInteger)
    var (examples, shared): ([ProtobufMessage], ProtobufMessage?) = ([], nil)
    var (input, list): (ProtobufMessage?, ProtobufMessage?)
    do throws(ProtobufError) {
      try request.forEachField { (number, value) throws(ProtobufError) in
        if number == 2 { input = try value.singularMessage(previous: input) }
      }
      try input?.forEachField { (number, value) throws(ProtobufError) in
        guard number == 1 || number == 2 else { return }
        list = try value.singularMessage(previous: list)
        try list?.forEachField { (field, value) throws(ProtobufError) in
          if field == 1 {
            guard examples.count < Self.maxCount else { throw .tooManyEntries }
            examples.append(try value.message())
          } else if field == 2, number == 2 {
            shared = try value.singularMessage(previous: shared)
          }
        }
      }
    } catch {
      throw ClientError(error, in: type)
    }
    guard !examples.isEmpty else {
      throw ClientError(.badRequest, "invalid-request", "Input is empty.")
    }
    (self.examples, self.shared) = (examples, shared)
  }
}

// MARK: Inputs

extension TensorFlowExamples {
  /// Returns the request with an item per example.
  ///
  /// The values of an input are in the feature with its name, or in those with the names that the
  /// bundle declares for the values. Other features are ignored.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - metadata: Its inputs.
  /// - Returns: The request.
  /// - Throws: A ``ClientError`` that names the input or feature, and the example.
  func request(
    _ model: ModelSelector, _ metadata: InferenceModelMetadata
  ) throws(ClientError) -> InferenceRequest {
    var columns = metadata.inputs.map {
      Column(input: $0, featureNames: metadata.featureNames(of: $0.name))
    }
    let names = Set(columns.flatMap { [$0.input.name] + $0.featureNames })
    let common = try shared.map { (shared) throws(ClientError) in
      try Self.features(of: shared, names, "the context")
    }
    for (index, example) in examples.enumerated() {
      let own = try Self.features(of: example, names, "example \(index)")
      let features = common.map { own.merging($0) { first, _ in first } } ?? own
      for column in columns.indices { try columns[column].append(features, example: index) }
    }
    var inputs: [InferenceTensor] = []
    for column in columns { inputs.append(try column.tensor(count: examples.count)) }
    return PredictRequestReader(model, metadata).request(inputs)
  }

  /// Returns those features of an example that have one of the names.
  private static func features(
    of example: ProtobufMessage, _ names: Set<String>, _ place: String
  ) throws(ClientError) -> [String: ProtobufMessage] {
    var features: [String: ProtobufMessage] = [:]
    do throws(ProtobufError) {
      try example.forEachField { (number, value) throws(ProtobufError) in
        guard number == 1 else { return }
        try value.message().forEachField { (number, value) throws(ProtobufError) in
          guard number == 1 else { return }
          let (name, feature) = try value.message().mapEntry()
          if names.contains(name) { features[name] = feature }
        }
      }
    } catch {
      throw ClientError(
        .badRequest, "malformed-message", "malformed Example, \(place): \(error.rawValue)")
    }
    return features
  }

  /// The values of an input in the examples that were read.
  private struct Column {
    let input: InferenceModelMetadata.TensorMetadata
    let featureNames: [String]
    private var values = TensorFlowFeature()
    /// The number of values of each example.
    private var length: Int?

    init(input: InferenceModelMetadata.TensorMetadata, featureNames: [String]) {
      (self.input, self.featureNames) = (input, featureNames)
    }

    /// Adds the values of the next example.
    mutating func append(
      _ features: [String: ProtobufMessage], example: Int
    ) throws(ClientError) {
      let count = values.count
      let names =
        featureNames.isEmpty || features[input.name] != nil ? [input.name] : featureNames
      for name in names {
        guard let feature = features[name] else { throw missing(name, example) }
        let previous = values.count
        do throws(ProtobufError) {
          try values.append(feature)
        } catch {
          throw .invalidInput(
            input.name, "feature '\(name)' of example \(example) is malformed: \(error.rawValue)")
        }
        guard values.count > previous else { throw missing(name, example) }
      }
      let added = values.count - count
      guard length == nil || length == added else {
        throw .invalidInput(
          input.name, "example \(example) has \(added) values, but example 0 \(length ?? 0)")
      }
      length = added
    }

    private func missing(_ feature: String, _ example: Int) -> ClientError {
      let names = featureNames.map { "'\($0)'" }.joined(separator: ", ")
      let hint = names.isEmpty ? "" : "; expected '\(input.name)' or \(names)"
      return .invalidInput(
        input.name, "feature '\(feature)' is missing in example \(example)" + hint)
    }

    /// Returns the values in the datatype of the input, whose first axis counts the examples.
    func tensor(count: Int) throws(ClientError) -> InferenceTensor {
      try values.tensor(for: input, shape: [count, length ?? 0]).filling(input)
    }
  }
}
