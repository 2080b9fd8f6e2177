import Foundation
import TensorIO
import TensorIODrawing

/// Follows objects in the frames of a video, counts those that cross the vertical center line, and draws both:
/// `CountStream DETECTOR FRAMES OUTPUT`.
///
/// The frames are images in a folder, in the order of their names, such as `ffmpeg -i video.mp4 frames/%05d.png` writes.
@main
struct CountStream {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 3 else {
      print("usage: CountStream DETECTOR FRAMES OUTPUT")
      exit(2)
    }
    let stream = try Model(at: arguments[0]).stream()
    let output = URL(filePath: arguments[2], directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    var tracker = ObjectTracker()
    var counter: LineCounter?
    for name in try FileManager.default.contentsOfDirectory(atPath: arguments[1]).sorted() {
      let frame = try ImageBuffer(contentsOf: "\(arguments[1])/\(name)")
      let center = Double(frame.width) / 2
      var line =
        counter
        ?? LineCounter(
          from: .init(x: center, y: Double(frame.height)), to: .init(x: center, y: 0))
      // Detections with low scores continue objects, and do not start new ones.
      let detections = try stream.run(frame).detections { $0.minimumScore = 0.1 }
      let objects = tracker.update(with: detections)
      line.update(with: objects)
      counter = line
      let file = output.appending(path: name).deletingPathExtension().appendingPathExtension("png")
      try annotated(frame, objects, line).write(to: file.path)
      print(
        "\(name): \(objects.count) objects, \(line.leftToRight) right, \(line.rightToLeft) left")
    }
  }

  /// Returns a frame with the line, the objects and their numbers.
  private static func annotated(
    _ frame: ImageBuffer, _ objects: [TrackedObject], _ line: LineCounter
  ) throws -> ImageBuffer {
    var canvas = try Canvas(frame)
    canvas.draw(objects.map { BoxAnnotation($0) })
    canvas.drawText(
      "\(line.leftToRight) → \(line.rightToLeft) ←", at: Canvas.Point(x: line.start.x + 4, y: 4),
      size: 16, color: Color(red: 255, green: 255, blue: 255))
    return try canvas.image
  }
}
