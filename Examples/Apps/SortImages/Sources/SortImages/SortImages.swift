import Foundation
import TensorIO

/// Watches a folder and moves each new image into a folder of its label: `SortImages BUNDLE FOLDER [--once]`.
///
/// Images whose best label has a score of less than one half are moved to `unsure`.
@main
struct SortImages {
  private static let extensions: Set<String> = ["jpg", "jpeg", "png", "webp"]
  private static let threshold: Float = 0.5

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else {
      print("usage: SortImages BUNDLE FOLDER [--once]")
      exit(2)
    }
    let model = try Model(at: arguments[1])
    let folder = URL(filePath: arguments[2], directoryHint: .isDirectory)
    let isRepeated = !arguments.contains("--once")
    var sizes: [URL: Int] = [:]
    repeat {
      let images = try newImages(in: folder)
      for image in images {
        // A file that is still being written has another size the next time.
        let size = try image.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        defer { sizes[image] = size }
        guard !isRepeated || sizes[image] == size else { continue }
        try await sort(image, in: folder, model)
      }
      sizes = sizes.filter { images.contains($0.key) }
      if isRepeated { try await Task.sleep(for: .seconds(1)) }
    } while isRepeated
  }

  /// Returns the images that are directly in a folder, by name.
  private static func newImages(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.fileSizeKey], options: .skipsHiddenFiles
    )
    .filter { extensions.contains($0.pathExtension.lowercased()) }
    .sorted { $0.path < $1.path }
  }

  private static func sort(_ image: URL, in folder: URL, _ model: Model) async throws {
    let label: String
    do {
      let best = try await model.submit(Data(contentsOf: image)).classes.first
      label = best.map { $0.score < threshold ? "unsure" : $0.label } ?? "unsure"
    } catch let error as ModelError where error.stage == .input {
      label = "unreadable"
    }
    let target = folder.appending(path: label.replacing("/", with: "-"))
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: image, to: free(target, image.lastPathComponent))
    print("\(image.lastPathComponent): \(label)")
  }

  /// Returns a path in a folder at which there is no file: `three.png`, `three 2.png` and so on.
  private static func free(_ folder: URL, _ name: String) -> URL {
    let file = URL(filePath: name)
    let stem = file.deletingPathExtension().lastPathComponent
    var candidate = folder.appending(path: name)
    var number = 2
    while FileManager.default.fileExists(atPath: candidate.path) {
      candidate = folder.appending(path: "\(stem) \(number).\(file.pathExtension)")
      number += 1
    }
    return candidate
  }
}
