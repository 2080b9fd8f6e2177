import Foundation
import TensorIO

/// Classifies images over HTTP: `LabelService BUNDLE [PORT]`, then `curl --data-binary @image.png localhost:PORT`.
///
/// The model runs in this process. Each connection has a thread, and each processor a session; when all sessions are in use
/// for two seconds, a client receives 503.
@main
struct LabelService {
  private struct Label: Encodable {
    let label: String
    let score: Float
  }

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1, let port = UInt16(arguments.count > 2 ? arguments[2] : "8080") else {
      print("usage: LabelService BUNDLE [PORT]")
      exit(2)
    }
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let options = OpeningOptions(threads: 1, sessions: processors, sessionTimeout: .seconds(2))
    let model = try Model(at: arguments[1], options: options)
    let listener = try Listener(port: port)
    print("serving \(model.bundle.name) at http://127.0.0.1:\(listener.port)")
    fflush(nil)
    let places = DispatchSemaphore(value: 64)
    while true {
      places.wait()
      let connection = listener.accept()
      Thread.detachNewThread {
        connection.serve { answer(to: $0, model) }
        places.signal()
      }
    }
  }

  /// Returns the labels of an image as JSON.
  private static func answer(to image: Data, _ model: Model) -> Response {
    do {
      let labels = try model.run(image).classes { $0.top = 3 }
      let json = try JSONEncoder().encode(labels.map { Label(label: $0.label, score: $0.score) })
      return Response("200 OK", json)
    } catch ModelError.timedOut {
      return Response("503 Service Unavailable")
    } catch let error as ModelError where error.stage == .input {
      return Response("400 Bad Request", Data(#"{"error":"\#(error.code)"}"#.utf8))
    } catch {
      return Response("500 Internal Server Error")
    }
  }
}
