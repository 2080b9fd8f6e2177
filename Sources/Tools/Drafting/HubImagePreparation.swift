import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON

/// The preparation of images that the folder of a model states, in the words of a bundle.
struct HubImagePreparation: Sendable {
  /// The height and width of the model's input; `nil` if the folder does not say them.
  private(set) var size: ModelMetadata.ImageSize?
  /// What a bundle cannot say, or what the folder does not.
  private(set) var remarks: [(key: String, value: String, reason: String)] = []
  private(set) var fit = ImageFit.stretch
  private(set) var anchor = ImageFitAnchor.center
  private(set) var resize: Int?
  /// The sizes of images in a model that accepts any; `nil` if the folder has one size.
  private(set) var sides: ImageSides?
  private(set) var filter = ImageFilter.bilinear
  private(set) var format = PixelFormat.rgb
  /// The color of bars.
  private(set) var pad = PixelColor.black
  /// The conversion of pixels to numbers; `nil` for numbers from 0 to 255.
  private(set) var normalize: Normalization?

  /// The key of remarks that do not hold for a model that accepts images of any size.
  private static let sidesKey = "fit"

  private let settings: JSONValue
  private let kind: Kind

  /// Reads the preparation; `nil` if the folder has none for images.
  init?(_ hub: HubFolder) {
    let stated = hub[.images] ?? hub[.inputs, "image_processor"]
    let found = stated?["size"] == nil ? hub.timm.flatMap(Self.settings(ofTimm:)) ?? stated : stated
    // Models of sound have a file of this name, too.
    guard let found, found["feature_size"] == nil, found.members != nil else { return nil }
    settings = found
    kind = Kind(found)
    addResizing()
    addFilter()
    addNumbers()
    if flag("do_flip_channel_order") ?? kind.flipsChannels { format = .bgr }
    if flag("do_reduce_labels") == true || flag("reduce_labels") == true {
      remarks.append(
        ("labels", "all", "do_reduce_labels: class 0 of the ground truth is not one of the model"))
    }
  }

  /// Returns what timm does with images in the words of Transformers' processors; `nil` if the size is missing.
  private static func settings(ofTimm timm: JSONValue) -> JSONValue? {
    guard let sides = timm["input_size"]?.elements?.suffix(2).compactMap(\.int), sides.count == 2,
      let fraction = (timm["crop_pct"] ?? 0.875).double, fraction > 0
    else { return nil }
    let scaled = sides.map { Int(exactly: (Double($0) / fraction).rounded(.down)) ?? $0 }
    let isStretched = timm["crop_mode"]?.string == "squash"
    let input: JSONValue = [
      "height": .integer(Int64(sides[0])), "width": .integer(Int64(sides[1])),
    ]
    let size: JSONValue =
      isStretched
      ? ["height": .integer(Int64(scaled[0])), "width": .integer(Int64(scaled[1]))]
      : ["shortest_edge": .integer(Int64(scaled.min() ?? 0))]
    return [
      "size": size, "do_center_crop": true, "crop_size": input,
      "resample": .integer(filters[timm["interpolation"]?.string ?? ""] ?? 2),
      "image_mean": timm["mean"] ?? .null, "image_std": timm["std"] ?? .null,
    ]
  }

  /// Pillow's numbers of timm's filters.
  private static let filters: [String: Int64] = [
    "nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "box": 4, "hamming": 5,
  ]

  /// Returns the preparation for a model that accepts images of any size: with sizes that depend on each image, if the
  /// folder states them.
  func open() -> HubImagePreparation {
    guard sides != nil else { return self }
    var open = self
    (open.fit, open.resize) = (.stretch, nil)
    open.remarks.removeAll { $0.key == Self.sidesKey }
    return open
  }

  private func flag(_ key: String) -> Bool? { settings[key]?.bool }

  // MARK: Sizes

