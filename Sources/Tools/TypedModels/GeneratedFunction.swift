import TensorIOBundle
import TensorIOTasks

/// The type of a function of a bundle, which is nested in that of the bundle.
struct GeneratedFunction {
  /// The name of the function in the bundle.
  let name: String
  /// The name of the property, in backticks if it is a keyword.
  let property: String
  /// What generates the members of the type.
  let generator: SwiftModelGenerator

  /// Returns the types of the functions of a bundle, in the order of their names.
  ///
  /// - Throws: A ``ModelError`` if a labels file cannot be read.
  static func functions(
    of bundle: ModelBundle, in typeName: String, _ names: GeneratedNames,
    _ options: SwiftModelGenerator.Options
  ) throws(ModelError) -> [GeneratedFunction] {
    var types = SwiftScope(
      reserved: GeneratedNames.usedTypes.union(names.labelTypes.values).union([typeName]))
    var properties = SwiftScope(reserved: [
      "model", "interface", "function", "run", "submit", "stream",
    ])
    var options = options
    options.resource = nil
    var functions: [GeneratedFunction] = []
    for (name, function) in bundle.functions.sorted(by: { $0.key < $1.key }) {
      options.typeName = types.declare(
        SwiftName.upperCamelCase(name, fallback: "Function"), suffix: "Function")
      functions.append(
        GeneratedFunction(
          name: name,
          property: properties.declare(
            SwiftName.lowerCamelCase(name, fallback: "function"), suffix: "Function"),
          generator: try SwiftModelGenerator(function, options: options)))
    }
    return functions
  }

  /// Writes the type.
  func write(to source: inout SwiftSource, _ modifiers: String) {
    source.line()
    source.comment("The function `\(name)` of the bundle.")
    source.block("\(modifiers)struct \(generator.typeName): TypedModel") { source in
      source.comment("The name of the function.")
      source.line(
        "\(generator.access)static let function: String? = \(SwiftSource.literal(name))")
      source.line()
      generator.writeMembers(to: &source)
      generator.writeInitializers(to: &source)
      generator.writeCalls(to: &source)
    }
  }
}
