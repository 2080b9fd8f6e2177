public import Foundation

/// An ONNX model with ten large constants, whose output is the row of their sum that the input selects.
///
/// The constants consist of zeros but for the last row of the last one, which consists of ones, so that the file takes
/// little space on a disk.
public enum LargeONNXModel {
  /// The number of elements of a row.
  public static let columns = 1024
  private static let rowByteCount = 4 * columns
  private static let constantCount = 10

  /// Returns the number of rows of each constant.
  public static func rows(_ byteCount: Int) -> Int { byteCount / constantCount / rowByteCount }

  /// Writes the model with constants of a number of bytes, which is a multiple of ten rows.
  ///
  /// With the URL of another file, the constants are in it, which is in the same folder.
  public static func write(_ byteCount: Int, to url: URL, weights: URL? = nil) throws {
    let part = byteCount / constantCount
    let heads = (0..<constantCount).map { number in
      let tensor = WireWriter { tensor in
        for length in [rows(byteCount), columns] { tensor.number(1, length) }
        tensor.number(2, 1)
        tensor.text(8, "c\(number)")
        if let weights {
          let entries = [
            ("location", weights.lastPathComponent), ("offset", "\(number * part)"),
            ("length", "\(part)"),
          ]
          for (key, value) in entries {
            tensor.message(13) { entry in
              entry.text(1, key)
              entry.text(2, value)
            }
          }
          tensor.number(14, 1)
        } else {
          tensor.begin(9, count: part)
        }
      }
      let field = WireWriter {
        $0.begin(5, count: tensor.bytes.count + (weights == nil ? part : 0))
      }
      return field.bytes + tensor.bytes
    }
    let nodes = WireWriter { graph in
      let integer = ONNXSketch.attribute("to", 7)
      graph.bytes(1, ONNXSketch.node("Cast", ["x"], ["i"], integer).bytes)
      let rows = (0..<constantCount).map { "r\($0)" }
      for (number, row) in rows.enumerated() {
        graph.bytes(1, ONNXSketch.node("Gather", ["c\(number)", "i"], [row]).bytes)
      }
      graph.bytes(1, ONNXSketch.node("Sum", rows, ["y"]).bytes)
      graph.bytes(11, ONNXSketch.floats("x").bytes)
      graph.bytes(12, ONNXSketch.floats("y", [1, columns]).bytes)
    }
    let model = WireWriter { model in
      model.number(1, 8)
      model.message(8) { $0.number(2, 17) }
      model.begin(
        7,
        count: nodes.bytes.count + heads.map(\.count).reduce(0, +)
          + (weights == nil ? byteCount : 0))
    }
    let inline = weights == nil
    try Data(model.bytes + nodes.bytes + (inline ? [] : heads.flatMap(\.self))).write(to: url)
    if let weights { try Data().write(to: weights) }
    let file = try FileHandle(forWritingTo: weights ?? url)
    for head in heads {
      let offset = try file.seekToEnd()
      if inline { try file.write(contentsOf: Data(head)) }
      try file.truncate(atOffset: offset + UInt64((inline ? head.count : 0) + part))
    }
    try file.seek(toOffset: file.seekToEnd() - UInt64(rowByteCount))
    try file.write(contentsOf: Data([Float](repeating: 1, count: columns).rawBytes))
    try file.close()
  }
}
