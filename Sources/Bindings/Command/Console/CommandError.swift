import TensorIOBundle
import TensorIOCore
import TensorIORuntimes

extension OperationError {
  /// The message, followed by the option or command that resolves the error if there is one.
  var messageWithHint: String {
    switch code {
    case "untrusted-operators": message + "; to run the model anyway, use --trust-graphs"
    case "bundle-downgrade": message + "; to open it anyway, use --allow-downgrade"
    case "model-exists": message + "; use --replace or --keep-existing"
    case "protected-model": message + "; use --force to remove or replace it"
    case "missing-gallery": message + "; create one with `tensorio gallery enroll`"
    case "file-exists": message + "; use --resume to append to it"
    default: message + (missingRuntime?.installHint ?? "")
    }
  }
}

extension BackendIdentifier {
  /// The command that installs the runtime's library; `nil` if there is none.
  var installCommand: String? {
    BuiltInRuntimes.libraries.first { $0.backend == self }
      .map { RuntimeLibrarySearch(for: $0).installCommand }
  }

  /// The install command as the last part of a message; empty if there is none.
  var installHint: String { installCommand.map { "; to install it, run `\($0)`" } ?? "" }
}

extension RuntimeLibrarySearch {
  /// The command that installs the library.
  ///
  /// If a variable names a library, it has to be unset first; otherwise an installed library would
  /// not be found.
  var installCommand: String {
    let command = "tensorio runtime install \(specification.name)"
    guard case .environment(let variable) = candidates().first?.origin else { return command }
    return "unset \(variable) && \(command)"
  }
}
