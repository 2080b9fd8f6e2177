import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOJSON
import TensorIOServer
import TensorIOSystem

/// A dataset that is available on the server.
package struct PreconfiguredDataset: Sendable {
  /// The name shown to the user.
  package let name: String
  /// The path on disk.
  ///
  /// Never sent to clients.
  package let path: String
  /// The number of images; `nil` if it is not a folder of images.
  package let imageCount: Int?

  /// Writes the members that every list of datasets has.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("image_count", orNull: imageCount.map(Double.init))
  }

  /// Returns why a model cannot be evaluated on the dataset; `nil` if it can.
  ///
  /// - Parameters:
  ///   - bundle: The bundle of the model.
  ///   - redactor: Replaces the paths of the model.
  ///   - host: Opens the model if only its file determines whether the data fit.
  /// - Returns: The reason, without paths of this machine.
  func misfit(
    of bundle: ModelBundle, _ redactor: PathRedactor, opening host: any StudioHost
  ) -> String? {
    let redactor = redactor.redacting(path, as: name)
    do throws(ModelError) {
      let items = try EvaluationPlan(bundle, dataAt: path) { mode in
        try? host.open(bundle, mode, Parallelism(items: 1, threadsPerSession: 1))
      }.data.items
      // One valid item is enough, as an evaluation lists the others.
      guard !(0..<items.count).contains(where: { items.error(at: $0) == nil }) else { return nil }
      return items.errors.first.map { redactor.redact($0.message) } ?? "the dataset is empty"
    } catch {
      return ClientError(error, redactor).message
    }
  }

  /// Returns datasets for `paths`, named after the last path component and numbered if necessary.
  package static func all(at paths: [String]) -> [PreconfiguredDataset] {
    var datasets: [PreconfiguredDataset] = []
    for path in paths {
      let last = path.split(separator: "/").last.map(String.init) ?? path
      let names = datasets.map(\.name)
      let name = ([last] + (2...paths.count + 1).map { "\(last)-\($0)" })
        .first { !names.contains($0) }
      datasets.append(
        PreconfiguredDataset(
          name: name ?? path, path: path, imageCount: imageCount(in: path, depth: 3)))
    }
    return datasets
  }

  /// Returns the number of images in a folder and its subfolders.
  private static func imageCount(in folder: String, depth: Int) -> Int? {
    guard depth > 0, let names = try? FileSystem.entryNames(in: folder) else { return nil }
    let count = names.filter { !$0.hasPrefix(".") }.reduce(0) { count, name in
      count
        + (ImageFileName.isImage(name)
          ? 1 : imageCount(in: "\(folder)/\(name)", depth: depth - 1) ?? 0)
    }
    return count == 0 ? nil : count
  }
}
