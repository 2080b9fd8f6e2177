/// What a task makes of a model's raw outputs, to be printed in their place.
package protocol TellingAnswer: Sendable {
  /// The name under which it stands among the outputs.
  var key: String { get }
  /// Writes it as JSON.
  func write(to writer: inout JSONWriter)
}
