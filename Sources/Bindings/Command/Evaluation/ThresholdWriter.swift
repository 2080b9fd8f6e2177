import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOJSON
import TensorIOLibrary
import TensorIOSystem

/// Writes the best threshold of an evaluation into the `model.json` of its bundle.
enum ThresholdWriter {
  static let flag = Flag(
    "set-threshold", "Write the best threshold of all classes into the bundle's task")

  private static let key = "threshold"

  /// Throws a usage error if a bundle has no task with a threshold, or cannot be changed.
  static func validate(_ bundle: ModelBundle) throws(OperationError) {
    guard bundle.description.task != nil else {
      throw .usage("--set-threshold: \(bundle.path) has no task with a threshold")
    }
    guard FileKind(at: bundle.path) == .directory,
      FileKind(at: "\(bundle.path)/\(BundleManifest.name)") == nil
    else {
      throw .usage(
        "--set-threshold: \(bundle.path) is packed or signed; change the folder that it was made of"
      )
    }
  }

  /// Writes the threshold, and prints it.
  static func write(
    _ result: EvaluationResult, to bundle: ModelBundle, _ console: Console
  ) throws(OperationError) {
    guard let point = result.operatingPoints.first(where: \.label.isEmpty) else {
      throw .usage("--set-threshold: the evaluation of \(bundle.path) has no threshold")
    }
    let path = "\(bundle.path)/model.json"
    let text = "\(point.threshold)"
    guard let bytes = try? FileBytes.contents(of: path, limit: 1 << 26),
      let changed = replacingThreshold(in: bytes, by: text)
    else { throw .usage("--set-threshold: \(path) has no object 'task'") }
    do throws(FileError) {
      try AtomicFile.write(changed, to: path)
    } catch {
      throw .unwritable(path, error.message)
    }
    console.info("tensorio: wrote threshold \(text) to \(path)")
  }

  /// Returns the text of a description with another threshold of its task; the rest remains as it is.
  static func replacingThreshold(in bytes: [UInt8], by text: String) -> [UInt8]? {
    guard let root = try? JSONDocument(parsing: bytes, dialect: .byteOrderMark).root,
      let task = root["task"], task.members != nil
    else { return nil }
    if let value = task[key] {
      let start = value.position.offset
      let end =
        bytes[start...].firstIndex { !"+-.0123456789eE".utf8.contains($0) } ?? bytes.endIndex
      return bytes[..<start] + Array(text.utf8) + bytes[end...]
    }
    let start = task.position.offset + 1
    return bytes[..<start] + Array("\"\(key)\": \(text), ".utf8) + bytes[start...]
  }
}
