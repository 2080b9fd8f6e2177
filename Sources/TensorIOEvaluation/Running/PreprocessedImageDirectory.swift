public import TensorIOBundle
public import TensorIOCore
import TensorIOImage
package import TensorIOJSON
import TensorIOSystem

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
///     let folder = PreprocessedImageDirectory("seen")
///     try folder.write(picture.modelInput, of: model, stem: "cat")
public struct PreprocessedImageDirectory: Sendable, Hashable {
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
    for seen in try model.preprocessedImages(for: input) {
      let name = "\(stem)-\(seen.layer.name)".map { $0 == "/" || $0 == "\0" ? "_" : $0 }
      paths += try write(seen, "\(FilePath.removingTrailingSlashes(path))/\(String(name))")
    }
    return paths
  }

  private func write(_ seen: PreprocessedImage, _ place: String) throws(ModelError) -> [String] {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      var paths = ["\(place).png"]
      try seen.image().write(to: paths[0])
      for (index, name) in seen.channelNames.enumerated() {
        paths.append("\(place)-\(name).png")
        try seen.image(ofChannel: index).write(to: "\(place)-\(name).png")
      }
      try Data(seen.json).write(to: URL(filePath: "\(place).json"), options: .atomic)
      return paths + ["\(place).json"]
    } catch let error as ImageError {
      throw ModelError(.output, .image(error), file: place)
    } catch {
      throw ModelError(.output, .unwritable(place, detail: "\(error)"))
    }
  }
}

extension PreprocessedImage {
  /// What is said of the picture, as JSON.
  var json: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.object { writeMembers(to: &$0) }
    return writer.bytes + Array("\n".utf8)
  }

  /// Writes what is said of the picture, as members of an object.
  package func writeMembers(to writer: inout JSONWriter) {
    writer.member("input", layer.name)
    writer.member("width", imageLayer.width)
    writer.member("height", imageLayer.height)
    writer.member("format", imageLayer.format.rawValue.uppercased())
    writer.member("layout", imageLayer.layout.rawValue)
    writer.member("dtype", elementType.rawValue)
    writer.member("fit", imageLayer.fit.rawValue)
    writer.member("filter", imageLayer.filter.rawValue)
    writeChannels(to: &writer)
    if let geometry { geometry.write(to: &writer) }
  }

  private func writeChannels(to writer: inout JSONWriter) {
    writer.member(
      "channels",
      array: { writer in
        for (name, values) in zip(channelNames, channels) {
          writer.object { writer in
            writer.member("name", name)
            writer.member("min", values.min() ?? .nan)
            writer.member("max", values.max() ?? .nan)
            writer.member("mean", values.map(Double.init).mean ?? .nan)
          }
        }
      })
  }
}

extension ImageGeometry {
  /// Writes the picture's size, and the maps between it and what the model sees.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member(
      "picture",
      object: { writer in
        writer.member("width", imageWidth)
        writer.member("height", imageHeight)
      })
    for (name, map) in [("to_picture", modelToImage), ("from_picture", imageToModel)] {
      writer.member(
        name,
        object: { writer in
          let parts = [
            ("a", map.a), ("b", map.b), ("c", map.c), ("d", map.d), ("tx", map.tx), ("ty", map.ty),
          ]
          for (part, value) in parts { writer.member(part, value) }
        })
    }
  }
}

/// Names for the files that belong to items: the stem of the item's own file, and `-2`, `-3` for
/// those that come again.
package struct UniqueFileStems {
  /// What items without a file are called.
  private static let fallbackStem = "input"

  private var usedStems: Set<String> = []
  /// The last number that each name was given, so that the millionth is found as fast as the first.
  private var counts: [String: Int] = [:]

  /// No names yet.
  package init() {}

  /// The stem for the next item, of the path or the text that it is known by.
  package mutating func stem(of name: String) -> String {
    let plain = Self.fileStem(of: name)
    var stem = plain
    var count = counts[plain, default: 1]
    while !usedStems.insert(stem).inserted {
      count += 1
      stem = "\(plain)-\(count)"
    }
    counts[plain] = count
    return stem
  }

  private static func fileStem(of name: String) -> String {
    let file = name.split(separator: "/").last ?? ""
    let isFileName = !file.contains { "{}[]=,\"'".contains($0) } && file.utf8.count <= 200
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]
    return isFileName && !stem.isEmpty && stem != "-" ? String(stem) : fallbackStem
  }
}
