import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOJSON
import TensorIOSystem

/// Parses the input arguments of a command line.
///
/// For a model with one input, every argument is an item. For a model with several inputs, all
/// arguments together are one item, in the order of `model.json` or as `name=value`. A JSON object
/// names all inputs, so it is always an item.
struct InputItemParser: Sendable {
  let layers: [Layer]
  let placeholders: [Layer]
  let valueParser: InputValueParser

  init(
    _ layers: [Layer], placeholders: [Layer] = [], textInputs: Set<String> = [], _ console: Console
  ) {
    self.layers = layers
    self.placeholders = placeholders
    valueParser = InputValueParser(textInputs: textInputs, console)
  }

  /// A parser for the inputs that a model requires from its caller.
  ///
  /// - Parameters:
  ///   - description: The description of the model.
  ///   - textInputs: The inputs whose tensors hold strings, see `Model.textInputs`.
  ///   - console: The console, for standard input.
  init(for description: ModelDescription, textInputs: Set<String> = [], _ console: Console) {
    self.init(
      description.callerInputs, placeholders: description.optionalInputs, textInputs: textInputs,
      console)
  }

  /// Returns the items of the input arguments.
  func items(_ arguments: [String]) throws(OperationError) -> InputItemList {
    if let archive = arguments.first, arguments.count == 1, NumPyInputs.isArchive(archive),
      let items = try numPyItems(archive)
    {
      return items
    }
    if let layer = layers.first, layers.count == 1 { return try items(arguments, for: layer) }
    if arguments.allSatisfy(isObject) {
      return InputItemList(items: arguments.map { document($0) })
    }
    if arguments.count == 1, isDocument(arguments[0]) {
      return InputItemList(items: [document(arguments[0])])
    }
    if let pairs = try NamedArguments(arguments, layers) {
      return InputItemList(items: [named(pairs)])
    }
    return InputItemList(items: [positional(arguments)])
  }

  /// Returns the items of a file with one JSON value per line.
  func batch(_ path: String) throws(OperationError) -> [InputItem] {
    try valueParser.bytes(ofFile: path).split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self).trimmed }
      .filter { !$0.isEmpty }
      .map { document($0) }
  }
}

// MARK: NumPy files

extension InputItemParser {
  /// Returns the items of a file `@FILE.npz`, or of `@FILE.npy` for the only input; `nil` for an
  /// array that is one item, which is read like any other file.
  private func numPyItems(_ argument: String) throws(OperationError) -> InputItemList? {
    do throws(ModelError) {
      let file =
        if NumPyInputs.isArray(argument), let layer = layers.first {
          try NumPyInputs(array: argument, of: layer, valueParser)
        } else {
          try NumPyInputs(archive: argument)
        }
      let values = try file.items(for: layers)
      guard values.count > 1 || NumPyInputs.isArchive(argument) else { return nil }
      let isSingle = values.count == 1
      let items = values.enumerated().map { index, values in
        InputItem(isSingle ? argument : "\(argument)[\(index)]") { () throws(ModelError) in
          .named(values)
        }
      }
      return InputItemList(items: items, isCollection: items.count > 1)
    } catch {
      throw OperationError(error)
    }
  }
}

// MARK: One declared input

extension InputItemParser {
  private func items(_ arguments: [String], for layer: Layer) throws(OperationError)
    -> InputItemList
  {
    var items: [InputItem] = []
    var isCollection = false
    for argument in arguments {
      let text = argument.withoutPrefix("\(layer.name)=")
      if valueParser.isPlainText(text, for: layer) {
        items.append(try single(argument, text, for: layer))
      } else if layer.isNumeric, NumPyInputs.isArray(text), let rows = rows(text) {
        items += rows
        isCollection = true
      } else if isObject(text) || isJSONFile(text) || isNumericInput(text, layer) {
        items.append(document(text))
      } else if let images = try imageItems(text, for: layer) {
        items += images
        isCollection = true
      } else {
        items.append(try single(argument, text, for: layer))
      }
    }
    return InputItemList(items: items, isCollection: isCollection)
  }

  /// Returns the rows of an array as items; `nil` if the array is one item or cannot be read, which
  /// the item itself reports.
  private func rows(_ argument: String) -> [InputItem]? {
    (try? numPyItems(argument))?.items
  }

