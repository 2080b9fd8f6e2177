extension ImageBuffer {
  /// Returns the image in another pixel format.
  ///
  /// Alpha is dropped without compositing if the new format has none, and set to opaque if only the
  /// new format has it. Gray is the luma of the colors.
  public func converted(to newFormat: PixelFormat) -> ImageBuffer {
    if newFormat == format { return self }
    let rowBytes = width * newFormat.bytesPerPixel
    let converted = unsafe PixelKernels.makeBytes(count: rowBytes * height) { target in
      unsafe withPixels { source in
        for y in 0..<height {
          unsafe PixelKernels.convert(
            source + y * bytesPerRow, from: format, to: target + y * rowBytes, as: newFormat,
            count: width)
        }
      }
    }
    return ImageBuffer(
      unchecked: converted, width: width, height: height, format: newFormat, bytesPerRow: rowBytes,
      orientation: orientation, reduction: reduction)
  }

  /// Returns the image with its orientation applied to its pixels.
  public func upright() -> ImageBuffer {
    if orientation == .up { return self }
    let (width, height) = (uprightWidth, uprightHeight)
    let rowBytes = width * format.bytesPerPixel
    let rotated = unsafe PixelKernels.makeBytes(count: rowBytes * height) { target in
      unsafe withPixels { source in
        unsafe PixelKernels.gather(
          OrientedPixelStrides(self), from: source, rows: 0..<height, into: target,
          bytesPerRow: rowBytes)
      }
    }
    return ImageBuffer(
      unchecked: rotated, width: width, height: height, format: format, bytesPerRow: rowBytes,
      orientation: .up,
      reduction: orientation.swapsDimensions ? (reduction.y, reduction.x) : reduction)
  }
}
