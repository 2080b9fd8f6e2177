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
      print(objects.map { "\($0.label) #\($0.id)" })
    }
    print("\(tracker.objectCount) objects in \(tracker.frameCount) frames")
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
