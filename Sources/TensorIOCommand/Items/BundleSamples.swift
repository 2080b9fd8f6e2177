internal import TensorIO
internal import TensorIOCore
internal import TensorIOSystem

/// The sample inputs that lie beside a model.
struct BundleSamples {
  /// The folder of a bundle that holds them.
  static let folder = "samples"

  private let bundle: ModelBundle

  init(_ bundle: ModelBundle) {
    self.bundle = bundle
  }

  /// The first example, or else the first sample; `nil` where the bundle has neither.
  func first(_ reader: ItemReader) throws(CommandFailure) -> ItemList? {
    if let firstExample { return ItemList(items: [firstExample]) }
    return try first.map { sample throws(CommandFailure) in try reader.items([sample]) }
  }

  /// What the first example of the description gives to the model.
  var firstExample: Item? {
    guard let example = bundle.description.examples.first else { return nil }
    return Item(name(of: example)) { () throws(ModelError) in try bundle.input(of: example) }
  }

  /// The path of an example that is one file, or else its text.
  private func name(of example: ModelExample) -> String {
    guard let text = JSONNode(json: example.input)?.string else { return example.input }
    if text.hasPrefix(ValueReader.filePrefix) {
      return "\(ValueReader.filePrefix)\(bundle.folderPath)/\(text.dropFirst())"
    }
    return takesPicture && !text.hasPrefix(ValueReader.base64Prefix)
      ? "\(bundle.folderPath)/\(text)" : text
  }

  /// The first sample, as a word of the command line.
  var first: String? {
    let folder = "\(bundle.folderPath)/\(Self.folder)"
    if takesPicture { return PictureSet(folder)?.paths.first }
    let names = (try? Folder.names(in: folder)) ?? []
    let document = names.first { $0.hasSuffix(".json") }
    return document.map { "@\(folder)/\($0)" }
  }

  /// All pictures among the samples; `nil` for a model that takes something else.
  var pictures: [String]? {
    takesPicture ? PictureSet("\(bundle.folderPath)/\(Self.folder)")?.paths : nil
  }

  private var takesPicture: Bool {
    let inputs = bundle.description.askedInputs
    guard inputs.count == 1, case .image = inputs[0].kind else { return false }
    return true
  }
}
