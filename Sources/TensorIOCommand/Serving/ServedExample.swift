internal import TensorIO
internal import TensorIOCore
internal import TensorIOServer

/// A request that somebody can try on a server at once.
struct ServedExample {
  private let name: String
  /// A file that lies beside the model.
  private let sample: String

  /// One for the first model that has a sample; `nil` where none has.
  init?(_ entries: [ModelCatalogue.Entry]) {
    for entry in entries {
      guard let bundle = try? entry.bundle?.get(), let sample = BundleSamples(bundle).first else {
        continue
      }
      self.sample =
        sample.hasPrefix(ValueReader.filePrefix) ? String(sample.dropFirst()) : sample
      name = entry.name
      return
    }
    return nil
  }

  /// The command line that asks for it.
  func command(_ address: String) -> String {
    let url = "\(address)/v2/models/\(name)/predict"
    let isJSON = sample.hasSuffix(ValueReader.documentEnding)
    let words =
      isJSON
      ? ["curl", "--json", "@\(sample)", url]
      : ["curl", "--header", "Content-Type: image/*", "--data-binary", "@\(sample)", url]
    return words.map(\.shellWord).joined(separator: " ")
  }
}
