import TensorIODrawing
import Testing

@Suite struct ColorTests {
  @Test func `the colours of 36 classes are all different`() {
    #expect(Set((0..<36).map(Color.forClass)).count == 36)
  }

  @Test(arguments: [-1_000, -36, 0, 5, 35, 964])
  func `the colour of a class is always the same, and comes again after 36`(_ index: Int) {
    #expect(Color.forClass(index) == Color.forClass(index + 36))
  }

  @Test(arguments: [Int.min, .max])
  func `any index has a colour`(_ index: Int) {
    #expect(Color.forClass(index).alpha == 1)
  }

  @Test(arguments: 0..<36)
  func `a class's colour can be told from black and from white`(_ index: Int) {
    #expect((0.15...0.92).contains(Color.forClass(index).luma))
  }

  @Test func `what is written on a colour contrasts with it`() {
    #expect(Color.white.contrastingTextColor == .black && Color.black.contrastingTextColor == .white)
    for color in (0..<36).map(Color.forClass) {
      #expect(abs(color.contrastingTextColor.luma - color.luma) > 0.4)
    }
  }

  @Test func `a mixed colour lies between`() {
    #expect(Color.black.mixed(with: .white, fraction: 0.5) == Color(red: 128, green: 128, blue: 128))
    #expect(Color.black.mixed(with: .white, fraction: .nan) == .black)
    #expect(Color.black.mixed(with: .white, fraction: 7) == .white)
  }
}
