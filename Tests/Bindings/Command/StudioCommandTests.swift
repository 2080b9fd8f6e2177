import Foundation
import TensorIOTestSupport
import Testing

/// `tensorio studio` as a process with HTTP clients.
@Suite struct StudioCommandTests {
  private static let heldOut = ProjectFiles.path("Examples/Data/digits-held-out")
  private let home: TemporaryFolder
  private var executable: Executable

  init() throws {
    home = try TemporaryFolder()
    let runtime = try #require(TestConsole.run(["runtime", "where", "litert"]).lines.first)
    executable = Executable(
      environment: [
        "TENSORIO_HOME": home.path, "TENSORIO_LITERT_LIBRARY": runtime, "TMPDIR": home.path,
      ])
  }

  /// Starts the studio, runs commands in which `$studio` is its address, and stops it.
  private func studio(_ words: String, _ commands: String) throws -> CommandResult {
    let outcome = try executable.script(
      """
      said='\(home.path)/said'
      "$tensorio" studio \(words) --port 0 > "$said" &
      for _ in $(seq 1000); do [[ -s "$said" ]] && break; sleep 0.02; done
      studio=$(sed 's/serving the studio at //' "$said")
      \(commands)
      kill -TERM $!
      wait $!
      echo "exit $?"
      """)
    #expect(outcome.lines.last == "exit 0", "\(outcome)")
    return outcome
  }

  @Test func `The page, its state and the models are served`() throws {
    let outcome = try studio(
      "'\(Example.digits)' --data '\(Self.heldOut)'",
      """
      curl -sS "$studio" | head -n 1
      curl -sS "${studio}studio/api/state"
      curl -sS --data-binary @'\(Example.digit("3-1"))' -H 'Content-Type: image/png' \
        "${studio}v2/models/digits/predict?top=1"
      """)
    #expect(outcome.lines.first == "<!DOCTYPE html>")
    let state = try JSONTree(outcome.lines[1])
    #expect(state["models"]?[0]?["name"]?.string == "digits")
    #expect(state["datasets"]?[0]?["name"]?.string == "digits-held-out")
    let answer = try JSONTree(outcome.lines[2])
    #expect(answer["outputs"]?["classification"]?[0]?["label"]?.string == "3")
  }

  @Test func `Cross-origin changes are rejected and the token is requested as a password`() throws {
    let outcome = try studio(
      "'\(Example.digits)' --token secret",
      """
      ask() { curl -sS -o /dev/null -w '%{http_code}\\n' "$@"; }
      ask "$studio"
      ask -u any:secret "$studio"
      ask -u any:secret -H 'Origin: http://other.example' -d '{}' "${studio}studio/api/evaluations"
      ask -u any:secret -H 'Origin: '"${studio%/}" -d '{}' "${studio}studio/api/evaluations"
      """)
    #expect(Array(outcome.lines.prefix(4)) == ["401", "200", "403", "400"])
  }

  @Test func `Stopping during an evaluation leaves no files or processes`() throws {
    let outcome = try studio(
      "'\(Example.digits)' --data '\(Self.heldOut)'",
      """
      curl -sS -d '{"model": "digits"}' "${studio}studio/api/evaluations" > /dev/null
      ls '\(home.path)' | grep -c tensorio-studio
      curl -sS -d '{"model": "digits", "dataset": "digits-held-out"}' \
        "${studio}studio/api/evaluations" > /dev/null
      """)
    #expect(outcome.lines.first == "1")
    #expect(!home.entries.contains { $0.hasPrefix("tensorio-studio") }, "\(home.entries)")
  }

  @Test func `A model that cannot be loaded is logged with the cause`() throws {
    let outcome = try studio(
      "'\(Example.bundle("digits-trainable"))' --tensorflow-library /nowhere/library.so",
      #"""
      curl -sS "${studio}studio/api/state"
      curl -sS -d '{"inputs": []}' "${studio}v2/models/digits-trainable/predict"
      """#)
    let missing = try JSONTree(outcome.lines[0])["models"]?[0]?["missing_runtime"]
    #expect(missing?["name"]?.string == "TensorFlow")
    #expect(missing?["install"]?.string?.hasSuffix("tensorio runtime install tensorflow") == true)
    #expect(try JSONTree(outcome.lines[1])["error"]?.string?.contains("not installed") == true)
    #expect(outcome.messages.contains("model 'digits-trainable' version 1 cannot be loaded: "))
    #expect(outcome.messages.contains("/nowhere/library.so"), "\(outcome)")
  }

  @Test func `The page can be served from a directory`() throws {
    let page = try TemporaryFolder()
    try page.write("a changed page\n", to: "index.html")
    let outcome = try studio("'\(Example.digits)' --page '\(page.path)'", #"curl -sS "$studio""#)
    #expect(outcome.lines.first == "a changed page")
  }

  @Test func `Saved settings and the library are available at startup`() throws {
    var console = TestConsole()
    console.environment = ["TENSORIO_HOME": home.path]
    #expect(console.run(["models", "import", Example.digits, "--name", "mine"]).exitCode == 0)
    #expect(
      console.run(["models", "default", "mine", "--threads", "2", "--top", "3"]).exitCode == 0)
    let outcome = try studio("", #"curl -sS "${studio}studio/api/state""#)
    let state = try JSONTree(outcome.lines[0])
    #expect(state["models"]?.array?.compactMap { $0["name"]?.string } == ["mine"])
    #expect(state["default_model"]?.string == "mine")
    #expect(state["threads"]?.number == 2 && state["top"]?.number == 3)
  }

  @Test func `A named dataset is offered`() throws {
    var console = TestConsole()
    console.environment = ["TENSORIO_HOME": home.path]
    #expect(console.run(["datasets", "import", "mine", Self.heldOut]).exitCode == 0)
    let outcome = try studio(
      "'\(Example.digits)' --data @mine", #"curl -sS "${studio}studio/api/state""#)
    let datasets = try JSONTree(outcome.lines[0])["datasets"]
    #expect(
      datasets?[0] == .object(["name": .string("mine"), "image_count": .number(360)]))
    #expect(!home.entries.contains { $0.hasPrefix("tensorio-data") }, "\(home.entries)")
  }

  @Test(
    arguments: [
      (["studio", Example.digits, "--data", "nowhere"], 4), (["studio", "nowhere.tiobundle"], 3),
      (["studio", Example.digits, "--host", "0.0.0.0"], 2),
      (["studio", Example.digits, "--threads", "0"], 2),
      (["studio", Example.digits, "--page", "nowhere"], 4),
    ] as [([String], Int32)])
  func `Invalid arguments end the server at startup`(_ words: [String], _ exit: Int32) throws {
    let outcome = try executable.run(words)
    #expect(outcome.exitCode == exit && outcome.output.isEmpty, "\(outcome)")
  }
}
