import TensorIO
import TensorIODrawing

@main
struct DrawShapes {
  static func main() throws {
    let model = try Model(at: CommandLine.arguments[1])
    let image = try ImageBuffer(contentsOf: CommandLine.arguments[2])
    let output = try model.run(image)
    try output.drawn(on: image).write(to: CommandLine.arguments[3])
  }
}
