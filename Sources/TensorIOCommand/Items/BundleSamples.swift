internal import TensorIO
internal import TensorIOCore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The sample inputs that lie beside a model.
struct BundleSamples {
  /// The folder of a bundle that holds them.
  static let folder = "samples"

  private let bundle: ModelBundle

  init(_ bundle: ModelBundle) {
    self.bundle = bundle
  }

  /// The first sample, as a word of the command line.
  var first: String? {
    let folder = "\(bundle.folderPath)/\(Self.folder)"
    if takesPicture { return PictureSet(folder)?.paths.first }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let document = names.filter { $0.hasSuffix(".json") }.sortedByBytes.first
    return document.map { "@\(folder)/\($0)" }
  }

  private var takesPicture: Bool {
    guard bundle.description.inputs.count == 1, case .image = bundle.description.inputs[0].kind
    else { return false }
    return true
  }
}
