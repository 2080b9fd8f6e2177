import Foundation
import TensorIOTestSupport
import Testing

/// What shows only when `tensorio` is a process of its own.
@Suite struct ProcessTests {
  let executable = Executable()

  @Test func `data and messages go to different streams`() throws {
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")], modes: ""
    )
    let outcome = try executable.run(["run", bundle.path, "[1,2,3,4]", "[1]"])
    #expect(outcome.exitCode == 1)
    #expect(try outcome.jsonLines().count == 2)
    let messages = outcome.messages.split(separator: "\n")
    #expect(messages.count == 2)
    #expect(messages.first?.hasPrefix("tensorio: a warning about the bundle") == true)
    #expect(messages.last == "tensorio: [1]: layer 'x': expected 4 values, got 1")
  }

  @Test(arguments: ["run", "inspect", "validate"])
  func `what LiteRT prints stays away from the terminal`(_ verb: String) throws {
    let outcome = try executable.run([verb, Example.digits])
    #expect(outcome.exitCode == 0)
    #expect(outcome.messages.isEmpty)
  }

  @Test func `what LiteRT prints is there for those who ask`() throws {
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
  func `the exit code is the process's`(_ words: [String], _ exit: Int32) throws {
    let filled = words.map { $0.replacing("DIGITS", with: Example.digits) }
    #expect(try executable.run(filled).exitCode == exit)
  }

  @Test func `pictures come through the standard input`() throws {
    let picture = [UInt8](try Data(contentsOf: URL(filePath: Example.digit("7-1"))))
    let record = try executable.run(["run", Example.digits, "-"], input: picture).json()
    #expect(record["outputs"]?["classification"]?[0]?["label"]?.string == "7")
  }

  @Test func `without LiteRT, every verb says how to get it`() throws {
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
    for verb in ["run", "inspect", "runtime where"] {
      let words =
        verb == "runtime where" ? ["runtime", "where", "litert"] : [verb, Example.digits]
      let outcome = try bare.run(words)
      #expect(outcome.exitCode == 5, "\(verb)")
      #expect(outcome.messages.contains(install), "\(verb): \(outcome)")
    }
    let validate = try bare.run(["validate", Example.digits])
    #expect(validate.exitCode == 5)
    #expect(validate.output.contains(install))
    let list = try bare.run(["runtime", "list", "--format", "json"]).json().array ?? []
    #expect(list.allSatisfy { $0["state"]?.string == "absent" })
    #expect(folder.entries.isEmpty)
  }

  @Test func `a variable that leads nowhere is an error, and not passed over`() throws {
    let outcome = try Executable(environment: ["TENSORIO_LITERT_LIBRARY": "/nowhere/lib.so"])
      .run(["run", Example.digits])
    #expect(outcome.exitCode == 5)
    #expect(outcome.messages.contains("TENSORIO_LITERT_LIBRARY=/nowhere/lib.so"))
    #expect(outcome.messages.contains("unset TENSORIO_LITERT_LIBRARY"))
  }

  @Test func `an interrupt ends it with 130`() throws {
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")], modes: ""
    )
    let process = try executable.start(["run", bundle.path, "-"])
    // It says this once it is ready, and then waits for input that does not come.
    try process.waitForMessage("warning about the bundle")
    process.interrupt()
    #expect(process.wait().exitCode == 130)
  }

  @Test func `a reader that goes away ends it quietly`() throws {
    let outcome = try executable.script(
      """
      for i in {1..2000}; do echo '[1,2,3,4,5,6,7,8,9,10]'; done \
        | "$tensorio" run \(Example.diabetes) --batch - | head -n 1
      echo "${PIPESTATUS[1]}"
      """)
    #expect(outcome.exitCode == 0)
    #expect(outcome.messages.isEmpty, "\(outcome.messages)")
    // 141 is what a shell says of a process that a closed pipe ended.
    #expect(["0", "141"].contains(outcome.lines.last))
    #expect(outcome.lines.count == 2)
  }

  @Test(arguments: ["bash", "zsh"])
  func `completions are a script that bash understands`(_ shell: String) throws {
    let outcome = try executable.script("\"$tensorio\" completions \(shell) | bash -n")
    #expect(outcome.exitCode == 0)
    #expect(outcome.messages.isEmpty)
  }

  @Test func `bash completes verbs and flags`() throws {
    let outcome = try executable.script(
      """
      source <("$tensorio" completions bash)
      COMP_WORDS=(tensorio val); COMP_CWORD=1; _tensorio; echo "${COMPREPLY[@]}"
      COMP_WORDS=(tensorio run x --ann); COMP_CWORD=3; _tensorio; echo "${COMPREPLY[@]}"
      """)
    #expect(outcome.lines == ["validate", "--annotate"])
  }
}
