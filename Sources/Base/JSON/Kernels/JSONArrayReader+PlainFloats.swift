extension JSONArrayReader {
  /// Reads decimal numbers without exponents as long as a comma follows each.
  ///
  /// Tensors have many elements, so that this finds and converts eight digits of a fraction at a
  /// time. It stops where it is not certain of a number, or of the memory after it, and leaves the
  /// rest to the caller.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - start: The offset of the first number.
  ///   - values: The array to append to, at most as many numbers as it has capacity for.
  /// - Returns: The offset after the last number that was read, its comma, and a space.
  static func readPlainFloats(
    _ text: [UInt8], at start: Int, into values: inout [Float]
  ) -> Int {
    let capacity = min(values.capacity - values.count, maxPlainCount)
    guard capacity > 0 else { return start }
    let (powers, table) = (DecimalNumber.exactPowersOfTen, PowerOfTen.table)
    var offset = start
    values.append(addingCapacity: capacity) { output in
      unsafe output.withUnsafeMutableBufferPointer { memory, count in
        unsafe text.withUnsafeBytes { text in
          while count < capacity, let number = unsafe PlainNumber(text, at: offset),
            let value = number.float(powers, table)
          {
            unsafe memory[count] = value
            count += 1
            offset = number.end
          }
        }
      }
    }
    return offset
  }
}

/// A decimal number without an exponent, and with a comma behind it.
private struct PlainNumber {
  private var isNegative = false
  private var significand: UInt64 = 0
  /// The number of digits after the decimal point.
  private var scale = 0
  /// The offset after the comma, and after a space that follows it.
  private(set) var end: Int

  /// The number of digits that always fit in 64 bits.
  private static let maxDigits = 19
  /// More bytes than a sign, all digits, a point and eight bytes that are loaded at once.
  private static let maxBytes = 64

  /// Parses the number at an offset; `nil` if it has another form or is near the end of the text.
  @inline(__always)
  init?(_ text: UnsafeRawBufferPointer, at start: Int) {
    guard start &+ Self.maxBytes <= text.count else { return nil }
    end = start
    if unsafe text[end] == ASCII.minus {
      isNegative = true
      end &+= 1
    }
    let first = end
    while end &- first < Self.maxDigits {
      let digit = unsafe text[end] &- ASCII.zero
      guard digit < 10 else { break }
      significand = significand &* 10 &+ UInt64(digit)
      end &+= 1
    }
    let digitCount = end &- first
    guard unsafe digitCount == 1 || digitCount > 1 && text[first] != ASCII.zero else { return nil }
    if unsafe text[end] == ASCII.dot {
      end &+= 1
      var count = 0
      repeat {
        let word = unsafe text.loadUnaligned(fromByteOffset: end, as: UInt64.self).littleEndian
        let digits = word ^ 0x3030_3030_3030_3030
        // The high bit of each byte that is not a digit, up to the first one.
        let others = ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
        count = others.trailingZeroBitCount &>> 3
        guard count > 0 else { break }
        guard digitCount &+ scale &+ count <= Self.maxDigits else { return nil }
        significand =
          significand &* Self.powersOfTen[count]
          &+ Self.value(digits &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count))
        scale &+= count
        end &+= count
      } while count == 8
      guard scale > 0 else { return nil }
    }
    guard unsafe text[end] == ASCII.comma else { return nil }
    end &+= 1
    if unsafe text[end] == ASCII.space { end &+= 1 }
  }

  private static let powersOfTen: InlineArray<9, UInt64> = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
  ]

  /// Returns the value of eight digits, the first of which is in the lowest byte.
  @inline(__always)
  private static func value(_ digits: UInt64) -> UInt64 {
    let pairs = (digits &* 10) &+ (digits &>> 8)
    let mask: UInt64 = 0x0000_00FF_0000_00FF
    let high = (pairs & mask) &* (100 &+ (1_000_000 &<< 32))
    let low = ((pairs &>> 16) & mask) &* (1 &+ (10_000 &<< 32))
    return (high &+ low) &>> 32
  }

  /// The nearest number of the type; `nil` if it is not certain.
  @inline(__always)
  func float(_ powers: [Double], _ table: PowerOfTen.Table) -> Float? {
    let magnitude: Double
    if significand <= 1 << 53, scale <= 22 {
      magnitude =
        scale == 0
        ? Double(significand) : Double(significand) / powers[scale]
    } else if let product = DecimalNumber.roundedProduct(significand, -scale, table) {
      magnitude = product
    } else {
      return nil
    }
    return DecimalNumber.floatIfCertain(magnitude).map { isNegative ? -$0 : $0 }
  }
}
