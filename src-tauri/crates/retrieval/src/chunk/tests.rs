use super::{Chunk, chunks};
use signalbox_ports::retrieval::{ChunkSize, DocumentFormat};

fn of(text: &str, format: DocumentFormat, max_chars: usize, overlap_chars: usize) -> Vec<Chunk> {
    let found = chunks(text, format, ChunkSize { max_chars, overlap_chars });
    for chunk in &found {
        assert!(chunk.text.chars().count() <= max_chars, "{chunk:?}");
        assert_eq!(chunk.end - chunk.start, chunk.text.chars().count() as u64);
        if format != DocumentFormat::Html {
            let page = chunk.page.map_or(0, |page| page as usize - 1);
            let text = if chunk.page.is_some() { text.split('\u{c}').nth(page).expect("a page") } else { text };
            let there: String = text.chars().skip(chunk.start as usize).take(chunk.text.chars().count()).collect();
            assert_eq!(there, chunk.text);
        }
    }
    found
}

fn texts(chunks: &[Chunk]) -> Vec<&str> {
    chunks.iter().map(|chunk| chunk.text.as_str()).collect()
}

#[test]
fn sentences_stay_whole_and_overlap() {
    let text = "One is here. Two is here. Three is here. Four is here.";
    let found = of(text, DocumentFormat::Text, 28, 13);
    assert_eq!(texts(&found), ["One is here. Two is here.", "Two is here. Three is here.", "Four is here."]);
    assert_eq!(texts(&of(text, DocumentFormat::Text, 28, 0))[1], "Three is here. Four is here.");
}

#[test]
fn chinese_sentences_are_divided_and_counted_in_characters() {
    let found = of("退款在七天内完成。运费不退。请联系客服！", DocumentFormat::Text, 14, 0);
    assert_eq!(texts(&found), ["退款在七天内完成。运费不退。", "请联系客服！"]);
    assert_eq!((found[1].start, found[1].end), (14, 20));
}

#[test]
fn headings_of_markdown_are_told_with_those_above() {
    let text = "Intro.\n\n# Guide\n\n## Refunds\nWithin 7 days.\n```\n# no heading\n```\n## Empty\n# End\nBye.";
    let found = of(text, DocumentFormat::Markdown, 200, 0);
    let pairs: Vec<_> = found.iter().map(|chunk| (chunk.heading.as_deref(), chunk.text.as_str())).collect();
    assert_eq!(
        pairs,
        [
            (None, "Intro."),
            (Some("Guide"), "# Guide"),
            (Some("Guide › Refunds"), "Within 7 days.\n```\n# no heading\n```"),
            (Some("Guide › Empty"), "## Empty"),
            (Some("End"), "Bye."),
        ]
    );
}

#[test]
fn html_is_text_with_headings() {
    let text = "<html><head><title>x</title><style>p{}</style></head><body><h1>Tea &amp; milk</h1>\
        <p>Green&nbsp;tea <b>is</b> hot &#x2615; 1 < 2.</p><script>if (a<b) {}</script><ul><li>One<li>Two</ul><!-- no -->";
    let found = of(text, DocumentFormat::Html, 200, 0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].heading.as_deref(), Some("Tea & milk"));
    assert_eq!(found[0].text, "Green tea is hot ☕ 1 < 2.\n\n- One\n- Two");
    // What is never closed takes no more than the rest.
    assert_eq!(texts(&of("a <b", DocumentFormat::Html, 50, 0)), ["a <b"]);
    assert!(of("<script>never closed", DocumentFormat::Html, 50, 0).is_empty());
}

#[test]
fn rows_stay_whole_and_name_their_columns() {
    let text = "name,note\nAda,\"first\nprogrammer\"\nGrace,compiler\n";
    let found = of(text, DocumentFormat::Csv, 25, 0);
    assert_eq!(texts(&found), ["Ada,\"first\nprogrammer\"", "Grace,compiler"]);
    assert_eq!(found[0].heading.as_deref(), Some("name,note"));
}

#[test]
fn a_text_without_any_place_to_divide_is_cut() {
    let found = of(&"x".repeat(1000), DocumentFormat::Text, 300, 50);
    assert_eq!(found.iter().map(|chunk| chunk.text.len()).collect::<Vec<_>>(), [300, 300, 300, 100]);
    assert!(of(" \n\r\n ", DocumentFormat::Text, 300, 50).is_empty());
}

#[test]
fn passages_of_a_pdf_stay_on_their_page_and_count_there() {
    let found = of("First page.\u{c}\u{c}Über the third page. It goes on.", DocumentFormat::Pdf, 400, 60);
    let places: Vec<_> = found.iter().map(|chunk| (chunk.page, chunk.start, chunk.end, chunk.text.as_str())).collect();
    assert_eq!(places, [(Some(1), 0, 11, "First page."), (Some(3), 0, 32, "Über the third page. It goes on.")]);
}
