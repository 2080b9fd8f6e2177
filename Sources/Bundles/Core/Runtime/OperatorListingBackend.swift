package import TensorIOBundle

/// A backend whose models may use custom operators.
package protocol OperatorListingBackend: Backend {
  /// The operators that the library and the runtime contain.
  static var availableCustomOperators: [CustomOperatorUse] { get }

  /// Returns the custom operators that a model uses, without loading it.
  ///
  /// - Parameter file: The untrusted model.
  /// - Returns: The operators of all signatures, in the order of the file.
  /// - Throws: A `ModelError` if the file cannot be read.
  func customOperators(of file: ModelFile) throws(ModelError) -> [CustomOperatorUse]
}
