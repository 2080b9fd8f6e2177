package import TensorIOJSON
import TensorIOSystem

/// A folder as model hubs publish it: models, a tokenizer, and JSON files that say how they are used.
///
/// What the files state is written into the bundle of the model, which then needs no edit.
package struct HubFolder: Sendable {
  /// A JSON file of such a folder.
  package enum File: String, Sendable, Hashable, CaseIterable {
    /// The architecture and its sizes.
    case config = "config.json"
    /// The settings for generating texts.
    case generation = "generation_config.json"
    /// The special tokens and the template of messages.
    case tokenizer = "tokenizer_config.json"
    /// The settings of onnxruntime-genai, with the names of inputs and outputs.
    case runtime = "genai_config.json"
    /// The limits of an encoder of sentences.
    case sentences = "sentence_bert_config.json"
    /// The steps of an encoder of sentences.
    case modules = "modules.json"
    /// How an encoder of sentences makes one vector of those of the tokens.
    case pooling = "1_Pooling/config.json"
    /// The texts before the sentences, and how vectors are compared.
    case similarity = "config_sentence_transformers.json"
    /// The preparation of images.
    case images = "preprocessor_config.json"
    /// The preparation of several kinds of inputs, one of which may be images.
    case inputs = "processor_config.json"
  }

  /// The name of the file with the tokenizer.
  package static let tokenizerName = "tokenizer.json"

  /// The path of the folder.
  package let path: String
  private var contents: [File: JSONValue] = [:]

  /// The maximum size of a JSON file; those of tokenizers list thousands of tokens.
  private static let maxByteCount = 16 << 20

  /// Reads the files of a folder; `nil` if it does not say what its model is.
  ///
  /// - Parameter path: The path of the folder.
  /// - Throws: A ``ModelError`` if a file cannot be read.
  package init?(at path: String) throws(ModelError) {
    self.path = FilePath.removingTrailingSlashes(path)
    guard FileKind(at: path) == .directory,
      FileKind(at: path + "/" + BundleFolder.descriptionName) == nil
    else { return nil }
    for file in [File.config, .runtime] { contents[file] = try read(file) }
    let isDescribed =
      self[.config, "model_type"] != nil || self[.config, "architectures"] != nil
      || self[.runtime, "model"] != nil || timm != nil
    guard isDescribed else { return nil }
    for file in File.allCases where contents[file] == nil { contents[file] = try read(file) }
  }

  /// The name of the model: that of the folder, or the one in the cache of a hub.
  package var name: String {
    let folder = FilePath.resolved(path) ?? path
    guard linkedFolder != nil else { return FilePath.lastComponent(of: folder) }
    let cached = FilePath.lastComponent(of: FilePath.parent(of: FilePath.parent(of: folder)))
    // The cache's folder of a model is models--OWNER--NAME.
    return cached.split(separator: "--").last.map(String.init) ?? cached
  }

  /// Reads the files of the folder of a model, which may be in a folder `onnx` of its own.
  ///
  /// A file of the same name that belongs to something else need not be JSON, and does not keep the model from being used.
  package init?(of model: String) {
    let parent = FilePath.parent(of: model)
    let isInFolderOfModels = FilePath.lastComponent(of: parent) == Self.modelsName
    let folders = [parent] + (isInFolderOfModels ? [FilePath.parent(of: parent)] : [])
    guard let folder = folders.lazy.compactMap({ try? HubFolder(at: $0) }).first else { return nil }
    self = folder
  }

  private func read(_ file: File) throws(ModelError) -> JSONValue? {
    guard let bytes = try bytes(of: file.rawValue, limit: Self.maxByteCount) else { return nil }
    do throws(JSONError) {
      return try JSONDocument(
        parsing: bytes, limits: JSONLimits(bytes: Self.maxByteCount), dialect: .byteOrderMark
      ).root.value
    } catch {
      throw ModelError(
        .bundle, .unreadableFile(file.rawValue, detail: "\(error)"), file: path)
    }
  }

  /// Returns the value at a place in a file; `nil` if there is none.
  package subscript(file: File, keys: String...) -> JSONValue? {
    let value = keys.reduce(contents[file]) { $0?[$1] }
    return value == .null ? nil : value
  }

  /// What the package timm states of a classifier of images, in `config.json` or a member of it; `nil` without such statements.
  package var timm: JSONValue? {
    [self[.config, "pretrained_cfg"], self[.config]].lazy.compactMap(\.self).first {
      $0["input_size"]?.elements != nil && $0["mean"]?.elements != nil
    }
  }

  /// Returns the contents of a file of the folder; `nil` if there is no such file.
  package func bytes(of name: String, limit: Int) throws(ModelError) -> [UInt8]? {
    guard FileKind(at: "\(path)/\(name)") != nil else { return nil }
    do throws(ModelError) {
      return try FileBytes.read("\(path)/\(name)", named: name, limit: limit)
    } catch {
      throw error.in(file: path)
    }
  }
}

