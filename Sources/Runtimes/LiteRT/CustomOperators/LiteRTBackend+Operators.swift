package import TensorIOBundle
package import TensorIOCore

extension LiteRTBackend: OperatorListingBackend {
  /// The operators in Swift, followed by those of LiteRT by name.
  package static var availableCustomOperators: [CustomOperatorUse] {
    let version = BuiltInCustomOperators.version
    return BuiltInCustomOperators.all.map {
      CustomOperatorUse($0.name, version: version, origin: .builtIn)
    }
      + BuiltInCustomOperators.runtimeOperators.sorted().map {
        CustomOperatorUse($0, version: version, origin: .runtime)
      }
  }

  /// Reads the operator codes of a `.tflite` file.
  package func customOperators(of file: ModelFile) throws(ModelError) -> [CustomOperatorUse] {
    guard let usage = OperatorUsage(try ModelBytes(file)) else {
      throw ModelError(
        .runtime, .modelRejected(detail: "the file is not a TensorFlow Lite model"),
        file: file.path)
    }
    let registered = customOperators.registered
    var uses: [CustomOperatorUse] = []
    for (name, version) in usage.customOperators {
      let use = CustomOperatorUse(
        name, version: version, origin: Self.origin(of: name, version, registered))
      if !uses.contains(use) { uses.append(use) }
    }
    return uses
  }

  /// Returns the source of the implementation that a model of this backend gets.
  private static func origin(
    of name: String, _ version: Int, _ registered: [String: any CustomOperator.Type]
  ) -> CustomOperatorUse.Origin {
    guard version == BuiltInCustomOperators.version else { return .unknown }
    if registered[name] != nil { return .registered }
    if BuiltInCustomOperators.byName[name] != nil { return .builtIn }
    return BuiltInCustomOperators.runtimeOperators.contains(name) ? .runtime : .unknown
  }
}
