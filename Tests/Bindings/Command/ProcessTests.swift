import Foundation
import TensorIOTestSupport
import Testing

/// Behavior that requires a separate process.
@Suite struct ProcessTests {
  let executable = Executable()

  @Test func `Results and messages are written to different streams`() throws {
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")], modes: ""
    )
    let outcome = try executable.run(["run", bundle.path, "[1,2,3,4]", "[1]"])
    #expect(outcome.exitCode == 1)
    #expect(try outcome.jsonLines().count == 2)
    let messages = outcome.messages.split(separator: "\n")
    #expect(messages.count == 2)
    #expect(messages.first?.hasPrefix("tensorio: the bundle has 1 warning") == true)
    #expect(messages.last == "tensorio: [1]: layer 'x': expected 4 values, got 1")
  }

  @Test(arguments: ["run", "inspect", "validate"])
  func `Messages of LiteRT are suppressed`(_ command: String) throws {
    let outcome = try executable.run([command, Example.digits])
    #expect(outcome.exitCode == 0)
    #expect(outcome.messages.isEmpty)
  }

  @Test func `Messages of LiteRT are shown at log level debug`() throws {
    let outcome = try Executable(environment: ["TENSORIO_LOG": "debug"])
      .run(["run", Example.digits, "--threads", "1"])
    #expect(outcome.exitCode == 0)
    #expect(outcome.messages.contains("XNNPACK"), "\(outcome)")
  }

  @Test(
    arguments: [
      (["--version"], 0), (["run"], 2), (["run", "nowhere"], 3), (["run", "DIGITS", "nowhere"], 4),
      (["run", "DIGITS", "--litert-library", "nowhere"], 5),
    ] as [([String], Int32)])
  func `The exit code is that of the process`(_ words: [String], _ exit: Int32) throws {
    let filled = words.map { $0.replacing("DIGITS", with: Example.digits) }
    #expect(try executable.run(filled).exitCode == exit)
  }

  @Test func `Images are read from standard input`() throws {
    let picture = [UInt8](try Data(contentsOf: URL(filePath: Example.digit("7-1"))))
    let record = try executable.run(["run", Example.digits, "-"], input: picture).json()
    #expect(record["outputs"]?["classification"]?[0]?["label"]?.string == "7")
  }

  @Test func `Every command says how to install a missing LiteRT`() throws {
    let folder = try TemporaryFolder()
    let bare = Executable(environment: [
      "TENSORIO_HOME": folder.path, "TENSORIO_LITERT_LIBRARY": "", "LD_LIBRARY_PATH": "",
    ])
    let doctor = try bare.run(["doctor"])
    #expect(doctor.exitCode == 5)
    #expect(doctor.lines.first?.hasPrefix("missing  LiteRT: ") == true)
    #expect(doctor.output.contains(folder.path))
    let install = "\(try Executable.path()) runtime install litert"
    #expect(doctor.output.contains("fix: \(install)"))
    let run = try bare.run(["run", Example.digits])
    #expect(
      run.messages == """
        tensorio: LiteRT is not installed
        hint: run `\(install)`; `\(try Executable.path()) runtime list` prints where the library is \
        searched for

        """)
    for words in [
      ["run", Example.digits], ["inspect", Example.digits], ["runtime", "where", "litert"],
    ] {
      let outcome = try bare.run(words)
      #expect(outcome.exitCode == 5, "\(words)")
      #expect(outcome.messages.contains(install), "\(words): \(outcome)")
    }
    let validate = try bare.run(["validate", Example.digits])
    #expect(validate.exitCode == 5)
    #expect(validate.output.contains(install))
    let list = try bare.run(["runtime", "list", "--format", "json"]).json().array ?? []
    #expect(list.allSatisfy { $0["status"]?.string == "missing" })
    #expect(folder.entries.isEmpty)
  }

  @Test func `Doctor reports a Python package of another project with the same import name`() throws
  {
    let folder = try TemporaryFolder()
    let metadata = "Metadata-Version: 2.1\nName: tensorio\nVersion: 0.0.2\n"
    try folder.write(metadata, to: "tensorio-0.0.2.dist-info/METADATA")
    let doctor = try Executable(environment: ["PYTHONPATH": folder.path]).run(["doctor"])
    #expect(doctor.exitCode != 0)
    #expect(doctor.output.contains("missing  Python package: 'tensorio' 0.0.2 is another project"))
    #expect(doctor.output.contains("pip install tensorio-runtime"))
    let own = metadata.replacing("tensorio", with: "tensorio-runtime")
    try FileManager.default.removeItem(atPath: folder.path + "/tensorio-0.0.2.dist-info")
    try folder.write(own, to: "tensorio_runtime-0.0.2.dist-info/METADATA")
    let again = try Executable(environment: ["PYTHONPATH": folder.path]).run(["doctor"])
    #expect(again.output.contains("ok       Python package: tensorio-runtime 0.0.2"))
  }

  @Test func `An environment variable with a missing path is an error`() throws {
    let outcome = try Executable(environment: ["TENSORIO_LITERT_LIBRARY": "/nowhere/lib.so"])
      .run(["run", Example.digits])
    #expect(outcome.exitCode == 5)
    #expect(outcome.messages.contains("TENSORIO_LITERT_LIBRARY=/nowhere/lib.so"))
    #expect(outcome.messages.contains("unset TENSORIO_LITERT_LIBRARY"))
    #expect(outcome.messages.split(separator: "\n").count == 2)
  }

  @Test func `An interrupt exits with 130`() throws {
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")], modes: ""
    )
    let process = try executable.start(["run", bundle.path, "-"])
    // The message is printed when the model is loaded; then the process waits for input.
    try process.waitForMessage("the bundle has 1 warning")
    process.interrupt()
    #expect(process.wait().exitCode == 130)
  }

  @Test func `A closed pipe ends the process quietly`() throws {
    let outcome = try executable.script(
      """
      for i in {1..2000}; do echo '[1,2,3,4,5,6,7,8,9,10]'; done \
        | "$tensorio" run \(Example.diabetes) --input-file - | head -n 1
      echo "${PIPESTATUS[1]}"
      """)
    #expect(outcome.exitCode == 0)
    #expect(outcome.messages.isEmpty, "\(outcome.messages)")
    // A shell reports 141 for a process that SIGPIPE ended.
    #expect(["0", "141"].contains(outcome.lines.last))
    #expect(outcome.lines.count == 2)
  }

  @Test func `A closed pipe does not lose the files of a command`() throws {
    let folder = try TemporaryFolder()
    let report = "\(folder.path)/report.html"
    let trace = "\(folder.path)/trace.json"
    let outcome = try executable.script(
      """
      "$tensorio" evaluate \(Example.digits) \(EvaluateTests.heldOut) --report \(report) | true
      "$tensorio" benchmark \(Example.diabetes) --operators --runs 2 --trace \(trace) | true
      """)
    #expect(outcome.exitCode == 0)
    #expect(Set(folder.entries) == ["report.html", "trace.json"], "\(outcome)")
  }

  @Test(arguments: [
    "completions bash", "--help", "run \(Example.diabetes) '[61,1,26,90,280,195,55,5,5,90]'",
  ])
  func `A failed write to standard output is an error`(_ line: String) throws {
    let outcome = try executable.script("\"$tensorio\" \(line) > /dev/full")
    #expect(outcome.exitCode == 6)
    #expect(
      outcome.messages
        == "tensorio: cannot write to standard output: No space left on device\n")
  }

  @Test(arguments: ["bash", "zsh"])
  func `Completions are a valid bash script`(_ shell: String) throws {
    let outcome = try executable.script("\"$tensorio\" completions \(shell) | bash -n")
    #expect(outcome.exitCode == 0)
    #expect(outcome.messages.isEmpty)
  }

  @Test func `Bash completes commands and options`() throws {
    let outcome = try executable.script(
      """
      source <("$tensorio" completions bash)
      COMP_WORDS=(tensorio val); COMP_CWORD=1; _tensorio; echo "${COMPREPLY[@]}"
      COMP_WORDS=(tensorio run x --ann); COMP_CWORD=3; _tensorio; echo "${COMPREPLY[@]}"
      """)
    #expect(outcome.lines == ["validate", "--annotate"])
  }

  @Test func `Bash completes actions, values and the names of models`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/models", withIntermediateDirectories: true)
    try folder.copy(Example.digits, as: "models/zebra-digits.tiobundle")
    let home = Executable(environment: ["TENSORIO_MODELS": "\(folder.path)/models"])
    let outcome = try home.script(
      """
      cd \(folder.path); tensorio() { "$tensorio" "$@"; }
      source <("$tensorio" completions bash)
      COMP_WORDS=(tensorio models pu); COMP_CWORD=2; _tensorio; echo "${COMPREPLY[@]}"
      COMP_WORDS=(tensorio models pull --var); COMP_CWORD=3; _tensorio; echo "${COMPREPLY[@]}"
      COMP_WORDS=(tensorio models list --var); COMP_CWORD=3; _tensorio; echo "${COMPREPLY[@]}"
      COMP_WORDS=(tensorio run x --format nd); COMP_CWORD=4; _tensorio; echo "${COMPREPLY[@]}"
      COMP_WORDS=(tensorio run zeb); COMP_CWORD=2; _tensorio; echo "${COMPREPLY[@]}"
      COMP_WORDS=(tensorio stream zebra-digits --color al); COMP_CWORD=4; _tensorio
      echo "${COMPREPLY[@]}"
      """)
    #expect(
      outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        == ["pull", "--variant", "", "ndjson", "zebra-digits", "always", ""], "\(outcome)")
  }
}
