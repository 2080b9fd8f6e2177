/// A model of an application's own, for bundles that no runtime can run by itself.
///
/// It may compute in Swift, or wrap a runtime's model and do something before and after:
///
///     struct Doubler: ModelRunner {
///       func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
///         let number = try input.values(for: ["x"])[0].value(as: Double.self)
///         return ModelOutput(layers: [.init(name: "y", value: .number(2 * number))])
///       }
///     }
///
/// ``Model`` runs it in the thread of the caller, and may do so in several at once. What goes wrong
/// is thrown as a ``ModelError``: ``ModelError/Reason/failed(_:)`` takes any words.
public protocol ModelRunner: Sendable {
  /// The answer to one item.
  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput
}

extension Model: ModelRunner {}
