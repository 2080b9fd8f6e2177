package import TensorIOCore
internal import TensorIOSystem

/// Where the worker's program is looked for.
///
/// What a caller or a variable names outright is the only place.
package struct WorkerPlace: Sendable {
  /// The variable that names the program.
  package static let variable = "TENSORIO_WORKER"
  /// The program's file.
  package static let name = "tensorio-worker"

  /// The places, in order.
  package let candidates: [String]

  /// The places for an option's value, the variable's, and the path of the running program.
  package init(option: String?, variable: String?, executable: String?) {
    if let named = option ?? variable {
      candidates = [named]
    } else if let executable {
      let folder = FilePath.parent(of: executable)
      candidates = ["", "/libexec/tensorio", "/../libexec/tensorio"].map {
        "\(folder)\($0)/\(Self.name)"
      }
    } else {
      candidates = []
    }
  }

  /// The program.
  package func find() throws(ModelError) -> String {
    guard let path = candidates.first(where: { FileKind(at: $0) == .file }) else {
      throw ModelError(.runtime, .workerMissing(looked: candidates))
    }
    return path
  }
}
