import TensorIOBundle
import TensorIOTasks

/// The names, types and texts of everything in a generated type.
struct GeneratedNames {
  /// A property for an input, an output or a part of the result.
  struct Value {
    /// The name of the layer; empty for a result.
    var layer = ""
    /// The name of the property, in backticks if it is a keyword.
    let name: String
    /// The type of the property.
    let propertyType: String
    /// The type of the parameter.
    var parameterType: String
    /// The expression that reads an output; empty for inputs.
    var expression = ""
    /// A description for documentation.
    let summary: String

    /// The name as an argument label, in which few keywords need backticks.
    var label: String {
      let plain = name.filter { $0 != "`" }
      return ["inout", "let", "var"].contains(plain) ? name : plain
    }
    /// The type of an optional value.
    var optionalType: String {
      propertyType.hasPrefix("any ") ? "(\(propertyType))?" : propertyType + "?"
    }
  }

  /// The parameters for inputs, in order.
  let inputs: [Value]
  /// The optional inputs, in order.
  let settings: [Value]
  /// The properties for outputs and the result.
  let outputs: [Value]
  /// The names of the enumerations, by output.
  let labelTypes: [String: String]
  /// The name of the enumeration of the result's labels; `nil` if its labels are strings.
  let resultLabelType: String?
  /// The property with the result.
  let result: String
  /// The property with the best label.
  static let bestLabel = "label"

  /// The names of types that generated code uses, which the type itself must not have.
  static let usedTypes = Set(
    [
      "Any", "Array", "Bool", "Bundle", "Classification", "Data", "Dictionary", "Double", "Float",
      "Foundation", "ImageBuffer", "ImageInput", "Input", "Int", "Label", "Labeled", "LayerValue",
      "Model", "ModelError", "ModelInput", "ModelInputConvertible", "ModelInterface", "ModelLabel",
      "ModelOutput", "ModelStream", "OpeningOptions", "Optional", "Output", "Placeholders",
      "Sendable", "Settings", "SoundInput", "String", "TensorIO", "TypedModel", "TypedModelOutput",
      "TypedModelStream", "UInt8",
    ] + TaskRegistry.standard.formats.flatMap { $0.interface?.typeNames ?? [] })

  init(_ content: InterfaceContent) {
    var types = SwiftScope(reserved: Self.usedTypes)
    var labelTypes: [String: String] = [:]
    for labels in content.labels {
      let base = SwiftName.upperCamelCase(labels.name, fallback: "Output") + "Label"
      labelTypes[labels.name] =
        labels.name == content.resultOutput ? "Label" : types.declare(base, suffix: "Type")
    }
    self.labelTypes = labelTypes
    resultLabelType = content.resultOutput.flatMap { labelTypes[$0] }
    var scope = SwiftScope(reserved: ["modelInput", "settings", "layerValue", "run", "submit"])
    inputs = content.inputs.flatMap { Self.inputs($0, in: &scope) }
    var settingScope = SwiftScope(reserved: ["placeholders", "values", "value"])
    settings = content.placeholders.flatMap { Self.inputs($0, in: &settingScope) }
    result = content.result?.properties.first?.name ?? ""
    let results = Self.results(content, resultLabelType)
    var outputs = results
    // An output with the name of a part of the result gets a suffix.
    let label = content.result?.hasBestLabel ?? false ? [Self.bestLabel] : []
    var outputScope = SwiftScope(
      reserved: Set(["modelOutput"] + label + results.map(\.name)))
    outputs += content.outputs.map { element in
      Self.output(element, content, labelTypes[element.name], in: &outputScope)
    }
    for labels in content.labels where labels.name != content.resultOutput {
      guard let type = labelTypes[labels.name] else { continue }
      let name = SwiftName.lowerCamelCase(labels.name + " labels", fallback: "labels")
      outputs.append(
        Value(
          layer: labels.name, name: outputScope.declare(name, suffix: "Output"),
          propertyType: "[Labeled<Classification.Entry, \(type)>]", parameterType: "",
          expression:
            "modelOutput[\(SwiftSource.literal(labels.name))].top().labeled(by: \(type).self)",
          summary: "The labels of the output `\(labels.name)`, highest score first."))
    }
    self.outputs = outputs
  }

  /// Returns the names of cases for labels, in the same order.
  static func cases(for labels: [String]) -> [String] {
    var scope = SwiftScope(reserved: [
      "none", "some", "allCases", "rawValue", "hashValue", "hash",
    ])
    return labels.enumerated().map { index, text in
      let fallback = text.isEmpty ? "empty" : "label\(index)"
      let name = SwiftName.lowerCamelCase(text, fallback: fallback)
      return scope.declare(name, suffix: "Label")
    }
  }

