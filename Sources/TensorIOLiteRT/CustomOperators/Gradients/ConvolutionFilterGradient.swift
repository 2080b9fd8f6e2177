import TensorIOBundle
import TensorIOCore

/// The operator `Conv2DBackpropFilter` of TensorFlow: the gradient of the filters of a convolution.
///
/// Its inputs are the images, the shape of the filters, and the gradient of the convolution's output.
struct ConvolutionFilterGradient: CustomOperator {
  static let name = "FlexConv2DBackpropFilter"

  private let filterShape: [Int]
  private let rows: ImageWindow
  private let columns: ImageWindow

  init(_ node: CustomOperatorNode) throws(ModelError) {
    try node.requireFloats(inputs: 3, outputs: 1, otherInputs: [1])
    let shape = node.outputs[0].shape.signedDimensions
    guard shape.count == 4, shape.allSatisfy({ $0 > 0 }) else {
      throw ModelError(.runtime, .unsupported("filters of the shape \(node.outputs[0].shape)"))
    }
    filterShape = shape
    (rows, columns) = try ImageWindow.windows(
      TensorFlowAttributes(node), sizes: [1, shape[0], shape[1], 1])
  }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] {
    let (images, gradients) = (try ImageShape(shapes[0]), try ImageShape(shapes[2]))
    guard images.count == gradients.count, images.channels == filterShape[2],
      gradients.channels == filterShape[3],
      rows.positionCount(onAxisOf: images.height) == gradients.height,
      columns.positionCount(onAxisOf: images.width) == gradients.width
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    return [filterShape]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let (images, outputs) = (
      try ImageShape(call.inputShapes[0]), try ImageShape(call.inputShapes[2])
    )
    let pixels = try call.elements(ofInput: 0, as: Float.self)
    let gradients = try call.elements(ofInput: 2, as: Float.self)
    var filters = [Float](repeating: 0, count: filterShape.reduce(1, *))
    for item in 0..<images.count where !call.isCancelled {
      for row in 0..<outputs.height {
        let top = rows.start(ofPosition: row, onAxisOf: images.height)
        for column in 0..<outputs.width {
          let left = columns.start(ofPosition: column, onAxisOf: images.width)
          let gradient = outputs.index(item, row, column)
          for y in rows.offsets(atStart: top, onAxisOf: images.height) {
            for x in columns.offsets(atStart: left, onAxisOf: images.width) {
              let pixel = images.index(item, top + y, left + x)
              let filter = (y * columns.size + x) * images.channels * outputs.channels
              filters.addProducts(
                at: filter, pixels[pixel..<pixel + images.channels],
                gradients[gradient..<gradient + outputs.channels])
            }
          }
        }
      }
    }
    try call.write(filters, toOutput: 0)
  }
}

extension [Float] {
  /// Adds the products of all pairs of two lists, row by row, to the elements from an index on.
  fileprivate mutating func addProducts(
    at start: Int, _ left: ArraySlice<Float>, _ right: ArraySlice<Float>
  ) {
    var index = start
    for factor in left {
      for other in right {
        self[index] += factor * other
        index += 1
      }
    }
  }
}
