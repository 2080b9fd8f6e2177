// The only import of the C library. Files that import TensorIOSystem see its functions, too.
#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Darwin
#endif

/// Calls `read` in contexts where a member of that name shadows it.
package func systemRead(
  _ descriptor: CInt, _ memory: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
  unsafe read(descriptor, memory, count)
}

/// Calls `write` in contexts where a member of that name shadows it.
package func systemWrite(_ descriptor: CInt, _ memory: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, memory, count)
}

/// Calls `close` in contexts where a member of that name shadows it.
package func systemClose(_ descriptor: CInt) -> CInt { close(descriptor) }
