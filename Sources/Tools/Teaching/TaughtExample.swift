import TensorIOBundle

/// An example of a class: its embedding and where it is from.
struct TaughtExample: Sendable, Hashable {
  /// The class; ``Teacher/unknownLabel`` for an example of none.
  var label = ""
  /// The name for messages: a relative path, or a line.
  var name = ""
  /// The digest of the input and of everything that determines the embedding; empty for an embedding from a gallery.
  var digest = ""
  /// Whether the backbone was trained on the example.
  var isTrained = false
  /// The embedding.
  var embedding: [Float] = []
}
