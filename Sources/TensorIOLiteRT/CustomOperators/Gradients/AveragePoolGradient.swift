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
    let pooled = try ImageShape(shapes[1])
    let result = [pooled.count] + itemShape
    let images = try ImageShape(result)
    guard images.channels == pooled.channels,
      rows.positionCount(onAxisOf: images.height) == pooled.height,
      columns.positionCount(onAxisOf: images.width) == pooled.width
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    return [result]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let pooled = try ImageShape(call.inputShapes[1])
    let images = try ImageShape(call.outputShapes[0])
    let gradients = try call.elements(ofInput: 1, as: Float.self)
    var result = [Float](repeating: 0, count: call.outputShapes[0].reduce(1, *))
    for item in 0..<pooled.count where !call.isCancelled {
      for row in 0..<pooled.height {
        let top = rows.start(ofPosition: row, onAxisOf: images.height)
        let rowOffsets = rows.offsets(atStart: top, onAxisOf: images.height)
        for column in 0..<pooled.width {
          let left = columns.start(ofPosition: column, onAxisOf: images.width)
          let columnOffsets = columns.offsets(atStart: left, onAxisOf: images.width)
          let gradient = pooled.index(item, row, column)
          let share = 1 / Float(rowOffsets.count * columnOffsets.count)
          for y in rowOffsets {
            for x in columnOffsets {
              let pixel = images.index(item, top + y, left + x)
              for channel in 0..<images.channels {
                result[pixel + channel] += gradients[gradient + channel] * share
              }
            }
          }
        }
      }
    }
    try call.write(result, toOutput: 0)
  }
}
