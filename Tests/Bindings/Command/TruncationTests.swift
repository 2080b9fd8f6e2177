import Foundation
import TensorIO
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Truncated files on the command line.
@Suite(.ownThreads) struct TruncationTests {
  @Test(arguments: ["double-float32", "scalar"])
  func `A truncated model is rejected or has the same results`(
    _ model: String
  ) throws {
    let isScalar = model == "scalar"
    let layers = ["x", "y"].map { name in
      isScalar
        ? "{\"name\": \"\(name)\", \"type\": \"scalar\", \"shape\": [1]}" : TinyBundle.array(name)
    }
    let bundle = try TinyBundle(model, inputs: [layers[0]], outputs: [layers[1]])
    let whole = [UInt8](try Data(contentsOf: URL(filePath: "\(bundle.path)/model.tflite")))
    let word = isScalar ? "3" : "[1,2,3,4]"
    let answer = try #require(try bundle.run([word]).json()["outputs"])
    for count in whole.indices {
      try bundle.folder.write(Array(whole[..<count]), to: "test.tiobundle/model.tflite")
      let outcome = bundle.run([word])
      if outcome.exitCode == 0 {
        #expect(try outcome.json()["outputs"] == answer, "cut to \(count) bytes")
      } else {
        #expect(outcome.exitCode == 5, "cut to \(count) bytes: \(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.split(separator: "\n").count == 1)
      }
    }
  }

  @Test(arguments: [ImageEncoding.png, .jpeg(quality: 90)])
  func `A truncated image is rejected`(_ encoding: ImageEncoding) throws {
    let picture = try ImageBuffer(contentsOf: Example.temple).encoded(as: encoding)
    let folder = try TemporaryFolder()
    let cuts = stride(from: 0, to: picture.count, by: 64)
    let words = try cuts.map { try folder.write(Array(picture[..<$0]), to: "\($0).picture") }
    let whole = try folder.write(picture, to: "whole.picture")
    #expect(TestConsole.run(["run", Example.negative, whole]).exitCode == 0)
    let records = try TestConsole.run(["run", Example.negative] + words).jsonLines()
    #expect(records.count == words.count)
    for record in records {
      #expect(record["error"]?["code"]?.string?.hasSuffix("-image") == true, "\(record.text)")
    }
    for word in [words[0], words[words.count / 2], words[words.count - 1]] {
      #expect(TestConsole.run(["run", Example.negative, word]).exitCode == 4)
    }
  }
}
