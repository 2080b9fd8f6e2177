internal import TensorIOCore
internal import TensorIOImage

/// A record as lines of comma-separated values: `input,output,index,label,value`.
struct CSVRecord {
  let lines: [String]

  init(_ record: RunRecord, labels: LabelSelection) {
    switch record.result {
    case .failure(let failure):
      lines = [Self.line([record.input, "error", "", failure.code, failure.message])]
    case .success(let answer):
      let rows = (answer.telling as? any ShownAnswer)?.rows ?? []
      lines =
        rows.map { Self.line([record.input, $0.output, $0.index, $0.label, $0.value]) }
        + answer.output.layers.flatMap { layer in
          Self.values(layer.value, labels, answer.pictures[layer.name]).map { index, label, value in
            Self.line([record.input, layer.name, index, label, value])
          }
        }
    }
  }

  private static func values(
    _ value: LayerValue, _ labels: LabelSelection, _ picture: PictureReference?
  ) -> [(index: String, label: String, value: String)] {
    switch value {
    case .classification(let classification):
      labels.entries(of: classification).map { ("\($0.index)", $0.label, number($0.score)) }
    case .numbers(let numbers):
      numbers.finiteTexts.enumerated().map { ("\($0)", "", $1) }
    case .image(let image):
      [("", "", picture?.path ?? "\(image.width)x\(image.height)")]
    case .bytes, .strings, .list: [("", "", value.kindName)]
    }
  }

  private static func number(_ value: Float) -> String { value.isFinite ? "\(value)" : "" }

  /// Values with commas between them, quoted where they need it.
  static func line(_ values: [String]) -> String {
    values.map { value in
      guard value.contains(where: { ",\"\n\r".contains($0) }) else { return value }
      return "\""
        + value.split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\"\"") + "\""
    }.joined(separator: ",")
  }
}

extension Numbers {
  /// The numbers as texts, as short as they can be; what is not finite is empty.
  var finiteTexts: [String] {
    switch elements {
    case .floats(let values): values.map { $0.isFinite ? "\($0)" : "" }
    case .doubles(let values): values.map { $0.isFinite ? "\($0)" : "" }
    case .integers, .booleans: texts
    }
  }

  /// The numbers as texts, as short as they can be.
  var texts: [String] {
    switch elements {
    case .floats(let values): values.map { "\($0)" }
    case .doubles(let values): values.map { "\($0)" }
    case .integers(let values): values.map { "\($0)" }
    case .booleans(let values): values.map { "\($0)" }
    }
  }
}

extension PictureReference {
  /// The file, where the picture is in one.
  var path: String? { if case .file(let path) = self { path } else { nil } }
}
