import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Models that return their image, with various descriptions.
@Suite struct ImageIdentityTests {
  /// A bundle and a photograph.
  struct Case: Sendable, CustomTestStringConvertible {
    let bundle: FixturePath
    let photograph: FixturePath
    var testDescription: String { "\(bundle.path) \(photograph.path)" }
  }

  static let bundles =
    [
      "Conformance/identity.tiobundle", "TensorFlow/picture-identity.tiobundle",
      "shared:original/tflite/1_in_1_out_pixelbuffer_identity_test.tiobundle",
      "shared:original/tensorflow/1_in_1_out_pixelbuffer_identity_test.tiobundle",
    ].map { FixturePath($0) }.filter(\.isAvailable)
  static let photographs =
    [
      "Images/china.jpg", "Images/flower.jpg", "Conformance/images/bands.png",
      "Conformance/images/disk-doubled.png", "shared:real/images/example-image.jpg",
      "shared:real/images/elephant.jpg", "shared:real/images/cat.jpg",
      "shared:real/images/bird_segmentation.bmp",
    ].map { FixturePath($0) }
  /// The photographs of the project with its bundles, and the shared ones with the shared bundles.
  static let cases = bundles.flatMap { bundle in
    photographs.filter { $0.isShared == bundle.isShared }.map {
      Case(bundle: bundle, photograph: $0)
    }
  }
  static let size = 224

  /// The description of the image on one side of the model.
  struct Side: Sendable {
    let format: String
    let transform: String

    static func plain(_ format: String) -> Side {
      Side(format: format, transform: "{\"standard\": \"[0,1]\"}")
    }

    static func biased(_ format: String, scale: String, _ bias: [String]) -> Side {
      let colors = zip(["r", "g", "b"], bias).map { "\"\($0)\": \($1)" }
      let list = colors.joined(separator: ", ")
      return Side(format: format, transform: "{\"scale\": \(scale), \"bias\": {\(list)}}")
    }
  }

  @Test func `The number of cases is printed`() {
    let shared = Self.cases.count(where: \.bundle.isShared)
    CaseCount.report("identity", project: Self.cases.count - shared, shared: shared)
  }

  @Test(arguments: bundles)
  func `A solid red image is preserved`(_ bundle: FixturePath) throws {
    let red = try ImageBuffer(
      width: Self.size, height: Self.size, format: .argb,
      pixels: Array(repeating: [255, 255, 0, 0], count: Self.size * Self.size).flatMap(\.self))
    let model = try Model(at: bundle.path)
    for input in [red.modelInput, ["input": red].modelInput] {
      let output: ImageBuffer = try model.run(input)["output"].value()
      #expect(output.width == Self.size && output.height == Self.size)
      #expect(distance(output, red) <= 1)
    }
  }

  @Test(arguments: cases)
  func `A photograph is returned as it was preprocessed`(_ example: Case) throws {
    let photograph = try ImageBuffer(contentsOf: example.photograph.path)
    let model = try Model(at: example.bundle.path)
    let output: ImageBuffer = try model.run(photograph)["output"].value()
    #expect(distance(output, try prepared(photograph)) <= 1)
  }

  @Test(arguments: cases)
  func `A photograph is preserved by the command line`(_ example: Case) throws {
    let folder = try TemporaryFolder()
    let path = example.photograph.path
    let outcome = TestConsole.run([
      "run", example.bundle.path, path, "--save-images", folder.path,
    ])
    let record = try outcome.json()
    let saved = try #require(record["outputs"]?["output"]?["path"]?.string)
    let stem = URL(filePath: path).deletingPathExtension().lastPathComponent
    #expect(saved == "\(folder.path)/\(stem)-output.png")
    let output = try ImageBuffer(contentsOf: saved)
    #expect(distance(output, try prepared(try ImageBuffer(contentsOf: path))) <= 1)
  }

  /// Biases apply to the colors they are named after, in any order of the channels.
  static let red = ["0.1", "0.2", "0.3"], minusRed = ["-0.1", "-0.2", "-0.3"]

