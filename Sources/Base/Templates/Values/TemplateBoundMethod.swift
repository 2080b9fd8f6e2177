/// A method of a value, such as `text.strip`.
final class TemplateBoundMethod {
  let receiver: TemplateValue
  let name: TemplateText

  /// Creates a method.
  init(_ name: TemplateText, of receiver: TemplateValue) {
    (self.name, self.receiver) = (name, receiver)
  }
}
