/// The name of an entry: the way to a file or folder inside a bundle.
package struct EntryName: Sendable, Hashable {
  /// The parts, outermost folder first.
  let parts: [String]

  /// The parts with slashes between them.
  package var text: String { parts.joined(separator: "/") }

  /// Reads a name that may become a file's; what leads out of a folder, or means something to a
  /// system that the bundle may come to, is refused.
  init(_ bytes: some Collection<UInt8>) throws(ArchiveError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ArchiveError(
        .unsafeName(fault: "it is not UTF-8"), entry: String(decoding: bytes, as: UTF8.self))
    }
    let bare = text.utf8.last == Self.slash ? String(text.dropLast()) : text
    parts = bare.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if let fault = fault(of: text) {
      throw ArchiveError(.unsafeName(fault: fault), entry: text)
    }
  }

  private func fault(of text: String) -> String? {
    if text.utf8.count > ArchiveLimits.nameBytes {
      return "it is longer than \(ArchiveLimits.nameBytes) bytes"
    }
    if parts.count > ArchiveLimits.depth { return "it is more than \(ArchiveLimits.depth) deep" }
    if text.utf8.first == Self.slash { return "it is an absolute path" }
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      return "it has a control character"
    }
    if text.utf8.contains(UInt8(ascii: "\\")) { return "it has a backslash" }
    if text.utf8.contains(UInt8(ascii: ":")) { return "it has a colon, as names of drives do" }
    return parts.lazy.compactMap(Self.fault(ofPart:)).first
  }

  private static func fault(ofPart part: String) -> String? {
    if part.isEmpty { return "it has an empty part" }
    if part == "." || part == ".." { return "it has a part '\(part)'" }
    if part.utf8.count > ArchiveLimits.partBytes {
      return "it has a part of more than \(ArchiveLimits.partBytes) bytes"
    }
    return nil
  }

  private static let slash = UInt8(ascii: "/")
}
