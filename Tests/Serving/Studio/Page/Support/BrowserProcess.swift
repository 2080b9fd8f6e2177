import Foundation
import TensorIOTestSupport

/// The browser's process, which reads commands from descriptor 3 and writes responses to 4.
final class BrowserProcess: Sendable {
  let input: FileHandle
  let output: FileHandle
  private let pid: Int32
  private let folder: TemporaryFolder

  /// Starts a browser whose microphone, if a WAV file is given, records that file again and again.
  init(_ path: String, microphone: String? = nil) throws {
    folder = try TemporaryFolder()
    let (commands, responses, process) = (Pipe(), Pipe(), Process())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments =
      ["-c", #"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#, "sh", path]
      + Self.flags + ["--user-data-dir=\(folder.path)/profile"]
      + (microphone.map { ["--use-file-for-fake-audio-capture=\($0)"] } ?? [])
    process.standardInput = commands
    process.standardOutput = responses
    process.standardError = FileHandle.nullDevice
    try process.run()
    (input, output) = (commands.fileHandleForWriting, responses.fileHandleForReading)
    pid = process.processIdentifier
  }

  private static let flags = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
    "--disable-dev-shm-usage", "--disable-background-networking", "--remote-debugging-pipe",
    "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "about:blank",
  ]

  /// Closes the pipe, which makes the browser exit, and kills it if it does not.
  deinit {
    try? input.close()
    kill(pid, SIGTERM)
    for _ in 0..<100 where kill(pid, 0) == 0 { Thread.sleep(forTimeInterval: 0.02) }
    kill(pid, SIGKILL)
  }
}
