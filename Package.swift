// swift-tools-version: 6.3

import PackageDescription

// Targets by level, lowest first; see Documentation/ARCHITECTURE.md. `Scripts/lint-imports` reads this file as text
// and checks every import against it.

/// The settings of every Swift target.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),  // unsafe code is marked and can be confined
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),  // imports do not leak into the public API
  .enableUpcomingFeature("MemberImportVisibility"),  // nor do their members
  .enableUpcomingFeature("ExistentialAny"),
]

/// Returns a Swift library target.
func library(_ name: String, uses: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: uses, swiftSettings: strict)
}

/// Returns a C target.
func c(
  _ name: String, uses: [Target.Dependency] = [], excluding: [String] = [], links: [String] = []
) -> Target {
  .target(
    name: name, dependencies: uses, exclude: excluding,
    linkerSettings: links.map { .linkedLibrary($0) })
}

/// Returns a test target in Tests/ with the folder of the same name.
func tests(
  _ name: String, of uses: [Target.Dependency], excluding data: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: uses + ["TensorIOTestSupport"], path: "Tests/\(name)",
    exclude: data, swiftSettings: strict)
}

let package = Package(
  name: "TensorIO",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "TensorIO", targets: ["TensorIO"]),
    .library(name: "TensorIOLiteRT", targets: ["TensorIOLiteRT"]),
    .library(name: "TensorIOTensorFlow", targets: ["TensorIOTensorFlow"]),
    .library(name: "TensorIOTasks", targets: ["TensorIOTasks"]),
    .library(name: "TensorIOImage", targets: ["TensorIOImage"]),
    .library(name: "TensorIOData", targets: ["TensorIOData"]),
    .library(name: "TensorIODrawing", targets: ["TensorIODrawing"]),
    .library(name: "TensorIOEvaluation", targets: ["TensorIOEvaluation"]),
    .library(name: "TensorIORuntimeConformance", targets: ["TensorIORuntimeConformance"]),
    .library(name: "TensorIOC", type: .static, targets: ["TensorIOC"]),
    .plugin(name: "TensorIOTypedModels", targets: ["TensorIOTypedModels"]),
    .executable(name: "tensorio", targets: ["tensorio"]),
    .executable(name: "tensorio-worker", targets: ["tensorio-worker"]),
  ],
  targets: [
    // 0: C
    c("COptionalLibraries", links: ["dl"]),
    c("CLiteRT", uses: ["COptionalLibraries"]),
    c("CTensorFlow", uses: ["COptionalLibraries"]),
    c("CONNX", uses: ["COptionalLibraries"]),
    c("CPixelKernels"),
    c("CSHA256"),
    c("CStudioPage", excluding: ["Page", "File.inc", "Files.inc"]),
    c("CEventPoll"),
    c("CTensorIO"),
    c("CIsolation"),
    // pkg-config links these: libraries that a module map links come before the C++ library, and the loader then searches
    // them for most of the symbols of a start.
    .systemLibrary(
      name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    c("CPNGRows", uses: ["CPNG"]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // 0: the operating system
    library("TensorIOSystem", uses: ["CSHA256"]),
    // 1: JSON
    library("TensorIOJSON"),
    // 1: images
    library(
      "TensorIOImage",
      uses: [
        "TensorIOSystem", "CTurboJPEG", "CPNG", "CPNGRows", "COptionalLibraries", "CPixelKernels",
      ]),
    // 1: sound
    library("TensorIOAudio", uses: ["TensorIOSystem"]),
    // 2: tokenizers
    library("TensorIOText", uses: ["TensorIOJSON", "TensorIOSystem"]),
    // 2: everything on disk: model.json, archives, signatures
    library(
      "TensorIOBundle",
      uses: [
        "TensorIOAudio", "TensorIOImage", "TensorIOJSON", "TensorIOSystem", "CZlib",
        "COptionalLibraries",
      ]),
    // 3: values, tensors, sessions, the runtime seam
    library(
      "TensorIOCore",
      uses: [
        "TensorIOBundle", "TensorIOImage", "TensorIOAudio", "TensorIOText", "TensorIOJSON",
        "TensorIOSystem",
      ]),
    // 3: Swift types for bundles
    library("TensorIOGeneration", uses: ["TensorIOBundle", "TensorIOSystem"]),
    // 4: training
    library(
      "TensorIOTraining",
      uses: [
        "TensorIOCore", "TensorIOBundle", "TensorIOJSON", "TensorIOSystem",
      ]),
    // 4: runtimes
    library(
      "TensorIOLiteRT",
      uses: [
        "TensorIOCore", "TensorIOBundle", "TensorIOJSON", "TensorIOSystem", "CLiteRT",
      ]),
    library(
      "TensorIOTensorFlow",
      uses: [
        "TensorIOCore", "TensorIOBundle", "TensorIOSystem", "CTensorFlow",
      ]),
    library(
      "TensorIOONNX",
      uses: [
        "TensorIOCore", "TensorIOBundle", "TensorIOSystem", "CONNX",
      ]),
    // 4: models in worker processes, both sides
    library(
      "TensorIOIsolation",
      uses: [
        "TensorIOCore", "TensorIOBundle", "TensorIOSystem", "CIsolation",
      ]),
    // 4: what outputs mean
    library(
      "TensorIOTasks",
      uses: [
        "TensorIOCore", "TensorIOBundle", "TensorIOAudio", "TensorIOImage", "TensorIOJSON",
        "TensorIOSystem",
      ]),
    // 4: datasets
    library(
      "TensorIOData",
      uses: [
        "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
        "TensorIOSystem", "COptionalLibraries",
      ]),
    // 4: checks of runtimes, for tests
    library(
      "TensorIORuntimeConformance", uses: ["TensorIOCore", "TensorIOBundle", "TensorIOSystem"]),
    // 5: the runtimes that TensorIO contains
    library(
      "TensorIORuntimes",
      uses: [
        "TensorIOTensorFlow", "TensorIOONNX", "TensorIOLiteRT", "TensorIOCore", "TensorIOBundle",
      ]),
    // 6: what an application imports
    library(
      "TensorIO",
      uses: [
        "TensorIORuntimes", "TensorIOTasks", "TensorIOIsolation", "TensorIOTraining",
        "TensorIOCore", "TensorIOBundle", "TensorIOAudio", "TensorIOImage",
        "TensorIOSystem",
      ]),
    // 6: annotations, charts and markup
    library(
      "TensorIODrawing",
      uses: [
        "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
        "TensorIOSystem", "COptionalLibraries",
      ]),
    // 6: bundles from bare models
    library(
      "TensorIODrafting",
      uses: [
        "TensorIOData", "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOImage",
        "TensorIOJSON",
        "TensorIOSystem",
      ]),
    // 7: metrics and reports
    library(
      "TensorIOEvaluation",
      uses: [
        "TensorIODrawing", "TensorIOData", "TensorIOTasks", "TensorIOCore",
        "TensorIOBundle", "TensorIOImage", "TensorIOJSON", "TensorIOSystem",
      ]),
    // 7: galleries, datasets, ledgers, imported models
    library(
      "TensorIOLibrary",
      uses: [
        "TensorIOData", "TensorIOTasks", "TensorIOCore", "TensorIOBundle",
        "TensorIOAudio", "TensorIOImage", "TensorIOJSON", "TensorIOSystem", "COptionalLibraries",
      ]),
    // 7: models over HTTP
    library(
      "TensorIOServer",
      uses: [
        "TensorIODrawing", "TensorIOTasks", "TensorIOCore", "TensorIOBundle",
        "TensorIOAudio", "TensorIOImage", "TensorIOJSON", "TensorIOSystem", "CEventPoll",
        "COptionalLibraries",
      ]),
    // 8: video, cameras and pipes
    library("TensorIOStreaming", uses: ["TensorIOEvaluation", "TensorIOCore", "TensorIOImage"]),
    // 8: the page in the browser
    library(
      "TensorIOStudio",
      uses: [
        "TensorIOServer", "TensorIOEvaluation", "TensorIODrawing", "TensorIOTasks", "TensorIOData",
        "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
        "TensorIOSystem", "CStudioPage",
      ]),
    // 9: the commands
    library(
      "TensorIOCommand",
      uses: [
        "TensorIOStudio", "TensorIOStreaming", "TensorIOServer", "TensorIOLibrary",
        "TensorIOEvaluation", "TensorIODrafting", "TensorIODrawing", "TensorIO",
        "TensorIOGeneration", "TensorIOData", "TensorIORuntimes", "TensorIOTasks",
        "TensorIOIsolation",
        "TensorIOTraining", "TensorIOCore", "TensorIOBundle", "TensorIOAudio", "TensorIOImage",
        "TensorIOJSON",
        "TensorIOSystem",
      ]),
    // 10: the C interface
    library(
      "TensorIOC",
      uses: [
        "TensorIOCommand", "TensorIOLibrary", "TensorIODrawing", "TensorIO", "TensorIORuntimes",
        "TensorIOTasks", "TensorIODrafting", "TensorIOTraining", "TensorIOEvaluation",
        "TensorIOData", "TensorIOIsolation", "TensorIOCore", "TensorIOBundle", "TensorIOImage",
        "TensorIOJSON",
        "TensorIOSystem", "CTensorIO",
      ]),
    // 10: executables
    .executableTarget(
      name: "tensorio", dependencies: ["TensorIOCommand"], swiftSettings: strict),
    .executableTarget(
      name: "tensorio-worker",
      dependencies: ["TensorIORuntimes", "TensorIOIsolation"], swiftSettings: strict),
    // 10: the generator of Swift types, which the build plugin runs
    .executableTarget(
      name: "tensorio-generate", dependencies: ["TensorIOGeneration"], swiftSettings: strict),
    .plugin(
      name: "TensorIOTypedModels", capability: .buildTool(), dependencies: ["tensorio-generate"]),

    .target(
      name: "TensorIOTestSupport",
      dependencies: [
        "TensorIOCommand", "TensorIOTasks", "TensorIOTraining", "TensorIOCore", "TensorIOBundle",
        "TensorIOImage",
      ],
      path: "Tests/TensorIOTestSupport", swiftSettings: strict),
    tests("TensorIOImageTests", of: ["TensorIOImage", "CPixelKernels"]),
    tests("TensorIOAudioTests", of: ["TensorIOAudio", "TensorIOSystem"]),
    tests("TensorIOTextTests", of: ["TensorIOText", "TensorIOJSON", "TensorIOSystem"]),
    tests(
      "TensorIODrawingTests",
      of: [
        "TensorIODrawing", "TensorIO", "TensorIOTasks", "TensorIOCore", "TensorIOBundle",
        "TensorIOImage",
      ]),
    tests("TensorIOBundleTests", of: ["TensorIOBundle", "TensorIOSystem"]),
    tests("TensorIOLibraryTests", of: ["TensorIOLibrary"]),
    tests(
      "TensorIOGenerationTests",
      of: [
        "TensorIOGeneration", "TensorIO", "TensorIOTasks", "TensorIOCore", "TensorIOBundle",
        "TensorIOImage",
      ]),
    tests(
      "TensorIOCoreTests",
      of: [
        "TensorIOTasks", "TensorIOTraining", "TensorIOCore", "TensorIOBundle",
        "TensorIOImage", "TensorIOJSON", "TensorIOSystem",
      ]),
    tests(
      "TensorIODataTests",
      of: [
        "TensorIOData", "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
        "TensorIOSystem",
      ]),
    tests(
      "TensorIOLiteRTTests",
      of: [
        "TensorIOLiteRT", "TensorIOCore", "TensorIOBundle",
        "TensorIOSystem",
      ]),
    tests(
      "TensorIOTensorFlowTests",
      of: [
        "TensorIOTensorFlow", "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOSystem",
      ]),
    tests(
      "TensorIOONNXTests",
      of: [
        "TensorIOONNX", "TensorIOCore", "TensorIOBundle",
      ]),
    tests(
      "TensorIOTasksTests",
      of: [
        "TensorIOTasks", "TensorIOAudio", "TensorIOCore", "TensorIOBundle", "TensorIOImage",
        "TensorIOJSON",
      ]),
    tests(
      "TensorIOIsolationTests",
      of: [
        "TensorIO", "TensorIOIsolation", "TensorIOTensorFlow", "TensorIOONNX", "TensorIOLiteRT",
        "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOSystem",
        "tensorio-worker",
      ]),
    tests(
      "TensorIOEvaluationTests",
      of: [
        "TensorIOEvaluation", "TensorIODrawing", "TensorIO", "TensorIOData",
        "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
      ]),
    tests(
      "TensorIOConformanceTests",
      of: [
        "TensorIO", "TensorIOIsolation", "TensorIOTasks", "TensorIOTraining", "TensorIOCore",
        "TensorIOBundle",
        "TensorIOImage",
      ], excluding: ["Cases"]),
    tests(
      "TensorIOCommandTests",
      of: [
        "TensorIOCommand", "TensorIOStreaming", "TensorIOLibrary", "TensorIODrafting",
        "TensorIO", "TensorIORuntimes", "TensorIOTasks", "TensorIOIsolation", "TensorIOLiteRT",
        "TensorIOCore", "TensorIOBundle",
        "TensorIOImage", "TensorIOJSON", "TensorIOSystem", "tensorio", "tensorio-worker",
      ]),
    tests(
      "TensorIOServerTests",
      of: [
        "TensorIOServer", "TensorIO", "TensorIOIsolation", "TensorIOLiteRT", "TensorIOCore",
        "TensorIOBundle", "TensorIOImage", "TensorIOJSON", "TensorIOSystem", "tensorio-worker",
      ]),
    tests(
      "TensorIOStudioTests",
      of: [
        "TensorIOCommand", "TensorIOStudio", "TensorIOServer", "TensorIOLibrary",
        "TensorIOEvaluation",
        "TensorIO", "TensorIOData", "TensorIOCore", "TensorIOBundle", "TensorIOImage",
        "TensorIOSystem",
      ]),
    tests(
      "TensorIOFuzzTests",
      of: [
        "TensorIOCommand", "TensorIOStudio", "TensorIOStreaming", "TensorIOServer",
        "TensorIOLibrary", "TensorIOEvaluation", "TensorIODrafting", "TensorIODrawing",
        "TensorIOData", "TensorIOTasks", "TensorIOIsolation", "TensorIOTensorFlow", "TensorIOONNX",
        "TensorIOLiteRT", "TensorIOTraining", "TensorIOCore", "TensorIOBundle", "TensorIOText",
        "TensorIOAudio", "TensorIOImage", "TensorIOJSON", "TensorIOSystem",
      ]),
    tests(
      "TensorIORuntimeConformanceTests",
      of: [
        "TensorIORuntimeConformance", "TensorIORuntimes", "TensorIOIsolation", "TensorIOTensorFlow",
        "TensorIOONNX", "TensorIOLiteRT", "TensorIOCore", "TensorIOBundle", "tensorio-worker",
      ]),
    tests(
      "ConsumerProbe",
      of: [
        "TensorIO", "TensorIORuntimeConformance", "TensorIOTasks", "TensorIOCore", "TensorIOBundle",
        "TensorIOImage",
      ]),
  ]
)

// A library of the fuzz targets, which `Scripts/fuzz` links a fuzzer to.
if Context.environment["TENSORIO_FUZZING"] != nil {
  let readers = package.targets.filter { $0.name == "TensorIOFuzzTests" }.flatMap(\.dependencies)
  package.targets.removeAll(where: \.isTest)
  package.targets.append(
    .target(
      name: "TensorIOFuzzing", dependencies: readers, path: "Tests/TensorIOFuzzTests/Readers",
      swiftSettings: strict))
  package.products.append(
    .library(name: "TensorIOFuzzing", type: .static, targets: ["TensorIOFuzzing"]))
}
