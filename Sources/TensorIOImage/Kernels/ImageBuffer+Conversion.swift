extension ImageBuffer {
  /// The same picture with other channels.
  ///
  /// Alpha that is not wanted is dropped, not composited; alpha that is wanted and missing is
  /// opaque; gray is the luma of colours.
  public func converted(to wanted: PixelFormat) -> ImageBuffer {
    if wanted == format { return self }
    let rowBytes = width * wanted.bytesPerPixel
    let converted = unsafe PixelKernels.makeBytes(count: rowBytes * height) { target in
      unsafe withPixels { source in
        for y in 0..<height {
          unsafe PixelKernels.convert(
            source + y * bytesPerRow, from: format, to: target + y * rowBytes, as: wanted,
            count: width)
        }
      }
    }
    return ImageBuffer(
      unchecked: converted, width: width, height: height, format: wanted, bytesPerRow: rowBytes,
      orientation: orientation, reduction: reduction)
  }

  /// The same picture with its orientation applied to its pixels.
  public func upright() -> ImageBuffer {
    if orientation == .up { return self }
    let (width, height) = (uprightWidth, uprightHeight)
    let rowBytes = width * format.bytesPerPixel
    let turned = unsafe PixelKernels.makeBytes(count: rowBytes * height) { target in
      unsafe withPixels { source in
        unsafe PixelKernels.gather(
          OrientedPixelStrides(self), from: source, rows: 0..<height, into: target, bytesPerRow: rowBytes)
      }
    }
    return ImageBuffer(
      unchecked: turned, width: width, height: height, format: format, bytesPerRow: rowBytes,
      orientation: .up,
      reduction: orientation.swapsDimensions ? (reduction.y, reduction.x) : reduction)
  }
}
