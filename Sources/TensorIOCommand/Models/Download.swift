import TensorIOCore
import TensorIOSystem

/// Fetches a file from an address by way of `curl`, within limits.
struct Download: Sendable {
  /// How many bytes a file may have.
  var maxBytes = 2 << 30
  /// How many seconds a server may give next to nothing.
  var timeoutSeconds = 30
  /// The SHA-256 that the file has to have, as hexadecimal digits.
  var digest: String?
  let console: Console
  /// Whether to go on no more.
  let isCancelled: @Sendable () -> Bool

  /// A server that gives fewer bytes a second has stalled.
  private static let minBytesPerSecond = 1000
  private static let maxRedirects = 5

  /// Fetches what an address leads to into a new file.
  func fetch(_ address: String, to path: String) throws(OperationError) {
    let headers = path + ".headers"
    defer { FileSystem.remove(headers) }
    let arguments = arguments(address, headers: headers)
    guard let child = ChildProcess("curl", arguments, connecting: .output) else {
      throw OperationError(
        "curl-missing", "'curl' is not on the path, and addresses need it (Debian: curl)",
        exitCode: .runtimeUnavailable)
    }
    do throws(OperationError) {
      try write(child, to: path, headers: headers, named: address)
      try checkExitStatus(child.waitUntilExit(), child, address)
    } catch {
      child.terminate()
      throw error
    }
  }

  private func arguments(_ address: String, headers: String) -> [String] {
    [
      // What stands in the user's own settings of curl is for other uses of it.
      "--disable", "--silent", "--show-error", "--fail", "--globoff", "--location",
      "--max-redirs", "\(Self.maxRedirects)", "--proto", "=http,https",
      "--proto-redir", "=http,https", "--connect-timeout", "\(timeoutSeconds)",
      "--speed-limit", "\(Self.minBytesPerSecond)", "--speed-time", "\(timeoutSeconds)",
      "--max-filesize", "\(maxBytes)", "--dump-header", headers, "--output", "-", "--", address,
    ]
  }

  private func write(
    _ child: ChildProcess, to path: String, headers: String, named address: String
  ) throws(OperationError) {
    let stream = DescriptorStream(descriptor: child.output, isCancelled: isCancelled)
    var progress = DownloadProgress(headersPath: headers, console)
    defer { progress.finish() }
    do {
      let file = try WritableFile(creating: path)
      var count = 0
      while case let bytes = try stream.readBytes(upTo: 1 << 16, waitForAll: false), !bytes.isEmpty {
        guard count + bytes.count <= maxBytes else { throw tooLarge(address) }
        try file.write(bytes, at: count)
        count += bytes.count
        progress.advance(to: count)
      }
      try file.close()
    } catch let fault as FileError {
      throw OperationError(writing: path, fault)
    } catch let failure as OperationError {
      throw failure
    } catch {
      throw OperationError("failed", "\(error)", exitCode: .inferenceFailed)
    }
    if isCancelled() { throw .cancelled }
  }
}

// MARK: What may go wrong

extension Download {
  /// Refuses a file that is another than the one that was meant.
  func verifyDigest(of path: String, named name: String) throws(OperationError) {
    guard let digest else { return }
    var actual = SHA256()
    do throws(FileError) {
      let file = try ReadableFile(path)
      let count = file.byteCount ?? 0
      for start in stride(from: 0, to: count, by: 1 << 20) {
        actual.update(try file.bytes(in: start..<min(count, start + 1 << 20)))
      }
    } catch {
      throw .input("unreadable-file", "\(path): \(error.message)")
    }
    let found = actual.finalize().hexadecimal
    guard found == digest.lowercased() else {
      throw .input("wrong-digest", "\(name): its SHA-256 is \(found), not \(digest.lowercased())")
    }
  }

  /// The exit statuses are those of curl's manual.
  private func checkExitStatus(
    _ status: Int32, _ child: ChildProcess, _ address: String
  ) throws(OperationError) {
    switch status {
    case 0: return
    case 18: throw .input("download-cut-short", "\(address): less came than was promised")
    case 28:
      throw .input(
        "download-stalled", "\(address): the server gave next to nothing for \(timeoutSeconds) seconds")
    case 63: throw tooLarge(address)
    default:
      let said = child.standardErrorTail.split(whereSeparator: \.isNewline).last.map(String.init)
      throw .input("download-failed", "\(address): \(said ?? "curl ended with \(status)")")
    }
  }

  private func tooLarge(_ address: String) -> OperationError {
    .input("download-too-large", "\(address): it has more than \(maxBytes.megabytes) MB")
  }
}

extension OperationError {
  /// The user wants no more of it.
  static let cancelled = OperationError("cancelled", "interrupted", exitCode: .interrupted)
}
