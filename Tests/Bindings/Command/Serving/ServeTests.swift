import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

/// `tensorio serve` with curl as its client.
@Suite(.ownThreads) struct ServeTests {
  private func run(_ bundle: String, _ input: String, _ flags: [String] = []) throws -> String {
    let words = ["run", "\(Example.bundles)/\(bundle)", input, "--threads", "1"] + flags
    let outcome = try Executable().run(words + ["--format", "ndjson"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    return outcome.output.withoutTimes
  }

  /// Returns the lines of a section of GettingStarted.md that begin with a word.
  private func commands(_ word: String) throws -> [String] {
    let text = try String(
      contentsOfFile: ProjectFiles.path("Documentation/GettingStarted.md"), encoding: .utf8)
    let section = try #require(
      text.split(separator: "\n## ").first { $0.hasPrefix("Serve models") })
    return section.split(separator: "\n").map(String.init).filter { $0.hasPrefix(word) }
  }

  @Test(.hangGuard) func `The commands of GettingStarted.md work as printed`() throws {
    let (server, folder) = (try ServedExamples(), try TemporaryFolder())
    let lines = try commands("curl ")
    #expect(lines.count == 3)
    let answers = try lines.map { line in
      let line = line.replacing("annotated.png", with: "\(folder.path)/annotated.png")
      let outcome = try server.shell("\(line) --silent --show-error --fail")
      #expect(outcome.exitCode == 0, "\(line): \(outcome)")
      return outcome.output.withoutTimes
    }
    let numbers = "[61, 1, 25.8, 90, 280, 195.4, 55, 5, 4.9972, 90]"
    #expect(try answers[0] == run("diabetes.tiobundle", numbers))
    let digit = "\(Example.bundles)/digits.tiobundle/samples/3-1.png"
    #expect(try answers[1] == run("digits.tiobundle", digit))
    let shapes = "\(Example.bundles)/shape-detector.tiobundle/samples/2.jpg"
    _ = try run("shape-detector.tiobundle", shapes, ["--annotate", folder.path])
    let drawn = ["annotated.png", "2.png"].map {
      try? Data(contentsOf: URL(filePath: "\(folder.path)/\($0)"))
    }
    #expect(drawn[0] != nil && drawn[0] == drawn[1])
    #expect(server.end().exitCode == 0)
  }

  @Test(
    .hangGuard,
    arguments: [
      (
        "digits-quantized.tiobundle", "digits-quantized.tiobundle/samples/8-2.png", "?top=3",
        ["--top", "3"]
      ),
      ("digits-embedder.tiobundle", "digits-embedder.tiobundle/samples/5-1.png", "", []),
      (
        "shape-detector.tiobundle", "shape-detector.tiobundle/samples/2.jpg", "?min_score=0.2",
        ["--min-score", "0.2"]
      ),
      ("shape-segmenter.tiobundle", "shape-segmenter.tiobundle/samples/1.jpg", "", []),
      ("figure-pose.tiobundle", "figure-pose.tiobundle/samples/1.jpg", "", []),
      ("shape-boxes.tiobundle", "shape-boxes.tiobundle/samples/1.jpg", "", []),
      ("pencil.tiobundle", "face-detector.tiobundle/samples/1.jpg", "", []),
      ("faces.tiochain", "face-detector.tiobundle/samples/1.jpg", "", []),
    ] as [(String, String, String, [String])])
  func `A response is identical to the output of run`(
    _ bundle: String, _ picture: String, _ query: String, _ flags: [String]
  ) throws {
    let path = "\(Example.bundles)/\(picture)"
    let server = try ServedExamples(["\(Example.bundles)/\(bundle)"])
    let name = try #require(bundle.split(separator: ".").first)
    let url = "'\(server.address)/v2/models/\(name)/predict\(query)'"
    let expected = try run(bundle, path, flags)
    let whole = try server.shell("curl -s -H 'Content-Type: image/*' --data-binary @\(path) \(url)")
    #expect(whole.output.withoutTimes == expected)
    let form = try server.shell("curl -s -F 'any=@\(path)' -F 'other=@\(path)' \(url)")
    #expect(form.output.withoutTimes == "[\(expected),\(expected)]")
  }

  @Test(.hangGuard) func `A gallery names what a model shows, also what is enrolled later`() throws
  {
    let folder = try TemporaryFolder()
    let gallery = "\(folder.path)/digits.sqlite"
    let embedder = "\(Example.bundles)/digits-embedder.tiobundle"
    func enroll(_ name: String, _ digit: String) throws {
      let outcome = try Executable().run([
        "gallery", "enroll", name, Example.digit(digit), "--gallery", gallery, "--bundle", embedder,
      ])
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    try enroll("three", "3-1")
    let server = try ServedExamples([embedder, Example.digits, "--gallery", gallery])
    func name(_ digit: String) throws -> String? {
      let request = "curl -s -H 'Content-Type: image/*' --data-binary @\(Example.digit(digit))"
      let answer = try server.shell(
        "\(request) \(server.address)/v2/models/digits-embedder/predict")
      return try answer.json()["outputs"]?["recognition"]?["name"]?.string
    }
    #expect(try name("3-2") == "three")
    #expect(try name("8-2") == "unknown")
    try enroll("eight", "8-1")
    #expect(try name("8-2") == "eight")
    #expect(server.end().exitCode == 0)
  }

  @Test func `A missing gallery ends the server`() throws {
    let outcome = try Executable().run([
      "serve", Example.digits, "--gallery", "missing.sqlite", "--port", "0",
    ])
    #expect(outcome.exitCode == 4 && outcome.messages.contains("no such gallery"), "\(outcome)")
  }

  @Test(.hangGuard) func `A broken bundle is reported and the others are served`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.copy(Example.digits, as: "good.tiobundle")
    try folder.write("{", to: "bad.tiobundle/model.json")
    let server = try ServedExamples([folder.path])
    try server.waitUntilReady()
    let list = try server.shell("curl -s \(server.address)/v2/models").json()
    let states = list["models"]?.array?.compactMap { $0["state"]?.string }
    #expect(states == ["failed", "ready"])
    let answer = try server.shell(
      "curl -s --json '[1]' -w ' %{http_code}' \(server.address)/v2/models/bad/predict")
    #expect(answer.output.hasSuffix(" 500") && !answer.output.contains(folder.path))
    let outcome = server.end()
    #expect(outcome.exitCode == 0)
    #expect(outcome.output.hasPrefix("serving 1 model at http://127.0.0.1:"))
    #expect(outcome.messages.contains("tensorio: model 'bad' is invalid: "))
  }

  @Test(arguments: ["broken", "FOLDER/models/broken.tiobundle"])
  func `A broken bundle that an argument names ends the server`(_ argument: String) throws {
    let home = try TemporaryFolder()
    try home.write("{", to: "models/broken.tiobundle/model.json")
    let outcome = try Executable(environment: ["TENSORIO_HOME": home.path])
      .run(["serve", argument.replacing("FOLDER", with: home.path), "--port", "0"])
    #expect(outcome.exitCode == 3 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.messages.contains("broken.tiobundle/model.json"))
  }

  @Test(.hangGuard) func `A misspelled version policy is reported with a suggestion`() throws {
    let folder = try TemporaryFolder()
    try folder.copy(Example.digits, as: "m/1.tiobundle")
    try folder.write(#"{"policy": "lastest"}"#, to: "m/serving.json")
    let outcome = try Executable().run([
      "serve", Example.digits, "--version-policy", "lastest", "--port", "0",
    ])
    #expect(outcome.exitCode == 2 && outcome.messages.contains("did you mean 'latest'?"))
    let messages = try ServedExamples([folder.path]).end().messages
    #expect(messages.contains("did you mean 'latest'?"), "\(messages)")
  }

  @Test(.hangGuard) func `Models are served while their folder is lost`() throws {
    let folder = try TemporaryFolder()
    try folder.copy(Example.digits, as: "models/digits.tiobundle")
    let models = "\(folder.path)/models"
    let server = try ServedExamples([models, "--watch", "0.05"])
    try server.waitUntilReady()
    let ready = "curl -s -o /dev/null -w '%{http_code}' \(server.address)/v2/health/ready"
    // An empty folder in place of the volume, and then none.
    let lost = "mv \(models) \(folder.path)/lost && mkdir \(models)"
    #expect(try server.shell("\(lost) && sleep 1 && \(ready)").output == "200")
    #expect(try server.shell("rmdir \(models) && sleep 1 && \(ready)").output == "200")
    // The volume is back, and its only bundle is removed.
    let back = "mv \(folder.path)/lost \(models) && sleep 1 && rm -r \(models)/digits.tiobundle"
    let gone = "for i in $(seq 600); do [ $(\(ready)) = 503 ] && break; sleep 0.1; done; \(ready)"
    #expect(try server.shell("\(back) && \(gone)").output == "503")
    let outcome = server.end()
    #expect(outcome.messages.contains("folder-unavailable"), "\(outcome)")
  }

  @Test(.hangGuard) func `A server whose models are added by request is ready without any`() throws
  {
    let empty = try TemporaryFolder()
    let server = try ServedExamples(
      [empty.path], environment: ["SAGEMAKER_MULTI_MODEL": "true"])
    try server.waitUntilReady()
    let ping = try server.shell("curl -s -o /dev/null -w '%{http_code}' \(server.address)/ping")
    #expect(ping.output == "200")
    #expect(server.end().output.hasPrefix("serving 0 models at"))
  }

  @Test func `Requests without the token are rejected`() throws {
    let server = try ServedExamples(
      [Example.digits], environment: ["TENSORIO_TOKEN": "secret"])
    try server.waitUntilReady()
    let url = "\(server.address)/v2/models"
    let status = "curl -s -o /dev/null -w '%{http_code}'"
    #expect(try server.shell("\(status) \(url)").output == "401")
    #expect(try server.shell("\(status) -H 'Authorization: Bearer secret' \(url)").output == "200")
    #expect(try server.shell("\(status) \(server.address)/v2/health/ready").output == "200")
  }

  @Test(
    .hangGuard,
    arguments: [
      ([], [:], "", "403"), (["--allow-admin"], [:], "", "200"),
      ([], ["TENSORIO_ADMIN_TOKEN": "admin"], "user", "403"),
      ([], ["TENSORIO_ADMIN_TOKEN": "admin"], "admin", "200"),
      (["--token", "user"], [:], "user", "200"),
    ] as [([String], [String: String], String, String)])
  func `Only administrators can unload models`(
    flags: [String], environment: [String: String], token: String, status: String
  ) throws {
    let server = try ServedExamples([Example.digits] + flags, environment: environment)
    try server.waitUntilReady()
    let answer = try server.shell(
      "curl -s -X POST -w '%{http_code}' -H 'Authorization: Bearer \(token)' "
        + "\(server.address)/v2/repository/models/digits/unload")
    #expect(answer.output.hasSuffix(status), "\(answer)")
    if status == "403" {
      #expect(answer.output.contains("--allow-admin"))
      #expect(answer.output.contains("TENSORIO_ADMIN_TOKEN"))
    }
  }

  @Test(
    arguments: [
      (["serve"], 2), (["serve", "nowhere"], 3), (["serve", "DIGITS", "--host", "0.0.0.0"], 2),
      (["serve", "DIGITS", "--host", "256.0.0.1"], 2), (["serve", "DIGITS", "--port", "70000"], 2),
      (["serve", "DIGITS", "--token", ""], 2), (["serve", "DIGITS", "DIGITS", "DIGITS"], 2),
      (["serve", "EMPTY"], 3), (["serve", "DIGITS", "--version-policy", "lastest"], 2),
    ] as [([String], Int32)])
  func `Invalid arguments are reported at startup`(_ words: [String], _ exit: Int32) throws {
    let empty = try TemporaryFolder()
    let filled = words.map {
      $0.replacing("DIGITS", with: Example.digits).replacing("EMPTY", with: empty.path)
    }
    let outcome = try Executable(environment: ["TENSORIO_TOKEN": ""]).run(filled)
    #expect(outcome.exitCode == exit, "\(outcome)")
    #expect(!outcome.messages.isEmpty && outcome.output.isEmpty)
  }

  @Test(arguments: ["127.0.0.1", "0.0.0.0", "localhost"])
  func `The example request that the server prints works with a token`(_ host: String) throws {
    let server = try ServedExamples(
      [Example.digits, "--host", host], environment: ["TENSORIO_TOKEN": "secret"])
    let line = try #require(try server.exampleRequest())
    #expect(!line.contains("secret") && !line.contains("0.0.0.0"))
    let response = try server.shell("export TENSORIO_TOKEN=secret; \(line) --silent --fail")
    #expect(response.exitCode == 0, "\(line): \(response)")
    #expect(response.output.contains("classification"))
    let outcome = server.end()
    let clients = ["127.0.0.1", "::1"].map { "\"client\":\"\($0)\"" }
    #expect(clients.contains { outcome.messages.contains($0) })
  }

  @Test func `Metrics count worker processes and their restarts`() throws {
    let server = try ServedExamples([Example.digits])
    let image = "\(Example.digits)/samples/3-1.png"
    let request =
      "curl -s -o /dev/null -H 'Content-Type: image/*' --data-binary @\(image)"
      + " \(server.address)/v2/models/digits/predict"
    _ = try server.shell(request)
    let metrics = "curl -s \(server.address)/metrics"
    let before = try server.shell(metrics).output.split(separator: "\n")
    let processes = "tensorio_worker_processes "
    #expect(before.contains { $0.hasPrefix(processes) } && !before.contains("\(processes)0"))
    #expect(!before.contains("tensorio_worker_resident_memory_bytes 0"))
    #expect(before.contains("tensorio_worker_crashes_total 0"))
    let killed = try server.shell("pkill -KILL -P \(server.id)")
    #expect(killed.exitCode == 0, "\(killed)")
    for _ in 0..<2 { _ = try server.shell(request) }
    let after = try server.shell(metrics).output.split(separator: "\n")
    #expect(after.contains("tensorio_worker_restarts_total 1"), "\(after)")
    #expect(server.end().exitCode == 0)
  }

  @Test func `SIGHUP stops the server as SIGTERM does`() throws {
    let server = try ServedExamples([Example.digits])
    #expect(kill(server.id, SIGHUP) == 0)
    // A closing terminal may send several.
    _ = kill(server.id, SIGHUP)
    let outcome = server.wait()
    #expect(outcome.exitCode == 0)
    #expect(outcome.messages.contains("\"event\":\"draining\",\"message\":\"SIGHUP: stopping"))
  }

  @Test func `SIGHUP is ignored if the server was started so`() throws {
    let server = try ServedExamples([Example.digits], ignoresHangup: true)
    try server.waitUntilReady()
    #expect(kill(server.id, SIGHUP) == 0)
    let status = try server.shell(
      "curl -s -o /dev/null -w '%{http_code}' \(server.address)/v2/health/ready")
    #expect(status.output == "200")
    #expect(server.end().exitCode == 0)
  }

  @Test func `A port in use is reported`() throws {
    let server = try ServedExamples([Example.digits])
    let port = String(try #require(server.address.split(separator: ":").last))
    let outcome = try Executable().run(["serve", Example.digits, "--port", port])
    #expect(outcome.exitCode == 6)
    #expect(outcome.messages.contains("port \(port)"))
  }

  /// Four clients send requests without pause, each on a new connection, until the server is gone (7),
  /// or has ended before it accepted the connection from the system's queue, which the client notices
  /// when it receives (56) or, on a busy machine, when it sends (55). While it stops, it responds with
  /// 503.
  ///
  /// `TENSORIO_STOPS=100 swift test --filter ServeTests` stops 100 servers.
  @Test(.hangGuard)
  func `No accepted request is lost when the server stops under load`() throws {
    let turns = Platform.environment("TENSORIO_STOPS").flatMap { Int($0) } ?? 20
    var answered = 0
    for turn in 0..<turns {
      let server = try ServedExamples(["\(Example.bundles)/diabetes.tiobundle"])
      let clients = try RunningProcess("/bin/bash", ["-c", Self.load(server.address)], [:])
      try clients.waitForOutput("200\n")
      usleep(UInt32(50_000 + turn % 20 * 7_000))
      let outcome = server.end()
      #expect(outcome.exitCode == 0)
      clients.write([])
      let results = clients.wait().lines
      let ends = results.filter { !$0.hasPrefix("0 ") }
      #expect(ends.count == 4)
      #expect(Set(ends).isSubset(of: ["7 000", "55 000", "56 000"]), "\(ends)")
      let answers = results.filter { $0.hasPrefix("0 ") }
      #expect(Set(answers).isSubset(of: ["0 200", "0 503"]), "\(Set(answers))")
      let lines = outcome.messages.split(separator: "\n")
      #expect(lines.count { $0.contains("\"event\":\"draining\"") } == 1)
      let taken = lines.filter { !$0.contains("\"event\"") }
      for status in ["200", "503"] {
        #expect(
          taken.count { $0.contains("\"status\":\(status)") }
            == answers.count { $0 == "0 \(status)" })
      }
      #expect(taken.count == answers.count)
      answered += taken.count
    }
    print("stopped \(turns) servers: \(answered) requests, none lost")
  }

  /// Returns a script with clients that print curl's exit code and the status of each request, until
  /// one fails.
  private static func load(_ address: String) -> String {
    """
    client() {
      local code=0 status
      while [ $code = 0 ]; do
        status=$(curl -s -o /dev/null -w '%{http_code}' --json '[61,1,25.8,90,280,195.4,55,5,5,90]' \
          \(address)/v2/models/diabetes/predict)
        code=$?
        echo "$code $status"
      done
    }
    for number in 1 2 3 4; do client & done
    wait
    """
  }
}