  private mutating func addResizing() {
    var crop = (flag("do_center_crop") ?? kind.crops) ? square(settings["crop_size"]) : nil
    if flag("do_center_crop") ?? kind.crops, crop == nil { crop = kind.defaultCrop }
    guard flag("do_resize") ?? true else {
      size = crop ?? square(settings["size"])
      remarks.append(
        (
          "fit", "stretch",
          "the folder does not resize images, which have to have the size of the input"
        ))
      return
    }
    let stated = settings["size"]
    let sides = stated.flatMap { square($0) }
    let isNumber = stated?.int != nil
    let shortest =
      stated?["shortest_edge"]?.int ?? (isNumber && kind.takesShorterSide ? stated?.int : nil)
    if let longest = stated?["longest_edge"]?.int {
      addLongest(longest, shortest)
    } else if let shortest {
      addShortest(shortest, crop)
    } else if let sides {
      addSides(sides, crop)
    } else {
      remarks.append(
        ("fit", fit.rawValue, "the folder does not say to which size images are scaled"))
    }
  }

  /// Returns a height and a width, or those of a square with one number.
  private func square(_ value: JSONValue?) -> ModelMetadata.ImageSize? {
    if let side = value?.int { return ModelMetadata.ImageSize([side, side]) }
    if let sides = value?.elements?.compactMap(\.int), sides.count == 2 {
      return ModelMetadata.ImageSize([sides[0], sides[1]])
    }
    guard let height = value?["height"]?.int, let width = value?["width"]?.int else { return nil }
    return ModelMetadata.ImageSize([height, width])
  }

  private mutating func addShortest(_ side: Int, _ crop: ModelMetadata.ImageSize?) {
    if kind.name == "ConvNext" {
      size = ModelMetadata.ImageSize([side, side])
      // From this size on, images are stretched.
      guard side < 384 else { return }
      fit = .crop
      return setResize(side, fraction: settings["crop_pct"]?.double ?? 224.0 / 256)
    }
    let fraction =
      switch kind.name {
      case "PoolFormer": settings["crop_pct"]?.double ?? 0.9
      case "Levit": 224.0 / 256
      default: 1.0
      }
    guard let crop else {
      sides = ImageSides(shorter: side)
      remarks.append(
        (
          Self.sidesKey, "crop",
          "the folder keeps all of an image, whatever its aspect ratio; the input has one size"
        ))
      (fit, size) = (.crop, ModelMetadata.ImageSize([side, side]))
      return setResize(side, fraction: 1)
    }
    (fit, size) = (.crop, crop)
    setResize(side, fraction: fraction)
  }

  /// Sets the size to which images are scaled, of which the fraction is the size of the input.
  private mutating func setResize(_ side: Int, fraction: Double) {
    let scaled = Double(side) / fraction
    guard (1...Double(UInt16.max)).contains(scaled) else {
      return remarks.append(
        ("resize", "none", "the folder scales images to \(scaled) pixels, which is not possible"))
    }
    resize = Int(scaled)
  }

  private mutating func addSides(
    _ sides: ModelMetadata.ImageSize, _ crop: ModelMetadata.ImageSize?
  ) {
    size = crop ?? sides
    if flag("keep_aspect_ratio") == true {
      if crop == nil, sides.height == sides.width {
        self.sides = ImageSides(
          nearest: sides.height, multiple: settings["ensure_multiple_of"]?.int ?? 1)
      }
      remarks.append(
        (
          Self.sidesKey, "stretch",
          "keep_aspect_ratio: the folder's sizes depend on each image; the input has one size"
        ))
    }
    guard let crop, (crop.height, crop.width) != (sides.height, sides.width) else { return }
    if sides.height == sides.width {
      setResize(sides.height, fraction: 1)
    } else {
      remarks.append(
        (
          "resize", "none",
          "the folder scales images to \(sides.width) by \(sides.height) pixels before it cuts them"
        ))
    }
  }

  private mutating func addLongest(_ longest: Int, _ shortest: Int?) {
    let padded = square(settings["pad_size"])
    size = padded ?? ModelMetadata.ImageSize([longest, longest])
    (fit, anchor) = (.letterbox, .topLeft)
    // Bars are added to the numbers, where 0 is the mean color.
    pad = meanColor
    if let shortest, padded == nil { sides = ImageSides(shorter: shortest, longer: longest) }
    guard shortest == nil, padded != nil else {
      remarks.append(
        (
          Self.sidesKey, "letterbox",
          "the folder's sizes depend on each image; the input has one size"
        ))
      return
    }
    if pad != .black {
      remarks.append(
        ("pad", "the mean color", "rounded to whole numbers; the folder fills with exact zeros"))
    }
  }

