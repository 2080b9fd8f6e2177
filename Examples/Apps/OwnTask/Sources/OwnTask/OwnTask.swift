import TensorIO
import TensorIOCommand

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The command line `tensorio` with one more task.
///
/// `OwnTask run BUNDLE IMAGE…` works like `tensorio run`, and so do `stream`, `evaluate`, `serve` and all other
/// commands. `OwnTask count BUNDLE IMAGE…` uses the task in Swift.
@main
struct OwnTask {
  static func main() throws {
    TaskRegistry.register(PiecesTask.self)
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.first == "count" else { exit(TensorIOCommand.run(arguments)) }
    let model = try Model(at: arguments[1])
    for path in arguments.dropFirst(2) {
      let pieces = try model.run(ImageBuffer(contentsOf: path)).result(of: PiecesTask.self)
      print("\(path): \(pieces.content.count)")
    }
  }
}
