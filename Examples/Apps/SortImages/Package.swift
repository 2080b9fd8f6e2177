// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "SortImages",
  dependencies: [.package(name: "tensorio", path: "../../..")],
  targets: [
    .executableTarget(
      name: "SortImages", dependencies: [.product(name: "TensorIO", package: "tensorio")])
  ]
)
