import Foundation
import TensorIO
import TensorIODrawing

@main
struct DrawShapes {
  static func main() throws {
    let stream = try Model(at: CommandLine.arguments[1]).stream()
    let width = Int(CommandLine.arguments[2]) ?? 640
    let height = Int(CommandLine.arguments[3]) ?? 480
    var tracker = ObjectTracker()
    while let frame = try nextFrame(width: width, height: height) {
      // Detections with low scores continue objects, and do not start new ones.
      let detections = try stream.run(frame).detections { $0.minimumScore = 0.1 }
      let objects = tracker.update(with: detections)
      let drawn = try annotated(frame, objects).converted(to: .rgb)
      try FileHandle.standardOutput.write(contentsOf: Data(drawn.pixels))
    }
    let summary = "\(tracker.objectCount) objects in \(tracker.frameCount) frames\n"
    try FileHandle.standardError.write(contentsOf: Data(summary.utf8))
  }

  /// Returns a frame with a box, a label and a number for each object.
  private static func annotated(
    _ frame: ImageBuffer, _ objects: [TrackedObject]
  ) throws -> ImageBuffer {
    var canvas = try Canvas(frame)
    canvas.draw(objects.map { BoxAnnotation($0) })
    return try canvas.image
  }

  /// Returns the next frame of the standard input: three bytes for each pixel, row by row.
  private static func nextFrame(width: Int, height: Int) throws -> ImageBuffer? {
    let count = width * height * 3
    var bytes = Data()
    while bytes.count < count,
      let part = try FileHandle.standardInput.read(upToCount: count - bytes.count), !part.isEmpty
    {
      bytes += part
    }
    guard bytes.count == count else { return nil }
    return try ImageBuffer(width: width, height: height, format: .rgb, pixels: Array(bytes))
  }
}
