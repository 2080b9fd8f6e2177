import Foundation
import TensorIOTestSupport
import Testing

/// Tests of `tensorio models pull`, with a server that behaves like a hub.
@Suite(.ownThreads) struct PullTests {
  private let home: TemporaryFolder
  private let folder: TemporaryFolder
  private let server: FileServer
  private var console = TestConsole()

  init() throws {
    home = try TemporaryFolder()
    folder = try TemporaryFolder()
    try folder.write("0123abcd", to: "commit")
    try folder.write(#"{"model_type": "x"}"#, to: "repository/config.json")
    try folder.write("{}", to: "repository/busy ä.json")
    try folder.write(String(repeating: "model", count: 50_000), to: "repository/onnx/model.onnx")
    try folder.write(
      String(repeating: "small", count: 60_000), to: "repository/onnx/model_cut.onnx")
    try folder.write("weights", to: "repository/onnx/model_cut.onnx_data")
    try folder.write("not needed", to: "repository/pytorch_model.bin")
    server = try FileServer(folder)
    console.environment = ["TENSORIO_HOME": home.path, "TENSORIO_HUB": server.address("hub/")]
  }

  private func pull(_ arguments: String...) -> CommandResult {
    console.run(["models", "pull"] + arguments)
  }

  private var path: String { "\(home.path)/hub/owner--name@main/name" }

  private var files: [String] {
    let all = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
    return all.filter { !$0.isEmpty && $0 != "onnx" }.sorted()
  }

  private func requests() throws -> [String] {
    let text = try String(contentsOfFile: "\(folder.path)/requests", encoding: .utf8)
    try FileManager.default.removeItem(atPath: "\(folder.path)/requests")
    return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private func isEqual(_ name: String) -> Bool {
    FileManager.default.contentsEqual(
      atPath: "\(path)/\(name)", andPath: "\(folder.path)/repository/\(name)")
  }

  @Test func `A model is downloaded once, with what it is run with`() throws {
    let outcome = pull("owner/name")
    #expect(outcome.lines == [path], "\(outcome)")
    #expect(files == ["busy ä.json", "config.json", "onnx/model.onnx"])
    #expect(files.allSatisfy(isEqual))
    #expect(try requests().contains { $0.contains("revision/main") })
    // Only the pinned commit is requested.
    let again = try pull("owner/name", "--format", "json").json()
    #expect(again["path"]?.string == path && again["name"]?.string == "owner/name")
    #expect(try requests() == ["api/models/owner/name/revision/0123abcd?blobs=true"])
    let rest = try FileManager.default.contentsOfDirectory(
      atPath: "\(home.path)/hub/owner--name@main")
    #expect(rest.sorted() == ["name", "pins.json"])
    // What is there needs no network.
    pullOffline { #expect($0.lines == [path], "\($0)") }
  }

  private func pullOffline(_ body: (CommandResult) -> Void) {
    var console = console
    console.environment["TENSORIO_HUB"] = "http://127.0.0.1:1"
    body(console.run(["models", "pull", "owner/name", "--offline"]))
  }

  @Test func `A transfer that breaks off is continued, and a busy server asked again`() throws {
    let outcome = pull("owner/name", "--variant", "cut")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      files == ["busy ä.json", "config.json", "onnx/model_cut.onnx", "onnx/model_cut.onnx_data"])
    #expect(files.allSatisfy(isEqual))
    let ranges = try requests().filter { $0.contains("model_cut.onnx ") }
    #expect(ranges.count == 1 && ranges[0].hasSuffix("bytes=150000-"), "\(ranges)")
    #expect(outcome.messages.contains("trying again"))
  }

  @Test func `Files that change are errors until the change is accepted`() throws {
    #expect(pull("owner/name").exitCode == 0)
    // The same commit cannot have other contents.
    try folder.write("other", to: "repository/config.json")
    try FileManager.default.removeItem(atPath: "\(path)/config.json")
    let changed = pull("owner/name")
    #expect(changed.exitCode == 4)
    #expect(changed.messages.contains("config.json: expected SHA-256"), "\(changed)")
    pullOffline {
      #expect($0.exitCode == 4 && $0.firstMessageLine.contains("config.json is missing"), "\($0)")
    }
    // A new commit is used only with --update.
    try folder.write("4567ef01", to: "commit")
    #expect(pull("owner/name").exitCode == 4)
    let updated = pull("owner/name", "--update")
    #expect(updated.exitCode == 0, "\(updated)")
    #expect(isEqual("config.json"))
    #expect(pull("owner/name").exitCode == 0)
    try folder.write("damaged", to: "repository/config.json")
    try Data("damaged".utf8).write(to: URL(filePath: "\(path)/config.json"))
    pullOffline {
      #expect($0.exitCode == 4 && $0.firstMessageLine.contains("expected SHA-256"), "\($0)")
    }
  }

  @Test func `The zip file of a URL is imported, and has to be the same again`() throws {
    let zip = "\(folder.path)/digits.zip"
    #expect(TestConsole.run(["pack", Example.digits, "-o", zip]).exitCode == 0)
    let bundle = "\(home.path)/models/digits.tiobundle"
    let url = server.address("file/digits.zip")
    #expect(pull(url, "--offline").exitCode == 4)
    let outcome = pull(url)
    #expect(outcome.lines == [bundle], "\(outcome)")
    #expect(pull(url, "--offline").lines == [bundle])
    #expect(console.run(["models", "remove", "digits", "--yes"]).exitCode == 0)
    #expect(TestConsole.run(["pack", Example.diabetes, "-o", zip, "--force"]).exitCode == 0)
    let changed = pull(url)
    #expect(changed.exitCode == 4 && changed.firstMessageLine.contains("expected SHA-256"))
    #expect(pull(url, "--update").lines == ["\(home.path)/models/diabetes.tiobundle"])
  }

  @Test(arguments: [
    (["owner/name@other"], "404"), (["owner/name", "--variant", "q9"], "its models are"),
    (["owner/name/more"], "neither a URL nor a name"), (["../name"], "neither a URL nor a name"),
    (["owner/name", "--offline"], "has not been downloaded"),
  ])
  func `What cannot be pulled is an error`(_ arguments: [String], _ message: String) {
    let outcome = console.run(["models", "pull"] + arguments)
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(outcome.firstMessageLine.contains(message), "\(outcome)")
    #expect(files.isEmpty)
  }

  @Test(arguments: [nil, "q4"])
  func `A decoder is downloaded with the encoder that it reads, in one precision`(
    _ variant: String?
  ) throws {
    try FileManager.default.removeItem(atPath: "\(folder.path)/repository/onnx")
    let parts = [
      "encoder_model", "decoder_model", "decoder_with_past_model", "decoder_model_merged",
    ]
    for part in parts {
      for end in ["", "_q4"] { try folder.write("x", to: "repository/onnx/\(part)\(end).onnx") }
    }
    let outcome = console.run(
      ["models", "pull", "owner/name"] + (variant.map { ["--variant", $0] } ?? []))
    #expect(outcome.exitCode == 0, "\(outcome)")
    let end = variant.map { "_" + $0 } ?? ""
    #expect(
      files.filter { $0.hasPrefix("onnx/") }
        == ["onnx/decoder_model_merged\(end).onnx", "onnx/encoder_model\(end).onnx"])
  }
}
