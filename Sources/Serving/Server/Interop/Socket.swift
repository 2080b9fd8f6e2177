import TensorIOSystem

/// A connected socket, closed on deinitialization.
final class Socket: Sendable {
  let descriptor: Int32

  /// The result of a read or write.
  enum IOResult: Equatable {
    case bytes(Int)
    /// Nothing can be transferred at the moment.
    case wouldBlock
    /// The connection is closed or broken.
    case closed
  }

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Reads available bytes, at most as many as `bytes` holds.
  func read(into bytes: inout [UInt8]) -> IOResult {
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      retryingOnInterrupt { unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0) }
    }
    return transfer(count, zero: .closed)
  }

  /// Appends available bytes to an array, at most `limit`.
  func read(upTo limit: Int, appendingTo bytes: inout [UInt8]) -> IOResult {
    var result = IOResult.wouldBlock
    bytes.append(addingCapacity: limit) { output in
      unsafe output.withUnsafeMutableBufferPointer { memory, initializedCount in
        let count = retryingOnInterrupt {
          unsafe recv(descriptor, memory.baseAddress, min(limit, memory.count), 0)
        }
        initializedCount += max(0, count)
        result = transfer(count, zero: .closed)
      }
    }
    return result
  }

  /// Writes bytes from `start` on, as many as fit.
  ///
  /// Does not raise SIGPIPE if the peer is gone.
  func write(_ bytes: [UInt8], startingAt start: Int) -> IOResult {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
      return retryingOnInterrupt {
        unsafe send(descriptor, rest.baseAddress, rest.count, Self.noSignalFlag)
      }
    }
    return transfer(count, zero: .wouldBlock)
  }

  /// The IP address of the peer; empty if the connection is closed.
  var peerAddress: String {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let status = unsafe withUnsafeMutableBytes(of: &storage) { bytes -> Int32 in
      guard let address = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress,
        unsafe getpeername(descriptor, address, &length) == 0
      else { return -1 }
      return unsafe getnameinfo(
        address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    }
    guard status == 0 else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Closes the sending side.
  func shutdownWrite() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Makes closing discard unsent data instead of sending it in the background.
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
    private static let noSignalFlag: Int32 = 0
  #else
    private static let noSignalFlag = Int32(MSG_NOSIGNAL)
  #endif
}

extension Socket {
  /// Sets the options of every accepted socket.
  func configure() {
    enableOption(Int32(IPPROTO_TCP), TCP_NODELAY)
    #if canImport(Darwin)
      enableOption(SOL_SOCKET, SO_NOSIGPIPE)
    #endif
    #if !os(Linux)
      Self.makeNonblocking(descriptor)
    #endif
  }

  func enableOption(_ level: Int32, _ option: Int32) { setOption(level, option, to: 1) }

  func setOption(_ level: Int32, _ option: Int32, to value: Int32) {
    var value = value
    unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Makes a descriptor nonblocking, and closes it in programs that this process executes.
  static func makeNonblocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }
}

/// A socket address as the operating system represents it.
struct SocketAddress {
  private let bytes: [UInt8]
  private let family: Int32
  let port: Int

  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
  #else
    private static let streamType = SOCK_STREAM
  #endif

  /// Returns the addresses of a host name or literal address; empty if it cannot be resolved.
  static func resolve(host: String, port: UInt16) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = streamType
    unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var first: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
    defer { unsafe freeaddrinfo(first) }
    var addresses: [SocketAddress] = []
    var next = unsafe first
    while let info = unsafe next {
      if let address = unsafe SocketAddress(info.pointee, port) { addresses.append(address) }
      unsafe next = info.pointee.ai_next
    }
    return addresses
  }

  private init?(_ info: addrinfo, _ port: UInt16) {
    guard let address = unsafe info.ai_addr else { return nil }
    bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
    family = unsafe info.ai_family
    self.port = Int(port)
  }

  /// Whether the address is reachable from this machine only.
  var isLoopback: Bool {
    switch family {
    case AF_INET: bytes.dropFirst(4).first == 127
    case AF_INET6: Array(bytes.dropFirst(8).prefix(16)) == [UInt8](repeating: 0, count: 15) + [1]
    default: false
    }
  }

  /// Creates a nonblocking socket of the address's family; `nil` on failure.
  func makeSocket() -> Socket? {
    #if canImport(Glibc)
      let descriptor = Glibc.socket(family, Self.streamType, 0)
    #elseif canImport(Musl)
      let descriptor = Musl.socket(family, Self.streamType, 0)
    #else
      let descriptor = Darwin.socket(family, Self.streamType, 0)
    #endif
    guard descriptor >= 0 else { return nil }
    Socket.makeNonblocking(descriptor)
    return Socket(descriptor)
  }

  /// Binds a socket to this address; returns whether that succeeded.
  func bind(_ socket: Socket) -> Bool {
    unsafe withAddress { address, length in
      #if canImport(Glibc)
        unsafe Glibc.bind(socket.descriptor, address, length) == 0
      #elseif canImport(Musl)
        unsafe Musl.bind(socket.descriptor, address, length) == 0
      #else
        unsafe Darwin.bind(socket.descriptor, address, length) == 0
      #endif
    }
  }

  /// Starts to connect a socket; returns whether it is connected already.
  func beginConnecting(_ socket: Socket) -> Bool {
    unsafe withAddress { address, length in
      #if canImport(Glibc)
        unsafe Glibc.connect(socket.descriptor, address, length) == 0
      #elseif canImport(Musl)
        unsafe Musl.connect(socket.descriptor, address, length) == 0
      #else
        unsafe Darwin.connect(socket.descriptor, address, length) == 0
      #endif
    }
  }

  /// Returns the port that a socket is bound to.
  static func port(of descriptor: Int32) -> Int? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutableBytes(of: &storage) { bytes -> Int? in
      guard let address = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress,
        unsafe getsockname(descriptor, address, &length) == 0
      else { return nil }
      // The port follows the family in both kinds of address, in network byte order.
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
