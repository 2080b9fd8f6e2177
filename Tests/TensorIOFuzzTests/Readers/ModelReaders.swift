@testable import TensorIOBundle
@testable import TensorIOLiteRT
@testable import TensorIOTensorFlow

/// Readers of models, and of the archives that they come in.
enum ModelReaders {
  /// As many bytes of a file in an archive as are looked at.
  private static let contentLimit = 1 << 16

  /// Each entry has a name that stays within the archive's folder, and the bytes that it claims.
  static func archive(_ bytes: [UInt8]) throws(BrokenPromise) {
    let path = try FuzzedFile.holding(bytes, named: "a.zip")
    _ = unlessRefused { try BundleArchive(at: path) }
    for beginning in [ZipArchive.PrefixPolicy.rejectPrefix, .allowPrefix] {
      guard let archive = unlessRefused({ try ZipArchive(at: path, prefix: beginning) })
      else { continue }
      try check(archive)
    }
  }

  private static func check(_ archive: ZipArchive) throws(BrokenPromise) {
    for entry in archive.entries {
      let parts = entry.name.text.split(separator: "/", omittingEmptySubsequences: false)
      try promise(
        !parts.contains(where: { ["", ".", ".."].contains($0) }), "a name leads somewhere else")
      if let contents = unlessRefused({ try archive.contents(of: entry, limit: contentLimit) }) {
        try promise(contents.count == entry.byteCount, "an entry has other bytes than it claims")
      }
    }
  }

  /// What is checked before the runtime sees a model, and what the model says of itself.
  static func flatbuffer(_ bytes: [UInt8]) throws(BrokenPromise) {
    _ = TFLiteMetadata(bytes)
    guard let model = unlessRefused({ try ModelBytes(bytes) }) else { return }
    _ = OperatorUsage(model)?.compatibilityHint
    _ = unlessRefused { try TFLiteValidator.validateRules(model) }
  }

  static func protobuf(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let file = unlessRefused({ try SavedModelFile(bytes) }) else { return }
    for (facts, graph) in file.graphs {
      guard let nodes = unlessRefused({ try GraphDefinition(graph) }) else { continue }
      _ = GraphReview(nodes, saver: facts.saver)
    }
  }
}
