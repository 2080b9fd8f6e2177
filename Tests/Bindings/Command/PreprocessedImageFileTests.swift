import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// The option `--save-preprocessed`.
@Suite struct PreprocessedImageFileTests {
  private func picture(_ path: String) throws -> ImageBuffer { try ImageBuffer(contentsOf: path) }

  private func facts(_ path: String) throws -> JSONTree {
    try JSONTree(try String(contentsOfFile: path, encoding: .utf8))
  }

  @Test func `The preprocessed image, its channels and its transform are written`() throws {
    let folder = try TemporaryFolder()
    let seen = "\(folder.path)/seen"
    let words = ["run", Example.negative, Example.temple, "--save-preprocessed", seen]
    let shown = TestConsole.run(words + ["--save-images", "\(folder.path)/out"])
    #expect(shown.exitCode == 0 && shown.messages.isEmpty, "\(shown.messages)")
    let names = try FileManager.default.contentsOfDirectory(atPath: seen).sorted()
    let input = try Model(at: Example.negative).inputs[0]
    guard case .image(let layer) = input.kind else { return }
    let stem = "temple-\(input.name)"
    #expect(
      names
        == [
          "\(stem)-blue.png", "\(stem)-green.png", "\(stem)-red.png", "\(stem).json", "\(stem).png",
        ])
    // The file is the result of preprocessing the image.
    let prepared = try ImagePreparation(
      width: layer.width, height: layer.height, fit: layer.fit, filter: layer.filter
    )(try picture(Example.temple)).image
    #expect(try picture("\(seen)/\(stem).png").pixels == prepared.pixels)
    let greens = stride(from: 1, to: prepared.pixels.count, by: 3).map { prepared.pixels[$0] }
    let green = try picture("\(seen)/\(stem)-green.png").converted(to: .gray)
    #expect(green.pixels == greens)
    let facts = try facts("\(seen)/\(stem).json")
    #expect(facts["fit"]?.string == layer.fit.rawValue && facts["layout"]?.string == "NHWC")
    #expect(facts["channels"]?.array?.map { $0["name"]?.string } == ["red", "green", "blue"])
    let temple = try picture(Example.temple)
    #expect(facts["image"]?["width"]?.number == Double(temple.width))
    let (scale, back) = (facts["to_image"]?["a"]?.number, facts["from_image"]?["a"]?.number)
    #expect(try abs(#require(scale) * #require(back) - 1) < 1e-9)
  }

  /// The elements of the tensor are mapped back to pixels.
  @Test(arguments: [
    ("\"normalize\": {\"standard\": \"[0,1]\"}", "RGB", [255, 0, 51]),
    ("\"normalize\": {\"standard\": \"[0,1]\"}", "BGR", [51, 0, 255]),
    ("\"layout\": \"NHWC\"", "RGB", [255, 0, 51]),
  ])
  func `The written values are those of the tensor`(
    _ transform: String, _ format: String, _ pixels: [Double]
  ) throws {
    let layer = """
      {"name": "picture", "type": "image", "shape": [8,8,3], "format": "\(format)", \(transform)}
      """
    let bundle = try TinyBundle(
      "picture-negative", inputs: [layer], outputs: [TinyBundle.picture("negative", "denormalize")],
      quantized: true)
    let path = "\(bundle.folder.path)/solid.png"
    try ImageBuffer.filled(width: 20, height: 10, red: 255, green: 0, blue: 51).write(to: path)
    let seen = "\(bundle.folder.path)/seen"
    let outcome = bundle.run([path, "--save-preprocessed", seen])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    let facts = try facts("\(seen)/solid-picture.json")
    let type = try #require(facts["dtype"]?.string)
    let channels = try #require(facts["channels"]?.array)
    #expect(type == "uint8")
    for (channel, pixel) in zip(channels, pixels) {
      for figure in ["min", "max", "mean"] {
        let value = try #require(channel[figure]?.number)
        #expect(value == pixel, "\(figure)")
      }
    }
    let shown = try picture("\(seen)/solid-picture.png").converted(to: .rgb)
    #expect(Array(shown.pixels.prefix(3)) == [255, 0, 51])
    // A crop of 20 × 10 removes five columns at each side.
    #expect(facts["to_image"]?["tx"]?.number == 5 && facts["to_image"]?["a"]?.number == 1.25)
  }

  @Test func `A gray image has one channel and equal stems are numbered`() throws {
    let folder = try TemporaryFolder()
    let words = ["run", Example.digits, Example.digit("3-1"), Example.digit("3-1")]
    #expect(TestConsole.run(words + ["--save-preprocessed", folder.path]).exitCode == 0)
    let name = try Model(at: Example.digits).inputs[0].name
    #expect(
      Set(folder.entries)
        == Set(
          ["3-1", "3-1-2"].flatMap { stem in
            ["", "-gray"].map { "\(stem)-\(name)\($0).png" } + ["\(stem)-\(name).json"]
          }))
  }

  @Test func `An evaluation saves the preprocessed images of each model`() throws {
    let folder = try TemporaryFolder()
    for name in ["3/a.png", "5/a.png"] {
      let digit = String(name.prefix(1))
      let bytes = try Data(contentsOf: URL(filePath: Example.digit("\(digit)-1")))
      try folder.write([UInt8](bytes), to: "data/\(name)")
    }
    let seen = "\(folder.path)/seen"
    let words = ["evaluate", Example.digits, "\(folder.path)/data", "--save-preprocessed", seen]
    #expect(TestConsole.run(words).exitCode == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: seen)
    #expect(names.filter { $0.hasSuffix(".json") }.sorted() == ["a-2-image.json", "a-image.json"])
    let ran = "\(folder.path)/ran"
    #expect(
      TestConsole.run(["run", Example.digits, Example.digit("3-1"), "--save-preprocessed", ran])
        .exitCode == 0)
    #expect(
      try picture("\(seen)/a-image.png").pixels == picture("\(ran)/3-1-image.png").pixels)

    let both = "\(folder.path)/both"
    let quantized = ProjectFiles.path("Examples/Bundles/digits-quantized.tiobundle")
    let two = ["evaluate", Example.digits, quantized, "\(folder.path)/data"]
    #expect(TestConsole.run(two + ["--save-preprocessed", both]).exitCode == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: both).sorted()
        == ["1-digits", "2-digits-quantized"])
  }

  @Test func `A model without image inputs is rejected before it runs`() throws {
    let outcome = try TinyBundle.double().run(["[1,2,3,4]", "--save-preprocessed", "x"])
    #expect(outcome.exitCode == 2)
    #expect(
      outcome.messages
        == "tensorio: --save-preprocessed requires a model with an image input\n")
  }
}
