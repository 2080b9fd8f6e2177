import Foundation
import TensorIOImage
import TensorIOTestSupport

/// The images that the scripts in `Scripts/fixtures/golden` generate.
enum Fixtures {
  static let folder = ProjectFiles.root.appending(path: "Tests/Fixtures")
  static let images = folder.appending(path: "Images")
  static let formats = images.appending(path: "Formats")

  static let goldenNames = names(in: folder.appending(path: "Golden"), suffix: ".png")
  static let formatNames = names(in: formats, suffix: ".ppm").map { String($0.dropLast(4)) }

  static func bytes(_ url: URL) throws -> [UInt8] {
    try Array(Data(contentsOf: url))
  }

  static func formatBytes(_ name: String) throws -> [UInt8] {
    try bytes(formats.appending(path: name))
  }

  private static func names(in folder: URL, suffix: String) -> [String] {
    let all = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (all ?? []).filter { $0.hasSuffix(suffix) }.sorted()
  }
}

/// A minimal PPM reader, so that decoders are not compared with themselves.
struct PortablePixmap {
  let width: Int
  let height: Int
  let pixels: [UInt8]

  init(_ bytes: [UInt8]) throws {
    let fields = bytes.split(maxSplits: 4, whereSeparator: { $0 == 10 || $0 == 32 })
    let numbers = fields[1...3].compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    (width, height) = (numbers[0], numbers[1])
    pixels = Array(bytes.suffix(width * height * 3))
  }
}

extension ImageBuffer {
  /// Returns an image of random pixels.
  static func noise(
    width: Int, height: Int, format: PixelFormat = .rgb, orientation: ImageOrientation = .up,
    seed: UInt64 = 1
  ) throws -> ImageBuffer {
    var generator = SeededGenerator(seed: seed)
    let pixels = (0..<width * height * format.bytesPerPixel).map { _ in
      UInt8.random(in: 0...255, using: &generator)
    }
    return try ImageBuffer(
      width: width, height: height, format: format, pixels: pixels, orientation: orientation)
  }
}

/// Returns the largest difference between bytes, or `nil` if the counts differ.
func largestDifference(_ a: [UInt8], _ b: [UInt8]) -> Int? {
  guard a.count == b.count else { return nil }
  return zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 0
}

/// Returns the error that a closure throws.
func imageError(_ body: () throws -> Void) -> ImageError? {
  do {
    try body()
    return nil
  } catch {
    return error as? ImageError
  }
}
