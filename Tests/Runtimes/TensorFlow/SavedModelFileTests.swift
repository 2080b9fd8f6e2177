import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTensorFlow

@Suite struct SavedModelFileTests {
  private static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: SavedModels.path(name) + "/model/saved_model.pb")))
  }

  /// Parses and reviews all graphs, and returns the number of nodes.
  private static func read(_ bytes: [UInt8]) throws(ProtobufError) -> Int {
    var count = 0
    for (metaGraph, message) in try SavedModelFile(bytes).graphs {
      let definition = try GraphDefinition(message)
      let review = GraphReview(definition, metaGraph)
      count += definition.allNodes.count + review.nodesWritingFiles.count
    }
    return count
  }

  @Test func `The tags, signatures and saver of a graph are read`() throws {
    let file = try SavedModelFile(Self.bytes("linear-regression"))
    let graph = try #require(file.graphs.first).metaGraph
    #expect(graph.tags == ["serve"])
    #expect(graph.saver?.restoreOperation == "save/restore_all")
    let signature = try #require(graph.signatures.first { $0.name == "serving_default" })
    #expect(signature.inputs.map(\.key) == ["x"])
    #expect(signature.outputs.map(\.tensorName) == ["y:0"])
    #expect(signature.methodName == "tensorflow/serving/predict")
  }

  @Test func `A snapshot of a deleted model fails`() throws {
    let file = try SavedModelFile(Self.bytes("linear-regression"))
    let error = #expect(throws: ModelError.self) {
      try file.withSnapshot(of: ModelFile(path: "/nowhere/model", name: "model")) { $0 }
    }
    #expect(error?.stage == .runtime && error?.code == "unwritable")
  }

  @Test(.hangGuard, arguments: ["placeholders", "signature-keys"])
  func `A truncated file is rejected or read up to its end`(_ name: String) throws {
    let bytes = try Self.bytes(name)
    let nodeCount = try Self.read(bytes)
    var rejections = 0
    for count in bytes.indices {
      do throws(ProtobufError) {
        #expect(try Self.read(Array(bytes.prefix(count))) <= nodeCount)
      } catch {
        rejections += 1
      }
    }
    #expect(rejections > bytes.count / 2)
  }

  @Test(.hangGuard)
  func `Two thousand corrupt files are rejected or read`() throws {
    let bytes = try Self.bytes("linear-regression")
    var generator = SeededGenerator(seed: 7)
    var rejections = 0
    for _ in 0..<2000 {
      var corrupt = bytes
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let offset = Int.random(in: corrupt.indices, using: &generator)
        corrupt[offset] = UInt8.random(in: 0...255, using: &generator)
      }
      if (try? Self.read(corrupt)) == nil { rejections += 1 }
    }
    #expect(rejections > 100)
  }

  @Test(
    arguments: [
      ([0x00, 0x01], ProtobufError.invalidFieldNumber), ([0x0B], .unexpectedWireType),
      ([0x12, 0x05, 0x00], .truncated),
      ([UInt8](repeating: 0xFF, count: 11), .unterminatedVarint), ([0x12], .truncated),
      ([0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .truncated),
      ([0x10, 0x01], .unexpectedWireType),
      ([0x92, 0x80, 0x80, 0x80, 0x10, 0x00], .invalidFieldNumber),
      ([0x12, 0x04, 0x12, 0x00, 0x12, 0x00], .repeatedField),
      ([0x12, 0x06, 0x22, 0x04, 0x12, 0x00, 0x12, 0x00], .repeatedField),
    ] as [([UInt8], ProtobufError)])
  func `Invalid messages are rejected with the cause`(_ bytes: [UInt8], _ error: ProtobufError) {
    #expect(throws: error) { try SavedModelFile(bytes) }
  }

  @Test func `A string that is not UTF-8 is rejected`() {
    let model = WireWriter { model in
      model.message(2) { meta in meta.message(1) { $0.bytes(4, [0xFF, 0xFE]) } }
    }
    #expect(throws: ProtobufError.invalidString) { try SavedModelFile(model.bytes) }
  }

  @Test func `More graphs than the limit are rejected`() {
    let model = WireWriter { model in
      for _ in 0...SavedModelFile.maxGraphs { model.message(2) { _ in } }
    }
    #expect(throws: ProtobufError.tooManyEntries) { try SavedModelFile(model.bytes) }
  }

  /// Lists of a meta graph, each with one entry more than the limit.
  private static let tooLong: [(list: String, write: @Sendable (inout WireWriter) -> Void)] = [
    ("tags", { meta in meta.message(1) { about in for _ in count { about.text(4, "t") } } }),
    ("signatures", { meta in for _ in count { meta.message(5) { $0.text(1, "s") } } }),
    (
      "inputs",
      { meta in
        meta.message(5) { entry in
          entry.message(2) { signature in
            for _ in count { signature.message(1) { $0.text(1, "x") } }
          }
        }
      }
    ),
  ]
  private static let count = 0...MetaGraph.maxEntries

  @Test(arguments: tooLong.indices)
  func `Lists longer than the limit are rejected`(_ index: Int) {
    let model = WireWriter { $0.message(2, Self.tooLong[index].write) }
    #expect(throws: ProtobufError.tooManyEntries, "\(Self.tooLong[index].list)") {
      try SavedModelFile(model.bytes)
    }
  }

  @Test func `Unknown fields are skipped`() throws {
    let model = WireWriter { model in
      model.message(2) { meta in
        meta.message(1) { about in
          about.text(4, "serve")
          about.text(90, "?")
        }
        meta.message(3) { saver in
          saver.text(3, "restore")
          saver.text(90, "?")
        }
        meta.message(4) { entry in
          entry.text(1, "legacy_init_op")
          entry.message(2) { collection in
            collection.text(90, "?")
            collection.message(1) { names in
              names.text(1, "initialize")
              names.text(90, "?")
            }
          }
        }
        meta.message(5) { entry in
          entry.text(1, "predict")
          entry.message(2) { signature in
            signature.text(3, "method")
            signature.text(90, "?")
          }
        }
        meta.text(90, "?")
      }
    }
    let graph = try #require(try SavedModelFile(model.bytes).graphs.first).metaGraph
    #expect(graph.tags == ["serve"] && graph.saver?.restoreOperation == "restore")
    #expect(graph.initializers == ["initialize"])
    #expect(graph.signatures.map(\.name) == ["predict"])
    #expect(graph.signatures.map(\.methodName) == ["method"])
  }

  @Test func `Unknown fields of an operator list are skipped`() throws {
    let list = WireWriter { list in
      list.text(90, "?")
      list.message(1) { $0.text(1, "Identity") }
    }
    #expect(try OpList.names(ProtobufMessage(list.bytes)) == ["Identity"])
  }

  @Test func `A layer whose key is the name of another tensor is named after its tensor`() throws {
    var graph = MetaGraph()
    graph.signatures = [
      MetaGraph.Signature(
        name: "serving_default", inputs: [MetaGraph.SignatureTensor(key: "y", tensorName: "x:0")],
        outputs: [MetaGraph.SignatureTensor(key: "z", tensorName: "y:0")],
        methodName: "tensorflow/serving/predict")
    ]
    let binding = try graph.defaultBinding()
    #expect(binding.inputs.map(\.name) == ["x:0"])
    #expect(binding.outputs.map(\.name) == ["z"])
  }

  @Test func `Embedded graphs are read only up to the maximum depth`() throws {
    var graph = WireWriter.graph([SketchedNode(name: "a", operation: "WriteFile")])
    for _ in 0..<1000 {
      let node = SketchedNode(
        name: "a", operation: "NoOp", attributes: ["graph": .text(graph.bytes)])
      graph = .graph([node])
    }
    #expect(try GraphDefinition(ProtobufMessage(graph.bytes)).nodes.count == 1)
  }
}
