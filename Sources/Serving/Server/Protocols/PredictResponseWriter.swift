import TensorIOBundle
import TensorIOJSON

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Writes outputs in rows or columns, as TensorFlow Serving does.
struct PredictResponseWriter {
  private let outputs: [InferenceTensor]
  private let context: RequestContext

  /// Creates a writer of outputs whose first axis is the batch.
  init(_ outputs: [InferenceTensor], _ context: RequestContext) {
    (self.outputs, self.context) = (outputs, context)
  }

  /// Returns `{"predictions": […]}` with a value per item, or `{"outputs": …}` with a tensor per
  /// output.
  func body(_ layout: PredictRequestReader.Layout) -> [UInt8] {
    switch layout {
    case .rows: object("predictions", rows)
    case .columns: object("outputs", columns)
    }
  }

  /// Returns `{key: value}` with JSON.
  func object(_ key: String, _ value: [UInt8]) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.key(key)
      writer.rawJSON(value)
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// A list with a value per item: the value of the only output, or an object.
  var rows: [UInt8] {
    let elements = outputs.map { TensorJSON($0, context) }
    let count = outputs.first?.shape.first ?? 1
    var bytes = [UInt8(ascii: "[")]
    for item in 0..<count {
      if item > 0 { bytes += ", ".utf8 }
      guard elements.count != 1 else {
        bytes += elements[0].item(item)
        continue
      }
      var writer = JSONWriter(.compact)
      writer.object { writer in
        for (output, json) in zip(outputs, elements) {
          writer.key(output.name)
          writer.rawJSON(json.item(item))
        }
      }
      bytes += writer.bytes
    }
    return bytes + [UInt8(ascii: "]")]
  }

  /// The tensor of the only output, or an object.
  var columns: [UInt8] {
    guard outputs.count != 1 else { return TensorJSON(outputs[0], context).all }
    var writer = JSONWriter(.compact)
    writer.object { writer in
      for output in outputs {
        writer.key(output.name)
        writer.rawJSON(TensorJSON(output, context).all)
      }
    }
    return writer.bytes
  }
}

/// The elements of a tensor as nested JSON arrays.
private struct TensorJSON {
  private let shape: [Int]
  private let text: (Int) -> String
  private let context: RequestContext

  /// Creates the JSON of a tensor.
  ///
  /// Byte strings that are not UTF-8 are base64, and all of an output whose name ends with `_bytes`.
  init(_ tensor: InferenceTensor, _ context: RequestContext) {
    self.context = context
    shape = tensor.shape
    let elementText = tensor.elementText
    guard let strings = tensor.strings else {
      text = elementText
      return
    }
    let isBase64 = tensor.name.hasSuffix("_bytes")
    text = { index in
      guard isBase64 || !strings[index].isUTF8 else { return elementText(index) }
      return #"{"b64": "\#(Data(strings[index]).base64EncodedString())"}"#
    }
  }

  var all: [UInt8] {
    var bytes: [UInt8] = []
    append(shape[...], from: 0, to: &bytes)
    return bytes
  }

  /// Returns the elements of one item.
  func item(_ index: Int) -> [UInt8] {
    let item = shape.dropFirst()
    var bytes: [UInt8] = []
    append(item, from: index * (item.checkedProduct ?? 0), to: &bytes)
    return bytes
  }

  private func append(_ shape: ArraySlice<Int>, from start: Int, to bytes: inout [UInt8]) {
    guard let count = shape.first else {
      bytes += text(start).utf8
      return
    }
    let rest = shape.dropFirst()
    let length = rest.checkedProduct ?? 0
    bytes.append(UInt8(ascii: "["))
    for index in 0..<count {
      // The response is not needed.
      if index % InferenceTensor.checkInterval == 0, context.isCanceled { break }
      if index > 0 { bytes += ", ".utf8 }
      append(rest, from: start + index * length, to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }
}
