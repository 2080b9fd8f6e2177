import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// One model, used from many places at once.
@Suite struct SharingTests {
  static let runCount = 100
  static let bundle = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
  static let pictures = ProjectFiles.entries(
    of: "Examples/Bundles/digits.tiobundle/samples", suffix: ".png")

  /// The bits of all scores, by picture.
  static func answers(_ model: Model) throws -> [[UInt32]] {
    try pictures.map { try bits(try model.run(ImageBuffer(contentsOf: $0))) }
  }

  static func bits(_ output: ModelOutput) throws -> [UInt32] {
    let scores: [Float] = try output["classification"].value()
    return scores.map(\.bitPattern)
  }

  @Test(arguments: [1, 2])
  func `a hundred tasks get the bits that one gets`(_ sessions: Int) async throws {
    let model = try Model(bundleAt: Self.bundle, options: .init(threads: 1, sessions: sessions))
    let expected = try Self.answers(model)
    try #require(Set(expected).count == Self.pictures.count, "the pictures tell nothing apart")
    try await withThrowingTaskGroup(of: (Int, [UInt32]).self) { group in
      for run in 0..<Self.runCount {
        let index = run % Self.pictures.count
        group.addTask {
          let picture = try ImageBuffer(contentsOf: Self.pictures[index])
          // Both doors of the model, mixed.
          let output =
            run.isMultiple(of: 3) ? try model.run(picture) : try await model.submit(picture)
          return (index, try Self.bits(output))
        }
      }
      for try await (index, bits) in group { #expect(bits == expected[index]) }
    }
  }

  @Test func `models of one bundle are independent`() async throws {
    let bundle = try ModelBundle(at: Self.bundle)
    let first = try bundle.makeModel(), second = try bundle.makeModel()
    let expected = try Self.answers(first)
    async let one = Self.answers(first)
    async let other = Self.answers(second)
    #expect(try await one == expected)
    #expect(try await other == expected)
  }
}
