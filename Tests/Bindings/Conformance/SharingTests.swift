import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// One model used by many tasks at the same time.
@Suite struct SharingTests {
  static let runCount = 100
  static let bundle = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
  static let images = ProjectFiles.entries(
    of: "Examples/Bundles/digits.tiobundle/samples", suffix: ".png")

  /// The bits of all scores, by image.
  static func results(_ model: Model) throws -> [[UInt32]] {
    try images.map { try bits(try model.run(ImageBuffer(contentsOf: $0))) }
  }

  static func bits(_ output: ModelOutput) throws -> [UInt32] {
    let scores: [Float] = try output["classification"].value()
    return scores.map(\.bitPattern)
  }

  @Test(arguments: [1, 2])
  func `A hundred tasks get bit-identical outputs`(_ sessions: Int) async throws {
    let model = try Model(at: Self.bundle, options: .init(threads: 1, sessions: sessions))
    let expected = try Self.results(model)
    try #require(Set(expected).count == Self.images.count, "the outputs do not differ by image")
    try await withThrowingTaskGroup(of: (Int, [UInt32]).self) { group in
      for run in 0..<Self.runCount {
        let index = run % Self.images.count
        group.addTask {
          let inputImage = try ImageBuffer(contentsOf: Self.images[index])
          // A mixture of run and submit.
          let output =
            run.isMultiple(of: 3) ? try model.run(inputImage) : try await model.submit(inputImage)
          return (index, try Self.bits(output))
        }
      }
      for try await (index, bits) in group { #expect(bits == expected[index]) }
    }
  }

  @Test func `Models of one bundle are independent`() async throws {
    let bundle = try ModelBundle(at: Self.bundle)
    let first = try Model(bundle), second = try Model(bundle)
    let expected = try Self.results(first)
    async let one = Self.results(first)
    async let other = Self.results(second)
    #expect(try await one == expected)
    #expect(try await other == expected)
  }
}
