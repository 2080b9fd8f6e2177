import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// LiteRT's library for graphics processors, and the devices that it can use.
///
/// The library uses WebGPU over Vulkan. It is opened by LiteRT, which is given its folder.
struct GPUAccelerator {
  /// The name that LiteRT opens.
  static let libraryFileName = "libLiteRtWebGpuAccelerator.so"

  /// The path of the folder of the library.
  let folder: String

  /// Locates the library, and requires a device.
  ///
  /// - Throws: `ModelError` with the reason `unmetRequirement` if there is no library or no device.
  init(_ search: RuntimeLibrarySearch) throws(ModelError) {
    // LiteRT opens the library by its name in a folder, so that a file of another name is of no use.
    let candidates = search.candidates().filter {
      FilePath.lastComponent(of: $0.path) == Self.libraryFileName && $0.path.contains("/")
    }
    guard let found = candidates.first(where: { !$0.isMissing }) else {
      let paths = candidates.map { "\($0.path): no such file" }.joined(separator: "; ")
      let specification = search.specification
      throw Self.unmet(
        "\(specification.displayName)" + (paths.isEmpty ? "" : " (\(paths))"),
        "install \(specification.displayName) \(specification.version), or set "
          + "\(specification.environmentVariable) to the path of its \(Self.libraryFileName)")
    }
    folder = FilePath.parent(of: found.path)
    guard let devices = VulkanDevices.names else {
      throw Self.unmet(
        "the Vulkan loader libvulkan.so.1, which was not found",
        "install it (Debian: libvulkan1) and a Vulkan driver for the device")
    }
    guard !devices.isEmpty else {
      throw Self.unmet(
        "a device, and Vulkan finds none", "install a Vulkan driver for the device")
    }
  }

  private static func unmet(_ requirement: String, _ suggestion: String) -> ModelError {
    ModelError(
      .runtime,
      .unmetRequirement(
        "running on a GPU requires \(requirement, as: "requirement"); \(suggestion, as: "suggestion")"
      ))
  }
}
