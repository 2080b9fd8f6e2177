// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Classify",
  dependencies: [.package(name: "tensorio", path: "../../..")],
  targets: [
    .executableTarget(
      name: "Classify", dependencies: [.product(name: "TensorIO", package: "tensorio")])
  ]
)