// MARK: Models

extension HubFolder {
  /// The folder with the contents of the files, which are links in a hub's cache; `nil` elsewhere.
  package var linkedFolder: String? {
    guard let folder = FilePath.resolved(path) else { return nil }
    let snapshots = FilePath.parent(of: folder)
    guard FilePath.lastComponent(of: snapshots) == "snapshots" else { return nil }
    return FilePath.resolved(FilePath.parent(of: snapshots) + "/blobs")
  }

  /// The folder of the models in most folders.
  private static let modelsName = "onnx"

  /// Returns the path of the model to use.
  ///
  /// - Parameters:
  ///   - variant: The end of the file's name, such as `q4`; `nil` for the only model, or the one without a variant.
  ///   - isModel: Whether a runtime reads the file of a path.
  /// - Returns: The path.
  /// - Throws: A ``ModelError`` that lists the models if none is named so.
  package func model(
    variant: String?, isModel: (String) -> Bool
  ) throws(ModelError) -> String {
    let folder = Self.modelsName + "/"
    let names = try names(in: "") + names(in: folder).map { folder + $0 }
    let models = Self.withoutParts(names.filter { isModel("\(path)/\($0)") })
    guard !models.isEmpty else {
      throw ModelError(.bundle, .unmetRequirement(Self.missingModel(in: names)), file: path)
    }
    let found =
      if let variant {
        models.filter { Self.variant(of: $0) == variant }
      } else {
        usualModels(among: models)
      }
    guard let model = found.first, found.count == 1 else {
      let names = models.map(Self.variant).joined(separator: ", ")
      throw ModelError(
        .bundle,
        .unmetRequirement(
          variant.map { "the folder has no model '\($0)'; its models are \(names)" }
            ?? "the folder has several models; name one of \(names)"), file: path)
    }
    return "\(path)/\(model)"
  }

  /// The folders of packages with a model.
  private static let packageFolders = ["", "\(modelsName)/", "data/"]

  /// Returns the path of the only model of a folder that does not describe it; `nil` if there is none, or several.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder.
  ///   - isModel: Whether a runtime reads the file of a path.
  /// - Returns: The path of the model, which may be in a folder `onnx` or `data`.
  package static func onlyModel(in folder: String, isModel: (String) -> Bool) -> String? {
    let models = packageFolders.flatMap { name in
      ((try? FileSystem.entryNames(in: "\(folder)/\(name)")) ?? []).map { "\(folder)/\(name)\($0)" }
    }.filter { FileKind(at: $0) == .file && isModel($0) }
    return models.count == 1 ? models[0] : nil
  }

  /// Returns what to do with a folder of these files, none of which is a model.
  private static func missingModel(in names: [String]) -> ModelError.Message {
    let extensions = Set(names.map(FilePath.pathExtension))
    let missing: ModelError.Message =
      "the folder has no .onnx or .tflite file, in itself or in 'onnx'; "
    // Weights of this format are numbers alone, so that other programs can read them safely.
    if extensions.contains("safetensors") {
      return missing + "its .safetensors weights have to be exported: "
        + "'optimum-cli export onnx --model FOLDER FOLDER/onnx' does that in Python"
    }
    if !extensions.isDisjoint(with: pickleExtensions) {
      return missing
        + "its weights are a pickle, which can run code when it is read; look for a version with .onnx or "
        + ".safetensors files, or export it where its author is trusted"
    }
    return missing + "weights in other formats have to be exported"
  }

