import TensorIO
import TensorIODrawing

@main
struct DrawShapes {
  static func main() throws {
    let model = try Model(bundleAt: CommandLine.arguments[1])
    let image = try ImageBuffer(contentsOf: CommandLine.arguments[2])
    let detections = try model.run(image).detections
    try annotated(image, detections).write(to: CommandLine.arguments[3])
  }

  /// Returns an image with a labeled box around each detection.
  private static func annotated(
    _ image: ImageBuffer, _ detections: Detections
  ) throws -> ImageBuffer {
    var canvas = try Canvas(image)
    canvas.draw(
      detections.map { detection in
        let box = detection.box
        return BoxAnnotation(
          box: Canvas.Rectangle(x: box.xmin, y: box.ymin, width: box.width, height: box.height),
          label: detection.label, score: Double(detection.score), color: Color(detection.color))
      })
    return try canvas.image
  }
}
