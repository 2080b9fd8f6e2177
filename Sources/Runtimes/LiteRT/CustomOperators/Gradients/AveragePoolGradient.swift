import TensorIOBundle
import TensorIOCore

/// The operator `AvgPoolGrad` of TensorFlow: distributes each gradient evenly over the pixels of its window.
///
/// Its inputs are the shape of the images, and the gradient of the pooled images.
struct AveragePoolGradient: CustomOperator {
  static let name = "FlexAvgPoolGrad"

  private let itemShape: [Int]
  private let rows: ImageWindow
  private let columns: ImageWindow

  init(_ node: CustomOperatorNode) throws(ModelError) {
    try node.requireFloats(inputs: 2, outputs: 1, otherInputs: [0])
    itemShape = try node.outputs[0].itemDimensions()
    let attributes = try TensorFlowAttributes(node)
    (rows, columns) = try ImageWindow.windows(attributes, sizes: attributes.integers("ksize"))
  }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] {
    let result = [try ImageShape(shapes[1]).count] + itemShape
    let windows = try WindowedImages(result, shapes[1], rows, columns)
    guard windows.images.channels == windows.positions.channels
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    return [result]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let shape = call.outputShapes[0]
    let windows = try WindowedImages(shape, call.inputShapes[1], rows, columns)
    let gradients = try call.elements(ofInput: 1, as: Float.self)
    var result = [Float](repeating: 0, count: shape.reduce(1, *))
    windows.forEachWindow(in: call) { window in
      let share = 1 / Float(window.pixelCount)
      window.forEachPixel { pixel, _ in
        for channel in 0..<windows.images.channels {
          result[pixel + channel] += gradients[window.position + channel] * share
        }
      }
    }
    try call.write(result, toOutput: 0)
  }
}
