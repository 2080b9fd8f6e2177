import TensorIOImage
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct OutputFormatterTests {
  private func output(_ scores: [Float], name: String = "classification") -> ModelOutput {
    let labels = ["background", "rocking chair", "park bench", "tabby", "crane", "tusker"]
    return ModelOutput(layers: [
      .init(
        name: name, value: .classification(Classification(labels: labels, scores: scores)))
    ])
  }

  private func text(_ name: String, _ outputs: ModelOutput...) throws -> [String] {
    let make = try #require(OutputFormatters.builtIn[name])
    var formatter = make()
    return outputs.map { formatter.text(for: $0) }
  }

  @Test func `The formatter imagenet shows the best labels above 0.1, smoothed`() throws {
    let lines = try text(
      "image.classification.imagenet", output([0.02, 0.87, 0.1, 0.11]), output([0.9, 0, 0, 0]))
    #expect(
      lines == [
        "(0.87) rocking chair\n(0.11) tabby",
        "(0.61) rocking chair\n(0.27) background\n(0.08) tabby",
      ])
  }

  @Test func `The formatter imagenet shows five labels`() throws {
    let lines = try text(
      "image.classification.imagenet", output([0.16, 0.17, 0.18, 0.19, 0.15, 0.14]))
    #expect(lines[0].split(separator: "\n").count == 5)
    #expect(lines[0].hasPrefix("(0.19) tabby"))
  }

  @Test func `The formatter nodecay shows all labels without smoothing`() throws {
    let lines = try text(
      "image.classification.nodecay", output([0.25, 0.745]), output([0, 1]))
    #expect(
      lines == [
        "(0.75) rocking chair\n(0.25) background",
        "(1.00) rocking chair\n(0.00) background",
      ])
  }

  @Test func `Labels are found in an output of any name, and other outputs are shown as numbers`()
    throws
  {
    #expect(
      try text("image.classification.nodecay", output([1], name: "y")) == ["(1.00) background"])
    let numbers = ModelOutput(layers: [.init(name: "y", value: 2.5.layerValue)])
    #expect(try text("image.classification.imagenet", numbers) == ["y: 2.50"])
  }

  @Test func `Any output is formatted in the order of its layers`() throws {
    let image = try ImageBuffer.filled(width: 64, height: 48, red: 0, green: 0, blue: 0)
    let layers: [(String, LayerValue)] = [
      ("z", 0.126.layerValue), ("f", ([-0.5, 1e20] as [Float]).layerValue), ("i", 7.layerValue),
      ("b", [true, false].layerValue), ("raw", .bytes([0, 10, 255])), ("s", ["a", "b"].layerValue),
      ("p", .image(image)),
      ("c", .classification(Classification(labels: ["x", "y"], scores: [0.25, 0.75]))),
      ("long", Array(0..<100).layerValue), ("many", .bytes([UInt8](repeating: 0, count: 17))),
      ("list", .list([1.layerValue, "t".layerValue])), ("nan", Double.nan.layerValue),
    ]
    var formatter = GeneralFormatter()
    let text = formatter.text(
      for: ModelOutput(layers: layers.map { ModelOutput.Layer(name: $0.0, value: $0.1) }))
    #expect(
      text == """
        z: 0.13
        f: [-0.50, 1e+20]
        i: 7
        b: [true, false]
        raw: [00 0a ff]
        s: ["a", "b"]
        p: <Image> (64×48)
        c: (0.75) y, (0.25) x
        long: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, … 100 in total]
        many: [00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 … 17 in total]
        list: [1, ["t"]]
        nan: nan
        """)
    #expect(formatter.text(for: .empty).isEmpty)
  }

  @Test func `The type takes precedence over the option, and the general formatter is the default`()
  {
    var description = ModelDescription(inputs: [], outputs: [])
    let formatters = OutputFormatters.builtIn
    func chosen() -> any OutputFormatter { formatters.formatter(for: description) }
    #expect(chosen() is GeneralFormatter)
    description.options.outputFormat = "image.classification.nodecay"
    #expect(chosen() as? ClassificationFormatter == .withoutDecay)
    description.type = "image.classification.catsvsdogs"
    #expect(chosen() as? ClassificationFormatter == .withoutDecay)
    description.type = "image.classification.imagenet"
    #expect(chosen() as? ClassificationFormatter == .imageNet)
  }

  @Test func `An application can add a formatter`() {
    struct Shout: OutputFormatter {
      func text(for output: ModelOutput) -> String { "\(output.layers.count)!" }
    }
    var formatters = OutputFormatters.builtIn
    formatters["shout"] = { Shout() }
    var description = ModelDescription(inputs: [], outputs: [])
    description.type = "shout"
    var formatter = formatters.formatter(for: description)
    #expect(formatter.text(for: .empty) == "0!")
    #expect(formatters.names.last == "shout")
    #expect(OutputFormatters.builtIn["shout"] == nil)
    #expect(OutputFormatters().names.isEmpty)
  }
}
