import TensorIO

@main
struct NameDigits {
  static func main() throws {
    let model = try Model(at: CommandLine.arguments[1])
    for path in CommandLine.arguments.dropFirst(2) {
      print("\(path): \(result(for: path, model))")
    }
  }

  /// Returns the three best labels of an image, or the reason why there are none.
  private static func result(for path: String, _ model: Model) -> String {
    do {
      let image = try ImageBuffer(contentsOf: path)
      let best = try model.run(image).classes { $0.top = 3 }
      let labels = best.map { "\($0.label) \(Int(($0.score * 100).rounded()))%" }
      return labels.joined(separator: ", ")
    } catch {
      return "\(error)"
    }
  }
}
