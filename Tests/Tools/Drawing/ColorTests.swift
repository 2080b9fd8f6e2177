import TensorIODrawing
import Testing

@Suite struct ColorTests {
  @Test func `The colors of 36 classes are all different`() {
    #expect(Set((0..<36).map(Color.forClass)).count == 36)
  }

  @Test(arguments: [-1_000, -36, 0, 5, 35, 964])
  func `The colors of classes repeat after 36`(_ index: Int) {
    #expect(Color.forClass(index) == Color.forClass(index + 36))
  }

  @Test(arguments: [Int.min, .max])
  func `Every index has a color`(_ index: Int) {
    #expect(Color.forClass(index).alpha == 1)
  }

  @Test(arguments: 0..<36)
  func `The color of a class differs from black and from white`(_ index: Int) {
    #expect((0.15...0.92).contains(Color.forClass(index).luma))
  }

  @Test func `The text color contrasts with its background`() {
    #expect(
      Color.white.contrastingTextColor == .black && Color.black.contrastingTextColor == .white)
    for color in (0..<36).map(Color.forClass) {
      #expect(abs(color.contrastingTextColor.luma - color.luma) > 0.4)
    }
  }

  @Test func `A mixed color is between its components`() {
    #expect(
      Color.black.mixed(with: .white, fraction: 0.5) == Color(red: 128, green: 128, blue: 128))
    #expect(Color.black.mixed(with: .white, fraction: .nan) == .black)
    #expect(Color.black.mixed(with: .white, fraction: 7) == .white)
  }
}
