import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// A line of a file with a caret below a column, as compilers print it.
struct SourceExcerpt {
  /// The number of columns without a terminal.
  private static let defaultWidth = 100
  private static let ellipsis = "…"

  /// The line with its number, and the caret.
  let lines: [String]

  /// Creates an excerpt; `nil` if the file has no such line.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - line: The number of the line, from 1.
  ///   - column: The column in bytes, from 1.
  ///   - width: The number of columns of the terminal; a longer line is shortened around the caret.
  init?(of bytes: [UInt8], line: Int, column: Int, width: Int? = nil) {
    let parts = bytes.split(
      separator: UInt8(ascii: "\n"), maxSplits: max(line, 0), omittingEmptySubsequences: false)
    guard line >= 1, line <= parts.count, column >= 1 else { return nil }
    let text = parts[line - 1].prefix { $0 != UInt8(ascii: "\r") }
    guard column <= text.count + 1 else { return nil }
    let number = " \(line) | "
    let room = max(TerminalText.minWidth, width ?? Self.defaultWidth) - number.count
    var before = Self.display(text.prefix(column - 1))
    if before.displayWidth > room / 2 {
      before = Self.ellipsis + before.suffix(room / 2)
    }
    let after = Self.display(text.dropFirst(column - 1))
    let rest = room - before.displayWidth
    let end = after.displayWidth > rest ? after.prefix(max(0, rest - 1)) + Self.ellipsis : after
    let margin = String(repeating: " ", count: number.count - 2) + "| "
    lines = [
      number + before + end, margin + String(repeating: " ", count: before.displayWidth) + "^",
    ]
  }

  /// Returns a part of a line with tabs and control characters in a form of a known width.
  private static func display(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).replacing("\t", with: " ").sanitizedForTerminal
  }
}

extension SourceExcerpt {
  /// Returns the description whose lines the diagnostics of a path name: that of a bundle, a chain or a file.
  ///
  /// - Parameter path: The path that was validated.
  /// - Returns: The bytes; `nil` if they cannot be read.
  static func description(at path: String) -> [UInt8]? {
    if ModelBundle.isChain(path) { return (try? ChainDirectory(at: path))?.bytes }
    guard FileKind(at: path) == .file, FilePath.pathExtension(of: path) == "json" else {
      return try? BundleFolder(at: path, unpacking: ZipBundleUnpacker()).descriptionBytes()
    }
    return try? FileBytes.contents(of: path, limit: JSONLimits.modelDescription.bytes)
  }

  /// Returns the description of a bundle of a chain.
  ///
  /// - Parameters:
  ///   - bundle: The name of the bundle.
  ///   - path: The path of the chain.
  /// - Returns: The bytes; `nil` if they cannot be read.
  static func description(of bundle: String, in path: String) -> [UInt8]? {
    (try? ChainDirectory(at: path)).flatMap { description(at: $0.bundlePath(named: bundle)) }
  }
}
