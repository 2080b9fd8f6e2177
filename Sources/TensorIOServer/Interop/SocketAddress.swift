#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// An address and a port, as the operating system writes them.
struct SocketAddress {
  private let bytes: [UInt8]
  private let family: Int32
  let port: Int

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  /// The addresses of a host, which may be one itself; none where nobody knows it.
  static func all(of host: String, _ port: UInt16) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = stream
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
  func socket() -> Socket? {
    #if canImport(Glibc)
      let number = Glibc.socket(family, Self.stream, 0)
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
        unsafe Glibc.bind(socket.number, address, length) == 0
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
