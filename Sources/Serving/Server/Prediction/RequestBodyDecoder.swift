import TensorIOBundle
import TensorIOCore
import TensorIOJSON

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Decodes a request's body into prediction items according to its media type.
struct RequestBodyDecoder {
  let model: Model
  let options: PredictParameters

  /// The supported media types, for the error message.
  private static let supportedTypes =
    "image/*, audio/*, text/plain, application/octet-stream, multipart/form-data or "
    + "application/json"

  /// Returns the items of a request.
  func items(_ request: HTTPRequest) throws(ClientError) -> PredictionItems {
    guard let text = request.headers["Content-Type"], let type = MediaType(text) else {
      throw unsupportedMediaType
    }
    switch type.name {
    case "application/json": return try JSONBodyDecoder(model, request.context).items(request.body)
    case "multipart/form-data":
      return try MultipartBodyDecoder(model, request.context).items(request.body, type)
    case "application/octet-stream": return PredictionItems(.success(try singleInput(request.body)))
    case _ where type.isImage:
      return PredictionItems(.success(try singleInput(request.body, where: \.isImage)))
    case _ where type.name.hasPrefix("audio/"):
      return PredictionItems(.success(try singleInput(request.body, where: \.isAudio)))
    case "text/plain":
      let names = model.textInputs
      return PredictionItems(
        .success(try singleInput(request.body) { names.contains($0.name) }))
    default: throw unsupportedMediaType
    }
  }

  private var unsupportedMediaType: ClientError {
    ClientError(
      .unsupportedMediaType, "unsupported-media-type",
      "unsupported Content-Type; expected \(Self.supportedTypes)")
  }

  /// Returns the body as the bytes of one input.
  private func singleInput(
    _ body: [UInt8], where isSuitable: (Layer) -> Bool = { _ in true }
  ) throws(ClientError) -> ModelInput {
    let layer = try layer(where: isSuitable)
    return model.callerInputs.count == 1
      ? .value(.bytes(body)) : .named([layer.name: .bytes(body)])
  }

  /// Returns the input named by the query, or else the only input that accepts such a body.
  private func layer(where isSuitable: (Layer) -> Bool) throws(ClientError) -> Layer {
    let candidates = model.callerInputs.filter(isSuitable)
    if let name = options.input {
      if let layer = candidates.first(where: { $0.name == name }) { return layer }
      throw ClientError(
        .badRequest, "unknown-input", "the model has no input '\(name)' for this Content-Type")
    }
    let images = candidates.filter(\.isImage)
    guard let layer = images.first ?? candidates.first else {
      throw ClientError(
        .unsupportedMediaType, "unsupported-media-type",
        "the model has no input for this Content-Type")
    }
    guard images.count == 1 || candidates.count == 1 else {
      let names = candidates.map { "'\($0.name)'" }.joined(separator: ", ")
      throw ClientError(
        .badRequest, "ambiguous-input", "select an input with ?input=NAME; inputs: \(names)")
    }
    return layer
  }
}

/// Decodes items from the parts of a form.
///
/// For a model with one input, every part is an item. For a model with several inputs, the parts
/// together are one item, and each part is named after its input.
struct MultipartBodyDecoder {
  private let model: Model
  private let json: JSONBodyDecoder

  init(_ model: Model, _ context: RequestContext) {
    self.model = model
    json = JSONBodyDecoder(model, context)
  }

  /// Returns the items of a body.
  func items(_ body: [UInt8], _ type: MediaType) throws(ClientError) -> PredictionItems {
    let parts = try Self.parts(body, type)
    guard !parts.isEmpty else {
      throw ClientError(.badRequest, "invalid-form", "the form has no parts")
    }
    guard let layer = model.callerInputs.first, model.callerInputs.count == 1 else {
      return PredictionItems(try namedInputs(parts))
    }
    var items: [PredictionItem] = []
    for part in parts {
      let name = part.fileName ?? part.name
      guard isJSON(part, for: layer) else {
        items.append(PredictionItem(name: name, bytes: part.body))
        continue
      }
      let value = try json.value(part.content, for: layer)
      items.append(PredictionItem(name: name, input: value.map(ModelInput.value)))
    }
    return try PredictionItems(items, isBatch: items.count > 1)
  }

