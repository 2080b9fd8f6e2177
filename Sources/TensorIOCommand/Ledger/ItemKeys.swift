internal import TensorIO
internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOSystem

/// By what an item of a run is known again: what goes in, the bundle, and the options.
///
/// The name of a picture does not matter, so that one that was moved is not run again. A key is the
/// first half of a SHA-256, in hexadecimal digits.
struct ItemKeys: Sendable {
  private let run: SHA256

  /// The keys of a run, of which flags and placeholders say how its answers are made.
  init(
    _ bundle: ModelBundle, options: [String], _ placeholders: Placeholders
  ) throws(CommandFailure) {
    var run = SHA256()
    run.add(try BundleDigest.digest(of: bundle))
    for option in options { run.add(record("option", Array(option.utf8))) }
    run.add(placeholders.values)
    self.run = run
  }

  /// The key of what goes into a model.
  func key(of input: ModelInput) -> String {
    var digest = run
    switch input {
    case .value(let value): digest.add(value, named: "")
    case .named(let values): digest.add(values)
    }
    return text(digest)
  }

  /// The key of what cannot be read, and so has nothing but a name.
  func key(ofUnreadable name: String) -> String {
    var digest = run
    digest.add(record("unreadable", Array(name.utf8)))
    return text(digest)
  }

  private func text(_ digest: SHA256) -> String { digest.finish().prefix(16).hexadecimal }
}

/// Bytes with what they are and how many, so that no two lists of records run together alike.
private func record(_ kind: String, _ bytes: [UInt8]) -> [UInt8] {
  Array("\(kind) \(bytes.count)\n".utf8) + bytes
}

extension SHA256 {
  fileprivate mutating func add(_ values: [String: LayerValue]) {
    for name in Array(values.keys).sortedByBytes {
      if let value = values[name] { add(value, named: name) }
    }
  }

  fileprivate mutating func add(_ value: LayerValue, named name: String) {
    add(record("layer", Array(name.utf8)))
    switch value {
    case .bytes(let bytes):
      add(record("bytes", []))
      add(bytes)
    case .numbers(let numbers):
      add(record("numbers", Array("\(numbers.shape) \(numbers.texts)".utf8)))
    case .strings(let strings): for string in strings { add(record("string", string)) }
    case .image(let image): add(record("image \(image.width) \(image.height)", image.pixels))
    case .classification(let classification):
      add(record("labels", Array("\(classification.entries)".utf8)))
    case .list(let values):
      add(record("list \(values.count)", []))
      for value in values { add(value, named: "") }
    }
  }
}
