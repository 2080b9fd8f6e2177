internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOEvaluation
internal import TensorIOImage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Where the pictures of a run go: those that come out of the model, and those that are drawn on.
struct PictureFolders {
  static let showInput = Flag(
    "show-input", "DIR", "writes the pictures that the model saw as DIR/<stem>-<input>.png")

  /// For pictures that come out; `nil` puts them into the answer.
  let save: String?
  /// For pictures with the answer drawn on them; `nil` draws none.
  let annotate: String?
  /// For what the model saw; `nil` shows none of it.
  let showInput: String?

  /// Puts the pictures of an output where they belong.
  func save(
    _ output: ModelOutput, _ stem: String
  ) throws(CommandFailure) -> [String: PictureReference] {
    var places: [String: PictureReference] = [:]
    for layer in output.layers {
      guard let image = layer.value.image else { continue }
      places[layer.name] = try place(image, "\(stem)-\(layer.name)")
    }
    return places
  }

  private func place(
    _ image: ImageBuffer, _ name: String
  ) throws(CommandFailure) -> PictureReference {
    do {
      guard let save else { return .png(try image.encoded(as: .png)) }
      let path = try Self.path(in: save, name.fileName)
      try image.write(to: path)
      return .file(path)
    } catch let error as ImageError {
      throw CommandFailure(error.code, error.description, exit: .run)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure("unwritable", "\(error)", exit: .run)
    }
  }

  /// Draws the answer on the picture, where there is one.
  func annotate(
    _ picture: ImageBuffer?, _ answer: TaskAnswering.Answer, _ labels: LabelSelection,
    _ stem: String
  ) throws(CommandFailure) -> String? {
    guard let annotate, let picture else { return nil }
    let path = try Self.path(in: annotate, stem)
    try AnswerDrawing(picture: picture, answer: answer, labels: labels).write(to: path)
    return path
  }

  /// Shows what the model sees of an input.
  func show(
    _ input: ModelInput, _ model: Model, _ stem: String
  ) throws(ModelError) {
    guard let showInput else { return }
    try SeenInputFolder(showInput).write(input, of: model, stem: stem)
  }

  /// Refuses what a model cannot do, before anything runs.
  func check(against model: Model) throws(CommandFailure) {
    guard annotate == nil || model.inputs.contains(where: \.isPicture) else {
      throw .usage("--annotate draws on the picture that goes in, and this model takes none")
    }
    try Self.check(showInput: showInput, against: model.inputs)
    guard save == nil || model.outputs.contains(where: \.isPicture) else {
      throw .usage("--save writes the pictures that come out, and this model gives none")
    }
  }

  /// Refuses to show pictures of inputs that are none.
  static func check(showInput: String?, against inputs: [Layer]) throws(CommandFailure) {
    guard showInput == nil || inputs.contains(where: \.isPicture) else {
      throw .usage("--show-input shows pictures that go in, and this model takes none")
    }
  }

  /// The path of a picture in a folder, which is made where it is not there.
  static func path(in folder: String, _ stem: String) throws(CommandFailure) -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure("unwritable", "\(folder): cannot make the folder", exit: .run)
    }
    return folder.hasSuffix("/") ? "\(folder)\(stem).png" : "\(folder)/\(stem).png"
  }
}

extension String {
  /// The text with nothing in it that would lead to another folder.
  fileprivate var fileName: String {
    String(map { $0 == "/" || $0 == "\0" ? "_" : $0 })
  }
}
