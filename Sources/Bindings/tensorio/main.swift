import TensorIOCommand

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

exit(TensorIOCommand.run(Array(CommandLine.arguments.dropFirst())))
