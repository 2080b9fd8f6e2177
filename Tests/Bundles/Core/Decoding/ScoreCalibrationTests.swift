import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct ScoreCalibrationTests {
  typealias Transform = CalibrationDescription.Transform

  private func calibration(
    _ text: String, _ transform: Transform = .identity, defaultScore: Float = 0
  ) throws -> ScoreCalibration {
    try ScoreCalibration(
      Array(text.utf8),
      CalibrationDescription(file: "c.txt", transform: transform, defaultScore: defaultScore))
  }

  /// Computed in Python with double precision from the formula in the documentation.
  @Test(
    arguments: [
      (.identity, [0.394041149, 0.427518731, 0.560213398, 0.675234095, 0.699569875]),
      (.log, [2.47812892e-25, 0.0216323019, 0.194310069, 0.3594438, 0.394041149]),
      (.logit, [2.47812892e-25, 0.0252322161, 0.394041149, 0.859142206, 0.9]),
    ] as [(Transform, [Double])])
  func `A score is calibrated by the sigmoid of its label`(
    _ transform: Transform, _ expected: [Double]
  ) throws {
    let calibration = try calibration("0.9,1.5,-0.25\n", transform)
    for (score, expected) in zip([0, 0.1, 0.5, 0.9, 1] as [Float], expected) {
      let calibrated = Double(calibration.calibrated(score, at: 0))
      #expect(abs(calibrated - expected) <= 1e-5 * expected, "\(transform) of \(score)")
    }
  }

  @Test(arguments: Transform.allCases)
  func `The order of scores is kept, and no score is NaN or outside of the range`(
    _ transform: Transform
  ) throws {
    let calibration = try calibration("1,0.5,0", transform)
    let largest = Float.greatestFiniteMagnitude
    let scores: [Float] = [
      -.infinity, -largest, -1, 0, 1e-20, 1e-10, 0.25, 0.5, 0.75, 0.999, 1, largest, .infinity,
    ]
    let calibrated = scores.map { calibration.calibrated($0, at: 0) }
    #expect(calibrated == calibrated.sorted())
    #expect(calibrated.allSatisfy { 0...1 ~= $0 })
  }

  @Test func `Labels without parameters and low scores have the default score`() throws {
    let calibration = try calibration("1,0,0,0.5\n\n1,0,0\n", defaultScore: -1)
    #expect(calibration.calibrated([0.4, 0.9, 0.1, 0.9]) == [-1, -1, 0.5, -1])
    #expect(calibration.calibrated(0.5, at: 0) == 0.5)
    #expect(calibration.calibrated(0.5, at: -1) == -1)
  }

  @Test(
    arguments: [
      ("1,2\n", "1,2"), ("1,2,3\n1,2,3,4,5", "1,2,3,4,5"), ("1,2,nan", "1,2,nan"),
      ("1,2,inf", "1,2,inf"), ("1,2,", "1,2,"), ("1;2;3", "1;2;3"), ("1,2,3e99", "1,2,3e99"),
    ])
  func `A line that is not three or four numbers is an error`(_ text: String, _ line: String) {
    let number = text.hasPrefix("1,2,3\n") ? 2 : 1
    let error = #expect(throws: ModelError.self) { try calibration(text) }
    #expect(error?.message.contains("line \(number) must be empty") == true)
    #expect(error?.message.hasSuffix("'\(line)'") == true)
  }

  @Test func `A file that is not UTF-8 is an error`() {
    let error = #expect(throws: ModelError.self) {
      try ScoreCalibration([0x31, 0xFF], CalibrationDescription(file: "c.txt"), named: "c.txt")
    }
    #expect(error?.message == "cannot read 'c.txt': it is not UTF-8")
  }

  @Test func `Lines move with the labels`() throws {
    let calibration = try calibration("0.25,0,0\n0.5,0,0\n1,0,0")
    let skipping = try #require(calibration.aligned(toLines: 3, offset: 1))
    #expect(skipping.calibrated([1, 1, 1]) == [0.25, 0.5, 0])
    let preceded = try #require(calibration.aligned(toLines: 3, offset: -1))
    #expect(preceded.calibrated([1, 1, 1]) == [0, 0.125, 0.25])
    #expect(calibration.aligned(toLines: 2, offset: 0) == nil)
    #expect(calibration.aligned(toLines: 5, offset: 0) == nil)
  }

  @Test func `The last line can be empty without a line feed`() throws {
    let calibration = try calibration("1,0,0\n")
    #expect(calibration.aligned(toLines: 2, offset: 0)?.calibrated([1, 1]) == [0.5, 0])
    #expect(try self.calibration("1,0,0").aligned(toLines: 2, offset: 0) == nil)
  }

  @Test func `A written file has the same parameters`() throws {
    let original = try calibration("0.1, 2.5 ,-3e-7,0.3\n\n 1,1,1\n")
    #expect(
      String(decoding: original.fileBytes, as: UTF8.self) == "0.1,2.5,-3e-07,0.3\n\n1.0,1.0,1.0")
    let copy = try calibration(String(decoding: original.fileBytes, as: UTF8.self))
    #expect(copy.sigmoids == original.sigmoids)
  }

  // MARK: Bundles

  private func bundle(labels: String, calibration: String?) throws -> TestBundle {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [2]}"#,
      outputs: """
        {"name": "y", "type": "array", "shape": [1, 2], "labels": "labels.txt",
         "calibration": {"file": "c.txt", "transform": "logit", "default": -1}}
        """, labels: labels)
    if let calibration { try bundle.write(Array(calibration.utf8), to: "assets/c.txt") }
    return bundle
  }

  private let model = FakeModel(
    inputs: [TensorInfo(name: "x", elementType: .float32, shape: [2])],
    outputs: [TensorInfo(name: "y", elementType: .float32, shape: [1, 2])]
  ) { $0 }

  @Test func `A classification has calibrated scores, in runs of every kind`() async throws {
    let bundle = try bundle(labels: "a\nb\n", calibration: "1,2,0\n\n")
    let model = try bundle.open(model)
    let scores = [0.75, 0.9] as [Float]
    let expected = [0.9, -1] as [Float]  // The odds of 3, squared.
    func expectCalibrated(_ value: LayerValue?) throws {
      let classification = try Classification(#require(value))
      #expect(abs(classification.scores[0] - expected[0]) < 1e-6)
      #expect(classification.scores[1] == expected[1])
    }
    try expectCalibrated(model.run(scores)["y"])
    try expectCalibrated(await model.submit(scores)["y"])
    #expect(model.tensorRunner == nil)
    var floats = [Float](repeating: 0, count: 2)
    try model.run(scores, into: &floats)
    #expect(abs(floats[0] - expected[0]) < 1e-6 && floats[1] == expected[1])
  }

  @Test(arguments: ["1,2,0", "1,2,0\n1,2,0\n1,2,0", ""])
  func `As many lines as labels are required`(_ text: String) throws {
    let bundle = try bundle(labels: "a\nb\n", calibration: text)
    let error = #expect(throws: ModelError.self) { try bundle.open(model) }
    #expect(error?.layer == "y")
    #expect(error?.description.contains("lines for 2 labels") == true)
  }

  @Test func `A missing or invalid file is an error of the layer`() throws {
    for text in [nil, "1,2"] {
      let bundle = try bundle(labels: "a\nb\n", calibration: text)
      let error = #expect(throws: ModelError.self) { try bundle.open(model) }
      #expect(error?.layer == "y")
    }
  }
}
