import TensorIOBundle
import TensorIOCore

/// The arrays of NumPy files as inputs: one item, or one for each row of their first dimension.
struct NumPyInputs {
  static let arraySuffix = ".npy"
  static let archiveSuffix = ".npz"

  /// The file as an argument.
  let argument: String
  private let arrays: [(name: String, numbers: Numbers)]

  /// Returns whether an argument names a NumPy archive.
  static func isArchive(_ argument: String) -> Bool {
    argument.hasPrefix(InputValueParser.filePrefix) && argument.hasSuffix(archiveSuffix)
  }

  /// Returns whether an argument names a NumPy array.
  static func isArray(_ argument: String) -> Bool {
    argument.hasPrefix(InputValueParser.filePrefix) && argument.hasSuffix(arraySuffix)
  }

  /// Reads the only array of a file `@FILE.npy`, for the only input of a model.
  init(array argument: String, of layer: Layer, _ parser: InputValueParser) throws(ModelError) {
    self.argument = argument
    let bytes = try parser.contents(String(argument.dropFirst()))
    arrays = [(layer.name, try NumPyArray(bytes).numbers)]
  }

  /// Reads the arrays of a file `@FILE.npz`.
  init(archive argument: String) throws(ModelError) {
    self.argument = argument
    let path = String(argument.dropFirst())
    do throws(ArchiveError) {
      arrays = try NumPyArray.arrays(inArchiveAt: path, limit: InputValueParser.maxBytes)
    } catch {
      throw ModelError(.input, .invalidValue("\(error)"), file: path)
    }
  }

  /// Returns the values of the items by input name.
  ///
  /// A model with one input takes the only array under any name.
  ///
  /// - Parameter layers: The inputs of the model.
  /// - Returns: One item if the arrays have the shapes of the inputs, otherwise one for each row.
  /// - Throws: A ``ModelError`` if an input has no array or the arrays have different numbers of
  ///   rows.
  func items(for layers: [Layer]) throws(ModelError) -> [[String: LayerValue]] {
    var columns: [(layer: Layer, numbers: Numbers, rows: [Numbers]?)] = []
    let isUnnamed = layers.count == 1 && arrays.count == 1
    for layer in layers {
      guard let numbers = arrays.first(where: { $0.name == layer.name || isUnnamed })?.numbers
      else {
        let names = arrays.map(\.name)
        throw ModelError(
          .input,
          .inputNames(
            missing: layers.map(\.name).filter { !names.contains($0) },
            unexpected: names.filter { name in !layers.contains { $0.name == name } },
            declared: layers.map(\.name)))
      }
      columns.append((layer, numbers, numbers.items(of: layer)))
    }
    guard let count = columns.lazy.compactMap({ $0.rows?.count }).first,
      columns.allSatisfy({ $0.rows != nil })
    else {
      return [
        Dictionary(uniqueKeysWithValues: columns.map { ($0.layer.name, .numbers($0.numbers)) })
      ]
    }
    for column in columns where column.rows?.count != count {
      throw ModelError(
        .input, .wrongCount(expected: count, actual: column.rows?.count ?? 0),
        layer: column.layer.name)
    }
    return (0..<count).map { index in
      Dictionary(
        uniqueKeysWithValues: columns.map { ($0.layer.name, .numbers(($0.rows ?? [])[index])) })
    }
  }
}
