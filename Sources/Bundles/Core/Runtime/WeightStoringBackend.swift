package import TensorIOBundle

/// A backend whose model files can be written with smaller weights.
package protocol WeightStoringBackend: Backend {
  /// Returns a copy of a model file whose float weights have half precision, and which has equal weights once.
  ///
  /// The copy computes with floats: it is smaller, and not faster.
  ///
  /// - Parameter file: The model.
  /// - Returns: The contents of the copy, which needs no other files.
  /// - Throws: `ModelError` if the file cannot be read, or has parts that cannot be copied.
  func copyInHalfPrecision(of file: ModelFile) throws(ModelError) -> [UInt8]

  /// Returns the names of other files that the model consists of, relative to its folder.
  func companionFiles(of file: ModelFile) throws(ModelError) -> [String]
}
