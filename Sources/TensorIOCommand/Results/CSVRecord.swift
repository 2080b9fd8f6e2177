internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOData
internal import TensorIOImage

/// A record as rows of comma-separated values: `input,output,index,label,value`.
struct CSVRecord {
  private var table = TableWriter()

  /// The rows, in UTF-8.
  var bytes: [UInt8] { table.bytes }

  init(_ record: RunRecord, labels: LabelSelection) {
    switch record.result {
    case .failure(let failure):
      table.row([record.input, "error", "", failure.code, failure.message])
    case .success(let answer):
      for row in (answer.telling as? any ShownAnswer)?.rows ?? [] {
        table.row([record.input, row.output, row.index, row.label, row.value])
      }
      for layer in answer.output.layers {
        let picture = answer.pictures[layer.name]
        for (index, label, value) in Self.values(layer.value, labels, picture) {
          table.row([record.input, layer.name, index, label, value])
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
}

extension PictureReference {
  /// The file, where the picture is in one.
  var path: String? { if case .file(let path) = self { path } else { nil } }
}
