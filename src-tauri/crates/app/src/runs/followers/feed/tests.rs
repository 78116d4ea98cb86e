use super::{End, Feed, KEPT, KEPT_OF_ALL, PIECE, Piece, Pieces, Place, Taken, keep, page_behind, share};
use std::collections::{HashSet, VecDeque};

fn pieces(events: impl IntoIterator<Item = (Option<u64>, String)>) -> Vec<Piece> {
    let mut pieces = Pieces::default();
    for (seq, text) in events {
        pieces.add(seq, |out| out.push_str(&text));
    }
    pieces.done()
}

fn stored(seqs: std::ops::RangeInclusive<u64>) -> Vec<Piece> {
    pieces(seqs.map(|seq| (Some(seq), format!("{seq};"))))
}

fn place(after: u64) -> Place {
    Place { after, next: None }
}

/// What somebody gets until there is nothing more, and why not.
fn all(feed: &Feed, place: &mut Place) -> (String, &'static str) {
    let mut text = String::new();
    loop {
        match feed.take(place) {
            Taken::Bytes(bytes) => text.push_str(std::str::from_utf8(&bytes).expect("a text")),
            Taken::Nothing => return (text, "nothing"),
            Taken::Behind => return (text, "behind"),
            Taken::Over => return (text, "over"),
        }
    }
}

#[test]
fn each_gets_what_it_does_not_have_once_and_in_order() {
    let feed = Feed::new(0);
    let (mut first, mut middle, mut ahead) = (place(0), place(4), place(8));
    assert_eq!(all(&feed, &mut first), (String::new(), "nothing"));
    feed.push(stored(1..=3), KEPT);
    assert_eq!(all(&feed, &mut first), ("1;2;3;".into(), "nothing"));
    feed.push(stored(4..=6), KEPT);
    feed.push(stored(7..=9), KEPT);
    assert_eq!(all(&feed, &mut first), ("4;5;6;7;8;9;".into(), "nothing"));
    assert_eq!(all(&feed, &mut middle), ("5;6;7;8;9;".into(), "nothing"), "from the middle of a piece");
    assert_eq!(all(&feed, &mut ahead), ("9;".into(), "nothing"));
    feed.end(End::Run);
    for one in [&mut first, &mut middle, &mut ahead] {
        assert_eq!(all(&feed, one), (String::new(), "over"));
    }
    assert!(feed.serves(9) && !feed.serves(10), "who has more than it has does not wait for it");
}

#[test]
fn what_two_hundred_get_is_in_memory_once() {
    let feed = Feed::new(0);
    feed.push(pieces((1..=400).map(|seq| (Some(seq), "x".repeat(1_000)))), KEPT);
    let mut found = HashSet::new();
    for _ in 0..200 {
        let mut place = place(0);
        while let Taken::Bytes(bytes) = feed.take(&mut place) {
            found.insert((bytes.as_ptr(), bytes.len()));
        }
        assert_eq!(place.after, 400);
    }
    assert_eq!(found.len(), feed.state().pieces.len());
}

#[test]
fn what_is_only_told_comes_once_and_not_to_who_came_later() {
    let feed = Feed::new(0);
    let (mut one, mut reader) = (place(0), place(0));
    feed.push(pieces([(Some(1), "1;".into()), (None, "told;".into()), (Some(2), "2;".into())]), KEPT);
    assert_eq!(all(&feed, &mut one), ("1;told;2;".into(), "nothing"));
    feed.push(pieces([(None, "again;".into())]), KEPT);
    assert_eq!(all(&feed, &mut one), ("again;".into(), "nothing"));
    assert_eq!(all(&feed, &mut place(2)), (String::new(), "nothing"), "it was told before");
    assert_eq!(all(&feed, &mut reader), ("1;told;2;again;".into(), "nothing"));
}

#[test]
fn memory_is_bounded_and_who_is_slow_is_behind() {
    let feed = Feed::new(0);
    let (mut slow, mut quick) = (place(0), place(0));
    let large = |seq| pieces([(Some(seq), "x".repeat(PIECE))]);
    feed.push(large(1), KEPT);
    assert_eq!(all(&feed, &mut slow).1, "nothing");
    let many = u64::try_from(KEPT / PIECE).expect("fits") + 5;
    for seq in 2..=many {
        feed.push(large(seq), KEPT);
        assert_eq!(all(&feed, &mut quick).1, "nothing");
    }
    assert_eq!(all(&feed, &mut slow), (String::new(), "behind"), "and it can go on where it is");
    assert_eq!(slow.after, 1);
    let state = feed.state();
    assert!(state.bytes <= KEPT && state.from > 2 && state.pieces.len() as u64 == many + 1 - state.from);
    drop(state);

    let mut pages = VecDeque::new();
    for seq in 1..=many {
        keep(&mut pages, large(seq), KEPT);
    }
    assert!(pages.len() * PIECE <= KEPT);
    assert!(page_behind(&pages, 0).is_none() && page_behind(&pages, many).is_none());
    assert_eq!(page_behind(&pages, many - 1).map(|(bytes, last)| (bytes.len(), last)), Some((PIECE, many)));
}

#[test]
fn a_piece_is_small_unless_one_event_is_large() {
    let one = "x".repeat(PIECE / 4);
    let made = pieces((1..=9).map(|seq| (Some(seq), one.clone())));
    assert_eq!(made.iter().map(|piece| piece.events.len()).collect::<Vec<_>>(), [4, 4, 1]);
    assert_eq!(pieces([(Some(1), "x".repeat(3 * PIECE)), (Some(2), "y".into())]).len(), 2);
}

#[test]
fn many_feeds_share_what_a_few_may_keep() {
    for feeds in [0, 1, 16] {
        assert_eq!(share(feeds), KEPT);
    }
    for feeds in [17, 100, 256] {
        assert!(share(feeds) * feeds <= KEPT_OF_ALL && share(feeds) >= PIECE, "{feeds}");
    }
    assert_eq!(share(10_000), PIECE, "the piece that a follower is about to get");
    let feed = Feed::new(0);
    let large = |seq| pieces([(Some(seq), "x".repeat(PIECE))]);
    for seq in 1..=8 {
        feed.push(large(seq), 2 * PIECE);
    }
    let mut behind = place(6);
    assert_eq!(all(&feed, &mut behind), ("x".repeat(2 * PIECE), "nothing"));
    assert_eq!(all(&feed, &mut place(5)).1, "behind");
}
