internal import CLiteRT
internal import TensorIOCore

/// How a model is to be compiled; needed only while that happens.
@safe struct CompileOptions: ~Copyable {
  /// The most threads that one run may use: beyond it, asking for more makes nothing faster.
  static let threadLimit = 256

  let handle: LiteRtOptions
  private let library: LiteRTLibrary

  private init(_ library: LiteRTLibrary) throws(ModelError) {
    self.library = library
    var handle: LiteRtOptions?
    let status = unsafe library.functions.pointee.LiteRtCreateOptions(&handle)
    unsafe self.handle = try require(handle, status, from: "LiteRtCreateOptions")
  }

  deinit {
    unsafe library.functions.pointee.LiteRtDestroyOptions(handle)
  }

  static func make(
    _ library: LiteRTLibrary, _ session: SessionOptions, weights file: String?
  ) throws(ModelError) -> CompileOptions {
    let options = try CompileOptions(library)
    try options.runOnCPU()
    let threads = min(max(session.threads, 1), threadLimit)
    let weights = file.map { "weight_cache_file_path = \"\($0)\"\n" } ?? ""
    try options.add("xnnpack", "num_threads = \(threads)\n\(weights)")
    try options.add("runtime_options_string", "error_reporter_mode = \(keepMessages)\n")
    return options
  }

  private func runOnCPU() throws(ModelError) {
    try require(
      unsafe library.functions.pointee.LiteRtSetOptionsHardwareAccelerators(
        handle, Int32(CLiteRTAcceleratorCPU)),
      from: "LiteRtSetOptionsHardwareAccelerators")
  }

  private func add(_ section: String, _ toml: String) throws(ModelError) {
    try require(
      unsafe clitert_add_options(library.functions, handle, section, toml),
      from: "LiteRtAddOpaqueOptions")
  }
}

/// The mode in which the runtime keeps its messages to be asked for, instead of printing them.
private let keepMessages = 2
