/// The file or folder that holds a model's weights.
public struct ModelFile: Sendable, Hashable {
  /// Where it lies.
  public let path: String
  /// Its name as `model.json` writes it, for messages.
  public let name: String
  /// What the bundle's manifest says of it, where there is one.
  var listed: ListedFiles?

  /// A model at a path.
  public init(path: String, name: String) {
    self.path = path
    self.name = name
  }
}
