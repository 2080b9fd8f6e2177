import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOTensorFlow

@Suite struct TrustTests {
  /// A node that writes a file whenever `y` is computed.
  private static func harmfulNodes(writing path: String) -> [SketchedNode] {
    var output = SketchedNode.copy
    output.inputs.append("^write")
    return [
      .placeholder, .text("name", path), .text("text", "was here"),
      SketchedNode(name: "write", operation: "WriteFile", inputs: ["name", "text"]), output,
    ]
  }

  /// A function as an attribute, which has one itself.
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

  static let hidden: [(place: String, graph: WireWriter)] = [
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
      "a graph in a text",
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
  func `an operator that writes files is found wherever it is`(_ index: Int) throws {
    let model = try SketchedModel(.savedModel(Self.hidden[index].graph))
    let error = try #require(throws: ModelError.self) { try model.load() }
    guard case .untrustedOperators(let operators, let node) = error.reason else {
      Issue.record("\(Self.hidden[index].place): \(error)")
      return
    }
    #expect(operators.contains("WriteFile"))
    #expect(node == "write")
    #expect(error.code == "untrusted-operators" && error.stage == .runtime)
    #expect(error.description.contains("--trust"))
  }

  @Test func `a graph in a text saves nothing, not even as a saver does`() throws {
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

  @Test func `functions that are attributes of each other have an end`() throws {
    let deep = (0..<64).reduce(WireWriter.function("NoOp")) { inner, _ in
      Self.function(with: inner)
    }
    let node = SketchedNode(name: "call", operation: "PartitionedCall", attributes: ["f": deep])
    let model = try SketchedModel(.savedModel(.graph(Self.harmless + [node])))
    let error = #expect(throws: ModelError.self) { try model.load() }
    #expect(error?.code == "model-refused")
  }

  /// A saver that adds a text to the name that it is given, and how that ends.
  private static let endings: [(nodes: [SketchedNode], isRefused: Bool)] = [
    ([.text("end", "_temp/part")], false), ([.text("end", "/../../up")], true),
    ([SketchedNode(name: "end", operation: "ReadFile", inputs: ["save/Const"])], true), ([], true),
  ]

  @Test(arguments: endings.indices)
  func `a saver's files lie below the name that it is given`(_ index: Int) throws {
    let (nodes, isRefused) = Self.endings[index]
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
    let (facts, message) = try #require(
      SavedModelFile(WireWriter.savedModel(graph, saver: Self.saver).bytes).graphs.first)
    let review = GraphReview(try GraphDefinition(message), saver: facts.saver)
    #expect((review.escapingNode != nil) == isRefused)
  }

  /// How a saver comes to the function that writes its files, and whether it may.
  private static let ways: [(nodes: [SketchedNode], isRefused: Bool)] = [
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

  @Test(arguments: ways.indices)
  func `a saver's function is given the name of its files`(_ index: Int) throws {
    let (nodes, isRefused) = Self.ways[index]
    let waiting = nodes.map { "^" + $0.name }
    let graph = WireWriter.graph(
      nodes + [
        .text("save/Const", "model"), .text("save/another", "elsewhere"),
        SketchedNode(name: "save/restore_all", operation: "NoOp"),
        SketchedNode(name: "save/name", operation: "Identity", inputs: ["save/Const"] + waiting),
      ],
      functions: ["write": [SketchedNode(name: "save", operation: "SaveV2", inputs: ["prefix"])]],
      arguments: ["prefix"])
    let (facts, message) = try #require(
      SavedModelFile(WireWriter.savedModel(graph, saver: Self.saver).bytes).graphs.first)
    let review = GraphReview(try GraphDefinition(message), saver: facts.saver)
    #expect((review.escapingNode != nil) == isRefused)
  }

  @Test func `a graph in two parts is refused, since both would be loaded`() throws {
    let parts = [WireWriter.graph(Self.harmfulNodes(writing: "/dev/null")), .graph(Self.harmless)]
    let file = WireWriter { file in
      file.message(2) { meta in
        meta.message(1) { $0.text(4, "serve") }
        for part in parts { meta.bytes(2, part.bytes) }
      }
    }
    let error = #expect(throws: ModelError.self) { try SketchedModel(file).load() }
    #expect(error?.code == "model-refused" && error?.message.contains("twice") == true)
  }

  @Test func `of two graphs whose tags are one set, the first is reviewed and loaded`() throws {
    let harmful = WireWriter.graph(Self.harmfulNodes(writing: "/dev/null"))
    let error = #expect(throws: ModelError.self) {
      try SketchedModel(
        .savedModel(harmful, tags: ["serve", "serve"]), .savedModel(.graph(Self.harmless))
      ).load()
    }
    #expect(error?.code == "untrusted-operators")
  }

