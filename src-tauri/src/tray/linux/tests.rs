use super::{marked, pixmap, words};

#[test]
fn the_count_is_said_in_words() {
    assert_eq!(words(0), "No task waits");
    assert_eq!(words(1), "1 task waits for a person");
    assert_eq!(words(12), "12 tasks wait for a person");
}

#[test]
fn pixels_have_alpha_first_and_the_mark_stands_in_the_corner() {
    let plain = pixmap(&[1, 2, 3, 4].repeat(100), 10, 10);
    assert_eq!((plain.width, plain.height, &plain.data[..4]), (10, 10, &[4, 1, 2, 3][..]));
    let marked = marked(plain.clone());
    let at = |x: usize, y: usize| &marked.data[(y * 10 + x) * 4..][..4];
    assert_eq!(at(7, 2), [0xff, 0x63, 0x38, 0xc9]);
    assert_eq!(at(0, 9), [4, 1, 2, 3]);
    assert_eq!(marked.data.len(), plain.data.len());
}