  // The text without the name is the better item name.
  private func single(
    _ argument: String, _ text: String, for layer: Layer
  ) throws(OperationError) -> InputItem {
    if !layer.isImage, !valueParser.isPlainText(argument, for: layer),
      let pairs = try NamedArguments([argument], layers)
    {
      return named(pairs)
    }
    return InputItem(text) { () throws(ModelError) in
      .value(try valueParser.value(text, for: layer))
    }
  }

  /// Returns the images of a folder, pattern or PDF; `nil` if the argument is none of these.
  private func imageItems(_ argument: String, for layer: Layer) throws(OperationError)
    -> [InputItem]?
  {
    guard layer.isImage, !valueParser.isJSONList(argument) else { return nil }
    if let pages = try PDFPages(argument) {
      return (1...max(1, pages.count)).map { number in
        InputItem("\(argument)#page=\(number)") { () throws(ModelError) in
          .value(.bytes(try pages.image(ofPage: number)))
        }
      }
    }
    guard let paths = ImageFileSet(argument)?.paths else { return nil }
    guard !paths.isEmpty else { throw .input("no-images", "\(argument): contains no images") }
    var items: [InputItem] = []
    for path in paths { items.append(try single(path, path, for: layer)) }
    return items
  }
}

// MARK: Several declared inputs

extension InputItemParser {
  private func positional(_ arguments: [String]) -> InputItem {
    InputItem(arguments.joined(separator: " ")) { () throws(ModelError) in
      guard arguments.count == layers.count else {
        throw ModelError(.input, .inputCount(expected: layers.count, actual: arguments.count))
      }
      var list: [LayerValue] = []
      for (argument, layer) in zip(arguments, layers) {
        list.append(try valueParser.value(argument, for: layer))
      }
      return .value(.list(list))
    }
  }

  private func named(_ arguments: NamedArguments) -> InputItem {
    InputItem(arguments.text) { () throws(ModelError) in
      try arguments.validate(against: layers)
      var named: [String: LayerValue] = [:]
      for layer in layers {
        named[layer.name] = try arguments[layer.name].map { text throws(ModelError) in
          try valueParser.value(text, for: layer)
        }
      }
      return .named(named)
    }
  }
}

// MARK: Documents

extension InputItemParser {
  /// Whether an argument is a JSON object, which names all inputs.
  private func isObject(_ argument: String) -> Bool { argument.hasPrefix("{") }

  /// Whether an argument is standard input for a numeric layer, which is read as JSON.
  private func isNumericInput(_ argument: String, _ layer: Layer) -> Bool {
    argument == InputValueParser.standardInput && layer.isNumeric && !valueParser.isText(layer)
  }

  private func isJSONFile(_ argument: String) -> Bool {
    argument.hasPrefix(InputValueParser.filePrefix)
      && argument.hasSuffix(InputValueParser.jsonSuffix)
  }

  /// Whether the only argument of a model with several inputs contains all of them.
  private func isDocument(_ argument: String) -> Bool {
    isObject(argument) || isJSONFile(argument) || argument.hasPrefix("[")
      || argument == InputValueParser.standardInput
  }

  private func document(_ text: String) -> InputItem {
    InputItem(text) { () throws(ModelError) in
      try valueParser.input(try bytes(ofDocument: text), for: layers, placeholders)
    }
  }

  private func bytes(ofDocument text: String) throws(ModelError) -> [UInt8] {
    if text == InputValueParser.standardInput { return try valueParser.standardInput() }
    return isJSONFile(text) ? try valueParser.contents(String(text.dropFirst())) : Array(text.utf8)
  }
}

extension String {
  fileprivate func withoutPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }
}

/// Arguments of the form `name=value`: at least one has the name of a declared input, or all look
/// like named arguments of a model with numeric inputs.
struct NamedArguments: Sendable {
  /// The arguments as given.
  let text: String
  private let values: [String: String]
  /// The names that are not declared.
  private let unexpectedNames: [String]

