/// One part of a form.
package struct FormPart: Sendable, Equatable {
  /// What the form calls it.
  package let name: String
  /// What the client calls the file that it sent; `nil` for a plain value.
  package let fileName: String?
  /// The kind of its content, where the client says.
  package let type: MediaType?
  /// The content.
  package let content: [UInt8]
}
