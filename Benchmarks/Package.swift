// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that TensorIO's has nothing to do with its peers. It links to the
// LiteRT that `peers/setup.sh` fetched, which is why it is built by `Scripts/bench`.

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

let libraries = Context.packageDirectory + "/.peers/lib"

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "TensorIO", path: "..")],
  targets: [
    .target(
      name: "CLiteRTFloor",
      cSettings: [.headerSearchPath(".")],
      linkerSettings: [
        .linkedLibrary("LiteRt"),
        .unsafeFlags(["-L\(libraries)", "-Xlinker", "-rpath", "-Xlinker", libraries]),
      ]),
    .executableTarget(
      name: "tensorio-bench",
      dependencies: [
        "CLiteRTFloor",
        .product(name: "TensorIO", package: "TensorIO"),
        .product(name: "TensorIOImage", package: "TensorIO"),
      ],
      swiftSettings: strict),
  ]
)
