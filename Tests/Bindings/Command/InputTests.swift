import Foundation
import TensorIOTestSupport
import Testing

/// Input values on the command line.
@Suite struct InputTests {
  @Test(arguments: [
    ["[1,2,3,-4]"], ["[[1,2,3,-4]]"], ["{\"x\":[1,2,3,-4]}"], ["{ \"x\" : [[1, 2, 3, -4,]] }"],
    ["x=[1,2,3,-4]"], ["@FOLDER/list.json"], ["@FOLDER/object.json"], ["x=@FOLDER/list.json"],
    ["@FOLDER/four.npy"], ["x=@FOLDER/four.npy"], ["@FOLDER/four.bin"],
    ["base64:AACAPwAAAEAAAEBAAACAwA=="], ["{\"x\":\"base64:AACAPwAAAEAAAEBAAACAwA==\"}"],
    ["{\"x\":\"@FOLDER/four.npy\"}"], ["-"], ["x=-"], ["--", "[1,2,3,-4]"], ["[1e0,2.0,3,-4E0]"],
  ])
  func `A value can be given in many ways`(_ words: [String]) throws {
    let bundle = try TinyBundle.double()
    try bundle.folder.write("[1, 2, 3, -4]\n", to: "list.json")
    try bundle.folder.write("{\"x\": [1, 2, 3, -4]}", to: "object.json")
    let floats = NumPyWriter.bytes([1, 2, 3, -4].map(\Float.bitPattern))
    try bundle.folder.write(
      NumPyWriter.file(type: "<f4", shape: "(4,)", body: floats), to: "four.npy")
    try bundle.folder.write(floats, to: "four.bin")
    var console = TestConsole()
    console.input = Array("[1,2,3,-4]".utf8)
    let filled = words.map { $0.replacing("FOLDER", with: bundle.folder.path) }
    #expect(try bundle.numbers(filled, on: console) == [2, 4, 6, -8])
  }

  @Test(arguments: [
    ["[1,2,3,4]", "[10,20,30,40]"], ["a=[1,2,3,4]", "b=[10,20,30,40]"],
    ["b=[10,20,30,40]", "a=[1,2,3,4]"], ["{\"b\":[10,20,30,40],\"a\":[1,2,3,4]}"],
    ["[[1,2,3,4],[10,20,30,40]]"], ["@FOLDER/both.json"], ["[1,2,3,4]", "@FOLDER/b.json"],
    ["a=[1,2,3,4]", "b=@FOLDER/b.json"], ["[1,2,3,4]", "-"],
  ])
  func `Two values form one item`(_ words: [String]) throws {
    let bundle = try TinyBundle.sum()
    try bundle.folder.write("[[1,2,3,4],[10,20,30,40]]", to: "both.json")
    try bundle.folder.write("[10,20,30,40]", to: "b.json")
    var console = TestConsole()
    console.input = Array("[10,20,30,40]".utf8)
    let filled = words.map { $0.replacing("FOLDER", with: bundle.folder.path) }
    #expect(try bundle.numbers(filled, on: console) == [11, 22, 33, 44])
  }