  private var meanColor: PixelColor {
    guard flag("do_normalize") ?? true, let mean = channels("image_mean") ?? kind.mean else {
      return .black
    }
    let bytes = mean.map { UInt8(min(max(($0 * 255).rounded(), 0), 255)) }
    return PixelColor(red: bytes[0], green: bytes[1], blue: bytes[2])
  }

  // MARK: Filter

  private mutating func addFilter() {
    // The numbers are those of Pillow.
    let code = settings["resample"]?.int ?? kind.filter
    switch code {
    case 0: filter = .nearest
    case 1: filter = .lanczos
    case 2: filter = .bilinear
    case 3: filter = .bicubic
    case 4: filter = .area
    default:
      remarks.append(("filter", "bilinear", "the folder's resample \(code) is not supported"))
    }
  }

  // MARK: Numbers

  private mutating func addNumbers() {
    let isRescaled = flag("do_rescale") ?? true
    var factor = isRescaled ? settings["rescale_factor"]?.double ?? 1.0 / 255 : 1
    // Some processors of EfficientNet move pixels to -1 and 1 themselves.
    let offset = isRescaled && flag("rescale_offset") == true ? -1.0 : 0
    if !(factor.isFinite && factor > 0) {
      remarks.append(("normalize", "[0,1]", "the folder's rescale_factor is not a positive number"))
      factor = 1.0 / 255
    }
    guard flag("do_normalize") ?? kind.normalizes else {
      setNumbers(scales: [1, 1, 1].map { factor * $0 }, biases: [offset, offset, offset])
      return
    }
    guard let mean = channels("image_mean") ?? kind.mean,
      let deviation = channels("image_std") ?? kind.deviation, deviation.allSatisfy({ $0 > 0 })
    else {
      remarks.append(
        ("normalize", "[0,1]", "the folder's mean and deviation are not three numbers above 0"))
      return normalize = .normalizing(to: .zeroToOne)
    }
    var (scales, biases) = (
      deviation.map { factor / $0 }, zip(mean, deviation).map { (offset - $0) / $1 }
    )
    if kind.name == "EfficientNet", flag("include_top") ?? true {
      // These models divide twice.
      (scales, biases) = (
        zip(scales, deviation).map { $0 / $1 }, zip(biases, deviation).map { $0 / $1 }
      )
    }
    setNumbers(scales: scales, biases: biases)
  }

  private mutating func setNumbers(scales: [Double], biases: [Double]) {
    let (scale, bias) = (scales.map { Float($0) }, biases.map { Float($0) })
    guard (scale + bias).allSatisfy(\.isFinite) else {
      remarks.append(("normalize", "[0,1]", "the folder's mean and deviation are too large"))
      return normalize = .normalizing(to: .zeroToOne)
    }
    let standard = [StandardRange.zeroToOne, .minusOneToOne].first { range in
      let usual = Normalization.normalizing(to: range)
      return zip(
        scale + bias,
        [Float](repeating: usual.scale.red, count: 3) + [Float](repeating: usual.bias.red, count: 3)
      )
      .allSatisfy { abs($0 - $1) < 1e-6 }
    }
    if let standard { return normalize = .normalizing(to: standard) }
    let isRaw = scale == [1, 1, 1] && bias == [0, 0, 0]
    normalize =
      isRaw
      ? nil
      : Normalization(
        scale: ColorTriple(red: scale[0], green: scale[1], blue: scale[2]),
        bias: ColorTriple(red: bias[0], green: bias[1], blue: bias[2]))
  }

  /// Returns a number for each channel; a single one is that of all channels.
  private func channels(_ key: String) -> [Double]? {
    if let number = settings[key]?.double { return [number, number, number] }
    guard let numbers = settings[key]?.elements?.compactMap(\.double) else { return nil }
    return numbers.count == 1
      ? [numbers[0], numbers[0], numbers[0]] : numbers.count == 3 ? numbers : nil
  }