  // MARK: Inputs

  /// Returns the parameters for an input.
  private static func inputs(
    _ element: InterfaceContent.Element, in scope: inout SwiftScope
  ) -> [Value] {
    func value(_ text: String, _ type: String, _ summary: String) -> Value {
      let name = scope.declare(
        SwiftName.lowerCamelCase(text, fallback: "input"), suffix: "Value")
      let parameter = type.hasPrefix("any ") ? "some " + type.dropFirst(4) : type
      return Value(
        layer: element.name, name: name, propertyType: type, parameterType: parameter,
        summary: element.summary(summary))
    }
    let (name, layer) = (element.name, "The input `\(element.name)`")
    switch element.type {
    case .image:
      return [value(name, "any ImageInput", "\(layer): an image, or the bytes of an image file.")]
    case .sound:
      return [value(name, "any SoundInput", "\(layer): sound, or the bytes of a sound file.")]
    case .text: return [value(name, "String", "\(layer): a text.")]
    case .question:
      return [
        value("question", "String", "The question."),
        value("context", "String", "The text that contains the answer."),
      ]
    case .bytes:
      return [value(name, "Data", "\(layer): bytes in the layout of the shape \(element.shape).")]
    case .number(let number): return [value(name, number.swiftType, "\(layer): a number.")]
    case .numbers(let number, let shape):
      return [value(name, "[\(number.swiftType)]", "\(layer): \(numbers(shape)).")]
    case .features(let names):
      return names.map { value($0, "Float", "The feature `\($0)` of the input `\(name)`.") }
    case .scores: return [value(name, "[Float]", "\(layer): scores.")]
    }
  }

  private static func numbers(_ shape: TensorShape) -> String {
    guard !shape.hasVariableLength, let count = shape.elementCount else {
      return "numbers of the shape \(shape)"
    }
    return "\(count) numbers of the shape \(shape), row by row"
  }

  // MARK: Outputs

  /// Returns the property for an output.
  private static func output(
    _ element: InterfaceContent.Element, _ content: InterfaceContent, _ labelType: String?,
    in scope: inout SwiftScope
  ) -> Value {
    let name = scope.declare(
      SwiftName.lowerCamelCase(element.name, fallback: "value"), suffix: "Output")
    let layer = "The output `\(element.name)`"
    let result = content.resultOutput == element.name ? content.result?.outputExpression : nil
    let (type, summary) = typeAndSummary(element.type, layer)
    return Value(
      layer: element.name, name: name, propertyType: type, parameterType: "",
      expression: "modelOutput."
        + (result ?? "value(of: \(SwiftSource.literal(element.name)))"),
      summary: element.summary(summary))
  }

  private static func typeAndSummary(
    _ type: InterfaceType, _ layer: String
  ) -> (type: String, summary: String) {
    switch type {
    case .image: ("ImageBuffer", "\(layer): an image.")
    case .bytes: ("[UInt8]", "\(layer): bytes in the tensor's layout.")
    case .number(let number): (number.swiftType, "\(layer): a number.")
    case .numbers(let number, let shape): ("[\(number.swiftType)]", "\(layer): \(numbers(shape)).")
    case .scores: ("Classification", "\(layer): the scores of all labels, in order.")
    case .sound, .text, .question, .features: ("LayerValue", "\(layer).")
    }
  }

  /// Returns the properties for the result of the task.
  private static func results(_ content: InterfaceContent, _ labelType: String?) -> [Value] {
    (content.result?.properties ?? []).compactMap { property in
      guard content.takesSound || !property.requiresSound else { return nil }
      let labeled = property.element.flatMap { element in
        labelType.map { (type: "[Labeled<\(element), \($0)>]", suffix: ".labeled(by: \($0).self)") }
      }
      guard let type = labeled?.type ?? property.type else { return nil }
      return Value(
        name: property.name, propertyType: type, parameterType: "",
        expression: property.expression + (labeled?.suffix ?? ""),
        summary: property.summary)
    }
  }
}

extension TaskInterface {
  /// The names of the types of the properties.
  fileprivate var typeNames: [String] {
    properties.flatMap { property in
      [property.type, property.element].compactMap(\.self).flatMap {
        $0.split { !$0.isLetter }.map(String.init)
      }
    }
  }
}

extension InterfaceType.Number {
  /// The type in Swift.
  fileprivate var swiftType: String {
    switch self {
    case .float: "Float"
    case .double: "Double"
    case .int: "Int"
    case .bool: "Bool"
    }
  }
}

extension InterfaceContent.Element {
  /// Returns a description of the values, with the sentence of the bundle.
  fileprivate func summary(_ text: String) -> String {
    details.map { "\(text) \($0)" } ?? text
  }
}
