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
  /// The addresses from which the file may come.
  var addressPolicy = AddressPolicy.any
  /// Receives the number of bytes so far, and of all if the server states it.
  var onProgress: @Sendable (_ received: Int, _ total: Int?) -> Void = { _, _ in }
  let console: Console
  /// Whether the user has canceled the download.
  let isCancelled: @Sendable () -> Bool

  /// The transfer rate below which a server counts as stalled.
  private static let minBytesPerSecond = 1000
  private static let maxRedirects = 5

  /// The maximum number of attempts that receive nothing, and of seconds before another one.
  private static let maxAttempts = 5
  private static let maxDelaySeconds = 60

  /// How an attempt ended that did not fail for good.
  private enum Outcome {
    case complete
    /// The file is at another URL.
    case redirected(DownloadURL)
    /// Another attempt may succeed after some seconds.
    case interrupted(OperationError, delaySeconds: Int?)
  }

  /// Downloads a URL into a new file.
  func fetch(_ url: String, to path: String) throws(OperationError) {
    if case .interrupted(let error, _) = try transfer(url, to: path) { throw error }
  }

  /// Downloads a URL into a file, after what an earlier attempt has left in it.
  ///
  /// A transfer that breaks off is continued if the server still has the same contents, and repeated otherwise. A server
  /// that is busy is asked again after the time that it names.
  func resume(_ url: String, to path: String) throws(OperationError) {
    var attempt = 1
    while true {
      let start = FileStamp(path)?.byteCount ?? 0
      guard case .interrupted(let error, let delay) = try transfer(url, to: path) else {
        FileSystem.remove(Self.tagPath(path))
        return
      }
      attempt = (FileStamp(path)?.byteCount ?? 0) > start ? 1 : attempt + 1
      guard attempt <= Self.maxAttempts else { throw error }
      let seconds = min(delay ?? 1 << (attempt - 1), Self.maxDelaySeconds)
      console.info("tensorio: \(error.message); trying again in \(seconds) seconds")
      for _ in 0..<(10 * seconds) where !isCancelled() { BlockingSleep.sleep(.milliseconds(100)) }
      if isCancelled() { throw .cancelled }
    }
  }

  /// The file with the identifier of the contents of which a file is the beginning.
  private static func tagPath(_ path: String) -> String { path + ".etag" }

  private func transfer(_ url: String, to path: String) throws(OperationError) -> Outcome {
    guard addressPolicy != .any else { return try transfer(url, connecting: [], to: path) }
    guard var next = DownloadURL(url) else {
      throw .input("unsupported-url-scheme", "\(url) is not an http or https URL")
    }
    for _ in 0...Self.maxRedirects {
      let arguments = try addressPolicy.connectionArguments(of: next)
      let outcome = try transfer(next.text, connecting: arguments, to: path)
      guard case .redirected(let target) = outcome else { return outcome }
      next = target
    }
    throw .input("download-failed", "\(url): more than \(Self.maxRedirects) redirections")
  }

  private func transfer(
    _ url: String, connecting connection: [String], to path: String
  ) throws(OperationError) -> Outcome {
    let headers = path + ".headers"
    defer { FileSystem.remove(headers) }
    FileSystem.remove(headers)
    let tag = Self.tag(of: path)
    var file = try Self.open(path, truncating: tag == nil)
    let arguments = arguments(
      url, headers: headers, from: file.byteCount, of: file.byteCount > 0 ? tag : nil, connection)
    return try transfer(url, arguments, into: &file, at: path, headers: headers)
  }

  private static func open(
    _ path: String, truncating: Bool
  ) throws(OperationError) -> AppendableFile {
    do throws(FileError) {
      var file = try AppendableFile(path)
      if truncating { try file.truncate(to: 0) }
      return file
    } catch {
      throw OperationError(writing: path, error)
    }
  }

  private func transfer(
    _ url: String, _ arguments: [String], into file: inout AppendableFile, at path: String,
    headers: String
  ) throws(OperationError) -> Outcome {
    guard let child = ChildProcess("curl", arguments, connecting: .output) else {
      throw OperationError(
        "curl-missing", "cannot find 'curl', which downloads require (Debian: curl)",
        exitCode: .runtimeUnavailable)
    }
    do throws(OperationError) {
      try write(child, into: &file, at: path, headers: headers, url: url)
      return try outcome(of: child, DownloadHeaders(headers), path, url)
    } catch {
      child.terminate()
      throw error
    }
  }

  private func arguments(
    _ url: String, headers: String, from start: Int, of tag: String?, _ connection: [String]
  ) -> [String] {
    let range = tag.map { ["--range", "\(start)-", "--header", "If-Range: \($0)"] } ?? []
    // Redirections that have to be checked are followed by `transfer`.
    let redirections =
      addressPolicy == .any
      ? ["--location", "--max-redirs", "\(Self.maxRedirects)", "--proto-redir", "=http,https"] : []
    return [
      // Ignore the user's curl configuration.
      "--disable", "--silent", "--show-error", "--fail", "--globoff", "--proto", "=http,https",
      "--connect-timeout", "\(timeoutSeconds)",
      "--speed-limit", "\(Self.minBytesPerSecond)", "--speed-time", "\(timeoutSeconds)",
      "--max-filesize", "\(maxBytes)", "--dump-header", headers, "--output", "-",
    ] + redirections + connection + range + ["--", url]
  }

  private func write(
    _ child: ChildProcess, into file: inout AppendableFile, at path: String, headers: String,
    url: String
  ) throws(OperationError) {
    let stream = DescriptorStream(
      descriptor: FileDescriptor(rawValue: child.descriptor), isCancelled: isCancelled)
    var progress = DownloadProgress(headersPath: headers, console)
    defer { progress.finish() }
    var (isBegun, isRedirection) = (false, false)
    var total: Int?
    do {
      while case let bytes = try stream.readBytes(upTo: 1 << 16, waitForAll: false), !bytes.isEmpty
      {
        if !isBegun {
          let response = DownloadHeaders(headers)
          isRedirection = response?.isRedirection ?? false
          if !isRedirection { try begin(&file, at: path, response, &progress) }
          total = response?.contentLength.map { progress.start + $0 }
        }
        isBegun = true
        // The text of a redirection is not the file.
        if isRedirection { continue }
        guard file.byteCount + bytes.count <= maxBytes else { throw tooLarge(url) }
        try file.append(bytes)
        progress.advance(to: file.byteCount)
        onProgress(file.byteCount, total)
      }
    } catch let error as FileError {
      throw OperationError(writing: path, error)
    } catch {
      throw OperationError(error)
    }
    if isCancelled() { throw .cancelled }
  }

  /// Prepares a file for the body of a response: the rest of its contents, or all of them.
  private func begin(
    _ file: inout AppendableFile, at path: String, _ headers: DownloadHeaders?,
    _ progress: inout DownloadProgress
  ) throws(FileError) {
    guard headers?.status != 206 else {
      progress.start = file.byteCount
      return
    }
    try file.truncate(to: 0)
    FileSystem.remove(Self.tagPath(path))
    if let tag = headers?.strongTag {
      try AtomicFile.write(Array(tag.utf8), to: Self.tagPath(path), isDurable: false)
    }
  }

  private static func tag(of path: String) -> String? {
    (try? FileBytes.contents(of: tagPath(path), limit: 1 << 10)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

// MARK: Verification

extension Download {
  /// Throws unless the file has the expected digest.
  func verifyDigest(of path: String, named name: String) throws(OperationError) {
    guard let digest else { return }
    let found = try Self.digest(of: path)
    guard found == digest.lowercased() else {
      throw .input(
        "digest-mismatch", "\(name): expected SHA-256 \(digest.lowercased()), got \(found)")
    }
  }

  /// Returns the SHA-256 digest of a file, in hexadecimal.
  static func digest(of path: String) throws(OperationError) -> String {
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
    return actual.finalize().hexadecimal
  }

  // The exit statuses are documented in curl's manual.
  private func outcome(
    of child: ChildProcess, _ headers: DownloadHeaders?, _ path: String, _ url: String
  ) throws(OperationError) -> Outcome {
    let status = child.waitUntilExit()
    switch status {
    case 0:
      guard let headers, headers.isRedirection else { return .complete }
      return .redirected(try redirection(headers, from: url))
    case 18:
      return .interrupted(
        .input("download-incomplete", "\(url): the server closed the connection early"),
        delaySeconds: nil)
    case 28:
      return .interrupted(
        .input("download-stalled", "\(url): no data received for \(timeoutSeconds) seconds"),
        delaySeconds: nil)
    case 63: throw tooLarge(url)
    default: break
    }
    let message = child.standardErrorTail.split(whereSeparator: \.isNewline).last.map(String.init)
    let error = OperationError.input(
      "download-failed", "\(url): \(message ?? "curl exited with status \(status)")")
    switch (status, headers?.status ?? 0) {
    // The connection was refused or reset.
    case (7, _), (52, _), (56, _), (22, 429), (22, 500...):
      return .interrupted(error, delaySeconds: headers?.retryAfter)
    case (22, 416):
      // The file has other contents than those that it was begun with.
      FileSystem.remove(Self.tagPath(path))
      return .interrupted(error, delaySeconds: 0)
    default: throw error
    }
  }

  private func redirection(
    _ headers: DownloadHeaders, from url: String
  ) throws(OperationError) -> DownloadURL {
    let location = headers["location"] ?? ""
    guard let target = DownloadURL(url)?.redirected(to: location) else {
      throw .input(
        "download-failed", "\(url): the redirection to '\(location)' is not followed")
    }
    return target
  }

  private func tooLarge(_ url: String) -> OperationError {
    .input("download-too-large", "\(url): the file is larger than \(maxBytes.megabytes) MB")
  }
}
