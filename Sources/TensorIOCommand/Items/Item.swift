internal import TensorIOCore

/// One thing that a model is to run on: its name, and a way to read it when its turn comes.
struct Item: Sendable {
  /// The path, or else the argument's text.
  let name: String
  /// Reads the values.
  let read: @Sendable () throws(ModelError) -> ModelInput

  /// How long it took to decode what is read, where that is done by then.
  let decodingTime: @Sendable () -> Duration

  init(
    _ name: String, decodingTime: @escaping @Sendable () -> Duration = { .zero },
    read: @escaping @Sendable () throws(ModelError) -> ModelInput
  ) {
    self.name = name
    self.decodingTime = decodingTime
    self.read = read
  }
}

extension Item {
  /// The path of its own file, or what stands for one in the names of other files.
  var fileName: String {
    guard !name.hasPrefix(ValueReader.base64Prefix) else { return "" }
    return name.hasPrefix(ValueReader.filePrefix) ? String(name.dropFirst()) : name
  }
}

/// The items of a command line, and whether the user named a set of them.
struct ItemList: Sendable {
  let items: [Item]
  /// A folder or a pattern stands for many items even when it holds one.
  var isSet = false
}
