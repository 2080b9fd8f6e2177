internal import TensorIOCore
internal import TensorIOSystem

/// Fetches a file from an address by way of `curl`, within limits.
struct Download: Sendable {
  /// How many bytes a file may have.
  var byteLimit = 2 << 30
  /// How many seconds a server may give next to nothing.
  var patience = 30
  /// The SHA-256 that the file has to have, as hexadecimal digits.
  var digest: String?
  let console: Console
  /// Whether to go on no more.
  let isEnded: @Sendable () -> Bool

  /// A server that gives fewer bytes a second has stalled.
  private static let slowest = 1000
  private static let redirects = 5

  /// Fetches what an address leads to into a new file.
  func fetch(_ address: String, to path: String) throws(CommandFailure) {
    let headers = path + ".headers"
    defer { Folder.remove(headers) }
    let arguments = arguments(address, headers: headers)
    guard let child = ChildProcess("curl", arguments, ours: .output) else {
      throw CommandFailure(
        "curl-missing", "'curl' is not on the path, and addresses need it (Debian: curl)",
        exit: .runtime)
    }
    do throws(CommandFailure) {
      try write(child, to: path, headers: headers, named: address)
      try check(child.waitForEnd(), child, address)
    } catch {
      child.stop()
      throw error
    }
  }

  private func arguments(_ address: String, headers: String) -> [String] {
    [
      // What stands in the user's own settings of curl is for other uses of it.
      "--disable", "--silent", "--show-error", "--fail", "--globoff", "--location",
      "--max-redirs", "\(Self.redirects)", "--proto", "=http,https",
      "--proto-redir", "=http,https", "--connect-timeout", "\(patience)",
      "--speed-limit", "\(Self.slowest)", "--speed-time", "\(patience)",
      "--max-filesize", "\(byteLimit)", "--dump-header", headers, "--output", "-", "--", address,
    ]
  }

  private func write(
    _ child: ChildProcess, to path: String, headers: String, named address: String
  ) throws(CommandFailure) {
    let stream = DescriptorBytes(descriptor: child.output, isEnded: isEnded)
    var progress = DownloadProgress(headers: headers, console)
    defer { progress.finish() }
    do {
      let file = try WritableFile(creating: path)
      var count = 0
      while case let bytes = try stream.bytes(upTo: 1 << 16, all: false), !bytes.isEmpty {
        guard count + bytes.count <= byteLimit else { throw tooLarge(address) }
        try file.write(bytes, at: count)
        count += bytes.count
        progress.advance(to: count)
      }
      try file.close()
    } catch let fault as FileFault {
      throw CommandFailure(writing: path, fault)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure("failed", "\(error)", exit: .run)
    }
    if isEnded() { throw .interruption }
  }
}

// MARK: What may go wrong

extension Download {
  /// Refuses a file that is another than the one that was meant.
  func check(digestOf path: String, named name: String) throws(CommandFailure) {
    guard let digest else { return }
    var actual = SHA256()
    do throws(FileFault) {
      let file = try ReadableFile(path)
      let count = file.byteCount ?? 0
      for start in stride(from: 0, to: count, by: 1 << 20) {
        actual.add(try file.bytes(start..<min(count, start + 1 << 20)))
      }
    } catch {
      throw .input("unreadable-file", "\(path): \(error.problem)")
    }
    let found = actual.finish().hexadecimal
    guard found == digest.lowercased() else {
      throw .input("wrong-digest", "\(name): its SHA-256 is \(found), not \(digest.lowercased())")
    }
  }

  /// The exit statuses are those of curl's manual.
  private func check(
    _ status: Int32, _ child: ChildProcess, _ address: String
  ) throws(CommandFailure) {
    switch status {
    case 0: return
    case 18: throw .input("download-cut-short", "\(address): less came than was promised")
    case 28:
      throw .input(
        "download-stalled", "\(address): the server gave next to nothing for \(patience) seconds")
    case 63: throw tooLarge(address)
    default:
      let said = child.lastMessages.split(whereSeparator: \.isNewline).last.map(String.init)
      throw .input("download-failed", "\(address): \(said ?? "curl ended with \(status)")")
    }
  }

  private func tooLarge(_ address: String) -> CommandFailure {
    .input("download-too-large", "\(address): it has more than \(byteLimit.megabytes) MB")
  }
}

extension CommandFailure {
  /// The user wants no more of it.
  static let interruption = CommandFailure("cancelled", "interrupted", exit: .interrupted)
}