  /// Parses arguments; returns `nil` if they are unnamed values.
  init?(_ arguments: [String], _ layers: [Layer]) throws(OperationError) {
    var values: [String: String] = [:]
    var unexpected: [String] = []
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if parts.count == 2, layers.contains(where: { $0.name == name }) {
        guard values.updateValue(String(parts[1]), forKey: name) == nil else {
          throw .usage("input '\(name)' is given twice")
        }
      } else {
        unexpected.append(name)
      }
    }
    let isMisnamed =
      layers.allSatisfy(\.isNumeric) && arguments.allSatisfy(\.looksLikeNamedArgument)
    guard !values.isEmpty || isMisnamed else { return nil }
    text = arguments.joined(separator: " ")
    self.values = values
    self.unexpectedNames = unexpected
  }

  /// The value of a named argument.
  subscript(name: String) -> String? { values[name] }

  /// Throws unless all declared inputs are named, and no others.
  func validate(against layers: [Layer]) throws(ModelError) {
    let declared = layers.map(\.name)
    let missing = declared.filter { values[$0] == nil }
    guard missing.isEmpty, unexpectedNames.isEmpty else {
      throw ModelError(
        .input, .inputNames(missing: missing, unexpected: unexpectedNames, declared: declared))
    }
  }
}

extension String {
  fileprivate var looksLikeNamedArgument: Bool {
    guard let equals = firstIndex(of: "="), let first, first.isLetter || first == "_" else {
      return false
    }
    return self[..<equals].allSatisfy { $0.isLetter || $0.isNumber || "_-./ ".contains($0) }
  }
}

/// The sample inputs of a bundle.
struct BundleSamples {
  /// The end of the names of files with sound.
  static let soundSuffix = ".wav"

  private let bundle: ModelBundle
  /// The folder that contains the samples, if there is one.
  private let folder: String?

  init(_ bundle: ModelBundle) {
    self.bundle = bundle.sampleSource
    folder = bundle.sampleFolder.map { "\($0.folderPath)/\(BundleFolder.samplesName)" }
  }

  /// Returns the first example, or else the first sample; `nil` if the bundle has neither.
  func firstItems(_ reader: InputItemParser) throws(OperationError) -> InputItemList? {
    if let firstExample { return InputItemList(items: [firstExample]) }
    return try firstItems.map { sample throws(OperationError) in try reader.items([sample]) }
  }

  /// The input of the description's first example.
  var firstExample: InputItem? {
    guard let example = bundle.description.examples.first else { return nil }
    return InputItem(name(of: example)) { () throws(ModelError) in try bundle.input(of: example) }
  }

  /// Returns the path of an example's only file, or else the example's text.
  private func name(of example: ModelExample) -> String {
    guard let text = JSONNode(compactJSON: example.inputText)?.string else {
      return example.inputText
    }
    if text.hasPrefix(InputValueParser.filePrefix) {
      return "\(InputValueParser.filePrefix)\(bundle.folderPath)/\(text.dropFirst())"
    }
    let isFile = takesSingleImage || takesSingleSound
    return isFile && !text.hasPrefix(InputValueParser.base64Prefix)
      ? "\(bundle.folderPath)/\(text)" : text
  }

  /// The first sample, as a command-line argument.
  var firstItems: String? {
    guard let folder else { return nil }
    if takesSingleImage { return ImageFileSet(folder)?.paths.first }
    let names = (try? FileSystem.entryNames(in: folder)) ?? []
    if takesSingleSound, let sound = names.first(where: { $0.hasSuffix(Self.soundSuffix) }) {
      return "\(folder)/\(sound)"
    }
    let document = names.first { $0.hasSuffix(".json") }
    return document.map { "@\(folder)/\($0)" }
  }

  /// The paths of all sample images; `nil` for a model that takes other inputs.
  var images: [String]? {
    takesSingleImage ? folder.flatMap(ImageFileSet.init)?.paths : nil
  }

  private var takesSingleImage: Bool {
    let inputs = bundle.description.callerInputs
    guard inputs.count == 1, case .image = inputs[0].kind else { return false }
    return true
  }

  private var takesSingleSound: Bool {
    let inputs = bundle.description.callerInputs
    guard inputs.count == 1, case .audio = inputs[0].kind else { return false }
    return true
  }
}
