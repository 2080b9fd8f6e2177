internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOLiteRT

/// The sides of a picture, where a tensor may hold one.
struct PictureShape: Sendable, Equatable {
  /// The shape to declare: the tensor's, with sides that vary fixed.
  let shape: TensorShape
  let height: Int
  let width: Int
  let format: PixelFormat
  let layout: ImageLayout
  /// Whether the model takes pictures of any size, so that one had to be chosen.
  let isChosen: Bool

  /// The side that is chosen for a model that takes any: that of most classifiers.
  private static let usualSide = 224
  /// Smaller than this, a tensor is a table.
  private static let smallestSide = 8

  private static let types: Set<ElementType> = [.uint8, .int8, .float32, .float16]

  /// The picture in a tensor of three axes, or of four with a batch, one of which counts one or
  /// three channels.
  init?(_ tensor: TensorInfo, _ content: TFLiteMetadata.Content?) {
    let axes = Array(tensor.shape.axes.suffix(3))
    guard (3...4).contains(tensor.shape.axes.count), Self.types.contains(tensor.elementType),
      content != .features, content != .audio,
      let (layout, channels) = Self.channels(axes)
    else { return nil }
    let sides = layout == .channelsLast ? axes.prefix(2) : axes.suffix(2)
    let fixed = sides.map { $0 ?? Self.usualSide }
    guard fixed.allSatisfy({ $0 >= Self.smallestSide }) else { return nil }
    (height, width) = (fixed[0], fixed[1])
    self.layout = layout
    format = channels == 1 ? .gray : .rgb
    isChosen = sides.contains(nil)
    let picture = layout == .channelsLast ? fixed + [channels] : [channels] + fixed
    shape = TensorShape(tensor.shape.axes.dropLast(3) + picture)
  }

  private static func channels(_ axes: [Int?]) -> (ImageLayout, Int)? {
    for (layout, axis) in [(ImageLayout.channelsLast, 2), (.channelsFirst, 0)] {
      if let channels = axes[axis], channels == 1 || channels == 3 { return (layout, channels) }
    }
    return nil
  }
}
