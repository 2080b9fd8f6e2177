import TensorIOBundle
import TensorIOCore

/// The outputs of a model that a head decodes.
struct HeadTensors {
  /// The output with the role `boxes`.
  let boxes: HeadTensor
  /// The output with the role `scores`, if there is one.
  let scores: HeadTensor?
  /// The output with the role `offsets`, if there is one.
  var offsets: HeadTensor?
}

extension HeadTensors {
  init(
    _ output: ModelOutput, boxes: String, scores: String?, offsets: String?
  ) throws(ModelError) {
    self.boxes = try HeadTensor(output, boxes)
    self.scores = try scores.map { (name) throws(ModelError) in try HeadTensor(output, name) }
    self.offsets = try offsets.map { (name) throws(ModelError) in try HeadTensor(output, name) }
  }
}

/// An output of numbers with its shape.
struct HeadTensor {
  let name: String
  /// The dimensions without leading ones of length 1, at least two.
  let shape: [Int]
  /// The elements in row-major order.
  let values: [Float]

  init(_ output: ModelOutput, _ name: String) throws(ModelError) {
    let tensor = try output.tensor(name)
    let values: [Float] =
      tensor.elementType == .float32
      ? try tensor.array(of: Float.self) : try output.value(of: name)
    self.init(name: name, shape: tensor.shape, values: values)
  }

  init(name: String, shape: [Int], values: [Float]) {
    var shape = shape
    while shape.count > 2, shape[0] == 1 { shape.removeFirst() }
    (self.name, self.shape, self.values) = (name, shape, values)
  }

  /// Returns the numbers of rows and columns of a matrix.
  ///
  /// - Throws: A ``ModelError`` if the output is no matrix or has fewer columns than `minColumns`.
  func matrix(
    _ layout: String, head: String, minColumns: Int
  ) throws(ModelError) -> (rows: Int, columns: Int) {
    guard shape.count == 2, shape[1] >= minColumns, values.count == shape[0] * shape[1] else {
      throw mismatch("the head \(head) needs the shape \(layout)")
    }
    return (shape[0], shape[1])
  }

  /// Returns an error with the shape of the output.
  func mismatch(_ requirement: String) -> ModelError {
    ModelError(
      .output,
      .invalidValue(
        "\(requirement, as: "requirement"); the output has the shape \(shape, as: "shape") without leading axes of length 1"
      ),
      layer: name)
  }
}
