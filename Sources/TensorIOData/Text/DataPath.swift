internal import TensorIOCore
internal import TensorIOSystem

/// Where data finds the files that it names.
enum DataPath {
  /// What a name stands for that a file in a folder gives.
  static func resolve(_ name: String, in folder: String) -> String {
    name.hasPrefix("/") ? name : "\(folder)/\(name)"
  }

  /// The first of some places at which there is a file; the first of all when there is none.
  static func first(of candidates: [String]) -> String {
    candidates.first { FileKind(at: $0) == .file } ?? candidates.first ?? ""
  }

  /// What is in a folder and not hidden, in byte order.
  static func names(in folder: String) throws(ModelError) -> [String] {
    do {
      return try Folder.names(in: folder).filter { !$0.hasPrefix(".") }
    } catch {
      throw ModelError(.input, error.reason(named: folder))
    }
  }

  /// The last part of a path.
  static func last(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// A file's name without its ending.
  static func stem(of name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}

extension String {
  /// The folder that a path lies in.
  var folder: String { FilePath.parent(of: self) }
}
