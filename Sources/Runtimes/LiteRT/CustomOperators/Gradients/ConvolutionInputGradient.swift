import TensorIOBundle
import TensorIOCore

/// The operator `Conv2DBackpropInput` of TensorFlow: the gradient of the images of a convolution.
///
/// Its inputs are the shape of the images, the filters, and the gradient of the convolution's output.
struct ConvolutionInputGradient: CustomOperator {
  static let name = "FlexConv2DBackpropInput"

  private let itemShape: [Int]
  private let rows: ImageWindow
  private let columns: ImageWindow

  init(_ node: CustomOperatorNode) throws(ModelError) {
    try node.requireFloats(inputs: 3, outputs: 1, otherInputs: [0])
    itemShape = try node.outputs[0].itemDimensions()
    let filters = node.inputs[1].shape.signedDimensions
    guard filters.count == 4, filters.allSatisfy({ $0 > 0 }) else {
      throw ModelError(.runtime, .unsupported("filters of the shape \(node.inputs[1].shape)"))
    }
    (rows, columns) = try ImageWindow.windows(
      TensorFlowAttributes(node), sizes: [1, filters[0], filters[1], 1])
  }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] {
    let (filters, gradients) = (try ImageShape(shapes[1]), try ImageShape(shapes[2]))
    let result = [gradients.count] + itemShape
    let windows = try WindowedImages(result, shapes[2], rows, columns)
    guard filters.width == windows.images.channels, filters.channels == gradients.channels
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    return [result]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let shape = call.outputShapes[0]
    let windows = try WindowedImages(shape, call.inputShapes[2], rows, columns)
    let (channels, outputs) = (windows.images.channels, windows.positions.channels)
    let filters = try call.elements(ofInput: 1, as: Float.self)
    let gradients = try call.elements(ofInput: 2, as: Float.self)
    var result = [Float](repeating: 0, count: shape.reduce(1, *))
    windows.forEachWindow(in: call) { window in
      window.forEachPixel { pixel, number in
        for channel in 0..<channels {
          let filter = (number * channels + channel) * outputs
          var sum: Float = 0
          for index in 0..<outputs {
            sum += filters[filter + index] * gradients[window.position + index]
          }
          result[pixel + channel] += sum
        }
      }
    }
    try call.write(result, toOutput: 0)
  }
}
