public import TensorIOCore

extension RuntimeSpecification {
  /// LiteRT's library and the packages that hold it.
  public static let liteRT = RuntimeSpecification(
    backend: .tflite, name: "litert", title: "LiteRT", libraryFile: libraryFile,
    environmentVariable: "TENSORIO_LITERT_LIBRARY", version: version,
    wheels: [
      wheel(
        .x86_64, platform: "manylinux_2_27_x86_64",
        sha256: "1f15078a6725d2357d9de9221664c29afa0545d807559c5f7199ce5e40b96b23",
        byteCount: 21_778_233),
      wheel(
        .aarch64, platform: "manylinux_2_27_aarch64",
        sha256: "853fc608f96da87bd5f3458465dfb9abbf18d5ae6b94eceacead407146f175ae",
        byteCount: 14_379_387),
    ])

  private static let version = "2.3.0"

  #if canImport(Darwin)
    private static let libraryFile = "libLiteRt.dylib"
  #else
    private static let libraryFile = "libLiteRt.so"
  #endif

  private static func wheel(
    _ architecture: RuntimeArchitecture, platform: String, sha256: String,
    byteCount: Int
  ) -> RuntimeWheel {
    RuntimeWheel(
      architecture: architecture, package: "ai-edge-litert", version: version,
      pythonVersion: "3.11", abi: "cp311", platform: platform, sha256: sha256,
      libraries: ["ai_edge_litert/libLiteRt.so"], byteCount: byteCount)
  }
}
