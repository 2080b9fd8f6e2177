package import TensorIOBundle
import TensorIOSystem

/// The program `tensorio-generate`, which the build plugin runs.
///
/// It compiles in less time than `tensorio`, because it contains no runtime.
package enum GeneratorCommand {
  static let usage = """
    usage: tensorio-generate [--name NAME] [--access internal|package|public]
             [--resource PATH] --output FILE BUNDLE
    """

  /// Runs a command line and returns the exit code.
  package static func run(_ arguments: [String]) -> Int32 {
    guard let request = Request(arguments) else {
      StandardError.print(usage)
      return 2
    }
    do throws(ModelError) {
      let bundle = try ModelBundle(at: request.bundle, trust: .unrestricted)
      let generator = try SwiftModelGenerator(bundle, options: request.options)
      try generator.write(to: request.output)
      return 0
    } catch {
      StandardError.print("error: \(error)")
      return 3
    }
  }

  /// A parsed command line.
  private struct Request {
    var options = SwiftModelGenerator.Options()
    var output = ""
    var bundle = ""

    init?(_ arguments: [String]) {
      var rest = arguments[...]
      while let argument = rest.popFirst() {
        guard argument.hasPrefix("--") else {
          guard bundle.isEmpty else { return nil }
          bundle = argument
          continue
        }
        guard let value = rest.popFirst(), set(argument, to: value) else { return nil }
      }
      guard !bundle.isEmpty, !output.isEmpty else { return nil }
    }

    private mutating func set(_ name: String, to value: String) -> Bool {
      switch name {
      case "--name" where SwiftModelGenerator.isTypeName(value): options.typeName = value
      case "--access":
        guard let access = SwiftModelGenerator.Access(rawValue: value) else { return false }
        options.access = access
      case "--resource": options.resource = value
      case "--output": output = value
      default: return false
      }
      return true
    }
  }
}

extension SwiftModelGenerator {
  /// Writes the generated file, unless it has the same content already, so that it is not compiled again.
  package func write(to path: String) throws(ModelError) {
    let bytes = Array(source().utf8)
    if (try? FileBytes.read(path, limit: bytes.count + 1)) == bytes { return }
    do throws(FileError) {
      try AtomicFile.write(bytes, to: path)
    } catch {
      throw ModelError(.output, .unwritable(path, detail: error.message))
    }
  }

  /// Returns whether a generator has written the file at a path.
  package static func hasGenerated(fileAt path: String) -> Bool {
    guard let bytes = try? FileBytes.read(path, limit: 1 << 20) else { return false }
    return bytes.starts(with: header.utf8)
  }
}