  @Test(arguments: [
    (["[1,2,3,4]"], "input-count"), (["[[1,2,3,4]]"], "input-count"),
    (["[1,2,3,4]", "[1,2,3,4]", "[1,2,3,4]"], "input-count"), (["a=[1,2,3,4]"], "input-names"),
    (["a=[1,2,3,4]", "bb=[1,2,3,4]"], "input-names"),
    (["a=[1,2,3,4]", "[1,2,3,4]"], "input-names"),
    (["aa=[1,2,3,4]", "bb=[1,2,3,4]"], "input-names"), (["{\"a\":[1,2,3,4]}"], "input-names"),
    (["[1,2,3,4]", "[1,2,3]"], "wrong-count"), (["[1,2,3,4]", "true"], "wrong-count"),
    (["[1,2,3,4]", "null"], "wrong-type"), (["[1,2,3,4]", "one"], "wrong-type"),
    (["[1,2,3,4]", ""], "wrong-type"),
    (["[1,2,3,4]", "[1,2,3,4"], "invalid-json"),
    (["[1,2,3,4]", "@none.npy"], "missing-file"), (["[1,2,3,4]", "base64:%%"], "invalid-value"),
    (["[1,2,3,4]", "base64:AAAA"], "wrong-byte-count"), (["{\"a\":"], "invalid-json"),
    (["{\"a\":[1,2,3,4],\"a\":[1,2,3,4],\"b\":[1,2,3,4]}"], "invalid-json"),
  ])
  func `An invalid input has an error code`(_ words: [String], _ code: String) throws {
    let bundle = try TinyBundle.sum()
    #expect(try bundle.errorCode(words) == code)
    #expect(bundle.run(words).exitCode == 4)
  }

  @Test(arguments: ["[[1,2,3,4],[10,20,30,40]]", "{\"a\":[1,2,3,4],\"b\":[10,20,30,40]}"])
  func `Standard input can hold all inputs`(_ text: String) throws {
    var console = TestConsole()
    console.input = Array(text.utf8)
    #expect(try TinyBundle.sum().numbers(["-"], on: console) == [11, 22, 33, 44])
  }

  @Test func `Standard input can name the only input`() throws {
    var console = TestConsole()
    console.input = Array("{\"x\":[1,2,3,4]}".utf8)
    #expect(try TinyBundle.double().numbers(["-"], on: console) == [2, 4, 6, 8])
  }

  @Test(arguments: [
    ("[1,\"2\",3,4]", "wrong-type"), ("{\"x\":\"[1,2,3,4]\"}", "wrong-type"),
    ("{\"x\":\"-\"}", "wrong-type"), ("{\"x\":\"@FOLDER/self.json\"}", "wrong-type"),
    ("@FOLDER/self.json", "wrong-type"),
  ])
  func `A string in a document is a file or bytes and not a number`(
    _ word: String, _ code: String
  ) throws {
    let bundle = try TinyBundle.double()
    let path = "\(bundle.folder.path)/self.json"
    try bundle.folder.write("{\"x\": \"@\(path)\"}", to: "self.json")
    #expect(try bundle.errorCode([word.replacing("FOLDER", with: bundle.folder.path)]) == code)
  }

  @Test(arguments: [(4, nil), (5, "invalid-value")] as [(Int, String?)])
  func `Documents can refer to one another up to a limit`(
    _ count: Int, _ code: String?
  ) throws {
    let bundle = try TinyBundle.double()
    var path = try bundle.folder.write("[1,2,3,4]", to: "0.json")
    for number in 1..<count {
      path = try bundle.folder.write("\"@\(path)\"", to: "\(number).json")
    }
    #expect(try bundle.errorCode(["{\"x\": \"@\(path)\"}"]) == code)
  }

  @Test func `Objects are separate items`() throws {
    let bundle = try TinyBundle.sum()
    let item = "{\"a\":[1,2,3,4],\"b\":[1,1,1,1]}"
    let records = try bundle.run([item, item]).jsonLines()
    #expect(records.map { $0["outputs"]?["y"]?.numbers } == [[2, 3, 4, 5], [2, 3, 4, 5]])
    #expect(records.map { $0["input"]?.string } == [item, item])
  }

  @Test func `Arguments are separate items for a model with one input`() throws {
    let bundle = try TinyBundle.double()
    let records = try bundle.run(["[1,1,1,1]", "nothing", "x=[2,2,2,2]"]).jsonLines()
    #expect(records.map { $0["input"]?.string } == ["[1,1,1,1]", "nothing", "x=[2,2,2,2]"])
    #expect(records[0]["outputs"]?["y"]?.numbers == [2, 2, 2, 2])
    #expect(records[1]["error"]?["code"]?.string == "wrong-type")
    #expect(records[2]["outputs"]?["y"]?.numbers == [4, 4, 4, 4])
  }

