import TensorIOCore
import TensorIOLibrary
import TensorIOSystem

/// Downloads a file with `curl`, within limits.
struct Download: Sendable {
  /// The maximum size of a file, in bytes.
  var maxBytes = 2 << 30
  /// The number of seconds that a connection may take or a transfer may stall.
  var timeoutSeconds = 30
  /// The expected SHA-256 digest of the file, in hexadecimal.
  var digest: String?
  let console: Console
  /// Whether the user has canceled the download.
  let isCancelled: @Sendable () -> Bool

  /// The transfer rate below which a server counts as stalled.
  private static let minBytesPerSecond = 1000
  private static let maxRedirects = 5

  /// Downloads a URL into a new file.
  func fetch(_ url: String, to path: String) throws(OperationError) {
    let headers = path + ".headers"
    defer { FileSystem.remove(headers) }
    let arguments = arguments(url, headers: headers)
    guard let child = ChildProcess("curl", arguments, connecting: .output) else {
      throw OperationError(
        "curl-missing", "cannot find 'curl', which downloads require (Debian: curl)",
        exitCode: .runtimeUnavailable)
    }
    do throws(OperationError) {
      try write(child, to: path, headers: headers, url: url)
      try checkExitStatus(child.waitUntilExit(), child, url)
    } catch {
      child.terminate()
      throw error
    }
  }

  private func arguments(_ url: String, headers: String) -> [String] {
    [
      // Ignore the user's curl configuration.
      "--disable", "--silent", "--show-error", "--fail", "--globoff", "--location",
      "--max-redirs", "\(Self.maxRedirects)", "--proto", "=http,https",
      "--proto-redir", "=http,https", "--connect-timeout", "\(timeoutSeconds)",
      "--speed-limit", "\(Self.minBytesPerSecond)", "--speed-time", "\(timeoutSeconds)",
      "--max-filesize", "\(maxBytes)", "--dump-header", headers, "--output", "-", "--", url,
    ]
  }

  private func write(
    _ child: ChildProcess, to path: String, headers: String, url: String
  ) throws(OperationError) {
    let stream = DescriptorStream(descriptor: child.output, isCancelled: isCancelled)
    var progress = DownloadProgress(headersPath: headers, console)
    defer { progress.finish() }
    do {
      let file = try WritableFile(creating: path)
      var count = 0
      while case let bytes = try stream.readBytes(upTo: 1 << 16, waitForAll: false), !bytes.isEmpty
      {
        guard count + bytes.count <= maxBytes else { throw tooLarge(url) }
        try file.write(bytes, at: count)
        count += bytes.count
        progress.advance(to: count)
      }
      try file.close()
    } catch let error as FileError {
      throw OperationError(writing: path, error)
    } catch {
      throw OperationError(error)
    }
    if isCancelled() { throw .cancelled }
  }
}

// MARK: Verification

extension Download {
  /// Throws unless the file has the expected digest.
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
      throw .input(
        "digest-mismatch", "\(name): expected SHA-256 \(digest.lowercased()), got \(found)")
    }
  }

  // The exit statuses are documented in curl's manual.
  private func checkExitStatus(
    _ status: Int32, _ child: ChildProcess, _ url: String
  ) throws(OperationError) {
    switch status {
    case 0: return
    case 18: throw .input("download-incomplete", "\(url): the server closed the connection early")
    case 28:
      throw .input(
        "download-stalled", "\(url): no data received for \(timeoutSeconds) seconds")
    case 63: throw tooLarge(url)
    default:
      let message = child.standardErrorTail.split(whereSeparator: \.isNewline).last.map(String.init)
      throw .input("download-failed", "\(url): \(message ?? "curl exited with status \(status)")")
    }
  }

  private func tooLarge(_ url: String) -> OperationError {
    .input("download-too-large", "\(url): the file is larger than \(maxBytes.megabytes) MB")
  }
}
