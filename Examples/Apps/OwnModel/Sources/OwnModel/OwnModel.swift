import Foundation
import TensorIO

/// A type of the application that is an input of a model.
struct House: ModelInputConvertible {
  var area: Double
  var rooms: [Double]

  var modelInput: ModelInput { ["area": area, "rooms": rooms] }
}

/// A type of the application that is read from an output.
struct Price: LayerValueReadable {
  let dollars: Double

  init(_ value: LayerValue) throws(ModelError) { dollars = try Double(value) }
}

/// A model that needs no runtime: the price is a linear function, whose weights are in the bundle.
struct PriceFormula: ModelRunner {
  private struct Weights: Codable {
    let perSquareFoot: Double
    let perRoom: Double
  }

  private let weights: Weights

  init(_ bundle: ModelBundle) throws(ModelError) {
    let file = URL(filePath: try bundle.path(ofFile: "weights.json"))
    do {
      weights = try JSONDecoder().decode(Weights.self, from: Data(contentsOf: file))
    } catch {
      throw ModelError(.bundle, .unreadableFile("weights.json", detail: "\(error)"))
    }
  }

  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
    let values = try input.values(for: ["area", "rooms"])
    let area = try values[0].value(as: Double.self)
    let rooms = try values[1].value(as: [Double].self)
    let price = area * weights.perSquareFoot + rooms.reduce(0, +) * weights.perRoom
    return ModelOutput(layers: [.init(name: "price", value: .number(price))])
  }
}

/// Runs a bundle whose `class` names a model of the application, or whose `backend` names its runtime:
/// `OwnModel BUNDLE AREA ROOMS…`.
@main
struct OwnModel {
  static func main() throws {
    let numbers = CommandLine.arguments.dropFirst(2).compactMap(Double.init)
    guard CommandLine.arguments.count > 2, let area = numbers.first else {
      print("usage: OwnModel BUNDLE AREA ROOMS…")
      exit(2)
    }
    ModelRegistry.shared.register("PriceFormula") { bundle, _ throws(ModelError) in
      try PriceFormula(bundle)
    }
    RuntimeRegistry.shared.register(
      RuntimeDescriptor(
        ModelFormat(LinearRuntime().identifier, files: [.file(extension: "linear")]),
        displayName: "Linear functions"
      ) { _ in LinearRuntime() })
    let model = try Model(at: CommandLine.arguments[1])
    let house = House(area: area, rooms: Array(numbers.dropFirst()))
    let price: Price = try model.run(house).value(of: "price")
    print(price.dollars)
  }
}
