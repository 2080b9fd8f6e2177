import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// The chain of the examples that paints a photograph in a style.
@Suite struct StyleChainTests {
  private static func bundle(_ name: String) -> String {
    ProjectFiles.path("Examples/Bundles/\(name)")
  }

  private static let photograph = bundle("pencil.tiobundle/samples/temple.png")

  private static func style(_ name: String) -> String {
    bundle("style-predict.tiobundle/samples/\(name).jpg")
  }

  /// The picture that the two bundles make, one after the other.
  private func painted(_ style: String) throws -> ImageBuffer {
    let predict = try Model(bundleAt: Self.bundle("style-predict.tiobundle"))
    let transform = try Model(bundleAt: Self.bundle("style-transform.tiobundle"))
    let vector: [Float] = try predict.run(try ImageBuffer(contentsOf: Self.style(style)))
      .value(of: "style")
    let inputs = LayerValue.numbers(Numbers(.floats(vector)))
    let output = try transform.run(
      .named([
        "picture": .image(try ImageBuffer(contentsOf: Self.photograph)), "style": inputs,
      ]))
    return try ImageOutputDecoder(transform).decode(output)
  }

  @Test func `two styles give two pictures, as the bundles do by hand`() throws {
    let chain = Self.bundle("style.tiochain")
    let folder = try TemporaryFolder()
    var pictures: [ImageBuffer] = []
    for style in ["waves", "mosaic"] {
      let expected = try painted(style)
      let output = try Chain(at: chain).run([
        "photograph": try ImageBuffer(contentsOf: Self.photograph),
        "style": try ImageBuffer(contentsOf: Self.style(style)),
      ])
      let final = try #require(output.final)
      #expect(try final.value(of: final.names[0]) == expected)
      let run = TestConsole.run([
        "run", chain, "photograph=\(Self.photograph)", "style=\(Self.style(style))", "--save",
        "\(folder.path)/\(style)", "--format", "json",
      ])
      #expect(run.exitCode == 0, "\(run)")
      let path = try run.json()["outputs"]?["\(final.names[0])"]?["path"]?.string
      let saved = try ImageBuffer(contentsOf: try #require(path))
      #expect(saved == expected)
      pictures.append(saved)
    }
    #expect(pictures[0] != pictures[1])
    let apart = zip(pictures[0].pixels, pictures[1].pixels).map { abs(Int($0) - Int($1)) }
    #expect(apart.reduce(0, +) / max(1, apart.count) > 5, "levels of 255, on average")
  }
}
