import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

@Suite struct DriftReportTests {
  /// A model whose result is twice its number.
  private func model() throws -> Model {
    try FunctionBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [2], "features": ["age", "size"]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [1]}"#, model: FunctionBundle.function
    ).model { (input) throws(ModelError) in
      guard case .named(let values) = input, let numbers = values["x"]?.numbers else {
        throw ModelError(.input, .invalidValue("no x"))
      }
      return ModelOutput(layers: [.init(name: "y", value: .number(2 * numbers[0]))])
    }
  }

  private func sample(
    _ model: Model, _ rows: [[Double]], threads: Int = 1
  ) throws -> DriftSample {
    try DriftSample(of: model, count: rows.count, threads: threads) { index in
      .named(["x": rows[index].layerValue])
    }
  }

  /// Rows whose first number is uniform in a range.
  private func rows(
    _ count: Int, from low: Double = 0, to high: Double = 1, seed: UInt64 = 1
  ) -> [[Double]] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in [Double.random(in: low...high, using: &generator), 7] }
  }

  @Test func `Numbers are named after their features, and the largest drift is first`() throws {
    let model = try model()
    let reference = DriftReference(try sample(model, rows(500)))
    let same = try DriftReport(sample(model, rows(500, seed: 2)), against: reference)
    #expect(same.level == .none && same.alerts(above: 0.25).isEmpty)
    #expect(Set(same.rows.map(\.name)) == ["x[age]", "x[size]", "y"])
    let moved = try DriftReport(
      sample(model, rows(500, from: 0.5, to: 1.5), threads: 3), against: reference)
    #expect(moved.level == .much && moved.rows[0].level == .much)
    #expect(moved.rows.map(\.name).last == "x[size]" && moved.rows.last?.stability == 0)
    #expect(moved.alerts(above: 0.25).map(\.name).sorted() == ["x[age]", "y"])
    #expect(moved.alerts(above: 100).isEmpty)
    // The bound from the histogram is below the distance of the values, and near to it.
    let exact = try DriftReport(
      sample(model, rows(500, from: 0.5, to: 1.5)), against: sample(model, rows(500)))
    let (bound, distance) = (
      try #require(moved.rows[0].distance), try #require(exact.rows[0].distance)
    )
    #expect(bound <= distance && bound > distance - 0.1)
    #expect(moved.rows[0].stability == exact.rows[0].stability)
  }

  @Test func `Missing values are a bin of their own`() throws {
    let model = try model()
    let reference = DriftReference(try sample(model, rows(300)))
    let missing = rows(300, seed: 3).enumerated().map { $0.isMultiple(of: 2) ? [$1[0], .nan] : $1 }
    let report = try DriftReport(sample(model, missing), against: reference)
    let size = try #require(report.rows.first)
    #expect(size.name == "x[size]" && size.level == .much && size.missing == 0.5)
    #expect(size.referenceMissing == 0 && report.rows[1].level == .none)
  }

  @Test func `A constant number drifts in both directions`() throws {
    let model = try model()
    let reference = DriftReference(try sample(model, rows(300)))
    for value in [6.0, 8] {
      let changed = rows(300, seed: 3).map { [$0[0], value] }
      let report = try DriftReport(sample(model, changed), against: reference)
      #expect(report.rows[0].name == "x[size]" && report.rows[0].level == .much)
    }
  }

  @Test func `One item is chance, and none is an error`() throws {
    let model = try model()
    let reference = DriftReference(try sample(model, rows(300)))
    let report = try DriftReport(sample(model, [[0.5, 7]]), against: reference)
    #expect(report.level == .none && report.rows.contains { $0.isChance })
    #expect(
      report.lines(alertingAbove: 0.25)[0]
        == "no drift beyond chance: 3 numbers, 1 item against 300")
    #expect(throws: ModelError.self) { try sample(model, []) }
  }

  @Test func `Items that fail are listed, unless all do`() throws {
    let model = try model()
    let sample = try DriftSample(of: model, count: 3) { (index) throws(ModelError) in
      guard index != 1 else { throw ModelError(.input, .invalidValue("bad")) }
      return .named(["x": [1.0, 2].layerValue])
    }
    #expect(sample.count == 2 && sample.failedItems.map(\.name) == ["1"])
    let error = #expect(throws: ModelError.self) {
      try DriftSample(of: model, count: 3) { (_) throws(ModelError) in
        throw ModelError(.input, .invalidValue("bad"))
      }
    }
    #expect(error?.message.contains("bad") == true)
  }

  @Test func `A model without numbers is rejected`() throws {
    let model = try FunctionBundle(
      inputs: #"{"name": "x", "type": "audio", "shape": [-1], "rate": 16000}"#,
      outputs: #"{"name": "y", "type": "image", "shape": [4, 4, 3], "format": "RGB"}"#,
      model: FunctionBundle.function
    ).model { _ in ModelOutput(layers: []) }
    let error = #expect(throws: ModelError.self) {
      try DriftSample(of: model, count: 1) { _ in .value([0.0].layerValue) }
    }
    #expect(error?.message.contains("requires an input or output of numbers") == true)
  }

  @Test func `Classes and scores of a classifier are compared`() throws {
    // The labels are in a file of the bundle.
    let bundle = try FunctionBundle.classifier()
    defer { withExtendedLifetime(bundle) {} }
    let model = try bundle.model { (input) throws(ModelError) in
      let best = Int(input.number("x") ?? 0)
      let scores = (0..<3).map { $0 == best ? Float(0.9) : 0.05 }
      return ModelOutput(layers: [
        .init(
          name: "scores",
          value: .classification(Classification(labels: ["fig", "plum", "pear"], scores: scores)))
      ])
    }
    func sample(_ labels: [Int]) throws -> DriftSample {
      try DriftSample(of: model, count: labels.count) { .named(["x": .number(Double(labels[$0]))]) }
    }
    let even = try sample((0..<300).map { $0 % 3 })
    let report = try DriftReport(sample((0..<300).map { $0 % 2 }), against: DriftReference(even))
    let row = try #require(
      report.rows.first { $0.name == "scores class" }, "\(report.rows.map(\.name))")
    // p = 1/3 each; q = 1/2, 1/2 and the smallest fraction.
    let expected = 2 * (0.5 - 1.0 / 3) * log(1.5) + (1e-4 - 1.0 / 3) * log(3e-4)
    #expect(isClose(try #require(row.stability), to: expected, within: 1e-9))
    #expect(row.distance == nil && row.level == .much)
    #expect(report.rows.first { $0.name == "scores score" }?.level == DriftReport.Level.none)
  }

  @Test func `Images are measured by brightness, contrast and aspect ratio`() throws {
    let half = [UInt8](repeating: 0, count: 32) + [UInt8](repeating: 200, count: 32)
    let image = try ImageBuffer(width: 16, height: 4, format: .gray, pixels: half)
    let measures = ImageMeasures(image)
    #expect(isClose(measures.brightness, to: 100, within: 0.01))
    #expect(isClose(measures.contrast, to: 100, within: 0.01) && measures.aspectRatio == 4)
    let large = try ImageBuffer.filled(width: 500, height: 300, red: 255, green: 0, blue: 0)
    #expect(isClose(ImageMeasures(large).brightness, to: 76.245, within: 1e-6))
    #expect(ImageMeasures(large).contrast < 1e-3)
  }
}
