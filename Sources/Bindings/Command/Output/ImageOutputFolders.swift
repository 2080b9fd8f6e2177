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

/// The folders for the images of a run: output images, annotated images and preprocessed inputs.
struct ImageOutputFolders {
  static let preprocessedFolder = Flag(
    "save-preprocessed", "DIR", "Save each preprocessed image as DIR/<stem>-<input>.png")

  /// The folder for output images; `nil` embeds them in the records.
  let writeOutputImages: String?
  /// The folder for annotated images; `nil` writes none.
  let writeAnnotated: String?
  /// The folder for subjects of images with a transparent background; `nil` writes none.
  let writeCutOuts: String?
  /// The folder for preprocessed images; `nil` writes none.
  let preprocessedFolder: String?

  /// Whether input images are needed at full size.
  var needsOriginalImages: Bool { writeAnnotated != nil || writeCutOuts != nil }

  /// Saves or encodes the images of an output, and returns references to them.
  func writeOutputImages(
    _ output: ModelOutput, _ stem: String
  ) throws(OperationError) -> [String: ImageReference] {
    var references: [String: ImageReference] = [:]
    for layer in output.layers {
      guard let image = layer.value.image else { continue }
      references[layer.name] = try store(image, "\(stem)-\(layer.name)")
    }
    return references
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
      throw OperationError(error.code, error.description, exitCode: .operationFailed)
    } catch let error as OperationError {
      throw error
    } catch {
      throw OperationError("unwritable", "\(error)", exitCode: .operationFailed)
    }
  }

  /// Draws a result on its image and returns the path of the annotated image, if requested.
  func writeAnnotated(
    _ image: ImageBuffer?, _ result: TaskPostprocessor.ProcessedOutput, _ labels: LabelSelection,
    _ stem: String
  ) throws(OperationError) -> String? {
    guard let writeAnnotated, let image else { return nil }
    let path = try Self.path(in: writeAnnotated, stem)
    try ResultRenderer(sourceImage: image, result: result, labels: labels).write(to: path)
    return path
  }

  /// Writes the subject of a result with a transparent background and returns the path of the image,
  /// if requested.
  func writeCutOut(
    _ image: ImageBuffer?, _ result: TaskPostprocessor.ProcessedOutput, _ stem: String
  ) throws -> String? {
    guard let writeCutOuts, let image else { return nil }
    guard let subject = try result.result?.cutOut(from: image) else {
      throw OperationError(
        "unsupported", "--cut-out requires a model that segments images", exitCode: .usage)
    }
    let path = try Self.path(in: writeCutOuts, stem)
    try subject.write(to: path)
    return path
  }

  /// Writes the preprocessed images of an input, if requested.
  func writePreprocessed(
    _ input: ModelInput, _ model: Model, _ stem: String
  ) throws(ModelError) {
    guard let preprocessedFolder else { return }
    try PreprocessedImageDirectory(preprocessedFolder).write(input, of: model, stem: stem)
  }

  /// Throws a usage error if a folder is of no use for the model.
  func validate(for model: Model) throws(OperationError) {
    for (folder, flag) in [(writeAnnotated, "--annotate"), (writeCutOuts, "--cut-out")] {
      guard folder == nil || model.inputs.contains(where: \.isImage) else {
        throw .usage("\(flag) requires a model with an image input")
      }
    }
    try Self.validate(preprocessedFolder: preprocessedFolder, for: model.inputs)
    guard writeOutputImages == nil || model.outputs.contains(where: \.isImage) else {
      throw .usage("--save-images requires a model with an image output")
    }
  }

  /// Throws a usage error if preprocessed images are requested for inputs without images.
  static func validate(preprocessedFolder: String?, for inputs: [Layer]) throws(OperationError) {
    guard preprocessedFolder == nil || inputs.contains(where: \.isImage) else {
      throw .usage("--save-preprocessed requires a model with an image input")
    }
  }

  /// Creates a folder and returns the path of an image file in it.
  static func path(
    in folder: String, _ stem: String, _ fileExtension: String = "png"
  ) throws(OperationError) -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw OperationError(
        "unwritable", "\(folder): cannot create the folder", exitCode: .operationFailed)
    }
    return (folder.hasSuffix("/") ? folder : folder + "/") + "\(stem).\(fileExtension)"
  }
}

extension String {
  /// The text with the characters replaced that a file name must not contain.
  fileprivate var sanitizedFileName: String {
    String(map { $0 == "/" || $0 == "\0" ? "_" : $0 })
  }
}

/// Writes charts as image files.
enum ChartFile {
  /// Throws if a chart cannot be written to a path, because of its format or a missing library.
  static func validatePath(_ path: String, example: String) throws(OperationError) {
    guard ImageEncoding(path: path) != nil else {
      throw .usage("--plot takes an image file name such as \(example), got '\(path)'")
    }
    try OperationError.rethrowing { () throws(ModelError) in _ = try DrawingLibrary.standard }
  }

  /// Writes a chart.
  static func write(_ chart: Chart, to path: String) throws(OperationError) {
    do {
      try chart.image().write(to: path)
    } catch let error as ImageError {
      throw OperationError(error.code, error.description, exitCode: .operationFailed)
    } catch {
      throw OperationError(error)
    }
  }
}
