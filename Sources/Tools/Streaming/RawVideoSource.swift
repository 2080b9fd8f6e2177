package import TensorIOCore
import TensorIOImage

/// Raw RGB24 frames of a fixed size, without headers.
package struct RawVideoSource: FrameSource {
  package let frameRate: Double?
  private let size: FrameSize
  private let stream: any ByteStream
  private var count = 0

  package init(_ stream: any ByteStream, size: FrameSize, frameRate: Double?) {
    (self.stream, self.size, self.frameRate) = (stream, size, frameRate)
  }

  package mutating func next() throws(OperationError) -> FrameImage? {
    let byteCount = size.byteCount
    let pixels = try stream.readBytes(upTo: byteCount, waitForAll: true)
    guard !pixels.isEmpty else { return nil }
    guard pixels.count == byteCount else {
      throw .truncatedStream(inFrame: count, received: pixels.count, expected: byteCount)
    }
    count += 1
    return .image(try size.image(pixels))
  }
}

/// The size of an RGB frame.
package struct FrameSize: Sendable, Hashable {
  /// The maximum width and height.
  static let maxSide = 16384

  package let width: Int
  package let height: Int

  /// Creates a size; returns `nil` unless both sides are from 1 to `maxSide`.
  package init?(width: Int, height: Int) {
    guard (1...Self.maxSide).contains(width), (1...Self.maxSide).contains(height) else {
      return nil
    }
    (self.width, self.height) = (width, height)
  }

  /// Parses a size such as `640x480`.
  package init?(_ text: String) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
    self.init(width: width, height: height)
  }

  /// The number of bytes of a frame.
  var byteCount: Int { width * height * 3 }

  /// Returns the image with the given pixels.
  func image(_ pixels: [UInt8]) throws(OperationError) -> ImageBuffer {
    do throws(ImageError) {
      return try ImageBuffer(width: width, height: height, format: .rgb, pixels: pixels)
    } catch {
      throw OperationError(imageError: error)
    }
  }
}

/// Concatenated binary portable pixmaps (PPM), each with its own size.
///
/// A frame is `P6`, the width, the height and 255, separated by white space, and then the pixels.
package struct PPMSource: FrameSource {
  package static let magic = Array("P6".utf8)
  /// The maximum length of a header, in bytes.
  private static let maxHeaderBytes = 64

  package let frameRate: Double?
  private let stream: any ByteStream
  private var count = 0

  package init(_ stream: any ByteStream, frameRate: Double?) {
    (self.stream, self.frameRate) = (stream, frameRate)
  }

  package mutating func next() throws(OperationError) -> FrameImage? {
    guard let size = try readHeader() else { return nil }
    let pixels = try stream.readBytes(upTo: size.byteCount, waitForAll: true)
    guard pixels.count == size.byteCount else {
      throw .truncatedStream(inFrame: count, received: pixels.count, expected: size.byteCount)
    }
    count += 1
    return .image(try size.image(pixels))
  }

  private func readHeader() throws(OperationError) -> FrameSize? {
    var header: [UInt8] = []
    while header.wordCount < 4 {
      let byte = try stream.readBytes(upTo: 1, waitForAll: true)
      if byte.isEmpty, header.isEmpty { return nil }
      guard !byte.isEmpty else { throw .truncatedStream(inFrame: count, received: header.count) }
      header += byte
      guard header.count <= Self.maxHeaderBytes else { throw invalidFrameError }
    }
    let words = header.words
    guard words[0] == "P6", words[3] == "255", let width = Int(words[1]),
      let height = Int(words[2]), let size = FrameSize(width: width, height: height)
    else { throw invalidFrameError }
    return size
  }

  private var invalidFrameError: OperationError {
    .input("invalid-frame", "frame \(count) does not begin with a PPM header (P6 WIDTH HEIGHT 255)")
  }
}

extension [UInt8] {
  /// The number of words that are terminated by white space.
  fileprivate var wordCount: Int {
    last?.isSpace == true ? split(whereSeparator: \.isSpace).count : 0
  }

  fileprivate var words: [String] {
    split(whereSeparator: \.isSpace).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
