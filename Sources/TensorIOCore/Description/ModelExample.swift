/// An input to try a model on, and what should come out.
///
/// Values are kept as JSON text and read when the example is run, when the model is there to say
/// what they have to be.
public struct ModelExample: Sendable, Hashable {
  /// How far a number may be from the one that is expected, unless the example says otherwise.
  public static let standardTolerance: Float = 0.001

  /// What goes in, as `tensorio run` takes it.
  public var input: String
  /// What should come out of some of the outputs, by name.
  public var output: [String: String]
  /// How far each number may be from the one that is expected.
  public var tolerance: Float

  /// An input, and what should come of it.
  public init(
    input: String, output: [String: String] = [:], tolerance: Float = standardTolerance
  ) {
    self.input = input
    self.output = output
    self.tolerance = tolerance
  }
}
