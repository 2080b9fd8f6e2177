import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The output parameter `classification` of the Open Inference Protocol.
@Suite struct ClassificationParameterTests {
  private static func classes(
    _ model: String, _ inputs: String, _ outputs: String
  ) throws -> HTTPResponse {
    try PredictionHarness().post(
      "/v2/models/\(model)/infer", json: #"{"inputs": [\#(inputs)], "outputs": [\#(outputs)]}"#)
  }

  private static func tokens(_ parameter: String) throws -> HTTPResponse {
    try classes(
      "tokens",
      #"{"name": "x", "shape": [2, 4], "datatype": "INT32", "data": [3, -7, 3, 9, 0, 1, 0, 1]}"#,
      #"{"name": "y", "parameters": {"classification": \#(parameter)}}"#)
  }

  @Test(
    "each item has its best classes, equal scores by index", arguments: [1, 3, 4, 9, 1_000_000])
  func order(_ count: Int) throws {
    let output = try #require(try Self.tokens("\(count)").json()["outputs"]?[0])
    let items = [["9:3", "3:0", "3:2", "-7:1"], ["1:1", "1:3", "0:0", "0:2"]]
    let expected = items.flatMap { $0.prefix(count) }
    #expect(output["datatype"]?.string == "BYTES")
    #expect(output["shape"]?.numbers == [2, Double(min(count, 4))])
    #expect(output["data"]?.array?.compactMap(\.string) == expected)
  }

  @Test func `A number of zero classes asks for the scores`() throws {
    let output = try #require(try Self.tokens("0").json()["outputs"]?[0])
    #expect(output["datatype"]?.string == "INT32" && output["shape"]?.numbers == [2, 4])
  }

  @Test(arguments: [
    "-1", "1000001", "18446744073709551616", "1.5", "true", "null", #""2""#, "[2]", #"{"k": 2}"#,
  ])
  func `Other values are rejected`(parameter: String) throws {
    let response = try Self.tokens(parameter)
    #expect(response.status == .badRequest)
    let message = try #require(try response.json()["error"]?.string)
    #expect(
      message.hasPrefix("output 'y': classification must be an integer"), "\(message)")
  }

  @Test func `Scores that are not a number are last`() throws {
    let inputs = ["left", "right"].map {
      #"{"name": "\#($0)", "shape": [2, 2], "datatype": "FP32", "data": [NaN, 1, NaN, NaN]}"#
    }
    let output = try #require(
      try Self.classes(
        "sum", inputs.joined(separator: ","),
        #"{"name": "y", "parameters": {"classification": 2}}"#
      ).json()["outputs"]?[0])
    #expect(
      output["data"]?.array?.compactMap(\.string)
        == ["2.000000:1", "nan:0", "nan:0", "nan:1"])
  }

  @Test(arguments: [
    (0.1, "0.100000"), (-0.0, "-0.000000"), (0.999_999_6, "1.000000"), (-2.5, "-2.500000"),
    // Halfway between two decimals after a rounded multiplication, but not before it.
    (2.5e-6, "0.000003"), (3.5e-6, "0.000003"), (1.999_999_5, "1.999999"),
    (9_007_199_254_740_991, "9007199254740991.000000"),
    (9_007_199_254_740_994, "9007199254740994.000000"), (1e22, "10000000000000000000000.000000"),
    (0x1p90, "1237940039285380274899124224.000000"),
    (
      Double(Float.greatestFiniteMagnitude), "340282346638528859811704183484516925440.000000"
    ), (.infinity, "inf"), (-.infinity, "-inf"), (.nan, "nan"),
  ])
  func `Floating-point scores have six decimals and all digits`(number: Double, text: String) {
    #expect(number.fixedPointText == text)
  }

  @Test func `Floating-point scores are formatted as in C`() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      let number = Double(bitPattern: random.next())
      guard number.isFinite else { continue }
      #expect(number.fixedPointText == String(format: "%f", number))
      let small = Double.random(in: -2...2, using: &random)
      #expect(small.fixedPointText == String(format: "%f", small))
    }
  }
}
