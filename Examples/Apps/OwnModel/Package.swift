// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "OwnModel",
  dependencies: [.package(name: "tensorio", path: "../../..")],
  targets: [
    .executableTarget(
      name: "OwnModel", dependencies: [.product(name: "TensorIO", package: "tensorio")])
  ]
)