  @Test func `a trusted graph does what it does`() throws {
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

  /// Nodes as a saver has them, and an output that waits for one of them.
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
  func `an output that saves is refused`(_ node: String) throws {
    let graph = Self.saverGraph(output: "y", waitsFor: node)
    let error = #expect(throws: ModelError.self) {
      try SketchedModel(.savedModel(graph, saver: Self.saver)).load()
    }
    #expect(error?.reason == .untrustedOperators(["SaveV2"], node: "y"))
  }

  @Test func `a step of training that saves is refused`() throws {
    let graph = Self.saverGraph(output: "y", waitsFor: "^save/restore_all")
    let model = try SketchedModel(.savedModel(graph, saver: Self.saver))
    let error = #expect(throws: ModelError.self) { try model.load(operations: ["save/SaveV2"]) }
    #expect(error?.reason == .untrustedOperators(["SaveV2"], node: "save/SaveV2"))
  }

  @Test func `restoring that saves is refused`() throws {
    let graph = Self.saverGraph(output: "y", waitsFor: "^save/restore_all")
    let saver = ["save/Const:0", "save/name:0", "save/name"]
    let error = #expect(throws: ModelError.self) {
      try SketchedModel(.savedModel(graph, saver: saver)).load()
    }
    #expect(error?.reason == .untrustedOperators(["SaveV2"], node: "save/name"))
  }

  /// Every function calls the next one twice, and the last one saves.
  @Test(.timeLimit(.minutes(1)))
  func `functions that call each other without end are reviewed in time`() throws {
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
    let saver = MetaGraph.Saver(saveTensor: "call:0", restoreOperation: "call")
    let review = GraphReview(graph, saver: saver)
    #expect(review.nodesWritingFiles == ["call"] && review.escapingNode != nil)
  }

  @Test func `operators that are gone are named`() throws {
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
  func `models that mean ill are refused for what they would do`(
    _ name: String, _ operation: String
  ) throws {
    let error = try #require(throws: ModelError.self) { try SavedModels.loadHostile(name) }
    guard case .untrustedOperators(let operators, _) = error.reason else {
      Issue.record("\(name): \(error)")
      return
    }
    #expect(operators.contains(operation))
    #expect(!FileManager.default.fileExists(atPath: "/tmp/tensorio-hostile-model-was-here"))
  }

  @Test(arguments: SavedModels.damaged)
  func `damaged models fail with an error when they are loaded or run`(_ name: String) throws {
    let error = #expect(throws: ModelError.self) {
      let session = try SavedModels.loadHostile(name).makeSession(SessionOptions())
      try session.fill(0, [1, 2])
      try session.invoke()
    }
    #expect(error?.description.isEmpty == false)
  }

  @Test func `hostile models are counted`() {
    #expect(SavedModels.hostile.count > 20 && SavedModels.damaged.count > 10)
  }

  @Test(arguments: SavedModels.names)
  func `the tests' own graphs only compute`(_ name: String) throws {
    let path = SavedModels.path(name)
    let folders = ["model", "predict", "train", "eval", "models/predict"].filter {
      FileManager.default.fileExists(atPath: "\(path)/\($0)/saved_model.pb")
    }
    #expect(!folders.isEmpty)
    for folder in folders {
      let file = try SavedModelFile(folder: ModelFile(path: "\(path)/\(folder)", name: folder))
      for (facts, message) in file.graphs {
        let review = GraphReview(try GraphDefinition(message), saver: facts.saver)
        #expect(review.disallowedOperators.isEmpty)
        try review.requireSafeLoading(facts)
      }
    }
  }
}
