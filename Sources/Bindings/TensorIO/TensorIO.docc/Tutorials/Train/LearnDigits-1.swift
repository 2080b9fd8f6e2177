import TensorIO

@main
struct LearnDigits {
  static func main() throws {
    let model = try TrainableModel(at: CommandLine.arguments[1])
    for variable in try model.variables() {
      print(variable.name, variable.shape)
    }
  }
}
