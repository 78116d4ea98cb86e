//! Feeds as they are found.

use super::entries;
use serde_json::json;
use url::Url;

fn read(text: &str) -> Vec<serde_json::Value> {
    entries(text, &Url::parse("https://news.example.com/feed/").expect("an address")).expect("a feed")
}

#[test]
fn rss_with_other_name_spaces_is_read() {
    let read = read(
        "<?xml version=\"1.0\"?><rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\" \
         xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel>\
         <title>News</title><atom:link href=\"/feed/\" rel=\"self\"/><link>https://news.example.com/</link><item>\
         <title>One &amp; two</title><link>/one</link><guid isPermaLink=\"false\">n1</guid>\
         <pubDate>Mon, 30 Nov 2026 08:00:00 +0100</pubDate><dc:creator>Ada</dc:creator><category>a</category><category>b</category>\
         <description><![CDATA[<p>Hi</p>]]></description><content:encoded><![CDATA[<p>All</p>]]></content:encoded>\
         <enclosure url=\"one.mp3\" length=\"7\" type=\"audio/mpeg\"/></item><item><title>Bare</title></item></channel></rss>",
    );
    assert_eq!(
        read[0],
        json!({
            "id": "n1", "title": "One & two", "url": "https://news.example.com/one", "published": "2026-11-30T07:00:00.000Z",
            "updated": null, "author": "Ada", "summary": "<p>Hi</p>", "content": "<p>All</p>", "categories": ["a", "b"],
            "enclosures": [{ "url": "https://news.example.com/feed/one.mp3", "type": "audio/mpeg", "size": 7 }],
            "feed": { "title": "News", "url": "https://news.example.com/" },
        })
    );
    assert_eq!(read[1]["id"].as_str().map(str::len), Some(64), "one that is the same at the next look");
}

#[test]
fn atom_rdf_and_json_have_the_same_fields() {
    let atom = read(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title type=\"text\">A</title><link href=\"https://a.example/\"/><entry>\
         <id>urn:1</id><title type=\"html\">T</title><updated>2026-11-30T07:00:00Z</updated><author><name>Ada</name></author>\
         <link rel=\"edit\" href=\"/e\"/><link href=\"/t\"/><category term=\"x\"/>\
         <content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">Hello <b>you</b></div></content></entry></feed>",
    );
    assert_eq!(
        (&atom[0]["id"], &atom[0]["url"], &atom[0]["author"]),
        (&json!("urn:1"), &json!("https://news.example.com/t"), &json!("Ada"))
    );
    assert!(
        atom[0]["content"].as_str().is_some_and(|text| text.contains("Hello") && text.contains("you")),
        "{}",
        atom[0]
    );
    assert_eq!((&atom[0]["published"], &atom[0]["categories"]), (&json!("2026-11-30T07:00:00.000Z"), &json!(["x"])));
    let rdf = read(
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"http://purl.org/rss/1.0/\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel><title>R</title></channel>\
         <item rdf:about=\"https://r.example/1\"><title>T</title><link>https://r.example/1</link><dc:date>2026-11-30</dc:date></item></rdf:RDF>",
    );
    assert_eq!(
        (&rdf[0]["id"], &rdf[0]["published"]),
        (&json!("https://r.example/1"), &json!("2026-11-30T00:00:00.000Z"))
    );
    let feed = read(
        r#"{"version":"https://jsonfeed.org/version/1.1","title":"J","items":[{"id":7,"url":"/j","content_text":"Hi"}]}"#,
    );
    assert_eq!(
        (&feed[0]["id"], &feed[0]["content"], &feed[0]["feed"]["title"]),
        (&json!("7"), &json!("Hi"), &json!("J"))
    );
}

#[test]
fn what_is_no_feed_says_so() {
    let base = Url::parse("https://news.example.com/").expect("an address");
    for text in [
        "<html><body/></html>",
        "just text",
        "{\"items\": []}",
        "<!DOCTYPE rss [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><rss><channel><title>&x;</title></channel></rss>",
    ] {
        assert_eq!(entries(text, &base).expect_err("no feed").code, "NO_FEED", "{text}");
    }
}
