import TensorIOTypedModels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

exit(GeneratorCommand.run(Array(CommandLine.arguments.dropFirst())))
