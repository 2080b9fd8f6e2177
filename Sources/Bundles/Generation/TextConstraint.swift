/// What a generated text has to be.
///
/// In each step, only the tokens can be chosen that continue such a text. It ends when nothing can follow, or when the model ends
/// it at a place where it is whole. A text that reaches its maximum number of tokens is not whole: check
/// ``GeneratedText/end``. The rules of the text are those of its form; whether its content is right depends on the
/// model, which a prompt that describes the form helps.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "smollm2.tiobundle")
/// var options = GenerationOptions(maxTokens: 100)
/// options.constraint = .schema(
///   #"{"properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["name", "age"]}"#)
/// print(try model.generate("Invent a person, as JSON.", options: options).result().text)
/// ```
public enum TextConstraint: Sendable, Hashable {
  /// An object in JSON.
  case json
  /// A value in JSON that fulfills a JSON Schema; one with unsupported keywords is an error when the text is requested.
  case schema(String)
  /// A text that a regular expression of ECMAScript matches as a whole.
  case pattern(String)
}
