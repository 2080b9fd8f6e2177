internal import TensorIOCore

/// One thing that a request wants a model to run on.
struct RequestItem {
  /// What the client calls it.
  let name: String
  /// The values, or why there are none.
  let input: Result<ModelInput, ModelError>
}

/// What a request wants a model to run on.
struct RequestItems {
  /// What a body without a name is called.
  static let bodyName = "body"
  /// How many items one request may have.
  static let limit = 1024

  let items: [RequestItem]
  /// Whether the answer is a list, even of one item.
  let isList: Bool

  init(_ items: [RequestItem], isList: Bool) throws(PublicFailure) {
    guard items.count <= Self.limit else {
      throw PublicFailure(
        .contentTooLarge, "too-many-items", "a request may have \(Self.limit) items")
    }
    (self.items, self.isList) = (items, isList)
  }

  /// The body as the only item.
  init(_ input: Result<ModelInput, ModelError>) {
    items = [RequestItem(name: Self.bodyName, input: input)]
    isList = false
  }
}
