import COptionalLibraries
import TensorIOSystem

/// The functions of libsodium, loaded at run time. The library stays open.
// Unchecked, but safe: the table is not modified after loading.
@safe package struct Libsodium: @unchecked Sendable {
  private let functions: UnsafePointer<CSodiumTable>

  #if os(macOS)
    private static let names = [
      "libsodium.dylib", "/opt/homebrew/opt/libsodium/lib/libsodium.dylib",
    ]
  #else
    private static let names = ["libsodium.so.23", "libsodium.so.26"]
  #endif

  /// Loads the library from a path, or from the first of its usual names that works.
  package init(path: String? = nil) throws(ModelError) {
    do throws(DynamicLibraryError) {
      unsafe functions = try DynamicLibrary.open(path, orFirstOf: Self.names, csodium_open)
    } catch {
      throw .signatureLibraryMissing(error.path, detail: error.message)
    }
    guard unsafe functions.pointee.sodium_init() >= 0 else {
      throw .signatureLibraryMissing(path ?? Self.names[0], detail: "initialization failed")
    }
  }

  /// The command that installs the library.
  package static var installCommand: String {
    #if os(macOS)
      "brew install libsodium"
    #else
      "apt-get install libsodium23"
    #endif
  }

  /// The system's library, loaded on first use.
  package static var standard: Libsodium {
    get throws(ModelError) { try opened.get() }
  }

  private static let opened = Result { () throws(ModelError) in try Libsodium() }

  /// The library's name and version, such as `libsodium 1.0.18`.
  package var version: String {
    unsafe "libsodium " + String(cString: functions.pointee.sodium_version_string())
  }

  /// Returns random bytes (`randombytes_buf`).
  func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe functions.pointee.randombytes_buf(&bytes, count)
    return bytes
  }

  /// Returns a new secret key (`crypto_sign_ed25519_keypair`, which never fails).
  func makeKeyPair() -> [UInt8] {
    var point = [UInt8](repeating: 0, count: PublicKey.rawByteCount)
    var secret = [UInt8](repeating: 0, count: SecretKey.byteCount)
    unsafe _ = functions.pointee.crypto_sign_ed25519_keypair(&point, &secret)
    return secret
  }

  /// Returns the signature of a message (`crypto_sign_ed25519_detached`, which never fails).
  func sign(_ message: [UInt8], with key: SecretKey) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: MinisignSignature.byteCount)
    unsafe _ = functions.pointee.crypto_sign_ed25519_detached(
      &signature, nil, message, UInt64(message.count), key.bytes)
    return signature
  }

  /// Returns whether a signature is valid (`crypto_sign_ed25519_verify_detached`).
  func verify(_ message: [UInt8], signature: [UInt8], key: PublicKey) -> Bool {
    guard signature.count == MinisignSignature.byteCount,
      key.rawBytes.count == PublicKey.rawByteCount
    else {
      return false
    }
    return unsafe functions.pointee.crypto_sign_ed25519_verify_detached(
      signature, message, UInt64(message.count), key.rawBytes) == 0
  }

  /// Returns the BLAKE2b digest (`crypto_generichash_blake2b`, which supports these sizes).
  func digest(of message: [UInt8], byteCount: Int = 64) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: byteCount)
    unsafe _ = functions.pointee.crypto_generichash_blake2b(
      &digest, byteCount, message, UInt64(message.count), nil, 0)
    return digest
  }

  /// Derives a key stream from a password (`crypto_pwhash_scryptsalsa208sha256`).
  func deriveKey(
    byteCount count: Int, password: [UInt8], salt: [UInt8], cost: SecretKey.KDFCost
  ) throws(ModelError) -> [UInt8] {
    var stream = [UInt8](repeating: 0, count: count)
    let memory = Int(clamping: cost.memoryLimit)
    let status = unsafe password.withUnsafeBufferPointer { password in
      unsafe password.withMemoryRebound(to: CChar.self) { password in
        var nothing: CChar = 0
        return unsafe withUnsafePointer(to: &nothing) { nothing in
          unsafe functions.pointee.crypto_pwhash_scryptsalsa208sha256(
            &stream, UInt64(count), password.baseAddress ?? nothing, UInt64(password.count), salt,
            cost.operationLimit, memory)
        }
      }
    }
    guard status == 0 else { throw .keyMemory(bytes: memory) }
    return stream
  }
}
