import TensorIOCore
internal import TensorIOImage

/// Frames that are nothing but pixels: red, green and blue, row by row, all of one size.
struct RawFrames: FrameSource {
  let rate: Double?
  private let size: PictureSize
  private let stream: any ByteStream
  private var count = 0

  init(_ stream: any ByteStream, size: PictureSize, rate: Double?) {
    (self.stream, self.size, self.rate) = (stream, size, rate)
  }

  mutating func next() throws(CommandFailure) -> FramePicture? {
    let whole = size.byteCount
    let pixels = try stream.bytes(upTo: whole, all: true)
    guard !pixels.isEmpty else { return nil }
    guard pixels.count == whole else {
      throw .endsMidFrame(count, held: pixels.count, of: whole)
    }
    count += 1
    return .image(try size.picture(pixels))
  }
}

/// The size of a picture of red, green and blue.
struct PictureSize: Sendable, Hashable {
  /// The longest side that frames may have.
  static let longestSide = 16384

  let width: Int
  let height: Int

  /// A size that frames may have.
  init?(width: Int, height: Int) {
    guard (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height) else {
      return nil
    }
    (self.width, self.height) = (width, height)
  }

  /// A size in words, `640x480`.
  init?(_ text: String) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
    self.init(width: width, height: height)
  }

  /// How many bytes such a picture has.
  var byteCount: Int { width * height * 3 }

  /// The picture of some pixels.
  func picture(_ pixels: [UInt8]) throws(CommandFailure) -> ImageBuffer {
    do throws(ImageError) {
      return try ImageBuffer(width: width, height: height, format: .rgb, pixels: pixels)
    } catch {
      throw CommandFailure(input: error)
    }
  }
}
