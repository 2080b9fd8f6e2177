import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTasks

/// Computes the vectors of texts.
///
/// Texts of one request run together, and a single text with those of other requests.
struct EmbeddingsHandler: Sendable {
  private let service: InferenceService
  private let request: HTTPRequest

  init(_ service: InferenceService, _ request: HTTPRequest) {
    (self.service, self.request) = (service, request)
  }

  /// OpenAI's name of a vector, which is that of the role.
  private static let vectorName = OutputRole.embedding.name
  /// The maximum number of texts of a request.
  private static let maxCount = 2048

  /// A text as the model takes it.
  private struct Input {
    let value: ModelInput
    let tokenCount: Int
    /// The member of the request that it is.
    let place: String
  }

  /// Returns the vectors of the texts in the body of a request.
  func response(to body: JSONNode) async throws(ClientError) -> HTTPResponse {
    let served = try await service.namedModel(in: body, request.context)
    let embeddings: (options: EmbeddingOptions, read: ResultReading.Function<Embedding>)
    do throws(ModelError) {
      embeddings = try ResultReader(served.model, .pairs).embeddings()
    } catch {
      throw ClientError(unsupported: "model", "the model '\(served.name)' returns no embeddings")
    }
    guard served.model.callerInputs.count == 1, served.model.callerInputs[0].isText else {
      throw ClientError(unsupported: "model", "the model '\(served.name)' takes no text")
    }
    let isBase64 = try Self.isBase64(body["encoding_format"])
    let dimensions = try Self.dimensions(body["dimensions"], embeddings.options)
    let inputs = try inputs(body["input"], served.model, embeddings.options)
    var vectors = try await vectors(of: inputs, on: served, embeddings.read)
    if let dimensions {
      guard let count = vectors.first?.values.count, dimensions <= count else {
        throw ClientError(invalid: "dimensions", "the vectors of the model have fewer values")
      }
      vectors = vectors.map { vector in
        let beginning = Embedding(Array(vector.values.prefix(dimensions)))
        return embeddings.options.normalizes ? beginning.normalized : beginning
      }
    }
    return Self.response(
      vectors, inputs.reduce(0) { $0 + $1.tokenCount }, model: served.name, isBase64)
  }

  /// Runs the model on texts, as many in one invocation as it takes.
  private func vectors(
    of inputs: [Input], on served: ServedModel, _ read: ResultReading.Function<Embedding>
  ) async throws(ClientError) -> [Embedding] {
    let (runner, context) = (service.runner(of: served, request.context), request.context)
    _ = try await runner.begin(inputs.count, decoding: [])
    var vectors = [Embedding?](repeating: nil, count: inputs.count)
    // Texts of equal length run together.
    var rest = inputs.indices.sorted { inputs[$0].tokenCount < inputs[$1].tokenCount }[...]
    while !rest.isEmpty {
      if rest.count < inputs.count { try await context.yield() }
      let batch = rest.prefix(served.maxBatchSize)
      rest = rest.dropFirst(batch.count)
      let values = batch.map { inputs[$0].value }
      // A single text runs with those of other requests.
      let outputs =
        values.count == 1 ? [await context.run(served, values[0])] : served.run(merging: values)
      for (index, output) in zip(batch, outputs) {
        do throws(ModelError) {
          let (output, timings) = try output.get()
          let vector = try served.counting(timings) { () throws(ModelError) in try read(output) }
          runner.metrics.recordRun(of: served.name, timings)
          vectors[index] = vector
        } catch {
          runner.metrics.recordError(of: served.name)
          throw ClientError.inferenceError(error).of(inputs[index].place)
        }
        try context.memory.grow(by: Self.bytesPerNumber * (vectors[index]?.values.count ?? 0))
      }
    }
    return vectors.compactMap(\.self)
  }

  /// The memory for a number of a vector and its text, and for a token of an input.
  private static let bytesPerNumber = 20
  private static let bytesPerToken = 64

  // MARK: Members

  private func inputs(
    _ node: JSONNode?, _ model: Model, _ options: EmbeddingOptions
  ) throws(ClientError) -> [Input] {
    let expected = "expected a text, or an array of 1 to \(Self.maxCount) texts"
    guard let node else { throw ClientError(invalid: "input", expected) }
    // An array of numbers is one text.
    let isOne = node.elements?.first { _ in true }?.isInteger ?? true
    let nodes = isOne ? [node] : node.elements.map { Array($0) } ?? []
    guard (1...Self.maxCount).contains(nodes.count), node.string != nil || node.count > 0 else {
      throw ClientError(invalid: "input", expected)
    }
    var inputs: [Input] = []
    for (index, node) in nodes.enumerated() {
      inputs.append(try Self.input(node, model, options, isOne ? "input" : "input[\(index)]"))
      try request.context.memory.grow(by: Self.bytesPerToken * (inputs.last?.tokenCount ?? 0))
    }
    return inputs
  }

