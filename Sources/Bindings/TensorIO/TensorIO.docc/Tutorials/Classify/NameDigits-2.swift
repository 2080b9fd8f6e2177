import TensorIO

@main
struct NameDigits {
  static func main() throws {
    let model = try Model(at: CommandLine.arguments[1])
    let image = try ImageBuffer(contentsOf: CommandLine.arguments[2])
    let output = try model.run(image)
    if let best = try output.classes.first {
      print(best.label, best.score)
    }
  }
}
