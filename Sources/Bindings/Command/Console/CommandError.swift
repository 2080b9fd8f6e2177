import TensorIOBundle
import TensorIOCore
import TensorIORuntimes

extension OperationError {
  /// The message, followed by the option that resolves the error if there is one.
  var messageWithHint: String {
    switch code {
    case "untrusted-operators": message + "; to run the model anyway, use --trust-graphs"
    case "bundle-downgrade": message + "; to open it anyway, use --allow-downgrade"
    case "model-exists": message + "; use --replace or --keep-existing"
    case "protected-model": message + "; use --force to remove or replace it"
    case "missing-gallery": message + "; create one with `tensorio gallery enroll`"
    case "file-exists": message + "; use --resume to append to it"
    default: modelError?.missingRuntime?.summary ?? message
    }
  }

  /// The command that resolves the error; `nil` if there is none.
  var hint: String? { modelError?.missingRuntime?.installHint }
}

extension ModelError.MissingRuntime {
  /// The reason of a location without the library.
  private static let missingFile = "no such file"

  /// One line: which library is missing, and what is wrong with files that exist or were named.
  var summary: String {
    let name =
      BuiltInRuntimes.libraries.first { $0.backend == backend }?.displayName ?? backend.rawValue
    let failures =
      searchResults.count == 1
      ? searchResults : searchResults.filter { !$0.lowercased().contains(Self.missingFile) }
    guard !failures.isEmpty else { return "\(name) is not installed" }
    return "\(name) cannot be loaded: \(failures.joined(separator: "; "))"
  }

  /// What makes the library available, in one line.
  var installHint: String {
    guard let command = backend.installCommand else { return recoverySuggestion }
    return "run `\(command)`; `tensorio runtime list` prints where the library is searched for"
  }
}

extension BackendIdentifier {
  /// The command that installs the runtime's library; `nil` if there is none.
  var installCommand: String? {
    BuiltInRuntimes.libraries.first { $0.backend == self }
      .map { RuntimeLibrarySearch(for: $0).installCommand }
  }
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
