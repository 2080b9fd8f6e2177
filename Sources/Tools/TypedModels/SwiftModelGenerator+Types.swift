import TensorIOBundle
import TensorIOTasks

extension SwiftModelGenerator {
  /// Writes an enumeration for each list of labels.
  func writeLabels(to source: inout SwiftSource) {
    for labels in content.labels {
      guard let name = names.labelTypes[labels.name] else { continue }
      source.comment("The labels of the output `\(labels.name)`.")
      source.block("\(modifiers)enum \(name): String, ModelLabel") { source in
        for (label, text) in zip(GeneratedNames.cases(for: labels.texts), labels.texts) {
          source.line("case \(label) = \(SwiftSource.literal(text))")
        }
      }
      source.line()
    }
  }

  // MARK: Inputs

  /// Writes the values of all inputs as a structure.
  func writeInput(to source: inout SwiftSource) {
    source.comment("The values of all inputs.")
    source.block("\(modifiers)struct Input: ModelInputConvertible, Sendable") { source in
      for value in names.inputs {
        source.comment(value.summary)
        source.line("\(access)var \(value.name): \(value.propertyType)")
      }
      if !names.inputs.isEmpty { source.line() }
      source.comment("Creates the values of all inputs.")
      let parameters = names.inputs.map { "\($0.label): \($0.parameterType)" }
      source.block("\(access)init(\(parameters.joined(separator: ", ")))") { source in
        for value in names.inputs { source.line("self.\(value.name) = \(value.name)") }
      }
      source.line()
      source.comment("The values by input name.")
      source.block("\(access)var modelInput: ModelInput") { source in
        source.line(".named([\(content.inputs.isEmpty ? ":" : "")")
        source.indented { source in
          for element in content.inputs {
            let values = names.inputs.filter { $0.layer == element.name }
            let value = Self.layerValue(element, values)
            source.line("\(SwiftSource.literal(element.name)): \(value),")
          }
        }
        source.line("])")
      }
    }
  }

  /// Returns the expression for the value of an input.
  private static func layerValue(
    _ element: InterfaceContent.Element, _ values: [GeneratedNames.Value]
  ) -> String {
    switch element.type {
    case .features, .question:
      "[\(values.map(\.name).joined(separator: ", "))].layerValue"
    default: "\(values.first?.name ?? "").layerValue"
    }
  }

  /// Writes the optional inputs as a structure.
  func writeSettings(to source: inout SwiftSource) {
    guard !names.settings.isEmpty else { return }
    source.line()
    source.comment("Values of optional inputs; the default of the bundle replaces `nil`.")
    source.block("\(modifiers)struct Settings: Sendable") { source in
      for value in names.settings {
        source.comment(value.summary)
        source.line("\(access)var \(value.name): \(value.optionalType)")
      }
      source.line()
      source.comment("Creates settings.")
      let parameters = names.settings.map { "\($0.label): \($0.optionalType) = nil" }
      source.block("\(access)init(\(parameters.joined(separator: ", ")))") { source in
        for value in names.settings { source.line("self.\(value.name) = \(value.name)") }
      }
      source.line()
      source.comment("The values by name.")
      source.block("\(access)var placeholders: Placeholders") { source in
        source.line("var values: [String: LayerValue] = [:]")
        for value in names.settings {
          let layer = SwiftSource.literal(value.layer)
          source.line("if let value = \(value.name) { values[\(layer)] = value.layerValue }")
        }
        source.line("return Placeholders(values)")
      }
    }
  }

  // MARK: Outputs

  /// Writes the values of all outputs as a structure.
  func writeOutput(to source: inout SwiftSource) {
    source.line()
    source.comment("The values of all outputs.")
    source.block("\(modifiers)struct Output: TypedModelOutput") { source in
      for value in names.outputs {
        source.comment(value.summary)
        source.line("\(access)let \(value.name): \(value.propertyType)")
      }
      source.comment("The outputs without types.")
      source.line("\(access)let modelOutput: ModelOutput")
      if content.result?.hasBestLabel ?? false {
        source.line()
        source.comment(
          "The label with the highest score; `nil` if no score exceeds the bundle's threshold.")
        let property = "\(GeneratedNames.bestLabel): \(names.resultLabelType ?? "String")?"
        source.line("\(access)var \(property) { \(names.result).first?.label }")
      }
      source.line()
      source.comment("Reads the outputs of a run.")
      source.block("\(access)init(_ modelOutput: ModelOutput) throws(ModelError)") { source in
        for value in names.outputs { source.line("\(value.name) = try \(value.expression)") }
        source.line("self.modelOutput = modelOutput")
      }
    }
  }
}
