import TensorIOAudio
package import TensorIOBundle
package import TensorIOCore
import TensorIOData
import TensorIOImage
import TensorIOSystem

/// Computes the keys that identify the items of a run: digests of the input, the bundle and the
/// options.
///
/// The file name of an image is not part of its key, so a moved image is not run again. A key is
/// the first half of a SHA-256 digest, in hexadecimal.
package struct ItemKeyHasher: Sendable {
  private let runDigest: SHA256

  /// A hasher for runs of `bundle` with the given options and placeholder values.
  package init(
    _ bundle: ModelBundle, options: [String], _ placeholders: Placeholders
  ) throws(OperationError) {
    var digest = SHA256()
    digest.update(try BundleDigest.digest(of: bundle))
    for option in options {
      digest.update(lengthPrefixedRecord("option", Array(option.utf8)))
    }
    digest.add(placeholders.values)
    runDigest = digest
  }

  /// Returns the key of a model input.
  package func key(of input: ModelInput) -> String {
    var digest = runDigest
    switch input {
    case .value(let value): digest.add(value, named: "")
    case .named(let values): digest.add(values)
    }
    return hexKey(digest)
  }

  /// Returns the key of an unreadable input, which is identified by its name.
  package func key(ofUnreadable name: String) -> String {
    var digest = runDigest
    digest.update(lengthPrefixedRecord("unreadable", Array(name.utf8)))
    return hexKey(digest)
  }

  private func hexKey(_ digest: SHA256) -> String { digest.finalize().prefix(16).hexadecimal }
}

// The kind and the byte count make concatenated records unambiguous.
private func lengthPrefixedRecord(_ kind: String, _ bytes: [UInt8]) -> [UInt8] {
  Array("\(kind) \(bytes.count)\n".utf8) + bytes
}

extension SHA256 {
  fileprivate mutating func add(_ values: [String: LayerValue]) {
    for name in Array(values.keys).sortedByBytes {
      if let value = values[name] { add(value, named: name) }
    }
  }

  fileprivate mutating func add(_ value: LayerValue, named name: String) {
    update(lengthPrefixedRecord("layer", Array(name.utf8)))
    switch value {
    case .bytes(let bytes):
      update(lengthPrefixedRecord("bytes", []))
      update(bytes)
    case .numbers(let numbers):
      update(
        lengthPrefixedRecord("numbers", Array("\(numbers.shape) \(numbers.elementTexts)".utf8)))
    case .strings(let strings):
      for string in strings.bytes { update(lengthPrefixedRecord("string", string)) }
    case .image(let image):
      update(lengthPrefixedRecord("image \(image.width) \(image.height)", image.pixels))
    case .tokens(let text):
      update(lengthPrefixedRecord("tokens", Array("\(text.ids)".utf8)))
    case .audio(let sound):
      let format = "sound \(sound.sampleRate) \(sound.channelCount)"
      update(lengthPrefixedRecord(format, Array("\(sound.samples.map(\.bitPattern))".utf8)))
    case .classification(let classification):
      update(lengthPrefixedRecord("labels", Array("\(classification.entries)".utf8)))
    case .list(let values):
      update(lengthPrefixedRecord("list \(values.count)", []))
      for value in values { add(value, named: "") }
    }
  }
}

/// The digest of the parts of a bundle that determine its outputs: description, model and assets.
package enum BundleDigest {
  private static let chunkSize = 1 << 20

  package static func digest(of bundle: ModelBundle) throws(OperationError) -> [UInt8] {
    var digest = SHA256()
    let files = ["model.json", "assets"].map { (name: $0, path: "\(bundle.folderPath)/\($0)") }
    // A placeholder bundle has no model.
    let model = (try? bundle.modelFile).map { [(name: $0.name, path: $0.path)] }
    for (name, path) in files + (model ?? []) {
      do throws(FileError) {
        try add(path, named: name, to: &digest)
      } catch {
        throw OperationError(
          "unreadable-file", "\(path): \(error.message)", exitCode: .invalidBundle)
      }
    }
    return digest.finalize()
  }

  private static func add(
    _ path: String, named name: String, to digest: inout SHA256
  ) throws(FileError) {
    switch FileKind(at: path) {
    case .directory:
      for entry in try FileSystem.entryNames(in: path) {
        try add("\(path)/\(entry)", named: "\(name)/\(entry)", to: &digest)
      }
    case .file:
      let file = try ReadableFile(path)
      let count = file.byteCount ?? 0
      digest.update(Array("\(name)\n\(count)\n".utf8))
      for start in stride(from: 0, to: count, by: chunkSize) {
        digest.update(try file.bytes(in: start..<min(count, start + chunkSize)))
      }
    case .other, nil: return
    }
  }
}
