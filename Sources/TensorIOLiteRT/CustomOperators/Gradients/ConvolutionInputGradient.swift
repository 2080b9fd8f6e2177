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
    let images = try ImageShape(result)
    guard filters.width == images.channels, filters.channels == gradients.channels,
      rows.positionCount(onAxisOf: images.height) == gradients.height,
      columns.positionCount(onAxisOf: images.width) == gradients.width
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    return [result]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let outputs = try ImageShape(call.inputShapes[2])
    let images = try ImageShape(call.outputShapes[0])
    let filters = try call.elements(ofInput: 1, as: Float.self)
    let gradients = try call.elements(ofInput: 2, as: Float.self)
    var result = [Float](repeating: 0, count: call.outputShapes[0].reduce(1, *))
    for item in 0..<images.count where !call.isCancelled {
      for row in 0..<outputs.height {
        let top = rows.start(ofPosition: row, onAxisOf: images.height)
        for column in 0..<outputs.width {
          let left = columns.start(ofPosition: column, onAxisOf: images.width)
          let gradient = outputs.index(item, row, column)
          for y in rows.offsets(atStart: top, onAxisOf: images.height) {
            for x in columns.offsets(atStart: left, onAxisOf: images.width) {
              let pixel = images.index(item, top + y, left + x)
              var filter = (y * columns.size + x) * images.channels * outputs.channels
              for channel in 0..<images.channels {
                var sum: Float = 0
                for index in 0..<outputs.channels {
                  sum += filters[filter + index] * gradients[gradient + index]
                }
                result[pixel + channel] += sum
                filter += outputs.channels
              }
            }
          }
        }
      }
    }
    try call.write(result, toOutput: 0)
  }
}
