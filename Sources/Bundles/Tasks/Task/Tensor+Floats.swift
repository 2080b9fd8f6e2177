import TensorIOBundle
import TensorIOCore

extension Tensor {
  /// Returns the elements as floats, without copying those of a float32 tensor.
  func floats(ofLayer layer: String) throws(ModelError) -> [Float] {
    guard let numbers else {
      throw ModelError(
        .output, .wrongType(expected: "numbers", actual: "\(elementType)"), layer: layer)
    }
    return numbers.floats
  }
}
