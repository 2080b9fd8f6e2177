import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// `Documentation/Tasks.md` shows code that compiles: each of its blocks stands here.
@Suite struct TasksPageTests {
  @Test func `the code of the page is compiled`() throws {
    let page = try String(
      contentsOfFile: ProjectFiles.path("Documentation/Tasks.md"), encoding: .utf8)
    let source = lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    let blocks = page.matches(of: #/```swift\n(?<code>.*?)```/#.dotMatchesNewlines())
    #expect(blocks.count == 8)
    for block in blocks {
      #expect(source.contains(lines(String(block.code))), "\(block.code)")
    }
  }

  /// The text without indentation.
  private func lines(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: "\n")
  }
}

private func classify(_ digits: String, _ picture: ImageBuffer, _ frames: [ImageBuffer]) throws {
  let model = try Model(bundleAt: digits)
  var reader = try ClassificationDecoder(model)
  reader.selection.maxCount = 3
  for entry in try reader.decode(model.run(picture)) { print(entry.label, entry.score) }

  var smoother = ClassificationSmoother(decay: 0.7, threshold: 0.01)
  for frame in frames { print(smoother.smooth(try reader.decode(model.run(frame)))) }
}

private func detect(_ model: Model, _ picture: ImageBuffer, _ frames: [ImageBuffer]) throws {
  let detector = try DetectionDecoder(model)
  for detection in try detector.decode(model.run(picture)) {
    print(detection.label, detection.score, detection.box, detection.color.hexadecimal)
  }

  var stream = StatefulModel(model)
  for frame in frames { print(try detector.decode(stream.run(frame)).count) }
  stream.reset()
}

private func embed(_ model: Model, _ picture: ImageBuffer, _ another: ImageBuffer) throws {
  let embedder = try EmbeddingDecoder(model)
  let one = try embedder.decode(model.run(picture))
  let other = try embedder.decode(model.run(another))
  print(try embedder.options.compare(one, other).distance)

  var gallery = InMemoryGallery()
  gallery.enroll(one, as: "tabby")
  print(try gallery.recognize(other, neighbors: 3, embedder.options).name ?? "a stranger")
}

private func paint(_ model: Model, _ picture: ImageBuffer, _ painted: String) throws {
  var painter = try ImageOutputDecoder(model)
  painter.size = .original
  try painter.decode(model.run(picture)).write(to: painted)
}

private func chain(_ folder: String, _ embedding: Model, _ picture: ImageBuffer) throws {
  let chain = try Chain(at: folder)
  let result = try chain.run(["picture": picture])
  for (face, output) in zip(result.detections ?? [], result.outputs["embed"] ?? []) {
    print(face.box, try EmbeddingDecoder(embedding).decode(output))
  }
}
