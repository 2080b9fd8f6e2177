import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTasks

/// Computes the vectors of texts.
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

  /// Returns the vectors of the texts in the body of a request.
  func response(to body: JSONNode) async throws(ClientError) -> HTTPResponse {
    let served = try await service.namedModel(in: body, request.context)
    let texts = try Self.texts(body["input"])
    let isBase64 = try Self.isBase64(body["encoding_format"])
    if let dimensions = body["dimensions"], dimensions.kind != .null {
      throw ClientError(
        unsupported: "dimensions",
        "the model does not say that the beginnings of its vectors can be used")
    }
    let reading: ResultReading.Function<Embedding>
    do throws(ModelError) {
      reading = try ResultReader(served.model, .pairs).embeddings().read
    } catch {
      throw ClientError(unsupported: "model", "the model '\(served.name)' returns no embeddings")
    }
    guard served.model.callerInputs.count == 1, served.model.callerInputs[0].isText else {
      throw ClientError(unsupported: "model", "the model '\(served.name)' takes no text")
    }
    var vectors: [Embedding] = []
    var tokenCount = 0
    for (index, text) in texts.enumerated() {
      do throws(ModelError) {
        let tokens = try served.model.tokens(of: text)
        let input = tokens.map { LayerValue.tokens($0) } ?? .strings([text])
        let output = try await request.context.run(served, .value(input)).get().output
        vectors.append(try reading(output))
        tokenCount += tokens?.mask.count { $0 == 1 } ?? 0
      } catch {
        throw ClientError(error).of(texts.count == 1 ? "input" : "input[\(index)]")
      }
      if index + 1 < texts.count { try await request.context.yield() }
    }
    return Self.response(vectors, tokenCount, model: served.name, isBase64)
  }

  private static func texts(_ node: JSONNode?) throws(ClientError) -> [String] {
    let expected = "expected a text, or an array of 1 to \(maxCount) texts"
    guard let node else { throw ClientError(invalid: "input", expected) }
    var texts: [String] = []
    if let text = node.string {
      texts = [text]
    } else {
      for element in node.elements.map({ Array($0) }) ?? [] {
        let place = "input[\(texts.count)]"
        guard !element.isInteger, element.kind != .array else {
          throw ClientError(
            unsupported: place,
            "token ids depend on the vocabulary of the model; send text (LangChain: check_embedding_ctx_length=False)"
          )
        }
        guard let text = element.string else {
          throw ClientError(invalid: place, "expected a text")
        }
        texts.append(text)
      }
    }
    guard (1...maxCount).contains(texts.count) else {
      throw ClientError(invalid: "input", expected)
    }
    if let index = texts.firstIndex(of: "") {
      throw ClientError(
        invalid: texts.count == 1 ? "input" : "input[\(index)]", "the text is empty")
    }
    return texts
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

extension [Float] {
  /// The bytes of the numbers, lowest first.
  fileprivate var littleEndianBytes: [UInt8] {
    flatMap { number in
      let bits = number.bitPattern
      return (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt32($0))) }
    }
  }
}
