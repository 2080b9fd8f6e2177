internal import TensorIOCore

/// Reads items from JSON: what `tensorio run` takes as one, or `{"items": […]}`.
struct JSONBody {
  /// The only member of an object that holds several items.
  private static let listName = "items"

  private let model: Model
  private let reader: JSONInputReader

  init(_ model: Model) {
    self.model = model
    reader = JSONInputReader(model.askedInputs, placeholders: model.optionalInputs) {
      (text, layer) throws(ModelError) in try QuotedValue.read(text, for: layer)
    }
  }

  /// The items of a body.
  func items(_ body: [UInt8]) throws(PublicFailure) -> RequestItems {
    let root = try Self.document(body).root
    guard let elements = list(in: root) else { return RequestItems(input(root)) }
    let items = elements.prefix(RequestItems.limit + 1).enumerated().map { index, node in
      RequestItem(name: "\(Self.listName)[\(index)]", input: input(node))
    }
    return try RequestItems(items, isList: true)
  }

  /// The value of one layer, as it stands in a document of its own.
  func value(
    _ body: [UInt8], for layer: Layer
  ) throws(PublicFailure) -> Result<LayerValue, ModelError> {
    let root = try Self.document(body).root
    return Result { () throws(ModelError) in try reader.value(root, for: layer) }
  }

  private func input(_ node: JSONNode) -> Result<ModelInput, ModelError> {
    Result { () throws(ModelError) in try reader.input(node) }
  }

  private func list(in root: JSONNode) -> JSONElements? {
    guard let members = root.members, root.count == 1, isListName,
      let member = members.first(where: { $0.name == Self.listName })
    else { return nil }
    return member.value.elements
  }

  /// Whether no input has the name that holds several items.
  private var isListName: Bool {
    !(model.askedInputs + model.optionalInputs).contains { $0.name == Self.listName }
  }

  private static func document(_ body: [UInt8]) throws(PublicFailure) -> JSONDocument {
    guard body.count <= ServerLimits.jsonBytes else {
      throw PublicFailure(
        .contentTooLarge, "content-too-large",
        "a body of JSON may have \(ServerLimits.jsonBytes) bytes")
    }
    do {
      return try JSONDocument(parsing: body, limits: JSONLimits(bytes: ServerLimits.jsonBytes))
    } catch {
      throw PublicFailure(.badRequest, "invalid-json", "the body is no JSON: \(error)")
    }
  }
}
