import TensorIOBundle
import TensorIOCore
import TensorIODrafting
import TensorIORuntimes
import TensorIOSystem

/// A bundle that is drafted for a bare model, in a temporary folder that exists as long as this object.
final class DraftedBundle: Sendable {
  /// The path of the bundle.
  let path: String
  /// What was guessed and should be reviewed.
  let notes: [String]
  private let folder: TemporaryDirectory

  /// Drafts a bundle, or returns `nil` if the path is not that of a bare model.
  ///
  /// - Parameters:
  ///   - model: The path of a `.tflite` or `.onnx` file, or of a SavedModel.
  ///   - libraries: The paths of runtimes.
  /// - Throws: A ``ModelError`` if the model cannot be described.
  init?(
    for model: String, libraries: [BackendIdentifier: String]
  ) throws(ModelError) {
    guard Self.isBareModel(model) else { return nil }
    let runtimes = BuiltInRuntimes.all.map { runtime in
      ConfiguredRuntime(runtime, RuntimeSettings(library: libraries[runtime.identifier]))
    }
    do {
      let sources = try DraftSources(
        model: model, labels: nil, exportMetadata: nil, name: nil, on: runtimes)
      let draft = BundleDraft(from: sources)
      folder = try TemporaryDirectory(prefix: "tensorio-draft")
      let name = FilePath.stem(of: FilePath.lastComponent(of: model))
      path = "\(folder.path)/\(name).tiobundle"
      try draft.write(to: path, overwriting: false)
      notes = draft.draftedValues.compactMap(\.review)
    } catch let error as OperationError {
      throw error.modelError
        ?? ModelError(
          error.exitCode == .runtimeUnavailable ? .runtime : .bundle, .failed(.init(error.message)))
    } catch let error as ArchiveError {
      throw ModelError(.bundle, .failed("\(model, as: "model"): \(error)"))
    } catch {
      throw ModelError(
        .bundle, .failed("\(model, as: "model"): cannot describe this model: \(error)"))
    }
  }

  deinit { folder.remove() }

  /// Returns whether a path is that of a model without a description.
  static func isBareModel(_ path: String) -> Bool {
    switch FileKind(at: path) {
    case .file: ["tflite", "onnx"].contains(FilePath.pathExtension(of: path))
    case .directory:
      FileKind(at: path + "/saved_model.pb") == .file && FileKind(at: path + "/model.json") == nil
    default: false
    }
  }
}
