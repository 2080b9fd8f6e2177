import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// A model on a hub: the files of a commit, as the hub lists them.
struct HubModel: Sendable {
  /// A file of the model.
  struct File: Sendable {
    /// The path in the folder of the model.
    let path: String
    let byteCount: Int?
    /// The digest that the hub states, in hexadecimal; `nil` for small files.
    let digest: String?
  }

  /// The name of a model, and the requested revision.
  struct Name: Sendable, Equatable {
    let name: String
    let revision: String

    /// Parses `NAME`, `OWNER/NAME` or one of them with `@REVISION`.
    init(_ text: String) throws(OperationError) {
      guard
        let match = text.wholeMatch(
          of:
            #/((?:[A-Za-z0-9][A-Za-z0-9._-]{0,95}\/)?[A-Za-z0-9][A-Za-z0-9._-]{0,95})(?:@([A-Za-z0-9][A-Za-z0-9._-]{0,95}))?/#
        )
      else {
        throw .input(
          "invalid-name",
          "'\(text)' is neither a URL nor a name such as OWNER/NAME or OWNER/NAME@REVISION")
      }
      name = String(match.1)
      revision = match.2.map { String($0) } ?? "main"
    }

    /// The last part of the name.
    var stem: String { name.split(separator: "/").last.map(String.init) ?? name }
  }

  /// The environment variable with the address of a mirror.
  static let addressVariable = "TENSORIO_HUB"
  private static let defaultAddress = "https://huggingface.co"
  private static let maxFileCount = 10_000

  let address: String
  let name: Name
  let commit: String
  let files: [File]

  /// Returns the address of the hub.
  static func address(_ environment: (String) -> String?) -> String {
    let address = environment(addressVariable) ?? defaultAddress
    return address.hasSuffix("/") ? String(address.dropLast()) : address
  }

  /// Returns the URL of the list of files.
  static func listURL(of name: Name, at address: String) -> String {
    "\(address)/api/models/\(name.name)/revision/\(name.revision)?blobs=true"
  }

  /// Parses the list of files.
  init(parsing bytes: [UInt8], _ name: Name, at address: String) throws(OperationError) {
    (self.name, self.address) = (name, address)
    let root = (try? JSONDocument(parsing: bytes))?.root
    guard let commit = root?["sha"]?.string,
      commit.wholeMatch(of: #/[0-9a-f]{7,64}/#) != nil,
      let nodes = root?["siblings"]?.elements.map({ Array($0) }), nodes.count <= Self.maxFileCount
    else {
      throw .input(
        "invalid-list", "\(address): the hub did not answer with the files of '\(name.name)'")
    }
    self.commit = commit
    var files: [File] = []
    for node in nodes {
      guard let path = node["rfilename"]?.string, Self.isSafe(path) else { continue }
      let large = node["lfs"]
      files.append(
        File(
          path: path, byteCount: (large?["size"] ?? node["size"])?.int.flatMap { Int(exactly: $0) },
          digest: large?["sha256"]?.string?.lowercased()))
    }
    self.files = files
  }

  /// Whether a path stays in its folder, and is no hidden file.
  private static func isSafe(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count <= 8 && path.utf8.count <= 500
      && parts.allSatisfy { part in
        !part.isEmpty && !part.hasPrefix(".")
          && part.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\\" && $0.value != 0x7F }
      }
  }

  /// Returns the URL of a file.
  func url(of file: File) -> String {
    let path = file.path.utf8.map { byte -> String in
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        byte < 0x80
        && (scalar.properties.isAlphabetic || byte.isDigit
          || "-._~/".unicodeScalars.contains(scalar))
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain ? String(Character(scalar)) : "%" + (digits.count < 2 ? "0" : "") + digits
    }
    return "\(address)/\(name.name)/resolve/\(commit)/\(path.joined())"
  }
}

// MARK: Choosing files

extension HubModel {
  /// The ends of the names of what a model is run with, besides the model itself.
  private static let settingNames = [".json", ".txt", ".model", ".jinja", ".tiktoken", ".wav"]
  private static let modelNames = [".onnx", ".tflite"]

  /// Returns the files to run the model with: the model in one precision, its weights, the tokenizer and settings.
  ///
  /// Weights for training, in other formats, are left out.
  ///
  /// - Parameter variant: The precision, such as `q4` for `model_q4.onnx`; `nil` for `model.onnx`, the decoder of a model with an encoder, or
  ///   all models if there is none.
  /// - Returns: The files.
  /// - Throws: An ``OperationError`` that lists the variants if there is none of that name.
  func chosenFiles(variant: String?) throws(OperationError) -> [File] {
    let models = files.map(\.path).filter { path in
      Self.modelNames.contains { path.hasSuffix($0) }
    }
    guard !models.isEmpty else {
      throw .input(
        "no-model",
        "'\(name.name)' has no .onnx or .tflite file; weights in other formats have to be exported")
    }
    var chosen = Set(HubFolder.neededModels(among: models, variant: variant))
    if chosen.isEmpty {
      if let variant {
        let names = HubFolder.variants(of: models).sorted().joined(separator: ", ")
        throw .input(
          "unknown-variant", "'\(name.name)' has no model '\(variant)'; its models are \(names)")
      }
      chosen = Set(models)
    }
    return files.filter { file in
      if Self.settingNames.contains(where: { file.path.hasSuffix($0) }) { return true }
      // The weights of `model.onnx` may be in `model.onnx_data` or `model.onnx.data`.
      let base = Self.modelNames.lazy.compactMap { end in
        file.path.firstRange(of: end).map { String(file.path[..<$0.upperBound]) }
      }.first
      return base.map(chosen.contains) ?? false
    }
  }
}