  /// Returns a text, or token ids, as the model takes them.
  private static func input(
    _ node: JSONNode, _ model: Model, _ options: EmbeddingOptions, _ place: String
  ) throws(ClientError) -> Input {
    guard let text = node.string else {
      let tokens = try tokens(ofIDs: node, model, options, place)
      return Input(value: .value(.tokens(tokens)), tokenCount: tokens.tokenCount, place: place)
    }
    guard !text.isEmpty else { throw ClientError(invalid: place, "the text is empty") }
    let tokens = try mappingErrors(of: place) { () throws(ModelError) in try model.tokens(of: text)
    }
    guard let tokens else {
      return Input(value: .value(.strings([text])), tokenCount: 0, place: place)
    }
    guard !tokens.isTruncated else {
      throw ClientError(
        .badRequest, ModelError.contextExceeded.rawValue,
        "this model's maximum context length is \(tokens.count) tokens, and the text has more"
      ).of(place)
    }
    return Input(value: .value(.tokens(tokens)), tokenCount: tokens.tokenCount, place: place)
  }

  private static func tokens(
    ofIDs node: JSONNode, _ model: Model, _ options: EmbeddingOptions, _ place: String
  ) throws(ClientError) -> TokenizedText {
    guard let numbers = node.elements?.map(\.int), !numbers.isEmpty else {
      throw ClientError(invalid: place, "expected a text")
    }
    guard options.takesTokens else {
      throw ClientError(
        unsupported: place,
        "token ids depend on the vocabulary of the model; send text (LangChain: check_embedding_ctx_length=False)"
      )
    }
    let ids = numbers.compactMap { $0.flatMap { Int32(exactly: $0) } }
    let tokens =
      ids.count == numbers.count
      ? try mappingErrors(of: place) { () throws(ModelError) in try model.tokens(ofIDs: ids) } : nil
    guard let tokens else { throw ClientError(invalid: place, "expected ids of tokens") }
    return tokens
  }

  /// Calls `body`, whose errors are those of a member.
  private static func mappingErrors<Value>(
    of place: String, _ body: () throws(ModelError) -> Value
  ) throws(ClientError) -> Value {
    do {
      return try body()
    } catch {
      throw ClientError.inferenceError(error).of(place)
    }
  }

  /// Returns the number of values to which vectors are shortened; `nil` for all.
  private static func dimensions(
    _ node: JSONNode?, _ options: EmbeddingOptions
  ) throws(ClientError) -> Int? {
    guard let node, node.kind != .null else { return nil }
    guard let minimum = options.minDimensions else {
      throw ClientError(
        unsupported: "dimensions",
        "the bundle does not state that the first values of a vector are a vector")
    }
    guard let count = node.int, count >= minimum else {
      throw ClientError(invalid: "dimensions", "expected an integer of at least \(minimum)")
    }
    return Int(count)
  }

  private static func isBase64(_ node: JSONNode?) throws(ClientError) -> Bool {
    guard let node, node.kind != .null else { return false }
    switch node.string {
    case "float": return false
    case "base64": return true
    default: throw ClientError(invalid: "encoding_format", "expected 'float' or 'base64'")
    }
  }

  private static func response(
    _ vectors: [Embedding], _ tokenCount: Int, model: String, _ isBase64: Bool
  ) -> HTTPResponse {
    .jsonObject { writer in
      writer.member("object", "list")
      writer.member("data", objects: vectors.enumerated()) { writer, item in
        writer.member("object", vectorName)
        writer.member("index", item.offset)
        writer.key(vectorName)
        if isBase64 {
          writer.value(item.element.values.littleEndianBytes.base64)
        } else {
          writer.numbers(item.element.values)
        }
      }
      writer.member("model", model)
      writer.member("usage") { writer in
        writer.member("prompt_tokens", tokenCount)
        writer.member("total_tokens", tokenCount)
      }
    }
  }
}

extension TokenizedText {
  /// The number of tokens without padding.
  fileprivate var tokenCount: Int { mask.count { $0 == 1 } }
}

extension [Float] {
  /// The bytes of the numbers, lowest first.
  fileprivate var littleEndianBytes: [UInt8] {
    flatMap { number in
      let bits = number.bitPattern
      return (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt32($0))) }
    }
  }
}
