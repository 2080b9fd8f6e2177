import Foundation

/// Measures TensorIO and its peers in turns, and prints the ratios.
@main enum TensorIOBench {
  static func main() async {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      guard !arguments.wantsHelp else { return print(Arguments.help) }
      try await run(arguments)
    } catch {
      say("tensorio-bench: \(error)")
      exit(1)
    }
  }

  private static func run(_ arguments: Arguments) async throws {
    var quiet = Quiet(patience: arguments.patience)
    var rows: [Row] = []
    var failed: [String] = []
    for job in arguments.jobs {
      say("\(job.name) …")
      do {
        rows += try await measured(job, arguments, &quiet)
      } catch BenchError.absent(let path) {
        say("\(job.name): \(BenchError.absent(path))")
      } catch {
        say("\(job.name): \(error)")
        failed.append(job.name)
      }
    }
    let report = Report(
      rows: rows, rounds: arguments.rounds, disturbed: quiet.disturbed,
      command: arguments.command)
    print(try report.text(arguments.format))
    if arguments.saves { try ReadMe(path: Place.readMe).save(report) }
    guard failed.isEmpty else { throw BenchError.unmeasured(failed) }
  }

  private static func measured(
    _ job: Job, _ arguments: Arguments, _ quiet: inout Quiet
  ) async throws -> [Row] {
    var contest = try job.prepare()
    if arguments.isAlone { contest.peer = nil }
    try await quiet.wait()
    return Row.rows(of: job, contest, try contest.rounds(arguments.rounds))
  }

  /// Prints a message to standard error.
  private static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
