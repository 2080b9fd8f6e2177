import TensorIOCore

/// The library that runs models of an ``Interpreter``.
public enum Runtime {
  /// The version of LiteRT, such as `2.3.0`; empty if it is not installed or its version is not known.
  public static var version: String {
    (try? LiteRTBackend().locateLibrary())?.installedVersion(of: .liteRT) ?? ""
  }
}
