public import TensorIOCore

extension RuntimeSpecification {
  /// TensorFlow's library and the packages that hold it.
  public static let tensorFlow = RuntimeSpecification(
    backend: .tensorflow, name: "tensorflow", title: "TensorFlow", libraryFile: libraryFile,
    environmentVariable: "TENSORIO_TENSORFLOW_LIBRARY", version: version,
    wheels: [
      wheel(
        .x86_64, package: "tensorflow-cpu", platform: "manylinux_2_27_x86_64",
        sha256: "2b847d217b02ee7731ed91431daf3250daa0196c3c94614d23be27232e6e5b6c",
        byteCount: 273_829_956),
      wheel(
        .aarch64, package: "tensorflow", platform: "manylinux_2_27_aarch64",
        sha256: "4b24aca16d527a3cf1c37f720c04c484c3d20f4d0fdfa98632ac8b9f3be6eb5c",
        byteCount: 281_828_020),
    ])

  private static let version = "2.21.0"

  #if canImport(Darwin)
    private static let libraryFile = "libtensorflow_cc.2.dylib"
  #else
    private static let libraryFile = "libtensorflow_cc.so.2"
  #endif

  /// The second library is the half of the first that its plug-ins share.
  private static func wheel(
    _ architecture: RuntimeArchitecture, package: String, platform: String, sha256: String,
    byteCount: Int
  ) -> RuntimeWheel {
    RuntimeWheel(
      architecture: architecture, package: package, version: version, pythonVersion: "3.11",
      abi: "cp311", platform: platform, sha256: sha256,
      libraries: ["tensorflow/libtensorflow_cc.so.2", "tensorflow/libtensorflow_framework.so.2"],
      byteCount: byteCount)
  }
}
