#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// One end of a connection, which is closed with the value.
final class Socket: Sendable {
  let descriptor: Int32

  /// What became of an attempt to read or to write.
  enum IOResult: Equatable {
    case bytes(Int)
    /// Nothing for the moment.
    case wouldBlock
    /// Nothing ever again.
    case closed
  }

  init(_ number: Int32) { self.descriptor = number }

  deinit { close(descriptor) }

  /// Reads what has come, as much as there is room for.
  func read(into bytes: inout [UInt8]) -> IOResult {
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      retryingOnInterrupt { unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0) }
    }
    return transfer(count, zero: .closed)
  }

  /// Writes as many bytes from a place on as fit; one who has left must not end this process.
  func write(_ bytes: [UInt8], startingAt start: Int) -> IOResult {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
      return retryingOnInterrupt { unsafe send(descriptor, rest.baseAddress, rest.count, Self.noSignalFlag) }
    }
    return transfer(count, zero: .wouldBlock)
  }

  /// Says that nothing more will be written.
  func shutdownWrite() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Gives up what was written and has not arrived, so that the kernel does not go on sending it.
  func setLingerZero() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout.size(ofValue: linger))
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
  }

  private func retryingOnInterrupt(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private func transfer(_ count: Int, zero: IOResult) -> IOResult {
    if count > 0 { return .bytes(count) }
    if count == 0 { return zero }
    return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .closed
  }

  #if canImport(Darwin)
    private static let withoutSignal: Int32 = 0
  #else
    private static let noSignalFlag = Int32(MSG_NOSIGNAL)
  #endif
}

extension Socket {
  /// Sets what every socket of the server needs.
  func configure() {
    enableOption(Int32(IPPROTO_TCP), TCP_NODELAY)
    #if canImport(Darwin)
      enable(SOL_SOCKET, SO_NOSIGPIPE)
    #endif
    #if !os(Linux)
      Self.makeNonblocking(number)
    #endif
  }

  func enableOption(_ level: Int32, _ option: Int32) { setOption(level, option, to: 1) }

  func setOption(_ level: Int32, _ option: Int32, to value: Int32) {
    var value = value
    unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Reading and writing do not wait, and programs that are started do not hold it.
  static func makeNonblocking(_ number: Int32) {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
  }
}

/// An address and a port, as the operating system writes them.
struct SocketAddress {
  private let bytes: [UInt8]
  private let family: Int32
  let port: Int

  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  /// The addresses of a host, which may be one itself; none where nobody knows it.
  static func resolve(host: String, port: UInt16) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = streamType
    unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var first: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
    defer { unsafe freeaddrinfo(first) }
    var found: [SocketAddress] = []
    var next = unsafe first
    while let info = unsafe next {
      if let address = unsafe SocketAddress(info.pointee, port) { found.append(address) }
      unsafe next = info.pointee.ai_next
    }
    return found
  }

  private init?(_ info: addrinfo, _ port: UInt16) {
    guard let address = unsafe info.ai_addr else { return nil }
    bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
    family = unsafe info.ai_family
    self.port = Int(port)
  }

  /// Whether only this machine can be reached at it.
  var isLoopback: Bool {
    switch family {
    case AF_INET: bytes.dropFirst(4).first == 127
    case AF_INET6: Array(bytes.dropFirst(8).prefix(16)) == [UInt8](repeating: 0, count: 15) + [1]
    default: false
    }
  }

  /// A socket of the address's kind that does not wait.
  func makeSocket() -> Socket? {
    #if canImport(Glibc)
      let number = Glibc.socket(family, Self.streamType, 0)
    #elseif canImport(Musl)
      let number = Musl.socket(family, Self.stream, 0)
    #else
      let number = Darwin.socket(family, Self.stream, 0)
    #endif
    guard number >= 0 else { return nil }
    Socket.makeNonblocking(number)
    return Socket(number)
  }

  /// Gives a socket this address, and says whether it could have it.
  func bind(_ socket: Socket) -> Bool {
    unsafe withAddress { address, length in
      #if canImport(Glibc)
        unsafe Glibc.bind(socket.descriptor, address, length) == 0
      #elseif canImport(Musl)
        unsafe Musl.bind(socket.number, address, length) == 0
      #else
        unsafe Darwin.bind(socket.number, address, length) == 0
      #endif
    }
  }

  /// The port that a socket has.
  static func port(of number: Int32) -> Int? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutableBytes(of: &storage) { bytes -> Int? in
      guard let address = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress,
        unsafe getsockname(number, address, &length) == 0
      else { return nil }
      // Behind the family, and in the order of the network, in both kinds of address.
      return unsafe Int(bytes[2]) << 8 | Int(bytes[3])
    }
  }

  private func withAddress(
    _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Bool
  ) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe body(bytes.bindMemory(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
  }
}