  @Test(arguments: ["2", "-3.5", "1e2", "[2]", "x=-3.5"])
  func `Numbers can be negative and small`(_ word: String) throws {
    let bundle = try TinyBundle(
      "scalar", inputs: ["{\"name\": \"x\", \"type\": \"scalar\", \"shape\": [1]}"],
      outputs: ["{\"name\": \"y\", \"type\": \"scalar\", \"shape\": [1]}"])
    let expected = ["2": 4.0, "-3.5": -7, "1e2": 200, "[2]": 4, "x=-3.5": -7]
    #expect(try bundle.run([word]).json()["outputs"]?["y"]?.number == expected[word])
  }

  @Test func `An argument after two dashes is positional`() throws {
    let bundle = try TinyBundle.double()
    let record = try bundle.run(["--format", "json", "--", "--top"]).json()
    #expect(record["input"]?.string == "--top")
    #expect(record["error"]?["code"]?.string == "invalid-json")
  }

  @Test(arguments: ["-", "FILE"])
  func `An input file has one item per line`(_ source: String) throws {
    let lines = "[1,1,1,1]\r\n\n  {\"x\": [2,2,2,2]}\n[3]\n\"@FOUR\"\n[4,4,4,4]"
    let bundle = try TinyBundle.double()
    let fives = NumPyWriter.bytes(Array(repeating: Float(5).bitPattern, count: 4))
    let four = try bundle.folder.write(fives, to: "four.bin")
    let text = lines.replacing("FOUR", with: four)
    var console = TestConsole()
    console.input = Array(text.utf8)
    let file = try bundle.folder.write(text, to: "batch.ndjson")
    let outcome = bundle.run(["--input-file", source == "-" ? "-" : file], on: console)
    #expect(outcome.exitCode == 1)
    let records = try outcome.jsonLines()
    #expect(
      records.map { $0["outputs"]?["y"]?.numbers }
        == [[2, 2, 2, 2], [4, 4, 4, 4], nil, [10, 10, 10, 10], [8, 8, 8, 8]])
    #expect(records[1]["input"]?.string == "{\"x\": [2,2,2,2]}")
    #expect(records[2]["error"]?["code"]?.string == "wrong-count")
  }

  @Test func `A separator inside a string does not end a line of an input file`() throws {
    let bundle = try TinyBundle.double()
    let file = try bundle.folder.write("{\"x\u{2028}y\": 1}\n[1,1,1,1]", to: "batch.ndjson")
    let records = try bundle.run(["--input-file", file]).jsonLines()
    #expect(records.map { $0["error"]?["code"]?.string } == ["input-names", nil])
  }

  @Test func `An input file always gives a list`() throws {
    let bundle = try TinyBundle.double()
    let one = try bundle.folder.write("[1,1,1,1]", to: "one.ndjson")
    let none = try bundle.folder.write("\n \n", to: "none.ndjson")
    #expect(try bundle.run(["--input-file", one, "--format", "json"]).json().array?.count == 1)
    #expect(try bundle.run(["--input-file", none, "--format", "json"]).json() == .array([]))
    let outcome = bundle.run(["--input-file", "\(bundle.folder.path)/nothing"])
    #expect(outcome.exitCode == 4 && outcome.output.isEmpty)
  }

  @Test func `A short argument is named even if it occurs in the message`() throws {
    let messages = try TinyBundle.double().run(["4", "1"]).messages.split(separator: "\n")
    #expect(messages.map { $0.prefix(12) } == ["tensorio: 4:", "tensorio: 1:"])
  }

  @Test func `A long argument is truncated in messages`() throws {
    let long = "[" + Array(repeating: "1", count: 1000).joined(separator: ",") + "]"
    let outcome = try TinyBundle.double().run([long])
    #expect(outcome.firstMessageLine.count < 150)
    #expect(try outcome.json()["input"]?.string == long)
  }
}
