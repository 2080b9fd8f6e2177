import Foundation
import Testing

@testable import TensorIOServer

@Suite struct HTTPResponseTests {
  private func head(_ response: HTTPResponse, _ framing: ResponseFraming) -> String {
    String(decoding: response.serializedHead(framing), as: UTF8.self)
  }

  @Test func `The head contains the length and the request identifier`() {
    let response = HTTPResponse(.created, type: "text/plain", body: [65, 66])
    let framing = ResponseFraming(requestID: "a-1")
    #expect(
      head(response, framing)
        == "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
        + "X-Request-Id: a-1\r\n\r\n")
    #expect(response.serializedBody(framing) == [65, 66])
  }

  @Test func `The Connection header says when a connection closes, or stays open in HTTP 1.0`() {
    let response = HTTPResponse(type: "text/plain", body: [])
    #expect(
      head(response, ResponseFraming(requestID: "", closesConnection: true))
        .contains("\r\nConnection: close\r\n"))
    #expect(
      head(response, ResponseFraming(requestID: "", isHTTP10: true))
        .contains("\r\nConnection: keep-alive\r\n"))
  }

  @Test func `The response to HEAD has a length and no body`() {
    let response = HTTPResponse(type: "text/plain", body: [65, 66])
    let framing = ResponseFraming(requestID: "", omitsBody: true)
    #expect(response.serializedBody(framing).isEmpty)
    #expect(head(response, framing).contains("\r\nContent-Length: 2\r\n"))
  }

  @Test func `A response without content has no length`() {
    let response = HTTPResponse(.noContent, type: "text/plain", body: [65])
    #expect(response.serializedBody(ResponseFraming(requestID: "")).isEmpty)
    #expect(!head(response, ResponseFraming(requestID: "")).contains("Content-Length"))
  }

  @Test(arguments: [
    ("X-A", "b\r\nX-Evil: yes"), ("X-A", "b\nX-Evil: yes"), ("X-A", "b\rX-Evil: yes"),
    ("X-A", "b\0"), ("X-A: b\r\nX-Evil", "yes"), ("X A", "b"), ("", "b"),
  ])
  func `A header field with line breaks or invalid characters is omitted`(
    name: String, value: String
  ) {
    var response = HTTPResponse(type: "text/plain", body: [])
    response.headers.add(name, value)
    let head = head(response, ResponseFraming(requestID: ""))
    #expect(!head.contains("X-Evil") && !head.contains("X-A"))
    #expect(head.components(separatedBy: "\r\n").count == 6)
  }

  @Test(arguments: ["Content-Length", "connection", "TRANSFER-ENCODING", "X-Request-Id"])
  func `Handlers cannot set framing headers`(name: String) {
    var response = HTTPResponse(type: "text/plain", body: [])
    response.headers.add(name, "evil")
    #expect(!head(response, ResponseFraming(requestID: "")).contains("evil"))
  }

  @Test func `A client's request identifier is used if it is valid`() {
    var ids = RequestIDGenerator()
    #expect(ids.id(for: ["X-Request-Id": "Abc-1.2_3"]) == "Abc-1.2_3")
    for id in ["", "a b", "a\"b", "é", String(repeating: "a", count: 65)] {
      #expect(ids.id(for: ["X-Request-Id": id]) != id)
    }
    #expect(ids.id(for: nil) != ids.id(for: nil))
  }
}
