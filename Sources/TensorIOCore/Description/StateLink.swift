/// What a model remembers from one run to the next: an output that goes into an input again.
///
/// The first run begins at zero. ``Model/run(_:)-(ModelInput)`` always is a first run; a
/// `ModelStream` carries on.
public struct StateLink: Sendable, Hashable {
  /// The name of the output.
  public var output: String
  /// The name of the input, which callers need not give.
  public var input: String

  /// A link from an output to an input.
  public init(output: String, input: String) {
    self.output = output
    self.input = input
  }
}

extension ModelDescription {
  /// The inputs that a caller gives: all but those that the model's own outputs go into.
  public var askedInputs: [Layer] {
    inputs.filter { layer in !state.contains { $0.input == layer.name } }
  }
}
