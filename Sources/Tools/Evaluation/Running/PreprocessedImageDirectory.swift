package import TensorIOBundle
package import TensorIOCore
import TensorIOImage
package import TensorIOJSON
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A directory for the preprocessed images of a model's inputs.
///
/// For every image input it contains `<stem>-<input>.png`, the preprocessed image;
/// `<stem>-<input>-<channel>.png`, each channel in gray; and `<stem>-<input>.json` with the range
/// of the tensor's values, the preprocessing and the transforms between the original image and the
/// model's input.
///
///     let directory = PreprocessedImageDirectory("preprocessed")
///     try directory.write(image.modelInput, of: model, stem: "cat")
package struct PreprocessedImageDirectory: Sendable, Hashable {
  /// The path of the directory, which is created when needed.
  package let path: String

  /// Creates a directory at a path.
  package init(_ path: String) {
    self.path = path
  }

  /// Writes the preprocessed images of an input.
  ///
  /// - Parameters:
  ///   - input: The input of the model.
  ///   - model: The model.
  ///   - stem: The first part of the file names; files with the same stem are replaced.
  /// - Returns: The paths of the written files.
  /// - Throws: A `ModelError` if the input does not fit the model or the files cannot be written.
  @discardableResult
  package func write(
    _ input: ModelInput, of model: Model, stem: String
  ) throws(ModelError) -> [String] {
    var paths: [String] = []
    for image in try model.preprocessedImages(for: input) {
      let name = "\(stem)-\(image.layer.name)".map { $0 == "/" || $0 == "\0" ? "_" : $0 }
      paths += try write(image, "\(FilePath.removingTrailingSlashes(path))/\(String(name))")
    }
    return paths
  }

  private func write(
    _ image: PreprocessedImage, _ basePath: String
  ) throws(ModelError) -> [String] {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      var paths = ["\(basePath).png"]
      try image.image().write(to: paths[0])
      for (index, name) in image.channelNames.enumerated() {
        paths.append("\(basePath)-\(name).png")
        try image.image(ofChannel: index).write(to: "\(basePath)-\(name).png")
      }
      try Data(image.json).write(to: URL(filePath: "\(basePath).json"), options: .atomic)
      return paths + ["\(basePath).json"]
    } catch let error as ImageError {
      throw ModelError(.output, .image(error), file: basePath)
    } catch {
      throw ModelError(.output, .unwritable(basePath, detail: "\(error)"))
    }
  }
}

extension PreprocessedImage {
  /// The description of the image as JSON.
  var json: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.object { writeMembers(to: &$0) }
    return writer.bytes + Array("\n".utf8)
  }

  /// Writes the description of the image as members of an object.
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
  /// Writes the size of the original image, and the transforms between it and the model's input.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("image") { writer in
      writer.member("width", imageWidth)
      writer.member("height", imageHeight)
    }
    for (name, transform) in [("to_image", modelToImage), ("from_image", imageToModel)] {
      writer.member(name) { writer in
        let coefficients = [
          ("a", transform.a), ("b", transform.b), ("c", transform.c), ("d", transform.d),
          ("tx", transform.tx), ("ty", transform.ty),
        ]
        for (name, value) in coefficients { writer.member(name, value) }
      }
    }
  }
}

/// Generates unique file stems for items: the stem of the item's file, with `-2`, `-3` and so on
/// for repetitions.
package struct UniqueFileStems {
  /// The stem of items without a file.
  private static let fallbackStem = "input"

  private var usedStems: Set<String> = []
  /// The last suffix used for each stem, so that every lookup takes constant time.
  private var counts: [String: Int] = [:]

  /// Creates a generator without used stems.
  package init() {}

  /// Returns the stem for the next item.
  ///
  /// - Parameter name: The path or the text of the item.
  /// - Returns: A stem that no earlier item has.
  package mutating func stem(of name: String) -> String {
    let fileStem = Self.fileStem(of: name)
    var stem = fileStem
    var count = counts[fileStem, default: 1]
    while !usedStems.insert(stem).inserted {
      count += 1
      stem = "\(fileStem)-\(count)"
    }
    counts[fileStem] = count
    return stem
  }

  private static func fileStem(of name: String) -> String {
    let file = name.split(separator: "/").last ?? ""
    let isFileName = !file.contains { "{}[]=,\"'".contains($0) } && file.utf8.count <= 200
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]
    return isFileName && !stem.isEmpty && stem != "-" ? String(stem) : fallbackStem
  }
}
