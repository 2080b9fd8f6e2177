import TensorIOImage
import TensorIOTestSupport
import Testing

/// The requirements for running an example of the documentation: a stand-in for its model and the
/// files that it names.
struct WorkedExample: CustomTestStringConvertible {
  let name: String
  let model: FakeModel
  var files: @Sendable () throws -> [String: [UInt8]] = { [:] }

  var testDescription: String { name }

  static let all = [
    WorkedExample(
      name: "house-price",
      model: .floats([[1, 4]], to: [[1, 1]]) { inputs in
        let house = inputs[0]
        return [[100 * house[0] + 15_000 * house[1] + 10_000 * house[2] - 1_562.5 * house[3]]]
      }),
    WorkedExample(name: "self-driving-plain", model: driving, files: street),
    WorkedExample(
      name: "self-driving-labels", model: driving,
      files: {
        try street().merging(["assets/labels.txt": lines(["pedestrian", "car", "motorcycle"])]) {
          $1
        }
      }),
    WorkedExample(name: "foo-bar", model: neighbors),
    WorkedExample(name: "foo-bar-options", model: neighbors),
    WorkedExample(
      name: "foo-bar-quantized",
      model: .bytes([[1, 4], [1, 8]], to: [[1, 3], [1, 6]]) { inputs in
        [Array(inputs[0].prefix(3)), Array(inputs[1].prefix(6))]
      }),
    WorkedExample(
      name: "vector-and-matrix",
      model: .floats([[1, 8], [1, 10, 10]], to: [[1, 2]]) { [$0.map { $0.reduce(0, +) }] },
      files: { ["samples/list.json": list, "samples/dictionary.json": dictionary] }),
    WorkedExample(
      name: "vector-and-number",
      model: .floats([[1, 4]], to: [[1, 4], [1, 1]]) { inputs in
        [inputs[0].map { 2 * $0 }, [inputs[0].reduce(0, +)]]
      }),
    WorkedExample(name: "quantize", model: .bytes([[1, 4]], to: [[1, 4]]) { $0 }),
    WorkedExample(name: "dequantize", model: .bytes([[1, 4]], to: [[1, 4]]) { $0 }),
    WorkedExample(
      name: "quantized-without-quantize", model: .bytes([[1, 4]], to: [[1, 4]]) { $0 }),
    WorkedExample(
      name: "picture",
      model: .bytes([[1, 2, 2, 3]], to: [[1, 2, 2, 3]]) { $0.map { $0.map { 255 - $0 } } },
      files: {
        let negative = try png([245, 235, 225, 55, 45, 35, 0, 255, 127, 255, 255, 255], 2, 2)
        return try street().merging(["samples/negative.png": negative]) { $1 }
      }),
    WorkedExample(
      name: "pixel-normalize", model: .floats([[1, 1, 2, 3]], to: [[1, 6]]) { $0 },
      files: twoPixels),
    WorkedExample(
      name: "mean-and-std", model: .floats([[1, 3, 1, 2]], to: [[1, 3, 2]]) { $0 },
      files: twoPixels),
    WorkedExample(
      name: "pixel-denormalize", model: .floats([[1, 6]], to: [[1, 1, 2, 3]]) { $0 },
      files: twoPixels),
    WorkedExample(name: "mobilenet", model: mobilenet, files: mobilenetFiles),
    WorkedExample(
      name: "detection",
      model: .floats([[1, 2, 2, 3]], to: [[1, 2, 4], [1, 2], [1, 2], [1]]) { _ in
        [[0, 0, 1, 1, 0.25, 0.25, 0.5, 0.5], [2, 0], [0.75, 0.5], [2]]
      },
      files: {
        try street().merging(["assets/labels.txt": lines(["???", "person", "bicycle", "car"])]) {
          $1
        }
      }),
  ]
}

// MARK: Models

extension WorkedExample {
  private static let driving = FakeModel.floats([[1, 2, 2, 3]], to: [[1, 3]]) { inputs in
    // The stand-in receives the pixels of the image.
    inputs[0].prefix(3) == [10, 20, 30] ? [[0.25, 0.75, 0.25]] : [[0, 0, 0]]
  }

  private static let neighbors = FakeModel.floats([[1, 4], [1, 8]], to: [[1, 3], [1, 6]]) {
    inputs in
    [zip(inputs[0], inputs[0].dropFirst()).map(+), zip(inputs[1], inputs[1].dropFirst(2)).map(+)]
  }

  /// Classifies everything white as a rocking chair.
  private static let mobilenet = FakeModel.floats([[1, 224, 224, 3]], to: [[1, 1000]]) { inputs in
    var scores = [Float](repeating: 0, count: 1000)
    scores[765] = inputs[0].allSatisfy { $0 == 1 } ? 0.878 : 0
    return [scores]
  }
}

// MARK: Files

extension WorkedExample {
  private static func lines(_ labels: [String]) -> [UInt8] {
    Array(labels.map { $0 + "\n" }.joined().utf8)
  }

  private static func png(_ pixels: [UInt8], _ width: Int, _ height: Int) throws -> [UInt8] {
    try ImageBuffer(width: width, height: height, format: .rgb, pixels: pixels).encoded(as: .png)
  }

  @Sendable private static func street() throws -> [String: [UInt8]] {
    let pixels: [UInt8] = [10, 20, 30, 200, 210, 220, 255, 0, 128, 0, 0, 0]
    return ["samples/street.png": try png(pixels, 2, 2)]
  }

  @Sendable private static func twoPixels() throws -> [String: [UInt8]] {
    ["samples/two-pixels.png": try png([0, 127, 255, 255, 0, 127], 2, 1)]
  }

  private static let vector = "[" + (1...8).map(String.init).joined(separator: ",") + "]"
  private static let matrix =
    "["
    + (0..<10).map { row in
      "[" + (1...10).map { "\(row * 10 + $0)" }.joined(separator: ",") + "]"
    }.joined(separator: ",") + "]"
  private static let list = Array("[\(vector), \(matrix)]".utf8)
  private static let dictionary =
    Array("{\"matrix-input\": \(matrix), \"vector-input\": \(vector)}".utf8)

  @Sendable private static func mobilenetFiles() throws -> [String: [UInt8]] {
    let white = try ImageBuffer.filled(width: 300, height: 224, red: 255, green: 255, blue: 255)
    let labels = (0..<1000).map { $0 == 765 ? "rocking chair" : "thing \($0)" }
    return [
      "samples/chair.png": try white.encoded(as: .png), "assets/labels.txt": lines(labels),
    ]
  }
}
