// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "LabelService",
  dependencies: [.package(name: "tensorio", path: "../../..")],
  targets: [
    .executableTarget(
      name: "LabelService", dependencies: [.product(name: "TensorIO", package: "tensorio")])
  ]
)
