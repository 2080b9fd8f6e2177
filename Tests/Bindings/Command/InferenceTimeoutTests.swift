import TensorIO
import Testing

@testable import TensorIOCommand

@Suite struct InferenceTimeoutTests {
  private func opener(_ arguments: String..., isServer: Bool = false) throws -> ModelOpener {
    try ModelOpener(
      ParsedArguments(arguments, flags: RunCommand.helpPage.allFlags), isServer: isServer)
  }

  @Test func `Without isolation, the time limit applies to runs in this process`() throws {
    let opener = try opener("--isolation", "none", "--inference-timeout", "3")
    #expect(opener.isolation == nil)
    #expect(opener.options.runTimeout == .seconds(3))
  }

  @Test func `A time limit alone selects worker processes`() throws {
    let opener = try opener("--inference-timeout", "3")
    #expect(opener.isolation?.timeout == .seconds(3))
    #expect(opener.options.runTimeout == nil)
  }

  @Test func `Without a time limit, runs in this process have none`() throws {
    #expect(try opener().options.runTimeout == nil)
    #expect(try opener("--isolation", "process").isolation?.timeout == .seconds(60))
    #expect(try opener("--isolation", "none", isServer: true).isolation == nil)
  }
}
