import Foundation
import Testing
@testable import TensorIOServer

@Suite struct AnswerTests {
  private func head(_ response: HTTPResponse, _ frame: ResponseFraming) -> String {
    String(decoding: response.serializedHead(frame), as: UTF8.self)
  }

  @Test func `an answer says how long it is, and by what its request is known`() {
    let response = HTTPResponse(.created, type: "text/plain", body: [65, 66])
    let frame = ResponseFraming(requestID: "a-1")
    #expect(
      head(response, frame)
        == "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
        + "X-Request-Id: a-1\r\n\r\n")
    #expect(response.serializedBody(frame) == [65, 66])
  }

  @Test func `a connection that ends is announced, and one that stays to who does not expect it`() {
    let response = HTTPResponse(type: "text/plain", body: [])
    #expect(head(response, ResponseFraming(requestID: "", closesConnection: true)).contains("\r\nConnection: close\r\n"))
    #expect(
      head(response, ResponseFraming(requestID: "", isHTTP10: true))
        .contains("\r\nConnection: keep-alive\r\n"))
  }

  @Test func `who asks for a head gets none of the body, and its length`() {
    let response = HTTPResponse(type: "text/plain", body: [65, 66])
    let frame = ResponseFraming(requestID: "", omitsBody: true)
    #expect(response.serializedBody(frame).isEmpty)
    #expect(head(response, frame).contains("\r\nContent-Length: 2\r\n"))
  }

  @Test func `an answer without content has no length`() {
    let response = HTTPResponse(.noContent, type: "text/plain", body: [65])
    #expect(response.serializedBody(ResponseFraming(requestID: "")).isEmpty)
    #expect(!head(response, ResponseFraming(requestID: "")).contains("Content-Length"))
  }

  @Test(arguments: [
    ("X-A", "b\r\nX-Evil: yes"), ("X-A", "b\nX-Evil: yes"), ("X-A", "b\rX-Evil: yes"),
    ("X-A", "b\0"), ("X-A: b\r\nX-Evil", "yes"), ("X A", "b"), ("", "b"),
  ])
  func `a field is one line or is left out`(name: String, value: String) {
    var response = HTTPResponse(type: "text/plain", body: [])
    response.headers.add(name, value)
    let head = head(response, ResponseFraming(requestID: ""))
    #expect(!head.contains("X-Evil") && !head.contains("X-A"))
    #expect(head.components(separatedBy: "\r\n").count == 6)
  }

  @Test(arguments: ["Content-Length", "connection", "TRANSFER-ENCODING", "X-Request-Id"])
  func `how an answer is framed is not for handlers to say`(name: String) {
    var response = HTTPResponse(type: "text/plain", body: [])
    response.headers.add(name, "evil")
    #expect(!head(response, ResponseFraming(requestID: "")).contains("evil"))
  }

  @Test func `a client's name for its request is taken when it fits into a log`() {
    var ids = RequestIDGenerator()
    #expect(ids.id(for: ["X-Request-Id": "Abc-1.2_3"]) == "Abc-1.2_3")
    for wish in ["", "a b", "a\"b", "é", String(repeating: "a", count: 65)] {
      #expect(ids.id(for: ["X-Request-Id": wish]) != wish)
    }
    #expect(ids.id(for: nil) != ids.id(for: nil))
  }
}
