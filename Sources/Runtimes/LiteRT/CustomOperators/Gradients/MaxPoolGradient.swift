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
    let windows = try WindowedImages(shapes[0], shapes[2], rows, columns)
    guard shapes[1] == shapes[2], windows.images.channels == windows.positions.channels
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    return [shapes[0]]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let shapes = call.inputShapes
    let windows = try WindowedImages(shapes[0], shapes[2], rows, columns)
    let pixels = try call.elements(ofInput: 0, as: Float.self)
    let gradients = try call.elements(ofInput: 2, as: Float.self)
    var result = [Float](repeating: 0, count: pixels.count)
    windows.forEachWindow(in: call) { window in
      for channel in 0..<windows.images.channels {
        var best: Int?
        window.forEachPixel { pixel, _ in
          let candidate = pixel + channel
          if best.map({ pixels[$0] < pixels[candidate] }) ?? true { best = candidate }
        }
        if let best { result[best] += gradients[window.position + channel] }
      }
    }
    try call.write(result, toOutput: 0)
  }
}