  @Test(
    arguments: [
      (Side.plain("RGB"), Side.plain("BGR"), [2, 1, 0]),
      (Side.plain("BGR"), Side.plain("RGB"), [2, 1, 0]),
      (Side.plain("BGR"), Side.plain("BGR"), [0, 1, 2]),
      (
        Side.biased("RGB", scale: "0.00392156862745098", red),
        Side.biased("RGB", scale: "255", minusRed), [0, 1, 2]
      ),
      (
        Side.biased("BGR", scale: "0.00392156862745098", red),
        Side.biased("BGR", scale: "255", minusRed), [0, 1, 2]
      ),
    ])
  func `Channels in another order use the biases of their colors`(
    _ input: Side, _ output: Side, _ channels: [Int]
  ) throws {
    let folder = try TemporaryFolder()
    let model = try Model(at: try bundle(input, output, in: folder))
    let photograph = try ImageBuffer(contentsOf: Self.photographs[0].path)
    let result: ImageBuffer = try model.run(photograph)["output"].value()
    let expected = try prepared(photograph)
    let swapped = try ImageBuffer(
      width: Self.size, height: Self.size, format: .rgb,
      pixels: expected.pixels.indices.map { index in
        expected.pixels[index - index % 3 + channels[index % 3]]
      })
    #expect(distance(result, swapped) <= 1)
  }

  /// The model's input is read as numbers, so that two errors cannot cancel each other out.
  @Test(arguments: ["RGB", "BGR"])
  func `The bias of a color applies to its channel`(_ format: String) throws {
    let folder = try TemporaryFolder()
    let biased = Side.biased(format, scale: "0.00392156862745098", ["10", "20", "30"])
    let path = try bundle(
      biased, outputText: "{\"name\": \"output\", \"type\": \"array\", \"shape\": [224,224,3]}",
      in: folder)
    let inputImage = try ImageBuffer.filled(
      width: Self.size, height: Self.size, red: 255, green: 0, blue: 51)
    let numbers: [Float] = try Model(at: path).run(inputImage)["output"].value()
    let expected: [Float] = format == "RGB" ? [11, 20, 30.2] : [30.2, 20, 11]
    #expect(numbers.count == Self.size * Self.size * 3)
    #expect(isClose(Array(numbers.prefix(3)), to: expected, within: 0.0001))
    #expect(isClose(Array(numbers.suffix(3)), to: expected, within: 0.0001))
  }
}

extension ImageIdentityTests {
  private func prepared(_ inputImage: ImageBuffer) throws -> ImageBuffer {
    try ImagePreparation(width: Self.size, height: Self.size)(inputImage).image
  }

  private func distance(_ left: ImageBuffer, _ right: ImageBuffer) -> Int {
    let pairs = zip(left.converted(to: .rgb).pixels, right.converted(to: .rgb).pixels)
    return pairs.map { abs(Int($0) - Int($1)) }.max() ?? .max
  }

  private func bundle(_ input: Side, _ output: Side, in folder: TemporaryFolder) throws -> String {
    try bundle(
      input,
      outputText: """
        {"name": "output", "type": "image", "shape": [224,224,3], "format": "\(output.format)",
         "denormalize": \(output.transform)}
        """, in: folder)
  }

  private func bundle(
    _ input: Side, outputText: String, in folder: TemporaryFolder
  ) throws -> String {
    try folder.write(
      """
      {"name": "identity", "details": "", "id": "identity", "version": "1", "author": "",
       "license": "",
       "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
                 "modes": ["predict"]},
       "inputs": [{"name": "input", "type": "image", "shape": [224,224,3],
                   "format": "\(input.format)", "normalize": \(input.transform)}],
       "outputs": [\(outputText)]}
      """, to: "identity.tiobundle/model.json")
    try folder.copy(
      Self.bundles[0].path + "/model.tflite", as: "identity.tiobundle/model.tflite")
    return folder.path + "/identity.tiobundle"
  }
}
