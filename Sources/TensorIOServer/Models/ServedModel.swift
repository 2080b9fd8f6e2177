package import TensorIOAnswers
package import TensorIOCore

/// A model that is open, under the name by which it is asked for.
package struct ServedModel: Sendable {
  /// By what it is asked for.
  package let name: String
  /// The model.
  package let model: Model
  /// What the bundle's task makes of its outputs, when nobody wants it otherwise.
  package let tasks: TaskAnswering

  /// A model under a name.
  package init(_ name: String, _ model: Model) throws(ModelError) {
    (self.name, self.model) = (name, model)
    tasks = try TaskAnswering(model)
  }
}
