/// The address of a model in a model repository:
/// `tio:///models/<model>/hyperparameters/<hyperparameters>/checkpoints/<checkpoint>`.
public struct ModelIdentifier: Sendable, Hashable {
  /// The model.
  public let model: String
  /// The settings with which it was trained.
  public let hyperparameters: String
  /// The state of its training.
  public let checkpoint: String

  /// The beginning of every address.
  static let scheme = "tio://"

  /// An address of three names.
  public init(model: String, hyperparameters: String, checkpoint: String) {
    self.model = model
    self.hyperparameters = hyperparameters
    self.checkpoint = checkpoint
  }

  /// Reads an address; `nil` when a text is none.
  public init?(_ text: String) {
    guard text.hasPrefix(ModelIdentifier.scheme) else { return nil }
    let parts = text.dropFirst(ModelIdentifier.scheme.count)
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let words = ["", "models", "hyperparameters", "checkpoints"]
    guard parts.count == 7, [parts[0], parts[1], parts[3], parts[5]] == words,
      ![parts[2], parts[4], parts[6]].contains("")
    else { return nil }
    self.init(model: parts[2], hyperparameters: parts[4], checkpoint: parts[6])
  }
}

extension ModelIdentifier: CustomStringConvertible {
  /// The address.
  public var description: String {
    "tio:///models/\(model)/hyperparameters/\(hyperparameters)/checkpoints/\(checkpoint)"
  }
}

extension ModelDescription {
  /// The model's address, where its `id` is one.
  public var identifier: ModelIdentifier? { ModelIdentifier(id) }
}
