/// The status of a gRPC call.
enum GRPCStatus: Int, Sendable {
  case ok = 0
  case cancelled = 1
  case unknown = 2
  case invalidArgument = 3
  case deadlineExceeded = 4
  case notFound = 5
  case alreadyExists = 6
  case permissionDenied = 7
  case resourceExhausted = 8
  case failedPrecondition = 9
  case aborted = 10
  case outOfRange = 11
  case unimplemented = 12
  case internalError = 13
  case unavailable = 14
  case unauthenticated = 16

  /// Creates the status that corresponds to a response of HTTP.
  init(_ response: HTTPResponse) {
    guard let error = response.error else {
      self = response.status.code < 400 ? .ok : .unknown
      return
    }
    self = error.code == Self.timeoutCode ? .deadlineExceeded : Self.status(of: response.status)
  }

  /// The code of the error of a request that exceeded its time limit.
  static let timeoutCode = "timed-out"

  private static func status(of status: HTTPStatus) -> GRPCStatus {
    switch status.code {
    case 400, 415, 422: .invalidArgument
    case 401: .unauthenticated
    case 403: .permissionDenied
    case 404: .notFound
    case 408, 504: .deadlineExceeded
    case 409: .alreadyExists
    case 413, 429, 431: .resourceExhausted
    case 499: .cancelled
    case 405, 501: .unimplemented
    case 503: .unavailable
    case 500: .internalError
    default: .unknown
    }
  }
}

extension String {
  /// The text as the value of `grpc-message`: percent-encoded except for printable ASCII characters.
  var grpcMessage: String {
    var bytes: [UInt8] = []
    for byte in utf8.prefix(Self.maxMessageBytes) {
      if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%") {
        bytes.append(byte)
      } else {
        let digits = Array("0123456789ABCDEF".utf8)
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Clients limit the size of header fields.
  private static let maxMessageBytes = 2048
}

extension Duration {
  /// Creates the value of `grpc-timeout`, such as `500m` for half a second; `nil` if it is invalid.
  init?(grpcTimeout text: String) {
    guard let unit = text.last, (2...9).contains(text.utf8.count),
      text.utf8.dropLast().allSatisfy(\.isDigit), let value = Int64(text.dropLast())
    else { return nil }
    switch unit {
    case "H": self = .seconds(value * 3600)
    case "M": self = .seconds(value * 60)
    case "S": self = .seconds(value)
    case "m": self = .milliseconds(value)
    case "u": self = .microseconds(value)
    case "n": self = .nanoseconds(value)
    default: return nil
    }
  }
}
