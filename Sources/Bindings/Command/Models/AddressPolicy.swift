import TensorIOCore
import TensorIOLibrary

/// The addresses from which a download may be made.
enum AddressPolicy: Sendable, Equatable {
  /// All that the user of the command can reach, through proxies too.
  case any
  /// Those of the public internet, for downloads that clients of a server choose; with the host and port of a mirror that the
  /// operator has set.
  ///
  /// Each redirection is checked, and connections are made to the checked addresses, so that a name cannot change its
  /// address after the check.
  case publicOnly(trusted: String? = nil)

  /// The code of a download from an address that is not public.
  static let privateAddressCode = "private-address"

  /// Returns the arguments with which `curl` connects to nothing but the checked addresses of a URL.
  func connectionArguments(of url: DownloadURL) throws(OperationError) -> [String] {
    guard case .publicOnly(let trusted) = self, url.authority != trusted else { return [] }
    let addresses = HostResolver.addresses(of: url.host)
    guard !addresses.isEmpty else {
      throw .input("download-failed", "\(url.text): the name '\(url.host)' cannot be resolved")
    }
    guard addresses.allSatisfy(\.isPublic) else {
      throw .input(
        Self.privateAddressCode,
        "\(url.text): '\(url.host)' is this machine or a private network, from which the server downloads nothing"
      )
    }
    let texts = addresses.map { $0.text.contains(":") ? "[\($0.text)]" : $0.text }
    // A proxy would resolve the name again.
    return [
      "--noproxy", "*", "--resolve", "\(url.host):\(url.port):\(texts.joined(separator: ","))",
    ]
  }
}
