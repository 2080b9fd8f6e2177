import Foundation
import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport

@testable import TensorIOBundle
@testable import TensorIOTensorFlow

/// The bundles of `Tests/Fixtures/TensorFlow`.
enum SavedModels {
  static let folder = "Tests/Fixtures/TensorFlow"
  /// TensorFlow from its default locations.
  static let backend = TensorFlowBackend()

  static func path(_ name: String) -> String {
    ProjectFiles.path("\(folder)/\(name).tiobundle")
  }

  /// The TensorFlow library, or `nil` if it is not found.
  static let library: TensorFlowLibrary? = {
    guard let path = try? backend.locateLibrary().path,
      case .opened(let library) = TensorFlowLibrary.open(path)
    else { return nil }
    return library
  }()

  /// Returns the bundle with a name.
  static func bundle(_ name: String) throws -> ModelBundle {
    try ModelBundle(at: path(name))
  }

  /// Loads the bundle's model for a mode.
  static func model(_ name: String, _ mode: ModelMode = .predict) throws -> TensorFlowModel {
    let bundle = try bundle(name)
    return try backend.model(
      at: bundle.modelFile(for: mode), for: ModelBinding(bundle.description, mode: mode, threads: 1)
    )
  }
}

extension SavedModels {
  /// The names of all TensorFlow bundles.
  static let names: [String] = ProjectFiles.entries(of: folder, suffix: ".tiobundle").filter {
    !FileManager.default.fileExists(atPath: $0 + "/model.tflite")
  }.map {
    URL(filePath: $0).deletingPathExtension().lastPathComponent
  }
}

extension SavedModels {
  /// Returns the model folder of a bundle.
  static func file(_ name: String) -> ModelFile {
    ModelFile(path: path(name) + "/model", name: "model")
  }
}

extension SavedModels {
  private static let rejections =
    (try? JSONTree(contentsOf: ProjectFiles.path("\(folder)/hostile/rejected.json")))?.object ?? [:]

  /// Malicious models with the operator that causes the rejection.
  static let hostile = rejections.compactMap { name, operation in
    operation.string.map { (name, $0) }
  }.sorted { $0.0 < $1.0 }

  /// Models that cannot be loaded or run.
  static let damaged = ProjectFiles.entries(of: "\(folder)/hostile")
    .map { URL(filePath: $0).lastPathComponent }
    .filter { rejections[$0] == nil && !$0.contains(".") }

  static func loadHostile(_ name: String) throws -> any RuntimeModel {
    let description = ModelDescription(inputs: [.numbers("x", [2])], outputs: [.numbers("y", [2])])
    return try backend.load(
      ModelFile(path: ProjectFiles.path("\(folder)/hostile/\(name)"), name: name),
      for: ModelBinding(description, mode: .predict, threads: 1))
  }
}
