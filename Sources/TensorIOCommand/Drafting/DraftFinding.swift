/// One value of a drafted description, and where it comes from.
struct DraftFinding: Sendable, Equatable {
  /// What says what a value is.
  enum Source: String, Sendable, CaseIterable {
    /// The model's own tensors.
    case tensors
    /// What the model says of itself beyond its tensors.
    case metadata
    /// A file that is packed in the model.
    case packed
    /// The labels file that the user gave.
    case labels
    /// The `tflite_metadata.json` that the user gave.
    case export
    /// The command line.
    case arguments
    /// Nothing but what models usually are.
    case guess
  }

  /// Where in the description it stands, as a JSON Pointer.
  let path: String
  /// What was decided.
  let value: String
  let source: Source
  /// Why somebody should check it; `nil` when nobody needs to.
  var doubt: String?
}
