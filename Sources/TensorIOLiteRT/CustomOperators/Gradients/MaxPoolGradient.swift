import TensorIOBundle
import TensorIOCore

/// The operator `MaxPoolGrad` of TensorFlow: passes each gradient to the maximum of its window, the first one
/// if several are equal.
///
/// Its inputs are the images, the pooled images, and the gradient of the pooled images.
struct MaxPoolGradient: CustomOperator {
  static let name = "FlexMaxPoolGrad"

  private let rows: ImageWindow
  private let columns: ImageWindow

  init(_ node: CustomOperatorNode) throws(ModelError) {
    try node.requireFloats(inputs: 3, outputs: 1)
    let attributes = try TensorFlowAttributes(node)
    (rows, columns) = try ImageWindow.windows(attributes, sizes: attributes.integers("ksize"))
  }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] {
    let (images, pooled) = (try ImageShape(shapes[0]), try ImageShape(shapes[2]))
    guard shapes[1] == shapes[2], images.count == pooled.count, images.channels == pooled.channels,
      rows.positionCount(onAxisOf: images.height) == pooled.height,
      columns.positionCount(onAxisOf: images.width) == pooled.width
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    return [shapes[0]]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let (images, pooled) = (
      try ImageShape(call.inputShapes[0]), try ImageShape(call.inputShapes[2])
    )
    let pixels = try call.elements(ofInput: 0, as: Float.self)
    let gradients = try call.elements(ofInput: 2, as: Float.self)
    var result = [Float](repeating: 0, count: pixels.count)
    for item in 0..<pooled.count where !call.isCancelled {
      for row in 0..<pooled.height {
        let top = rows.start(ofPosition: row, onAxisOf: images.height)
        let rowOffsets = rows.offsets(atStart: top, onAxisOf: images.height)
        for column in 0..<pooled.width {
          let left = columns.start(ofPosition: column, onAxisOf: images.width)
          let columnOffsets = columns.offsets(atStart: left, onAxisOf: images.width)
          let gradient = pooled.index(item, row, column)
          for channel in 0..<images.channels {
            var best: Int?
            for y in rowOffsets {
              for x in columnOffsets {
                let pixel = images.index(item, top + y, left + x) + channel
                if best.map({ pixels[$0] < pixels[pixel] }) ?? true { best = pixel }
              }
            }
            if let best { result[best] += gradients[gradient + channel] }
          }
        }
      }
    }
    try call.write(result, toOutput: 0)
  }
}
