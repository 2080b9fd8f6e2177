import TensorIO

@main
struct DrawShapes {
  static func main() throws {
    let model = try Model(at: CommandLine.arguments[1])
    let image = try ImageBuffer(contentsOf: CommandLine.arguments[2])
    for detection in try model.run(image).detections {
      print(detection.label, detection.score, detection.box)
    }
  }
}
