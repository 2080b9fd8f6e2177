import TensorIOCore

@testable import TensorIOBundle
@testable import TensorIOLiteRT
@testable import TensorIOONNX
@testable import TensorIOTensorFlow

/// Readers of models and archives.
enum ModelReaders {
  /// The maximum size of an entry that is extracted.
  private static let contentLimit = 1 << 16

  /// The names of entries cannot escape the target folder, and entries have the declared size.
  static func archive(_ bytes: [UInt8]) throws(PropertyViolation) {
    let path = try FuzzedFile.holding(bytes, named: "a.zip")
    _ = unlessRejected { try BundleArchive(at: path) }
    for policy in [ZipArchive.PrefixPolicy.rejectPrefix, .allowPrefix] {
      guard let archive = unlessRejected({ try ZipArchive(at: path, prefix: policy) })
      else { continue }
      try check(archive)
    }
  }

  private static func check(_ archive: ZipArchive) throws(PropertyViolation) {
    for entry in archive.entries {
      let parts = entry.name.text.split(separator: "/", omittingEmptySubsequences: false)
      try verify(
        !parts.contains(where: { ["", ".", ".."].contains($0) }), "a name escapes the target folder"
      )
      if let contents = unlessRejected({ try archive.contents(of: entry, limit: contentLimit) }) {
        try verify(
          contents.count == entry.byteCount, "the size of an entry differs from the declared one")
      }
    }
  }

  /// Reads the metadata and the operators of a model, and validates it; fields that are hidden from
  /// the runtime's loader are in the file, and the file is unchanged afterward.
  static func flatbuffer(_ bytes: [UInt8]) throws(PropertyViolation) {
    _ = ModelMetadata(tflite: bytes)
    guard let model = unlessRejected({ try ModelBytes(bytes) }) else { return }
    _ = OperatorUsage(model)?.compatibilityHint
    guard let parsed = unlessRejected({ try TFLiteValidator.validatedModel(model) }) else { return }
    _ = unlessRejected { try PreparedModel(parsed, operators: []) }
    let state = StateFields(parsed)
    try verify(
      state.byteRanges.allSatisfy {
        bytes.indices.contains($0.lowerBound) && $0.upperBound <= bytes.count
      },
      "a field of a variable is outside the file")
    model.withZeros(at: state.byteRanges) {}
    try verify(
      model.copy(of: 0..<model.count) == bytes, "hiding the fields of variables changes the file")
  }

  static func protobuf(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let file = unlessRejected({ try SavedModelFile(bytes) }) else { return }
    for (metaGraph, message) in file.graphs {
      guard let definition = unlessRejected({ try GraphDefinition(message) }) else { continue }
      _ = GraphReview(definition, metaGraph)
    }
  }

  /// Only constants with data in other files are read from there, and their sizes are known.
  static func onnx(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let file = unlessRejected({ try ONNXFile(bytes) }) else { return }
    let metadata = ONNXMetadata(file)
    for text in metadata.entries.values { _ = ClassNames.parse(text) }
    guard let external = unlessRejected({ try ONNXValidator.validate(file) }) else { return }
    try verify(
      external.allSatisfy { $0.external != nil && $0.byteCount != nil },
      "a constant without data in another file is listed as one")
  }
}
