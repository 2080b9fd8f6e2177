/// What a model's outputs mean together.
///
/// The format knows that there is a task; what its settings mean is up to who performs it.
public struct ModelTask: Sendable, Hashable {
  /// The word for the task, such as `detection`.
  public var type: String
  /// The other keys, with their values as JSON text.
  public var settings: [String: String]

  /// A task of a kind.
  public init(type: String, settings: [String: String] = [:]) {
    self.type = type
    self.settings = settings
  }

  /// The value of a setting.
  public func value(of key: String) -> JSONNode? {
    settings[key].flatMap(JSONNode.init(json:))
  }
}

/// What an output is to a task.
public enum OutputRole: String, Sendable, Hashable, CaseIterable {
  /// Rectangles, four numbers each.
  case boxes
  /// Indices of labels.
  case classes
  /// How sure the model is, by label or by detection.
  case scores
  /// How many of the other outputs' rows mean something.
  case count
  /// For every place of a picture, how likely something is there.
  case heatmap
  /// Named points.
  case keypoints
  /// Numbers that are near one another for things that are alike.
  case embedding
  /// For every pixel of a picture, what it belongs to.
  case mask
  /// A picture.
  case image
}

extension Layer {
  /// Whether labels name the places of the layer's values, and not the values themselves, as
  /// those of class indices do.
  var isLabelledByPlace: Bool { role == nil || role == .scores }
}
