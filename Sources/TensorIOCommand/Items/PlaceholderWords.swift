internal import TensorIOCore

/// The values of placeholders on a command line: `--placeholder name=value`, and words that begin
/// with a placeholder's name.
struct PlaceholderWords {
  /// The values by name; they are the same for all items.
  let placeholders: Placeholders
  /// The words that are items.
  let rest: [String]

  /// Takes the placeholders out of the words.
  init(
    _ words: [String], flags: [String], _ layers: [Layer], _ reader: ValueReader
  ) throws(CommandFailure) {
    let isPlaceholder = { (word: String) in
      layers.contains { word.hasPrefix("\($0.name)=") }
    }
    var placeholders = Placeholders()
    for word in words.filter(isPlaceholder) + flags {
      let (name, value) = try Self.value(word, layers, reader)
      placeholders.values[name] = value
    }
    self.placeholders = placeholders
    rest = words.filter { !isPlaceholder($0) }
  }

  private static func value(
    _ word: String, _ layers: [Layer], _ reader: ValueReader
  ) throws(CommandFailure) -> (name: String, value: LayerValue) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw .usage("--placeholder takes name=value, got '\(word)'")
    }
    let name = String(parts[0])
    do throws(ModelError) {
      guard let layer = layers.first(where: { $0.name == name }) else {
        throw ModelError(.input, .unknownPlaceholder(name, known: layers.map(\.name)))
      }
      return (name, try reader.value(String(parts[1]), for: layer))
    } catch {
      throw CommandFailure(error)
    }
  }
}
