/// Where the elements of a picture lie in a tensor.
struct PixelPlaces: Sendable, Hashable {
  let width: Int
  let height: Int
  let channels: Int
  private let isPlanar: Bool

  /// The places of a picture in a layout.
  init(width: Int, height: Int, channels: Int, _ layout: ImageLayout) {
    self.width = width
    self.height = height
    self.channels = channels
    isPlanar = layout == .channelsFirst
  }

  /// How many elements the picture has.
  var count: Int { width * height * channels }

  /// Where a channel of a row begins.
  func start(of row: Int, _ channel: Int) -> Int {
    isPlanar ? (channel * height + row) * width : row * width * channels + channel
  }

  /// How far it is from a pixel of a channel to the next.
  var step: Int { isPlanar ? 1 : channels }
}
