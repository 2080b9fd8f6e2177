/// The result of a task in typed code: what `tensorio swift` makes of it.
package struct TaskInterface: Sendable {
  /// A property with the result, or a part of it.
  package struct Property: Sendable {
    /// The name.
    package let name: String
    /// The type; `nil` for a property that only models with a list of labels have.
    package let type: String?
    /// The type of its elements, which have labels; `nil` if they have none.
    package var element: String?
    /// The expression in terms of `modelOutput` and the properties before it.
    package let expression: String
    /// A sentence about it.
    package let summary: String
    /// Whether only models that take sound have it.
    package var requiresSound = false

    /// Creates a property; the expression is that of the output's property with its name if it is not given.
    package init(
      _ name: String, as expression: String? = nil, type: String?, element: String? = nil,
      requiresSound: Bool = false, _ summary: String
    ) {
      (self.name, self.expression, self.type, self.element) = (
        name, expression ?? "modelOutput.\(name)", type, element
      )
      (self.requiresSound, self.summary) = (requiresSound, summary)
    }
  }

  /// The name of the result in a ``ModelInterface``.
  package let name: String
  /// The properties.
  package let properties: [Property]
  /// The expression that reads the output that is the result; `nil` if the result is none of the outputs.
  package var outputExpression: String?
  /// Whether typed code has a property with the best label.
  package var hasBestLabel = false
  /// Whether a text input is a question, with the text that contains the answer.
  package var takesQuestion = false
  /// Whether the result replaces an output.
  package var replaces: @Sendable (Layer) -> Bool = { $0.role != nil }
  /// Returns the output with the labels of the result; `nil` if it has none.
  package var labeledOutput: @Sendable ([Layer]) -> Layer? = { _ in nil }
  /// Whether typed code can list labels, because every part of a result has one of them.
  package var canList: @Sendable ([String], TaskDescription?) -> Bool = { _, _ in true }

  /// Creates an interface.
  package init(_ name: String, _ properties: Property...) {
    (self.name, self.properties) = (name, properties)
  }

  /// Returns the interface with changes.
  package func with(_ change: (inout TaskInterface) -> Void) -> TaskInterface {
    var copy = self
    change(&copy)
    return copy
  }
}
