public import TensorIOBundle
public import TensorIOImage

/// A number for each pixel of an image, such as its depth.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "depth.tiobundle")
/// let depth = try model.run(ImageBuffer(contentsOf: "room.jpg")).map
/// print(depth.minimum, depth.maximum)
/// try depth.image.write(to: "depth.png")
/// ```
public struct ValueMap: Sendable, Hashable {
  /// The number of pixels of a row.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The values, row by row; NaN where the model has not seen the image.
  public let values: [Float]
  /// The smallest finite value; 0 if there is none.
  public let minimum: Float
  /// The largest finite value; 0 if there is none.
  public let maximum: Float
  /// The mean of the finite values; 0 if there is none.
  public let mean: Float
  /// The number of values that are not finite.
  public let nonfiniteCount: Int

  /// Creates a map from its values.
  ///
  /// - Parameters:
  ///   - width: The number of pixels of a row.
  ///   - values: The values, row by row. An incomplete last row is dropped.
  public init(width: Int, values: [Float]) {
    self.width = max(0, width)
    height = width > 0 ? values.count / width : 0
    self.values = Array(values.prefix(height * self.width))
    var (low, high, sum, count) = (Float.infinity, -Float.infinity, 0.0, 0)
    for value in self.values where value.isFinite {
      (low, high) = (min(low, value), max(high, value))
      sum += Double(value)
      count += 1
    }
    (minimum, maximum) = count > 0 ? (low, high) : (0, 0)
    mean = count > 0 ? Float(sum / Double(count)) : 0
    nonfiniteCount = self.values.count - count
  }

  /// The map in colors, from blue for the smallest value to red for the largest; black where a value
  /// is not finite.
  ///
  /// - Throws: A ``ModelError`` if the map has no pixels.
  public var image: ImageBuffer {
    get throws(ModelError) {
      let pixels = levels(count: Self.colors.count).flatMap { level -> [UInt8] in
        guard let color = level.map({ Self.colors[$0] }) else { return [0, 0, 0] }
        return [color.red, color.green, color.blue]
      }
      do throws(ImageError) {
        return try ImageBuffer(width: width, height: height, format: .rgb, pixels: pixels)
      } catch {
        throw ModelError(.output, .image(error))
      }
    }
  }

  /// Returns the map as a gray PNG with 16 bits: 1 for the smallest value, 65535 for the largest, and 0
  /// where a value is not finite.
  ///
  /// - Returns: The bytes of the file.
  /// - Throws: A ``ModelError`` if the map has no pixels.
  public func png16() throws(ModelError) -> [UInt8] {
    let pixels = levels(count: Int(UInt16.max)).map { UInt16(clamping: ($0 ?? -1) + 1) }
    do throws(ImageError) {
      return try ImageBuffer.png16(width: width, height: height, pixels: pixels)
    } catch {
      throw ModelError(.output, .image(error))
    }
  }

  /// Returns the values on a scale of integers from 0; `nil` where a value is not finite.
  func levels(count: Int) -> [Int?] {
    // The difference of two numbers of single precision can be infinite in single precision.
    let low = Double(minimum)
    let range = Double(maximum) - low
    let factor = range > 0 ? Double(count - 1) / range : 0
    return values.map { value in
      value.isFinite ? min(count - 1, Int(((Double(value) - low) * factor).rounded())) : nil
    }
  }

  /// The number of colors, which leaves one entry of an overlay's palette.
  private static let colorCount = 255
  /// The colors that others are mixed from, at equal distances.
  private static let stops = [
    PixelColor(red: 35, green: 23, blue: 100), PixelColor(red: 47, green: 105, blue: 240),
    PixelColor(red: 28, green: 190, blue: 200), PixelColor(red: 120, green: 230, blue: 90),
    PixelColor(red: 246, green: 206, blue: 55), PixelColor(red: 238, green: 96, blue: 30),
    PixelColor(red: 130, green: 12, blue: 10),
  ]

  /// The colors of a map, from the smallest value to the largest.
  static let colors: [PixelColor] = (0..<colorCount).map { index in
    let position = Double(index) / Double(colorCount - 1) * Double(stops.count - 1)
    let lower = min(Int(position), stops.count - 2)
    return stops[lower].mixed(with: stops[lower + 1], fraction: position - Double(lower))
  }
}
