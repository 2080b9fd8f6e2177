extension ResamplingPlan {
  /// How many rows of the content may be asked for at once.
  static let stretch = 8

  /// The stages that make the content of a frame, a few rows at a time, from a picture's pixels.
  func stages(
    for image: ImageBuffer, at pixels: UnsafePointer<UInt8>, as format: PixelFormat,
    content: PixelRegion
  ) -> any RowStage {
    let channels = format.bytesPerPixel
    let stored = { [lines] (capacity: Int) in
      unsafe StoredRows(image, at: pixels, as: format, lines: lines, capacity: capacity)
    }
    switch (horizontal, vertical) {
    case (.keep(let x), .keep(let y)):
      let part = PixelRegion(x: x, y: y, width: content.width, height: content.height)
      return PartOfRows(stored(Self.stretch), part, channels: channels)
    case (.pick(let columns), .pick(let lines)):
      return PickedRows(
        stored(1), columns: columns, lines: lines, channels: channels, capacity: Self.stretch)
    case (.weigh(let weights), .weigh(let lines)) where isVerticalFirst:
      let batch = HorizontalPass.batch
      let vertical = VerticalPass(stored(lines.longestWindow), lines, capacity: batch)
      return HorizontalPass(
        vertical, weights, arrangements, channels: channels, capacity: Self.stretch)
    case (.weigh(let weights), .weigh(let lines)):
      let horizontal = HorizontalPass(
        stored(HorizontalPass.batch), weights, arrangements, channels: channels,
        capacity: lines.longestWindow)
      return VerticalPass(horizontal, lines, capacity: Self.stretch)
    case (.weigh(let weights), _):
      return HorizontalPass(
        stored(HorizontalPass.batch), weights, arrangements, channels: channels,
        capacity: Self.stretch)
    case (_, .weigh(let lines)):
      return VerticalPass(stored(lines.longestWindow), lines, capacity: Self.stretch)
    case (.keep, .pick), (.pick, .keep):
      preconditionFailure("nearest picks along both axes")
    }
  }
}