  private static func parts(
    _ body: [UInt8], _ type: MediaType
  ) throws(ClientError) -> [MultipartPart] {
    do {
      return try MultipartForm(body, type).parts
    } catch {
      throw ClientError(.badRequest, "invalid-form", error.message)
    }
  }

  private func namedInputs(
    _ parts: [MultipartPart]
  ) throws(ClientError) -> Result<ModelInput, ModelError> {
    var values: [String: LayerValue] = [:]
    for part in parts {
      let layer = (model.callerInputs + model.optionalInputs).first { $0.name == part.name }
      switch try value(of: part, for: layer) {
      case .failure(let error): return .failure(error)
      case .success(let value):
        guard values.updateValue(value, forKey: part.name) == nil else {
          throw ClientError(.badRequest, "invalid-form", "duplicate part '\(part.name)'")
        }
      }
    }
    return .success(.named(values))
  }

  /// Returns a part's value: JSON for numbers without a file or with a JSON type, else bytes.
  private func value(
    of part: MultipartPart, for layer: Layer?
  ) throws(ClientError) -> Result<LayerValue, ModelError> {
    guard let layer, isJSON(part, for: layer) else { return .success(.bytes(part.content)) }
    return try json.value(part.content, for: layer)
  }

  private func isJSON(_ part: MultipartPart, for layer: Layer) -> Bool {
    let isTyped = layer.isNumeric && part.fileName == nil
    return isTyped || part.contentType?.name == "application/json"
  }
}

/// Decodes items from JSON: one item as `tensorio run` takes it, or `{"items": […]}`.
struct JSONBodyDecoder {
  /// The key of an object that holds several items.
  private static let itemsKey = "items"

  private let model: Model
  private let context: RequestContext
  private let reader: JSONInputReader

  init(_ model: Model, _ context: RequestContext) {
    (self.model, self.context) = (model, context)
    let textInputs = model.textInputs
    reader = JSONInputReader(model.callerInputs, placeholders: model.optionalInputs) {
      (text, layer) throws(ModelError) in
      try InlineValue.read(text, for: layer, isText: textInputs.contains(layer.name))
    }
  }

  /// Returns the items of a body.
  func items(_ body: [UInt8]) throws(ClientError) -> PredictionItems {
    let root = try document(body).root
    guard let elements = items(in: root) else { return PredictionItems(input(root)) }
    let items = elements.prefix(PredictionItems.maxItems + 1).enumerated().map { index, node in
      PredictionItem(name: "\(Self.itemsKey)[\(index)]", input: input(node))
    }
    return try PredictionItems(items, isBatch: true)
  }

  /// Returns the value of one layer from a separate JSON document.
  func value(
    _ body: [UInt8], for layer: Layer
  ) throws(ClientError) -> Result<LayerValue, ModelError> {
    let root = try document(body).root
    return Result { () throws(ModelError) in try reader.value(root, for: layer) }
  }

  private func input(_ node: JSONNode) -> Result<ModelInput, ModelError> {
    Result { () throws(ModelError) in try reader.input(node) }
  }

  private func items(in root: JSONNode) -> JSONElements? {
    guard let members = root.members, root.count == 1, isItemsKeyReserved,
      let member = members.first(where: { $0.name == Self.itemsKey })
    else { return nil }
    return member.value.elements
  }

  /// Whether the key for several items is free, that is, not the name of an input.
  private var isItemsKeyReserved: Bool {
    !(model.callerInputs + model.optionalInputs).contains { $0.name == Self.itemsKey }
  }

