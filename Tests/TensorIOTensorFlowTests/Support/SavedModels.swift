import Foundation
import TensorIOCore
import TensorIOTestSupport

@testable import TensorIOTensorFlow

/// The bundles of `Tests/Fixtures/TensorFlow`.
enum SavedModels {
  static let folder = "Tests/Fixtures/TensorFlow"
  /// TensorFlow from its usual places.
  static let backend = TensorFlowBackend()

  static func path(_ name: String) -> String {
    ProjectFiles.path("\(folder)/\(name).tiobundle")
  }

  /// The bundle of a name.
  static func bundle(_ name: String) throws -> ModelBundle {
    try ModelBundle(at: path(name))
  }

  /// The bundle's model, loaded for a mode.
  static func model(_ name: String, _ mode: ModelMode = .predict) throws -> TensorFlowModel {
    let bundle = try bundle(name)
    return try backend.model(
      at: bundle.modelFile(for: mode), for: ModelUse(bundle.description, mode: mode, threads: 1))
  }
}

extension SavedModels {
  /// The names of all bundles.
  static let names: [String] = ProjectFiles.entries(of: folder, ending: ".tiobundle").map {
    URL(filePath: $0).deletingPathExtension().lastPathComponent
  }
}
