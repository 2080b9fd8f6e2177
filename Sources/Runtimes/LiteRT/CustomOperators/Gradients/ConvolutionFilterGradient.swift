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
    let windows = try WindowedImages(shapes[0], shapes[2], rows, columns)
    guard windows.images.channels == filterShape[2], windows.positions.channels == filterShape[3]
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    return [filterShape]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let shapes = call.inputShapes
    let windows = try WindowedImages(shapes[0], shapes[2], rows, columns)
    let (channels, outputs) = (windows.images.channels, windows.positions.channels)
    let pixels = try call.elements(ofInput: 0, as: Float.self)
    let gradients = try call.elements(ofInput: 2, as: Float.self)
    var filters = [Float](repeating: 0, count: filterShape.reduce(1, *))
    windows.forEachWindow(in: call) { window in
      window.forEachPixel { pixel, number in
        filters.addProducts(
          at: number * channels * outputs, pixels[pixel..<pixel + channels],
          gradients[window.position..<window.position + outputs])
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