  private func document(_ body: [UInt8]) throws(ClientError) -> JSONDocument {
    guard body.count <= HTTPLimits.maxJSONBodyBytes else {
      throw ClientError(
        .contentTooLarge, "body-too-large",
        "the JSON body exceeds \(HTTPLimits.maxJSONBodyBytes) bytes")
    }
    return try context.json(
      body, limit: HTTPLimits.maxJSONBodyBytes, invalid: "the body is not valid JSON")
  }
}

/// The value of a string in a client's JSON: bytes or text, never a file name.
enum InlineValue {
  private static let base64Prefix = ModelBundle.base64Prefix
  private static let dataPrefix = "data:"

  /// Returns the value of a string for a layer.
  ///
  /// - Parameters:
  ///   - text: The string.
  ///   - layer: The layer.
  ///   - isText: Whether the layer's tensor holds strings.
  /// - Returns: The value.
  /// - Throws: A ``ModelError`` if the layer takes numbers, or the string is not valid base64.
  static func read(
    _ text: String, for layer: Layer, isText: Bool = false
  ) throws(ModelError) -> LayerValue {
    if text.hasPrefix(base64Prefix) { return try .bytes(bytes(text.dropFirst(base64Prefix.count))) }
    switch layer.kind {
    case .image, .audio: return try .bytes(data(in: text))
    case .text: return .strings([text])
    case .string: return .bytes(Array(text.utf8))
    case .array where isText, .scalar where isText: return .strings([text])
    case .array, .scalar:
      throw ModelError(.input, .wrongType(expected: "numbers", actual: "a string"))
    }
  }

  /// Returns the data of a `data:` URL, or of base64 alone.
  static func data(in text: String) throws(ModelError) -> [UInt8] {
    guard text.hasPrefix(dataPrefix) else { return try bytes(text[...]) }
    let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].hasSuffix(";base64") else {
      throw ModelError(
        .input, .wrongType(expected: "a base64 data: URL", actual: "another data: URL"))
    }
    return try bytes(parts[1])
  }

  private static func bytes(_ text: Substring) throws(ModelError) -> [UInt8] {
    guard let data = Data(base64Encoded: String(text)) else {
      throw ModelError(.input, .wrongType(expected: "base64", actual: "other text"))
    }
    return [UInt8](data)
  }
}

/// One input for the model.
struct PredictionItem: Sendable {
  private enum Source: Sendable {
    case input(Result<ModelInput, ModelError>)
    /// The bytes of the only input, in the memory of the request.
    case bytes(ArraySlice<UInt8>)
  }

  /// The client's name for it, such as a file name.
  let name: String
  private let source: Source

  init(name: String, input: Result<ModelInput, ModelError>) {
    (self.name, source) = (name, .input(input))
  }

  init(name: String, bytes: ArraySlice<UInt8>) { (self.name, source) = (name, .bytes(bytes)) }

  /// The values, or the error that reading them threw.
  ///
  /// Bytes are copied, so that only the items that are being processed take memory twice.
  var input: Result<ModelInput, ModelError> {
    switch source {
    case .input(let input): input
    case .bytes(let bytes): .success(.value(.bytes(Array(bytes))))
    }
  }
}

/// The inputs in one request.
struct PredictionItems: Sendable {
  /// The name of the item of a body without a name.
  static let unnamedBodyName = "body"
  /// The maximum number of items in one request.
  static let maxItems = 1024

  let items: [PredictionItem]
  /// Whether the response is an array, even for one item.
  let isBatch: Bool

  init(_ items: [PredictionItem], isBatch: Bool) throws(ClientError) {
    guard items.count <= Self.maxItems else {
      throw ClientError(
        .contentTooLarge, "too-many-items", "the request exceeds \(Self.maxItems) items")
    }
    (self.items, self.isBatch) = (items, isBatch)
  }

  /// Creates items with the body as the only item.
  init(_ input: Result<ModelInput, ModelError>) {
    items = [PredictionItem(name: Self.unnamedBodyName, input: input)]
    isBatch = false
  }
}
