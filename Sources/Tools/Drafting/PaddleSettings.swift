import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// The settings that PaddleOCR writes beside a model that it exports: `inference.yml`.
struct PaddleSettings: Sendable {
  static let fileName = "inference.yml"
  private static let maxBytes = 8 << 20

  private let root: JSONValue

  /// Reads the settings beside a model; `nil` if there are none, or if they are of another kind of model.
  init?(besideModel path: String) {
    let file = "\(FilePath.parent(of: path))/\(Self.fileName)"
    guard let bytes = try? FileBytes.contents(of: file, limit: Self.maxBytes) else { return nil }
    self.init(bytes)
  }

  /// Reads settings; `nil` if they have neither operations before nor one after the model.
  init?(_ bytes: [UInt8]) {
    guard let root = YAMLBlocks.value(of: bytes),
      root["PreProcess"] != nil || root["PostProcess"] != nil
    else { return nil }
    self.root = root
  }

  /// The name of the model.
  var modelName: String? { root["Global"]?["model_name"]?.string }

  /// The characters that a reader of lines knows, one on each line; `nil` for other models.
  var characters: String? {
    guard let items = root["PostProcess"]?["character_dict"]?.elements, !items.isEmpty else {
      return nil
    }
    return items.map(\.characterText).joined(separator: "\n")
  }

  /// Returns the settings of an operation before the model; `nil` if there is no such operation.
  private func operation(_ name: String) -> JSONValue? {
    root["PreProcess"]?["transform_ops"]?.elements?.lazy.compactMap { $0[name] }.first
  }

  /// The mean and the standard deviation that pixels from 0 to 1 have, in the order of the channels.
  var normalization: (mean: [Float], deviation: [Float])? {
    guard let settings = operation("NormalizeImage"),
      let mean = settings["mean"]?.elements?.compactMap(\.double), mean.count == 3,
      let deviation = settings["std"]?.elements?.compactMap(\.double), deviation.count == 3,
      deviation.allSatisfy({ $0 > 0 })
    else { return nil }
    return (mean.map(Float.init), deviation.map(Float.init))
  }

  /// The order of the channels; `nil` if it is not stated.
  var format: PixelFormat? {
    switch operation("DecodeImage")?["img_mode"]?.string {
    case "BGR": .bgr
    case "RGB": .rgb
    default: nil
    }
  }

  /// Changes the rule for the sides of an image as the settings state.
  ///
  /// - Returns: Whether they state a rule.
  func apply(to sides: inout ImageSides) -> Bool {
    guard let resize = operation("DetResizeForTest") else { return false }
    let limit = resize["limit_side_len"]?.int
    if let long = resize["resize_long"]?.int
      ?? (resize["limit_type"]?.string == "max" ? limit : nil)
    {
      (sides.longer, sides.shorter) = (long, nil)
      return long > 0
    }
    guard let limit, limit > 0 else { return false }
    sides.shorter = limit
    return true
  }

  /// The settings of the task that follow from the operation after the model, by their keys.
  var taskSettings: [String: JSONValue] {
    guard let settings = root["PostProcess"], settings["name"]?.string == "DBPostProcess" else {
      return [:]
    }
    let keys = [
      "thresh": "pixel_threshold", "box_thresh": "min_score", "unclip_ratio": "unclip_ratio",
      "max_candidates": "max_candidates",
    ]
    var result: [String: JSONValue] = [:]
    for (key, setting) in keys {
      if let value = settings[key], let number = value.double, number >= 0 {
        result[setting] = value
      }
    }
    return result
  }
}

extension JSONValue {
  /// The text of an item of a list of characters, which looks like a number or a word of YAML.
  fileprivate var characterText: String {
    switch self {
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .bool(let value): "\(value)"
    case .null: "~"
    case .number, .array, .object: text
    }
  }
}
