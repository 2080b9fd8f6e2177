import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIOTestSupport
import Testing

/// Fused LSTMs, whose expected outputs are those of LiteRT's interpreter in Python.
@Suite struct RecurrentModelTests {
  private func outputs(
    _ session: any Session, _ inputs: [[Float]], resetting: Bool
  ) throws -> [[Float]] {
    try inputs.map { values in
      if resetting { try session.abilities.resetState?() }
      return try session.run(values)
    }
  }

  @Test func `An LSTM equals LiteRT's interpreter in Python, with kept state and with resets`()
    throws
  {
    let golden = try JSONTree(contentsOf: TinyModel.folder.appending(path: "lstm.json").path)
    func rows(_ key: String) -> [[Float]] {
      (golden[key]?.array ?? []).map { ($0.numbers ?? []).map(Float.init) }
    }
    let inputs = rows("inputs")
    try #require(inputs.count == 3 && rows("kept")[1] != rows("reset")[1])
    let session = try TinyModel(name: "lstm").session()
    for _ in 0..<2 {
      for (key, resets) in [("kept", false), ("reset", true)] {
        try session.abilities.resetState?()
        let outputs = try outputs(session, inputs, resetting: resets)
        for (actual, expected) in zip(outputs, rows(key)) {
          #expect(isClose(actual, to: expected, within: 1e-6), "\(key)")
        }
      }
    }
  }

  /// Published models: the bits of the outputs of three runs.
  struct Published: Sendable, CustomTestStringConvertible {
    let name: String
    let kept: [[UInt32]]
    let reset: [[UInt32]]
    var testDescription: String { name }

    static let all = [
      Published(
        name: "trained_lstm",
        kept: [
          [
            909_354_023, 662_284_649, 880_504_460, 741_586_793, 898_784_961, 840_252_421,
            1_065_322_905, 803_524_988, 988_558_310, 891_659_385,
          ],
          [
            933_934_346, 734_190_610, 909_597_719, 802_900_004, 943_755_486, 896_500_140,
            1_065_268_524, 862_617_780, 1_000_543_239, 900_287_053,
          ],
          [
            948_986_494, 740_640_351, 931_345_452, 811_911_896, 969_095_534, 885_097_371,
            1_065_309_536, 877_642_923, 990_675_607, 906_789_061,
          ],
        ],
        reset: [
          [
            909_354_023, 662_284_649, 880_504_460, 741_586_793, 898_784_961, 840_252_421,
            1_065_322_905, 803_524_988, 988_558_310, 891_659_385,
          ],
          [
            880_822_692, 654_434_172, 857_798_332, 726_505_134, 885_055_334, 824_936_313,
            1_065_346_289, 778_033_590, 970_469_012, 861_719_955,
          ],
          [
            909_913_231, 653_848_866, 890_005_053, 748_938_241, 916_998_350, 826_411_980,
            1_065_335_860, 805_612_619, 981_888_741, 891_413_032,
          ],
        ]),
      Published(
        name: "micro_speech_lstm", kept: [[127, 128, 129], [127, 128, 128], [127, 128, 128]],
        reset: [[127, 128, 129], [127, 128, 129], [127, 128, 129]]),
    ]
  }

  @Test(.enabled(if: SharedFixtures.areAvailable), arguments: Published.all)
  func `Published LSTMs equal LiteRT's interpreter in Python bit for bit`(
    _ published: Published
  ) throws {
    let path = SharedFixtures.path("tasks/\(published.name).tflite")
    guard FileManager.default.fileExists(atPath: path) else { return }
    let model = try LiteRTBackend().model(
      at: ModelFile(path: path, name: "\(published.name).tflite"))
    let (input, session) = (
      model.signature.inputs[0], try model.makeSession(SessionOptions(threads: 1))
    )
    let count = input.shape.elementCount ?? 0
    for (expected, resets) in [(published.kept, false), (published.reset, true)] {
      try session.abilities.resetState?()
      for run in 0..<3 {
        if resets { try session.abilities.resetState?() }
        let numbers = (0..<count).map { ($0 * 37 + run * 11) % 101 }
        let bits: [UInt32]
        if input.elementType == .float32 {
          bits = try session.run(numbers.map { Float(Double($0) / 101) }).map(\.bitPattern)
        } else {
          bits = try session.run(numbers.map { Int8($0 - 50) })
            .map { UInt32(UInt8(bitPattern: $0)) }
        }
        #expect(bits == expected[run], "run \(run)")
      }
    }
  }
}
