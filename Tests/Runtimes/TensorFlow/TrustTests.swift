import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTensorFlow

@Suite struct TrustTests {
  /// Nodes that write a file whenever `y` is computed.
  private static func harmfulNodes(writing path: String) -> [SketchedNode] {
    var output = SketchedNode.copy
    output.inputs.append("^write")
    return [
      .placeholder, .text("name", path), .text("text", "was here"),
      SketchedNode(name: "write", operation: "WriteFile", inputs: ["name", "text"]), output,
    ]
  }

  /// A function attribute that has an attribute.
  private static func function(with attribute: WireWriter) -> WireWriter {
    WireWriter { value in
      value.message(10) { function in
        function.text(1, "NoOp")
        function.message(2) { entry in
          entry.text(1, "inner")
          entry.bytes(2, attribute.bytes)
        }
        function.number(3, 1)
      }
    }
  }

  private static let harmless = [SketchedNode.placeholder, .copy]

  static let hidden: [(location: String, graph: WireWriter)] = [
    ("the graph", .graph(harmfulNodes(writing: "/dev/null"))),
    (
      "a function",
      .graph(harmless, functions: ["f": [SketchedNode(name: "write", operation: "WriteFile")]])
    ),
    (
      "an attribute that names a function",
      .graph(
        harmless + [
          SketchedNode(
            name: "write", operation: "PartitionedCall", attributes: ["f": .function("WriteFile")])
        ])
    ),
    (
      "a list of functions",
      .graph(
        harmless + [
          SketchedNode(
            name: "write", operation: "Case",
            attributes: [
              "branches": WireWriter { value in
                value.message(1) { list in list.message(9) { $0.text(1, "WriteFile") } }
              }
            ])
        ])
    ),
    (
      "a graph in a string attribute",
      .graph(
        harmless + [
          SketchedNode(
            name: "write", operation: "NoOp",
            attributes: [
              "graph": .text(
                WireWriter.graph([SketchedNode(name: "write", operation: "WriteFile")]).bytes)
            ])
        ])
    ),
    (
      "an attribute of a function",
      .graph(
        harmless + [
          SketchedNode(
            name: "write", operation: "PartitionedCall",
            attributes: ["f": function(with: .function("WriteFile"))])
        ])
    ),
  ]

  @Test(arguments: hidden.indices)
  func `An operator that writes files is found in every location`(_ index: Int) throws {
    let model = try SketchedModel(.savedModel(Self.hidden[index].graph))
    let error = try #require(throws: ModelError.self) { try model.load() }
    let node = error.text("node")
    guard let operators = error.texts("operators") else {
      Issue.record("\(Self.hidden[index].location): \(error)")
      return
    }
    #expect(operators.contains("WriteFile"))
    #expect(node == "write")
    #expect(error.code == "untrusted-operators" && error.stage == .runtime)
    #expect(error.description.hasSuffix("(at 'write')"))
  }

  @Test func `An embedded graph may not use the saver's operators`() throws {
    let inner = WireWriter.graph([
      SketchedNode(name: "first", operation: "SaveV2"),
      SketchedNode(name: "second", operation: "SaveV2"),
      SketchedNode(name: "third", operation: "WriteFile"),
    ])
    let text = SketchedNode(
      name: "write", operation: "WriteFile", attributes: ["graph": .text(inner.bytes)])
    let model = try SketchedModel(.savedModel(.graph(Self.harmless + [text])))
    let error = #expect(throws: ModelError.self) { try model.load() }
    #expect(error?.reason == .untrustedOperators(["SaveV2", "WriteFile"], node: "write"))
  }

  @Test func `Deeply nested function attributes are rejected`() throws {
    let deep = (0..<64).reduce(WireWriter.function("NoOp")) { inner, _ in
      Self.function(with: inner)
    }
    let node = SketchedNode(name: "call", operation: "PartitionedCall", attributes: ["f": deep])
    let model = try SketchedModel(.savedModel(.graph(Self.harmless + [node])))
    let error = #expect(throws: ModelError.self) { try model.load() }
    #expect(error?.code == "model-rejected")
    #expect(error?.message.contains("nested too deeply") == true)
  }

  /// Nodes that compute the suffix a saver appends to its path, and whether they are rejected.
  private static let suffixes: [(nodes: [SketchedNode], isRejected: Bool)] = [
    ([.text("end", "_temp/part")], false), ([.text("end", "/../../up")], true),
    ([SketchedNode(name: "end", operation: "ReadFile", inputs: ["save/Const"])], true), ([], true),
  ]

