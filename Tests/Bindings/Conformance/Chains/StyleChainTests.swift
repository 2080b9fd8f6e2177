import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// The example chain that transfers a style to a photograph.
@Suite struct StyleChainTests {
  private static func bundle(_ name: String) -> String {
    ProjectFiles.path("Examples/Bundles/\(name)")
  }

  private static let photograph = bundle("pencil.tiobundle/samples/temple.png")

  private static func style(_ name: String) -> String {
    bundle("style-predict.tiobundle/samples/\(name).jpg")
  }

  /// The image produced by running the two bundles one after the other.
  private func painted(_ style: String) throws -> ImageBuffer {
    let predict = try Model(at: Self.bundle("style-predict.tiobundle"))
    let transform = try Model(at: Self.bundle("style-transform.tiobundle"))
    let vector: [Float] = try predict.run(try ImageBuffer(contentsOf: Self.style(style)))
      .value(of: "style")
    let inputs = LayerValue.numbers(Numbers(.floats(vector)))
    let output = try transform.run(
      .named([
        "picture": .image(try ImageBuffer(contentsOf: Self.photograph)), "style": inputs,
      ]))
    return try ImageOutputTask(transform).result(of: output)
  }

  @Test func `Two styles produce two images, identical to running the bundles separately`() throws {
    let chain = Self.bundle("style.tiochain")
    let folder = try TemporaryFolder()
    var inputImages: [ImageBuffer] = []
    for style in ["waves", "mosaic"] {
      let expected = try painted(style)
      let output = try Chain(at: chain).run([
        "photograph": try ImageBuffer(contentsOf: Self.photograph),
        "style": try ImageBuffer(contentsOf: Self.style(style)),
      ])
      let final = try #require(output.final)
      #expect(try final.value(of: final.names[0]) == expected)
      let run = TestConsole.run([
        "run", chain, "photograph=\(Self.photograph)", "style=\(Self.style(style))",
        "--save-images",
        "\(folder.path)/\(style)", "--format", "json",
      ])
      #expect(run.exitCode == 0, "\(run)")
      let path = try run.json()["outputs"]?["\(final.names[0])"]?["path"]?.string
      let saved = try ImageBuffer(contentsOf: try #require(path))
      #expect(saved == expected)
      inputImages.append(saved)
    }
    #expect(inputImages[0] != inputImages[1])
    let apart = zip(inputImages[0].pixels, inputImages[1].pixels).map { abs(Int($0) - Int($1)) }
    #expect(apart.reduce(0, +) / max(1, apart.count) > 5, "levels of 255, on average")
  }
}
