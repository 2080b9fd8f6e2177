import Foundation
import TensorIOCore
import TensorIOTestSupport
@testable import TensorIOBundle
@testable import TensorIOTensorFlow

/// The bundles of `Tests/Fixtures/TensorFlow`.
enum SavedModels {
  static let folder = "Tests/Fixtures/TensorFlow"
  /// TensorFlow from its usual places.
  static let backend = TensorFlowBackend()

  static func path(_ name: String) -> String {
    ProjectFiles.path("\(folder)/\(name).tiobundle")
  }

  /// TensorFlow's functions, where its library is found.
  static let library: TensorFlowLibrary? = {
    guard let path = try? backend.locateLibrary().path,
      case .opened(let library) = TensorFlowLibrary.open(path)
    else { return nil }
    return library
  }()

  /// The bundle of a name.
  static func bundle(_ name: String) throws -> ModelBundle {
    try ModelBundle(at: path(name))
  }

  /// The bundle's model, loaded for a mode.
  static func model(_ name: String, _ mode: ModelMode = .predict) throws -> TensorFlowModel {
    let bundle = try bundle(name)
    return try backend.model(
      at: bundle.modelFile(for: mode), for: ModelBinding(bundle.description, mode: mode, threads: 1))
  }
}

extension SavedModels {
  /// The names of all bundles that are for TensorFlow.
  static let names: [String] = ProjectFiles.entries(of: folder, suffix: ".tiobundle").filter {
    !FileManager.default.fileExists(atPath: $0 + "/model.tflite")
  }.map {
    URL(filePath: $0).deletingPathExtension().lastPathComponent
  }
}

extension SavedModels {
  /// The folder of a bundle's model.
  static func file(_ name: String) -> ModelFile {
    ModelFile(path: path(name) + "/model", name: "model")
  }
}

extension SavedModels {
  private static let refusals =
    (try? JSONTree(contentsOf: ProjectFiles.path("\(folder)/hostile/refused.json")))?.object ?? [:]

  /// Models that would do something else than compute, with the operator that does it.
  static let hostile = refusals.compactMap { name, operation in
    operation.string.map { (name, $0) }
  }.sorted { $0.0 < $1.0 }

  /// Models that cannot be loaded, or not run.
  static let damaged = ProjectFiles.entries(of: "\(folder)/hostile")
    .map { URL(filePath: $0).lastPathComponent }
    .filter { refusals[$0] == nil && !$0.contains(".") }

  static func loadHostile(_ name: String) throws -> any RuntimeModel {
    let description = ModelDescription(inputs: [.numbers("x", [2])], outputs: [.numbers("y", [2])])
    return try backend.load(
      ModelFile(path: ProjectFiles.path("\(folder)/hostile/\(name)"), name: name),
      for: ModelBinding(description, mode: .predict, threads: 1))
  }
}
