/// Why a server cannot be started.
package enum ServerError: Error, Sendable, Hashable {
  /// Others could reach it, and nothing keeps them out.
  case openToAll(String)
  /// There is no such address.
  case address(String, Int)
  /// The address cannot be had, for a reason that `errno` told.
  case occupied(String, Int, Int32)
  /// A call of the operating system failed, with its `errno`.
  case system(String, Int32)
}
