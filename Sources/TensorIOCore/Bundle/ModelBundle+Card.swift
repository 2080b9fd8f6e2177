extension ModelBundle {
  /// What its makers say about it, as Markdown; `nil` where they say nothing.
  package var card: String? {
    guard let bytes = try? folder.bytes(of: "CARD.md", limit: JSONLimits.descriptionBytes) else {
      return nil
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
