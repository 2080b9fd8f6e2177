import TensorIO

@main
struct NameDigits {
  static func main() throws {
    let model = try Model(at: CommandLine.arguments[1])
    print(model.bundle.name)
  }
}
