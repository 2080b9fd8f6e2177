import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOEvaluation
import TensorIOImage
import TensorIOTasks

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Where the pictures of a run go: those that come out of the model, and those that are drawn on.
struct ImageOutputFolders {
  static let preprocessedFolder = Flag(
    "show-input", "DIR", "writes the pictures that the model saw as DIR/<stem>-<input>.png")

  /// For pictures that come out; `nil` puts them into the answer.
  let writeOutputImages: String?
  /// For pictures with the answer drawn on them; `nil` draws none.
  let writeAnnotated: String?
  /// For what the model saw; `nil` shows none of it.
  let preprocessedFolder: String?

  /// Puts the pictures of an output where they belong.
  func writeOutputImages(
    _ output: ModelOutput, _ stem: String
  ) throws(OperationError) -> [String: ImageReference] {
    var places: [String: ImageReference] = [:]
    for layer in output.layers {
      guard let image = layer.value.image else { continue }
      places[layer.name] = try store(image, "\(stem)-\(layer.name)")
    }
    return places
  }

  private func store(
    _ image: ImageBuffer, _ name: String
  ) throws(OperationError) -> ImageReference {
    do {
      guard let writeOutputImages else { return .png(try image.encoded(as: .png)) }
      let path = try Self.path(in: writeOutputImages, name.sanitizedFileName)
      try image.write(to: path)
      return .file(path)
    } catch let error as ImageError {
      throw OperationError(error.code, error.description, exitCode: .inferenceFailed)
    } catch let failure as OperationError {
      throw failure
    } catch {
      throw OperationError("unwritable", "\(error)", exitCode: .inferenceFailed)
    }
  }

  /// Draws the answer on the picture, where there is one.
  func writeAnnotated(
    _ picture: ImageBuffer?, _ answer: TaskPostprocessor.ProcessedOutput, _ labels: LabelSelection,
    _ stem: String
  ) throws(OperationError) -> String? {
    guard let writeAnnotated, let picture else { return nil }
    let path = try Self.path(in: writeAnnotated, stem)
    try ResultRenderer(sourceImage: picture, result: answer, labels: labels).write(to: path)
    return path
  }

  /// Shows what the model sees of an input.
  func writePreprocessed(
    _ input: ModelInput, _ model: Model, _ stem: String
  ) throws(ModelError) {
    guard let preprocessedFolder else { return }
    try PreprocessedImageDirectory(preprocessedFolder).write(input, of: model, stem: stem)
  }

  /// Refuses what a model cannot do, before anything runs.
  func validate(for model: Model) throws(OperationError) {
    guard writeAnnotated == nil || model.inputs.contains(where: \.isImage) else {
      throw .usage("--annotate draws on the picture that goes in, and this model takes none")
    }
    try Self.validate(preprocessedFolder: preprocessedFolder, for: model.inputs)
    guard writeOutputImages == nil || model.outputs.contains(where: \.isImage) else {
      throw .usage("--save writes the pictures that come out, and this model gives none")
    }
  }

  /// Refuses to show pictures of inputs that are none.
  static func validate(preprocessedFolder: String?, for inputs: [Layer]) throws(OperationError) {
    guard preprocessedFolder == nil || inputs.contains(where: \.isImage) else {
      throw .usage("--show-input shows pictures that go in, and this model takes none")
    }
  }

  /// The path of a picture in a folder, which is made where it is not there.
  static func path(in folder: String, _ stem: String) throws(OperationError) -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw OperationError("unwritable", "\(folder): cannot make the folder", exitCode: .inferenceFailed)
    }
    return folder.hasSuffix("/") ? "\(folder)\(stem).png" : "\(folder)/\(stem).png"
  }
}

extension String {
  /// The text with nothing in it that would lead to another folder.
  fileprivate var sanitizedFileName: String {
    String(map { $0 == "/" || $0 == "\0" ? "_" : $0 })
  }
}

/// A chart that is drawn as a picture.
enum ChartFile {
  /// Refuses, before anything runs, a path at which no chart can be drawn.
  static func validatePath(_ path: String, example: String) throws(OperationError) {
    guard ImageEncoding(path: path) != nil else {
      throw .usage("--plot takes the name of a picture, such as \(example), got '\(path)'")
    }
    do throws(DrawingError) {
      _ = try DrawingLibrary.standard
    } catch {
      throw OperationError("cannot-draw", "\(error)", exitCode: .inferenceFailed)
    }
  }

  /// Draws a chart.
  static func write(_ chart: LineChart, to path: String) throws(OperationError) {
    do {
      try chart.rendered().write(to: path)
    } catch let error as ImageError {
      throw OperationError(error.code, error.description, exitCode: .inferenceFailed)
    } catch {
      throw OperationError("cannot-draw", "\(error)", exitCode: .inferenceFailed)
    }
  }
}