  /// The extensions of files that Python's pickle reads.
  private static let pickleExtensions: Set = ["bin", "pt", "pth", "ckpt", "pkl"]

  private func names(in folder: String) throws(ModelError) -> [String] {
    guard FileKind(at: "\(path)/\(folder)") == .directory else { return [] }
    do throws(FileError) {
      return try FileSystem.entryNames(in: "\(path)/\(folder)").sorted()
    } catch {
      throw ModelError(.bundle, error.reason(named: folder), file: path)
    }
  }

  /// Returns the models without a variant, or the one that the folder names.
  private func usualModels(among models: [String]) -> [String] {
    if let plain = Self.plainModel(among: models) { return [plain] }
    if let named = self[.runtime, "model", "decoder", "filename"]?.string, models.contains(named) {
      return [named]
    }
    return models
  }

  /// The name of most models, and that of a decoder in one file.
  private static let names = ["model", mergedName]
  private static let mergedName = "decoder_model_merged"
  /// The names of what a merged decoder is made of, and of the encoder that it reads.
  private static let partNames = [encoderName, "decoder_model", "decoder_with_past_model"]
  private static let encoderName = "encoder_model"

  /// Returns the model without a variant; `nil` if there is none.
  private static func plainModel(among models: [String]) -> String? {
    names.lazy.compactMap { name in models.first { FilePath.stem(of: $0) == name } }.first
  }

  /// Returns what is needed of the models of a folder to run one of them: the model, and the encoder that it reads.
  ///
  /// - Parameters:
  ///   - models: The paths of all models of the folder.
  ///   - variant: The variant, such as `q4`; `nil` for the model without one.
  /// - Returns: The paths; empty if there is no such model.
  package static func neededModels(among models: [String], variant: String?) -> [String] {
    let whole = withoutParts(models)
    let chosen =
      if let variant {
        whole.first { Self.variant(of: $0) == variant }
      } else {
        plainModel(among: whole)
      }
    guard let chosen else { return [] }
    return [chosen] + [encoders(of: chosen).first(where: models.contains)].compactMap(\.self)
  }

  /// Returns the names with which the models of a folder are chosen.
  package static func variants(of models: [String]) -> [String] {
    withoutParts(models).map(variant)
  }

  /// Returns what follows `model_` in the name of a file; the name of a file without it.
  private static func variant(of model: String) -> String {
    let stem = FilePath.stem(of: model)
    let name = names.first { stem.hasPrefix($0 + "_") }
    return name.map { String(stem.dropFirst($0.utf8.count + 1)) } ?? stem
  }

  /// Returns the models without the parts of a model with an encoder, which do not run alone, if there is a merged decoder.
  private static func withoutParts(_ models: [String]) -> [String] {
    func isMerged(_ model: String) -> Bool { FilePath.stem(of: model).hasPrefix(mergedName) }
    guard models.contains(where: isMerged) else { return models }
    return models.filter { model in
      isMerged(model) || !partNames.contains { FilePath.stem(of: model).hasPrefix($0) }
    }
  }

  /// Returns the path of the encoder whose outputs a decoder reads; `nil` if there is none.
  package static func encoder(of decoder: String) -> String? {
    encoders(of: decoder).first { FileKind(at: $0) != nil }
  }

  /// Returns the paths that the encoder of a merged decoder can have: that of the same variant, and the usual one.
  private static func encoders(of decoder: String) -> [String] {
    let name = FilePath.lastComponent(of: decoder)
    guard name.hasPrefix(mergedName) else { return [] }
    let folder = decoder.dropLast(name.utf8.count)
    let variant = encoderName + name.dropFirst(mergedName.utf8.count)
    let usual = encoderName + "." + FilePath.pathExtension(of: decoder)
    return [variant, usual].map { folder + $0 }
  }
}
