/// The names by which a bundle speaks of its own files.
package enum BundlePath {
  /// As many bytes as a name may have; more than any file system's.
  package static let maximumLength = 1024

  /// Why a name cannot be that of a file inside a bundle, or `nil` when it can.
  package static func fault(of name: String) -> String? {
    let bytes = name.utf8
    let parts = bytes.split(separator: ASCII.slash, omittingEmptySubsequences: true)
    let isEmpty = parts.allSatisfy { $0.elementsEqual([ASCII.dot]) }
    if bytes.first == ASCII.slash { return "it is an absolute path" }
    if parts.contains(where: { $0.elementsEqual([ASCII.dot, ASCII.dot]) }) {
      return "it has a part '..'"
    }
    if bytes.contains(ASCII.backslash) { return "it has a backslash" }
    if bytes.contains(where: { $0 < ASCII.space || $0 == 0x7F }) {
      return "it has a control character"
    }
    if bytes.count > maximumLength { return "it is longer than \(maximumLength) bytes" }
    return isEmpty ? "it names no file" : nil
  }
}
