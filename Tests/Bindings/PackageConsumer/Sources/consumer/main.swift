import TensorIO

// The code in README.md, in a package that depends on TensorIO by its path and imports nothing
// else.

let bundle = CommandLine.arguments[1]
let model = try Model(at: bundle)
let output = try model.run(ImageBuffer(contentsOf: "\(bundle)/samples/3-1.png"))
let best = try output.classes
print("top labels:", best.map(\.label))
guard best.first?.label == "3" else { fatalError("expected a 3") }
