package import TensorIOBundle

/// What a model file states about itself: names, descriptions, image normalization, and the files
/// that contain labels.
///
/// Running a model does not require metadata. It is untrusted.
package struct ModelMetadata: Sendable, Hashable {
  /// The model's name.
  package var name = ""
  /// The model's description.
  package var details = ""
  /// The model's version.
  package var version = ""
  /// The author.
  package var author = ""
  /// The license.
  package var license = ""
  /// The task that an exporter states, such as `detect` or `obb`; `nil` if it states none.
  package var task: String?
  /// The number of keypoints of a pose and the number of numbers for each; `nil` if it is not stated.
  package var keypointShape: [Int]?
  /// The size of images that the model was exported for; `nil` if it is not stated.
  package var imageSize: ImageSize?
  /// The characters that a model for lines of text reads, one on each line, as PaddleOCR writes them; `nil` for other models.
  package var characters: String?
  /// The metadata of the inputs, in the order of the model's tensors.
  package var inputs: [TensorMetadata] = []
  /// The metadata of the outputs, in the order of the model's tensors.
  package var outputs: [TensorMetadata] = []

  /// Creates metadata without values.
  package init() {}

  /// The height and width of images.
  package struct ImageSize: Sendable, Hashable {
    package let height: Int
    package let width: Int

    /// The largest plausible side.
    private static let maxSide = 8192

    /// Creates a size from its sides; `nil` if there are not two, or one is not reasonable.
    package init?(_ sides: [Int]) {
      guard sides.count == 2, sides.allSatisfy((1...Self.maxSide).contains) else { return nil }
      (height, width) = (sides[0], sides[1])
    }
  }

  /// The metadata of one input or output.
  package struct TensorMetadata: Sendable, Hashable {
    /// The display name.
    package var name = ""
    /// The description.
    package var details = ""
    /// The kind of content.
    package var content = Content.unknown
    /// The value subtracted from each channel; empty if unspecified.
    package var mean: [Float] = []
    /// The value by which each channel is then divided; empty if unspecified.
    package var standardDeviation: [Float] = []
    /// The names of the associated label files.
    package var labelFiles: [String] = []
    /// Whether the labels name the tensor's values, as for class indices, and not its elements.
    package var hasValueLabels = false
    /// The order and unit of the numbers of a bounding box.
    package var boxes: BoxProperties?
    /// The score below which results are discarded.
    package var scoreThreshold: Float?
    /// How scores are to be calibrated, with parameters for each label in a file of the model.
    package var calibration: CalibrationDescription?
    /// The number of samples of sound per second.
    package var sampleRate: Int?
    /// The tokenizer of a text, whose files are in the model.
    package var tokenizer: TokenizerDescription?

    /// Creates metadata without values.
    package init() {}
  }

  /// The numbers of a bounding box.
  package struct BoxProperties: Sendable, Hashable {
    /// What the numbers are.
    package enum Kind: Sendable, Hashable {
      /// Left, top, right and bottom.
      case boundaries
      /// Left, top, width and height.
      case upperLeft
      /// The center, width and height.
      case center
    }

    /// What the numbers are.
    package var kind: Kind
    /// The positions of the numbers in the order that `kind` lists; empty for that order.
    package var order: [Int]
    /// Whether the unit is pixels, and not the size of the image.
    package var isInPixels: Bool

    /// Creates properties.
    package init(_ kind: Kind, order: [Int] = [], isInPixels: Bool = false) {
      self.kind = kind
      self.order = order
      self.isInPixels = isInPixels
    }
  }

  /// The kind of content of a tensor.
  package enum Content: Sendable, Hashable {
    /// Unspecified or of an unknown kind.
    case unknown
    /// Feature values.
    case features
    /// An image; `isColored` is `nil` if the color space is unspecified.
    case image(isColored: Bool?)
    /// Bounding boxes.
    case boundingBoxes
    /// Audio samples.
    case audio

    /// Whether the values are those of an image.
    package var isImage: Bool { if case .image = self { true } else { false } }
  }
}
