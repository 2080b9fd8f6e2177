import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTensorFlow

/// Tables that are initialized from a file, which has to be an asset of the model.
@Suite struct AssetPathTests {
  private static func table(_ path: String, name: String = "fill") -> SketchedNode {
    SketchedNode(
      name: name, operation: "InitializeTableFromTextFileV2", inputs: ["table", path])
  }

  private static let basics = [
    SketchedNode(name: "table", operation: "HashTableV2"), .text("asset", ""),
    .text("other", "/etc/passwd"),
  ]

  /// An initializer that stores the path in a variable, as TensorFlow 2 writes it.
  private static func stored(
    value: String = "asset", handle: String = "variable", after: [String] = ["^assign"],
    adding nodes: [SketchedNode] = []
  ) -> [SketchedNode] {
    [
      SketchedNode(name: "variable", operation: "VarHandleOp"),
      SketchedNode(name: "second", operation: "VarHandleOp"),
      SketchedNode(name: "assign", operation: "AssignVariableOp", inputs: [handle, value]),
      SketchedNode(name: "path", operation: "ReadVariableOp", inputs: ["variable"] + after),
      table("path"),
      SketchedNode(
        name: "init", operation: "NoOp", inputs: ["^fill"] + nodes.map { "^" + $0.name }),
    ] + nodes
  }

  private static func finished(_ nodes: [SketchedNode]) -> [SketchedNode] {
    nodes + [SketchedNode(name: "init", operation: "NoOp", inputs: ["^fill"])]
  }

  private static func call(_ path: String) -> SketchedNode {
    SketchedNode(
      name: "fill", operation: "StatefulPartitionedCall", inputs: ["table", path],
      attributes: ["f": .function("f")])
  }

