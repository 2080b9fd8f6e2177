import TensorIO

@main
struct NameDigits {
  static func main() throws {
    let model = try Model(at: CommandLine.arguments[1])
    for path in CommandLine.arguments.dropFirst(2) {
      let image = try ImageBuffer(contentsOf: path)
      let best = try model.run(image).classes { $0.top = 3 }
      let labels = best.map { "\($0.label) \(Int(($0.score * 100).rounded()))%" }
      print("\(path): \(labels.joined(separator: ", "))")
    }
  }
}
