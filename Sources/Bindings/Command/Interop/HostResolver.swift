import TensorIOSystem

/// Resolves the names of hosts.
enum HostResolver {
  /// Returns the addresses of a host, which is a name or a numeric address; empty if it cannot be resolved.
  static func addresses(of host: String) -> [IPAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = streamType
    var first: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
    defer { unsafe freeaddrinfo(first) }
    var addresses: [IPAddress] = []
    var next = unsafe first
    while let info = unsafe next {
      if let address = unsafe address(info.pointee) { addresses.append(address) }
      unsafe next = info.pointee.ai_next
    }
    return addresses
  }

  private static func address(_ info: addrinfo) -> IPAddress? {
    guard let pointer = unsafe info.ai_addr else { return nil }
    let bytes = unsafe Array(
      UnsafeRawBufferPointer(start: pointer, count: Int(info.ai_addrlen)))
    // The address follows the family and port, and in IPv6 the flow label.
    return switch unsafe info.ai_family {
    case AF_INET: IPAddress(Array(bytes.dropFirst(4).prefix(4)))
    case AF_INET6: IPAddress(Array(bytes.dropFirst(8).prefix(16)))
    default: nil
    }
  }

  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
  #else
    private static let streamType = SOCK_STREAM
  #endif
}