  /// The body of a function that fills a table.
  private static let body = ["f": [table("path")]]
  private static let arguments = ["table", "path"]

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let nodes: [SketchedNode]
    var functions: [String: [SketchedNode]] = [:]
    var assets = [MetaGraph.Asset(tensorName: "asset:0", fileName: "words.txt")]
    let isAllowed: Bool
  }

  static let cases = [
    Case(testDescription: "an asset", nodes: finished([table("asset")]), isAllowed: true),
    Case(
      testDescription: "a copy of an asset's path",
      nodes: finished([
        SketchedNode(name: "copy", operation: "Identity", inputs: ["asset"]), table("copy"),
      ]), isAllowed: true),
    Case(testDescription: "another constant", nodes: finished([table("other")]), isAllowed: false),
    Case(
      testDescription: "a name that leads elsewhere", nodes: finished([table("asset")]),
      assets: [.init(tensorName: "asset:0", fileName: "../../etc/passwd")], isAllowed: false),
    Case(
      testDescription: "an absolute name", nodes: finished([table("asset")]),
      assets: [.init(tensorName: "asset:0", fileName: "/etc/passwd")], isAllowed: false),
    Case(
      testDescription: "another output of the node", nodes: finished([table("asset")]),
      assets: [.init(tensorName: "asset:1", fileName: "words.txt")], isAllowed: false),
    Case(
      testDescription: "two names, one of which leads elsewhere",
      nodes: finished([table("asset")]),
      assets: [
        .init(tensorName: "asset:0", fileName: "words.txt"),
        .init(tensorName: "other:0", fileName: "../words.txt"),
      ], isAllowed: false),
    Case(
      testDescription: "a node with several outputs",
      nodes: finished([
        SketchedNode(name: "parts", operation: "Split", inputs: ["other"]), table("parts:1"),
      ]), assets: [.init(tensorName: "parts:0", fileName: "words.txt")], isAllowed: false),
    Case(
      testDescription: "a joined path",
      nodes: finished([
        SketchedNode(name: "join", operation: "StringJoin", inputs: ["asset", "other"]),
        table("join"),
      ]), isAllowed: false),
    Case(
      testDescription: "a table outside the initializer",
      nodes: [table("asset"), SketchedNode(name: "init", operation: "NoOp")], isAllowed: false),
    Case(testDescription: "a variable", nodes: stored(), isAllowed: true),
    Case(
      testDescription: "a variable with another value", nodes: stored(value: "other"),
      isAllowed: false),
    Case(
      testDescription: "a variable read too early", nodes: stored(after: []), isAllowed: false),
    Case(
      testDescription: "another variable", nodes: stored(handle: "second"), isAllowed: false),
    Case(
      testDescription: "a second assignment",
      nodes: stored(adding: [
        SketchedNode(name: "again", operation: "AssignVariableOp", inputs: ["second", "other"])
      ]), isAllowed: false),
    Case(
      testDescription: "another operator beside a variable",
      nodes: stored(adding: [SketchedNode(name: "more", operation: "ParseTensor")]),
      isAllowed: false),
    Case(
      testDescription: "a function that writes variables",
      nodes: stored(adding: [
        SketchedNode(
          name: "more", operation: "PartitionedCall", attributes: ["f": .function("write")])
      ]),
      functions: ["write": [SketchedNode(name: "write", operation: "AssignVariableOp")]],
      isAllowed: false),
    Case(
      testDescription: "a function", nodes: finished([call("asset")]), functions: body,
      isAllowed: true),
    Case(
      testDescription: "a function with another constant", nodes: finished([call("other")]),
      functions: body, isAllowed: false),
    Case(
      testDescription: "a function that is not called", nodes: finished([table("asset")]),
      functions: body, isAllowed: false),
  ]

  @Test(arguments: cases)
  func `A table may only be initialized from an asset`(_ each: Case) throws {
    let graph = WireWriter.graph(
      Self.basics + each.nodes, functions: each.functions, arguments: Self.arguments)
    var metaGraph = MetaGraph()
    metaGraph.assets = each.assets
    metaGraph.initializers = ["init"]
    let review = GraphReview(try GraphDefinition(ProtobufMessage(graph.bytes)), metaGraph)
    #expect(review.disallowedOperators.isEmpty)
    #expect((review.escapingNode == nil) == each.isAllowed)
    guard !each.isAllowed else { return try review.requireSafeLoading(metaGraph) }
    let error = #expect(throws: ModelError.self) { try review.requireSafeLoading(metaGraph) }
    #expect(error?.code == "untrusted-operators")
  }

  @Test func `Only the initializer may read an asset`() throws {
    let nodes = Self.basics + Self.finished([Self.table("asset")])
    let output = SketchedNode(name: "y", operation: "Identity", inputs: ["asset", "^fill"])
    let graph = WireWriter.graph(nodes + [output])
    var metaGraph = MetaGraph()
    metaGraph.assets = [.init(tensorName: "asset:0", fileName: "words.txt")]
    metaGraph.initializers = ["init"]
    let review = GraphReview(try GraphDefinition(ProtobufMessage(graph.bytes)), metaGraph)
    try review.requireSafeLoading(metaGraph)
    #expect(
      throws: ModelError(
        .runtime, .untrustedOperators(["InitializeTableFromTextFileV2"], node: "y"))
    ) { try review.requireSafeRun("y") }
    metaGraph.saver = MetaGraph.Saver(
      filenameTensor: "asset:0", saveTensor: "y:0", restoreOperation: "table")
    #expect(throws: ModelError.self) { try review.requireSafeLoading(metaGraph) }
  }

  @Test func `A function with a list as an argument is not followed`() throws {
    let nodes = Self.basics + Self.finished([Self.call("asset")])
    for isList in [false, true] {
      let library = WireWriter { graph in
        graph.message(2) { library in
          library.message(1) { function in
            function.message(1) { signature in
              signature.text(1, "f")
              for name in Self.arguments {
                signature.message(2) { argument in
                  argument.text(1, name)
                  // The attribute with the number of inputs.
                  if isList { argument.text(5, "N") }
                }
              }
            }
            function.message(3, Self.table("path").write)
          }
        }
      }
      var metaGraph = MetaGraph()
      metaGraph.assets = [.init(tensorName: "asset:0", fileName: "words.txt")]
      metaGraph.initializers = ["init"]
      let bytes = WireWriter.graph(nodes).bytes + library.bytes
      let review = GraphReview(try GraphDefinition(ProtobufMessage(bytes)), metaGraph)
      #expect((review.escapingNode != nil) == isList)
    }
  }

  @Test func `A saver is not followed from a node with several outputs`() throws {
    for (operation, isRejected) in [("Placeholder", false), ("Split", true)] {
      let graph = WireWriter.graph([
        SketchedNode(name: "path", operation: operation),
        SketchedNode(name: "save", operation: "SaveV2", inputs: ["path:1"]),
        SketchedNode(name: "restore", operation: "NoOp"),
      ])
      var metaGraph = MetaGraph()
      metaGraph.saver = MetaGraph.Saver(
        filenameTensor: "path:0", saveTensor: "save:0", restoreOperation: "restore")
      let review = GraphReview(try GraphDefinition(ProtobufMessage(graph.bytes)), metaGraph)
      #expect((review.escapingNode != nil) == isRejected)
    }
  }

  @Test func `An asset that is a link out of the model is rejected`() throws {
    let folder = try TemporaryFolder()
    let secret = try folder.write("secret\n", to: "secret.txt")
    try folder.copy(SavedModels.path("vocabulary") + "/model", as: "model")
    let words = folder.path + "/model/assets/words.txt"
    let description = try SavedModels.bundle("vocabulary").description
    let load = { () throws(ModelError) in
      try SavedModels.backend.model(
        at: ModelFile(path: folder.path + "/model", name: "model"),
        for: ModelBinding(description, mode: .predict, threads: 1))
    }
    _ = try load()
    try FileManager.default.removeItem(atPath: words)
    let missing = #expect(throws: ModelError.self) { _ = try load() }
    #expect(missing?.reason == .missingFile("model/assets/words.txt"))
    try FileManager.default.createSymbolicLink(atPath: words, withDestinationPath: secret)
    let linked = #expect(throws: ModelError.self) { _ = try load() }
    #expect(linked?.reason == .unsafeName("model/assets/words.txt"))
  }
}