  @Test(arguments: suffixes.indices)
  func `A saver may only write files below its path`(_ index: Int) throws {
    let (nodes, isRejected) = Self.suffixes[index]
    let graph = WireWriter.graph(
      nodes + [
        .text("save/Const", "model"),
        SketchedNode(
          name: "save/path", operation: "StringJoin", inputs: ["save/Const", "end"]),
        SketchedNode(name: "save/SaveV2", operation: "SaveV2", inputs: ["save/path"]),
        SketchedNode(name: "save/restore_all", operation: "NoOp"),
        SketchedNode(
          name: "save/name", operation: "Identity", inputs: ["save/Const", "^save/SaveV2"]),
      ])
    let (metaGraph, message) = try #require(
      SavedModelFile(WireWriter.savedModel(graph, saver: Self.saver).bytes).graphs.first)
    let review = GraphReview(try GraphDefinition(message), metaGraph)
    #expect((review.escapingNode != nil) == isRejected)
  }

  /// Nodes that call the function that writes a saver's files, and whether they are rejected.
  private static let calls: [(nodes: [SketchedNode], isRejected: Bool)] = [
    ([SketchedNode(name: "save/call", operation: "write", inputs: ["save/Const"])], false),
    ([calling("save/call", ["write"])], false),
    ([calling("save/call", ["write"]), calling("save/other", ["write"])], false),
    ([calling("save/call", ["write", "write"])], true),
    ([calling("save/call", ["write"], given: "save/another")], true),
    ([calling("save/call", ["write"], given: "save/nothing")], true),
    (
      [
        SketchedNode(name: "save/empty", operation: "Identity"),
        calling("save/call", ["write"], given: "save/empty"),
      ], true
    ),
  ]

  private static func calling(
    _ name: String, _ functions: [String], given: String = "save/Const"
  ) -> SketchedNode {
    let list = WireWriter { value in
      value.message(1) { list in
        for function in functions { list.message(9) { $0.text(1, function) } }
      }
    }
    return SketchedNode(
      name: name, operation: "PartitionedCall", inputs: [given],
      attributes: ["f": functions.count == 1 ? .function(functions[0]) : list])
  }

  @Test(arguments: calls.indices)
  func `A saver's function must receive the saver's path`(_ index: Int) throws {
    let (nodes, isRejected) = Self.calls[index]
    let waiting = nodes.map { "^" + $0.name }
    let graph = WireWriter.graph(
      nodes + [
        .text("save/Const", "model"), .text("save/another", "elsewhere"),
        SketchedNode(name: "save/restore_all", operation: "NoOp"),
        SketchedNode(name: "save/name", operation: "Identity", inputs: ["save/Const"] + waiting),
      ],
      functions: ["write": [SketchedNode(name: "save", operation: "SaveV2", inputs: ["prefix"])]],
      arguments: ["prefix"])
    let (metaGraph, message) = try #require(
      SavedModelFile(WireWriter.savedModel(graph, saver: Self.saver).bytes).graphs.first)
    let review = GraphReview(try GraphDefinition(message), metaGraph)
    #expect((review.escapingNode != nil) == isRejected)
  }

  @Test func `A graph in two parts is rejected because TensorFlow would merge them`() throws {
    let parts = [WireWriter.graph(Self.harmfulNodes(writing: "/dev/null")), .graph(Self.harmless)]
    let file = WireWriter { file in
      file.message(2) { meta in
        meta.message(1) { $0.text(4, "serve") }
        for part in parts { meta.bytes(2, part.bytes) }
      }
    }
    let error = #expect(throws: ModelError.self) { try SketchedModel(file).load() }
    #expect(error?.code == "model-rejected" && error?.message.contains("twice") == true)
  }

  @Test func `If two graphs have the same set of tags, the first is reviewed`() throws {
    let harmful = WireWriter.graph(Self.harmfulNodes(writing: "/dev/null"))
    let error = #expect(throws: ModelError.self) {
      try SketchedModel(
        .savedModel(harmful, tags: ["serve", "serve"]), .savedModel(.graph(Self.harmless))
      ).load()
    }
    #expect(error?.code == "untrusted-operators")
  }

  @Test func `A trusted graph runs with its side effects`() throws {
    let folder = try TemporaryFolder()
    let graph = WireWriter.graph(Self.harmfulNodes(writing: folder.path + "/written"))
    let model = try SketchedModel(.savedModel(graph))
    #expect(throws: ModelError.self) { try model.load() }
    let session = try model.load(trusting: true).makeSession(SessionOptions())
    #expect(folder.entries.isEmpty)
    try session.fill(0, [1])
    try session.invoke()
    #expect(try session.numbers(0) == [1])
    #expect(folder.entries == ["written"])
  }

  /// The nodes of a saver, and an output that depends on one of them.
  private static func saverGraph(output: String, waitsFor: String) -> WireWriter {
    let text = WireWriter.type(7)
    return .graph([
      .placeholder, .text("save/Const", "model"), .text("save/names", "v", isList: true),
      .text("save/slices", "", isList: true),
      SketchedNode(
        name: "save/SaveV2", operation: "SaveV2",
        inputs: ["save/Const", "save/names", "save/slices", "x"],
        attributes: ["dtypes": WireWriter { $0.message(1) { $0.number(6, 1) } }]),
      SketchedNode(name: "save/restore_all", operation: "NoOp"),
      SketchedNode(
        name: "save/name", operation: "Identity", inputs: ["save/Const", "^save/SaveV2"],
        attributes: ["T": text]),
      SketchedNode(
        name: output, operation: "Identity", inputs: ["x", waitsFor],
        attributes: ["T": .type(1)]),
    ])
  }

  private static let saver = ["save/Const:0", "save/name:0", "save/restore_all"]

  @Test(arguments: ["^save/SaveV2", "^save/name"])
  func `An output that writes files is rejected`(_ node: String) throws {
    let graph = Self.saverGraph(output: "y", waitsFor: node)
    let error = #expect(throws: ModelError.self) {
      try SketchedModel(.savedModel(graph, saver: Self.saver)).load()
    }
    #expect(error?.reason == .untrustedOperators(["SaveV2"], node: "y"))
  }

  @Test func `A training operation that writes files is rejected`() throws {
    let graph = Self.saverGraph(output: "y", waitsFor: "^save/restore_all")
    let model = try SketchedModel(.savedModel(graph, saver: Self.saver))
    let error = #expect(throws: ModelError.self) { try model.load(operations: ["save/SaveV2"]) }
    #expect(error?.reason == .untrustedOperators(["SaveV2"], node: "save/SaveV2"))
  }

  @Test func `A restore operation that writes files is rejected`() throws {
    let graph = Self.saverGraph(output: "y", waitsFor: "^save/restore_all")
    let saver = ["save/Const:0", "save/name:0", "save/name"]
    let error = #expect(throws: ModelError.self) {
      try SketchedModel(.savedModel(graph, saver: saver)).load()
    }
    #expect(error?.reason == .untrustedOperators(["SaveV2"], node: "save/name"))
  }

  /// Every function calls the next one twice, and the last one saves.
  @Test(.hangGuard)
  func `Recursive functions are reviewed in bounded time`() throws {
    let count = 3000
    let call = { (number: Int) in
      SketchedNode(
        name: "call", operation: "PartitionedCall",
        attributes: ["f": .function("f\(number + 1)")])
    }
    var functions = [String: [SketchedNode]]()
    for number in 0..<count { functions["f\(number)"] = [call(number), call(number)] }
    functions["f\(count)"] = [
      SketchedNode(name: "save", operation: "SaveV2"), call(-1),
    ]
    let graph = try GraphDefinition(
      ProtobufMessage(WireWriter.graph([call(-1)], functions: functions).bytes))
    var metaGraph = MetaGraph()
    metaGraph.saver = MetaGraph.Saver(saveTensor: "call:0", restoreOperation: "call")
    let review = GraphReview(graph, metaGraph)
    #expect(review.nodesWritingFiles == ["call"] && review.escapingNode != nil)
  }

  @Test func `Missing operators are named`() throws {
    let nodes =
      Self.harmless + [
        SketchedNode(name: "old", operation: "NoLongerThere"),
        SketchedNode(name: "older", operation: "GoneAsWell"),
      ]
    let model = try SketchedModel(.savedModel(.graph(nodes)))
    for isTrusted in [false, true] {
      let error = #expect(throws: ModelError.self) { try model.load(trusting: isTrusted) }
      #expect(error?.reason == .missingOperators(["GoneAsWell", "NoLongerThere"]))
    }
  }

  @Test(arguments: SavedModels.hostile)
  func `Malicious models are rejected with the offending operator`(
    _ name: String, _ operation: String
  ) throws {
    let error = try #require(throws: ModelError.self) { try SavedModels.loadHostile(name) }
    guard case ModelError.untrustedOperators = error,
      let operators = error.texts("operators")
    else {
      Issue.record("\(name): \(error)")
      return
    }
    #expect(operators.contains(operation))
    #expect(!FileManager.default.fileExists(atPath: "/tmp/tensorio-hostile-model-was-here"))
  }

  @Test(arguments: SavedModels.damaged)
  func `Damaged models throw an error when they are loaded or run`(_ name: String) throws {
    let error = #expect(throws: ModelError.self) {
      let session = try SavedModels.loadHostile(name).makeSession(SessionOptions())
      try session.fill(0, [1, 2])
      try session.invoke()
    }
    #expect(error?.description.isEmpty == false)
  }

  @Test func `There are enough malicious and damaged models`() {
    #expect(SavedModels.hostile.count > 20 && SavedModels.damaged.count > 10)
  }

  @Test(arguments: SavedModels.names)
  func `The test graphs are allowed`(_ name: String) throws {
    let path = SavedModels.path(name)
    let folders = ["model", "predict", "train", "eval", "models/predict"].filter {
      FileManager.default.fileExists(atPath: "\(path)/\($0)/saved_model.pb")
    }
    #expect(!folders.isEmpty)
    for folder in folders {
      let file = try SavedModelFile(folder: ModelFile(path: "\(path)/\(folder)", name: folder))
      for (metaGraph, message) in file.graphs {
        let review = GraphReview(try GraphDefinition(message), metaGraph)
        #expect(review.disallowedOperators.isEmpty)
        try review.requireSafeLoading(metaGraph)
      }
    }
  }
}
