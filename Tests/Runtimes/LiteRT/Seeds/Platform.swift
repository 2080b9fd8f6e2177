// Stubs of the iOS types that the seeds use, so that their code compiles unchanged.
import Foundation

/// The application's resources: here, the folder of the test models.
struct Bundle {
  static let main = Bundle()

  func path(forResource name: String, ofType type: String) -> String? {
    let path = TinyModel.folder.appending(path: "\(name).\(type)").path()
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }
}

typealias FileInfo = (name: String, extension: String)

/// An image in memory with four bytes per pixel.
@safe final class CVPixelBuffer {
  let width: Int
  let height: Int
  let bytes: UnsafeMutableRawBufferPointer

  init(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> [UInt8]) {
    self.width = width
    self.height = height
    unsafe bytes = .allocate(byteCount: width * height * 4, alignment: 4)
    for y in 0..<height {
      for x in 0..<width {
        let start = (y * width + x) * 4
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + 4])
          .copyBytes(from: pixel(x, y))
      }
    }
  }

  deinit { unsafe bytes.deallocate() }

  func resized(to size: CGSize) -> CVPixelBuffer? {
    let (width, height) = (Int(size.width), Int(size.height))
    return CVPixelBuffer(width: width, height: height) { [self] x, y in
      let start = (y * self.height / height * self.width + x * self.width / width) * 4
      return unsafe Array(bytes[start..<start + 4])
    }
  }
}

struct CVPixelBufferLockFlags {
  static let readOnly = CVPixelBufferLockFlags()
}

let kCVPixelFormatType_32ARGB: UInt32 = 0x20
let kCVPixelFormatType_32BGRA: UInt32 = 0x4247_5241
let kCVPixelFormatType_32RGBA: UInt32 = 0x5247_4241

func CVPixelBufferLockBaseAddress(_: CVPixelBuffer, _: CVPixelBufferLockFlags) {}
func CVPixelBufferUnlockBaseAddress(_: CVPixelBuffer, _: CVPixelBufferLockFlags) {}
func CVPixelBufferGetBaseAddress(_ buffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
  unsafe buffer.bytes.baseAddress
}
func CVPixelBufferGetDataSize(_ buffer: CVPixelBuffer) -> Int { unsafe buffer.bytes.count }
func CVPixelBufferGetWidth(_ buffer: CVPixelBuffer) -> Int { buffer.width }
func CVPixelBufferGetHeight(_ buffer: CVPixelBuffer) -> Int { buffer.height }
func CVPixelBufferGetPixelFormatType(_: CVPixelBuffer) -> UInt32 { kCVPixelFormatType_32RGBA }

struct UIImage: Equatable {
  var rgbData: [UInt8] = []
  var width = 0
  var height = 0
}

struct UIColor: Equatable {
  let number: Int
}

struct CGAffineTransform {
  let scaleX: CGFloat
  let y: CGFloat
}

extension CGRect {
  func applying(_ transform: CGAffineTransform) -> CGRect {
    CGRect(
      x: origin.x * transform.scaleX, y: origin.y * transform.y,
      width: size.width * transform.scaleX, height: size.height * transform.y)
  }
}

// The example applications bring these two with them.

extension Data {
  init<Element>(copyingBufferOf array: [Element]) {
    self = unsafe array.withUnsafeBytes { unsafe Data($0) }
  }
}

extension Array {
  init?(unsafeData: Data) {
    guard unsafeData.count % MemoryLayout<Element>.stride == 0 else { return nil }
    self = unsafe unsafeData.withUnsafeBytes { unsafe Array($0.bindMemory(to: Element.self)) }
  }
}
