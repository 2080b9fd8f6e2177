/// Implements `tio_main`, which runs the command line for programs that load the library.
@c(tio_main)
public func runCommandLine(
  _ count: Int32, _ values: UnsafePointer<UnsafePointer<CChar>?>?
) -> Int32 {
  let arguments = (1..<max(1, Int(count))).compactMap { index in
    unsafe values?[index].map { unsafe String(cString: $0) }
  }
  return TensorIOCommand.run(arguments)
}
