import TensorIOIsolation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

exit(WorkerMain.run(Array(CommandLine.arguments.dropFirst()), runtime: LinkedRuntime.self))
