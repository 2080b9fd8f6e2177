import TensorIOAudio
import TensorIOBundle
public import TensorIOCore
import TensorIOImage

extension LayerValue: ResultValue {
  /// Returns the values of an output of several runs as a column.
  ///
  /// Numbers are lists without a shape, unless each run has a single one. Of images and sound, the column has the size.
  public static func column(of values: [LayerValue]) -> ResultColumn {
    switch values.first {
    case .numbers(let numbers): column(of: values, like: numbers)
    case .strings where values.allSatisfy({ $0.texts.count == 1 }):
      String.column(of: values.flatMap(\.texts))
    case .strings: [String].column(of: values.map(\.texts))
    case .bytes: String.column(of: values.map { $0.texts.first ?? "" })
    case .classification: [Classification.Entry].column(of: values.map(\.entries))
    case .tokens(let tokens):
      column(of: values, like: Numbers(.integers(tokens.ids.map(Int64.init))))
    case .list: [LayerValue].column(of: values.map(\.elements))
    case .image: ImageSize.column(of: values.map(ImageSize.init))
    case .audio: SoundSize.column(of: values.map(SoundSize.init))
    case nil: String.column(of: [])
    }
  }

  /// Returns the values of an output with the selected labels, and with the pixels of images.
  static func column(of values: [LayerValue], labels: LabelSelection) -> ResultColumn {
    switch values.first {
    case .classification:
      [Classification.Entry].column(
        of: values.map { value in value.classification.map { labels.entries(of: $0) } ?? [] })
    case .image: OutputImage.column(of: values.compactMap(\.image).map(OutputImage.init))
    case .list:
      .lists(
        ends: ResultColumn.ends(values.map(\.elements.count)),
        of: column(of: values.flatMap(\.elements), labels: labels))
    default: column(of: values)
    }
  }

  private static func column(of values: [LayerValue], like first: Numbers) -> ResultColumn {
    // The numbers of a single run are not copied.
    if values.count == 1, first.count != 1 {
      return .lists(ends: [first.count], of: .numbers(first))
    }
    let counts = values.map { $0.numbers?.count ?? 0 }
    let numbers = values.lazy.compactMap(\.numbers)
    let elements: Numbers.Elements =
      switch first.elements {
      case .floats: .floats(numbers.flatMap(\.floats))
      case .doubles: .doubles(numbers.flatMap(\.doubles))
      case .integers: .integers(numbers.flatMap { $0.integers ?? [] })
      case .booleans: .booleans(numbers.flatMap { $0.doubles.map { $0 != 0 } })
      }
    let column = ResultColumn.numbers(Numbers(elements))
    guard counts.contains(where: { $0 != 1 }) else { return column }
    return .lists(ends: ResultColumn.ends(counts), of: column)
  }
}

extension LayerValue {
  /// The strings; bytes in Base64.
  fileprivate var texts: [String] {
    switch self {
    case .strings(let strings): strings.bytes.map(\.base64UnlessText)
    case .bytes(let bytes): [bytes.base64Text]
    default: []
    }
  }

  /// The selected labels.
  fileprivate var entries: [Classification.Entry] {
    classification.map { LabelSelection().entries(of: $0) } ?? []
  }

  fileprivate var elements: [LayerValue] { if case .list(let values) = self { values } else { [] } }
}

/// The size of an image.
private struct ImageSize: ResultRecord {
  let (width, height): (Int, Int)

  init(_ value: LayerValue) {
    (width, height) = (value.image?.width ?? 0, value.image?.height ?? 0)
  }

  static let members = [Member("width", \.width), Member("height", \.height)]
}

/// An image among the outputs.
private struct OutputImage: ResultRecord {
  let image: ImageBuffer

  static let members = [
    Member("width", \.image.width), Member("height", \.image.height), Member("png", \.image),
  ]
}

/// The size of a sound.
private struct SoundSize: ResultRecord {
  let (rate, channels): (Int, Int)
  let seconds: Double

  init(_ value: LayerValue) {
    guard case .audio(let sound) = value else {
      (rate, channels, seconds) = (0, 0, 0)
      return
    }
    (rate, channels, seconds) = (sound.sampleRate, sound.channelCount, sound.duration)
  }

  static let members = [
    Member("rate", \.rate), Member("channels", \.channels), Member("seconds", \.seconds),
  ]
}