  /// The text of the conversion of pixels to numbers.
  var numbersText: String {
    guard let normalize else { return "none: pixels from 0 to 255" }
    if let range = normalize.standardRange { return range.rawValue }
    let keys = ["image_mean", "image_std", "rescale_factor"].compactMap { key in
      settings[key].map { "\(key) \($0.text)" }
    }
    return keys.joined(separator: ", ")
  }
}

extension HubImagePreparation {
  /// A class of Transformers that prepares images, with the defaults of what its file does not say.
  fileprivate struct Kind: Sendable {
    /// The name without what all of them end in.
    let name: String

    init(_ settings: JSONValue) {
      var name =
        (settings["image_processor_type"] ?? settings["feature_extractor_type"])?.string ?? ""
      for suffix in ["Fast", "Pil", "ImageProcessor", "FeatureExtractor"]
      where name.hasSuffix(suffix) {
        name = String(name.dropLast(suffix.count))
      }
      self.name = name
    }

    private static let clips: Set = ["CLIP", "ChineseCLIP", "Bit", "BridgeTower"]

    /// Whether a size of one number is the length of the shorter side, not that of both sides.
    var takesShorterSide: Bool {
      Self.clips.contains(name)
        || ["ConvNext", "MobileNetV1", "MobileNetV2", "Levit", "PoolFormer", "MobileViT"].contains(
          name)
    }

    /// Whether the center is cut out.
    var crops: Bool {
      Self.clips.contains(name)
        || ["DeiT", "MobileNetV1", "MobileNetV2", "Levit", "PoolFormer", "MobileViT"].contains(name)
    }

    var defaultCrop: ModelMetadata.ImageSize? { ModelMetadata.ImageSize([224, 224]) }

    /// Whether the order of channels is blue, green, red.
    var flipsChannels: Bool { name == "MobileViT" }

    /// Whether the mean is subtracted.
    var normalizes: Bool { name != "MobileViT" && name != "RTDetr" }

    /// Pillow's number of the filter.
    var filter: Int {
      ["ViT", "MobileNetV1", "MobileNetV2", "Segformer", "GLPN", "Sam"].contains(name) || detects
        ? 2 : 3
    }

    var mean: [Double]? {
      if Self.clips.contains(name) { return [0.48145466, 0.4578275, 0.40821073] }
      return isOfImageNet ? [0.485, 0.456, 0.406] : [0.5, 0.5, 0.5]
    }

    var deviation: [Double]? {
      if Self.clips.contains(name) { return [0.26862954, 0.26130258, 0.27577711] }
      return isOfImageNet ? [0.229, 0.224, 0.225] : [0.5, 0.5, 0.5]
    }

    private var isOfImageNet: Bool {
      ["Levit", "Segformer", "PoolFormer", "Pvt", "Sam"].contains(name) || detects
    }

    /// Whether it prepares images for detectors.
    private var detects: Bool { name == "Yolos" || name.hasSuffix("Detr") }
  }
}

extension ImageSides {
  /// Creates the rule for images with a length of the shorter side, which is less if the other would be too long; `nil` for
  /// lengths that no image has.
  fileprivate init?(shorter: Int, longer: Int? = nil) {
    let lengths = 1...ImageLimits.maxSide
    guard lengths.contains(shorter), lengths.contains(longer ?? shorter) else { return nil }
    self.init()
    (self.shorter, self.longer, isExact) = (shorter, longer, true)
    maximum = max(longer ?? Self.defaultMaximum, shorter)
  }

  /// Creates the rule for images one of whose sides has a length; `nil` for lengths that no image has.
  fileprivate init?(nearest: Int, multiple: Int) {
    let lengths = 1...ImageLimits.maxSide
    guard lengths.contains(nearest), lengths.contains(multiple) else { return nil }
    self.init()
    (self.nearest, self.multiple) = (nearest, multiple)
    maximum = max(Self.defaultMaximum, nearest)
  }

  /// The length that a side has at most if the folder does not limit it.
  private static let defaultMaximum = 4096
}
