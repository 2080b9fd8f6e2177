public import TensorIOCore
internal import TensorIOImage
internal import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A folder that shows what a model saw of its inputs.
///
/// Of every input that takes a picture, it gets `<stem>-<input>.png`, the prepared picture;
/// `<stem>-<input>-<channel>.png`, each channel in gray; and `<stem>-<input>.json`, the range of the
/// values in the tensor, how they were made, and the map back to the caller's picture.
///
///     let folder = SeenInputFolder("seen")
///     try folder.write(picture.modelInput, of: model, stem: "cat")
public struct SeenInputFolder: Sendable, Hashable {
  /// Where the folder lies; it is made when it is needed.
  public let path: String

  /// A folder at a path.
  public init(_ path: String) {
    self.path = path
  }

  /// Shows what a model sees of an input; equal stems would take each other's place.
  @discardableResult
  public func write(
    _ input: ModelInput, of model: Model, stem: String
  ) throws(ModelError) -> [String] {
    var paths: [String] = []
    for seen in try model.seenPictures(of: input) {
      let name = "\(stem)-\(seen.layer.name)".map { $0 == "/" || $0 == "\0" ? "_" : $0 }
      paths += try write(seen, "\(FilePath.withoutTrailingSlashes(path))/\(String(name))")
    }
    return paths
  }

  private func write(_ seen: SeenPicture, _ place: String) throws(ModelError) -> [String] {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      var paths = ["\(place).png"]
      try seen.picture().write(to: paths[0])
      for (index, name) in seen.channelNames.enumerated() {
        paths.append("\(place)-\(name).png")
        try seen.picture(ofChannel: index).write(to: "\(place)-\(name).png")
      }
      try Data(seen.json).write(to: URL(filePath: "\(place).json"), options: .atomic)
      return paths + ["\(place).json"]
    } catch let error as ImageError {
      throw ModelError(.output, .picture(error), file: place)
    } catch {
      throw ModelError(.output, .unwritable(place, problem: "\(error)"))
    }
  }
}
