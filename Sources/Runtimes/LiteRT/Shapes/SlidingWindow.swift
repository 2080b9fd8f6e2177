/// A window that slides over the spatial dimensions of an image.
struct SlidingWindow {
  /// The option fields that describe the window of an operator.
  struct Fields {
    /// The fields for the size of the window; `nil` if it is the size of the second input.
    var size: (width: Int, height: Int)?
    /// The fields for the dilation; `nil` if the operator has none.
    var dilation: (width: Int, height: Int)?
    /// The dimension of the second input that is the number of output channels.
    var channelAxis = 0
  }

  private let isPadded: Bool
  private let strides: [Int]
  /// The size including dilation.
  private let effectiveSize: [Int]
  /// The number of output channels; `nil` if it equals the number of input channels.
  private let outputChannels: Int?

  init?(
    _ fields: Fields, filter: [Int]?, _ options: FlatBufferTable
  ) throws(ModelValidationError) {
    isPadded = try options.option(0, as: UInt8.self) == 0
    strides = try options.spatialOptions((1, 2), default: 0)
    if let size = fields.size {
      effectiveSize = try options.spatialOptions(size, default: 0)
      outputChannels = nil
    } else {
      guard let filter, filter.count == 4, filter.allSatisfy({ $0 > 0 }) else { return nil }
      let dilation = try fields.dilation.map { fields throws(ModelValidationError) in
        try options.spatialOptions(fields, default: 1)
      }
      effectiveSize = zip(filter[1...2], dilation ?? [1, 1]).map { ($0 - 1) * $1 + 1 }
      outputChannels = filter[fields.channelAxis]
    }
  }

  /// Returns the output shape, or `nil` if the window does not fit.
  func outputShape(forInput input: InferredShapes.Dimensions) -> InferredShapes.Dimensions? {
    guard input.count == 4 else { return nil }
    var shape = input
    for axis in 0..<2 {
      guard let length = input[axis + 1] else { continue }
      let span = isPadded ? length : length - effectiveSize[axis] + 1
      guard span > 0, strides[axis] > 0 else { return nil }
      shape[axis + 1] = (span - 1) / strides[axis] + 1
    }
    shape[3] = outputChannels ?? input[3]
    return shape
  }
}

extension FlatBufferTable {
  /// Returns the options for height and width, in the order of an image's dimensions.
  fileprivate func spatialOptions(
    _ fields: (width: Int, height: Int), default defaultValue: Int32
  ) throws(ModelValidationError) -> [Int] {
    [
      Int(try option(fields.height, default: defaultValue)),
      Int(try option(fields.width, default: defaultValue)),
    ]
  }
}
