//! News feeds as items: RSS 2.0, RSS 1.0 (RDF), Atom and JSON Feed, with the same fields whichever it is.

use jiff::fmt::rfc2822;
use serde_json::{Map, Value, json};
use signalbox_documents::xml;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{NodeFailure, time};
use url::Url;

/// Elements that are lists also when there is one of them.
const LISTS: [&str; 9] = ["item", "entry", "link", "category", "enclosure", "author", "creator", "channel", "content"];

/// The entries of a feed, in its order.
pub(crate) fn entries(text: &str, base: &Url) -> Result<Vec<Value>, NodeFailure> {
    if text.trim_start().starts_with('{') {
        return json_feed(text, base);
    }
    let lists = LISTS.map(str::to_owned).to_vec();
    let parsed = xml::parse(text, &xml::ReadOptions { strip_namespaces: true, lists }).map_err(|error| {
        let words = format!("The address does not answer with a feed: {}", error.message);
        NodeFailure::validation("NO_FEED", words).detail("field", "url")
    })?;
    if let Some(atom) = parsed.get("feed") {
        let feed = json!({ "title": text_of(atom.get("title")), "url": atom_link(atom, base) });
        return Ok(list(atom.get("entry")).map(|entry| atom_entry(entry, base, &feed)).collect());
    }
    let rdf = parsed.get("RDF");
    let channel = parsed.get("rss").or(rdf).and_then(|rss| rss.get("channel")?.get(0));
    let Some(channel) = channel else {
        let words = "The address answers with XML that is no feed (RSS or Atom)";
        return Err(NodeFailure::validation("NO_FEED", words).detail("field", "url"));
    };
    let feed = json!({ "title": text_of(channel.get("title")), "url": rss_link(channel, base) });
    // In RSS 1.0 the entries are siblings of the channel.
    let items = rdf.and_then(|rdf| rdf.get("item")).or_else(|| channel.get("item"));
    Ok(list(items).map(|item| rss_item(item, base, &feed)).collect())
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

/// The text of an element, with and without attributes; of one that came several times the first.
fn text_of(value: Option<&Value>) -> Option<String> {
    let found = match value? {
        Value::String(text) => text.clone(),
        Value::Array(all) => return all.iter().find_map(|one| text_of(Some(one))),
        Value::Object(map) => match map.get("#text") {
            Some(text) => text.as_str()?.to_owned(),
            // Atom allows XHTML as it is.
            None => inner_text(value?),
        },
        _ => return None,
    };
    let found = found.trim();
    (!found.is_empty()).then(|| found.to_owned())
}

fn inner_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(inner_text).collect::<Vec<_>>().join(" "),
        Value::Object(map) => {
            let parts = map.iter().filter(|(name, _)| !name.starts_with('@'));
            parts.map(|(_, value)| inner_text(value)).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

fn attribute<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// An address of the feed, absolute.
fn absolute(base: &Url, text: &str) -> String {
    base.join(text.trim()).map_or_else(|_| text.trim().to_owned(), String::from)
}

fn moment(value: Option<&Value>) -> Value {
    let Some(text) = text_of(value) else { return Value::Null };
    let ms = time::parse(&text).or_else(|| {
        let zoned = rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_zoned(&text).ok()?;
        Some(zoned.timestamp().as_millisecond())
    });
    let day = || time::parse(&format!("{text}T00:00:00Z"));
    ms.or_else(day).map_or(Value::Null, |ms| time::format(ms).into())
}

fn rss_link(item: &Value, base: &Url) -> Option<String> {
    // Links of other name spaces have no text.
    let found = list(item.get("link")).find_map(|link| text_of(Some(link)).filter(|_| link.get("@href").is_none()));
    let permanent = || {
        let guid = item.get("guid")?;
        let is_link = attribute(guid, "@isPermaLink").is_none_or(|is| is != "false");
        text_of(Some(guid)).filter(|text| is_link && text.starts_with("http"))
    };
    found.or_else(permanent).map(|text| absolute(base, &text))
}

fn rss_item(item: &Value, base: &Url, feed: &Value) -> Value {
    let enclosures = list(item.get("enclosure")).filter_map(|one| {
        let size = attribute(one, "@length").and_then(|size| size.trim().parse::<u64>().ok());
        Some(json!({ "url": absolute(base, attribute(one, "@url")?), "type": attribute(one, "@type"), "size": size }))
    });
    let author = text_of(item.get("creator")).or_else(|| text_of(item.get("author")));
    entry(Entry {
        id: text_of(item.get("guid")).or_else(|| attribute(item, "@about").map(str::to_owned)),
        title: text_of(item.get("title")),
        url: rss_link(item, base),
        published: moment(item.get("pubDate").or_else(|| item.get("date"))),
        updated: moment(item.get("updated")),
        author,
        summary: text_of(item.get("description")),
        content: text_of(item.get("encoded")),
        categories: list(item.get("category")).filter_map(|one| text_of(Some(one))).collect(),
        enclosures: enclosures.collect(),
        feed,
    })
}

fn atom_link(entry: &Value, base: &Url) -> Option<String> {
    let rel = |link: &&Value, wanted: &str| attribute(link, "@rel").unwrap_or("alternate") == wanted;
    let found = list(entry.get("link")).find(|link| rel(link, "alternate"));
    found.and_then(|link| attribute(link, "@href")).map(|text| absolute(base, text))
}

fn atom_entry(one: &Value, base: &Url, feed: &Value) -> Value {
    let enclosures = list(one.get("link")).filter(|link| attribute(link, "@rel") == Some("enclosure"));
    let enclosures = enclosures.filter_map(|link| {
        let size = attribute(link, "@length").and_then(|size| size.trim().parse::<u64>().ok());
        Some(
            json!({ "url": absolute(base, attribute(link, "@href")?), "type": attribute(link, "@type"), "size": size }),
        )
    });
    let author = list(one.get("author")).find_map(|author| text_of(author.get("name")));
    let categories = list(one.get("category"));
    entry(Entry {
        id: text_of(one.get("id")),
        title: text_of(one.get("title")),
        url: atom_link(one, base),
        published: moment(one.get("published").or_else(|| one.get("updated"))),
        updated: moment(one.get("updated")),
        author,
        summary: text_of(one.get("summary")),
        content: text_of(one.get("content")),
        categories: categories.filter_map(|one| attribute(one, "@term").map(Value::from)).collect(),
        enclosures: enclosures.collect(),
        feed,
    })
}

fn json_feed(text: &str, base: &Url) -> Result<Vec<Value>, NodeFailure> {
    let feed = crate::formats::parse_json(text, "The feed")?;
    let items =
        feed.get("items").and_then(Value::as_array).filter(|_| feed.get("version").is_some()).ok_or_else(|| {
            NodeFailure::validation("NO_FEED", "The address answers with JSON that is no JSON Feed")
                .detail("field", "url")
        })?;
    let about = json!({ "title": text_of(feed.get("title")), "url": text_of(feed.get("home_page_url")) });
    Ok(items
        .iter()
        .map(|item| {
            let attachments = list(item.get("attachments")).filter_map(|one| {
                let url = absolute(base, one.get("url")?.as_str()?);
                Some(json!({ "url": url, "type": one.get("mime_type"), "size": one.get("size_in_bytes") }))
            });
            let author = list(item.get("authors")).find_map(|author| text_of(author.get("name")));
            let id = item.get("id").map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
            entry(Entry {
                id,
                title: text_of(item.get("title")),
                url: text_of(item.get("url")).map(|url| absolute(base, &url)),
                published: moment(item.get("date_published")),
                updated: moment(item.get("date_modified")),
                author: author.or_else(|| text_of(item.get("author").and_then(|author| author.get("name")))),
                summary: text_of(item.get("summary")),
                content: text_of(item.get("content_html")).or_else(|| text_of(item.get("content_text"))),
                categories: list(item.get("tags")).filter(|tag| tag.is_string()).cloned().collect(),
                enclosures: attachments.collect(),
                feed: &about,
            })
        })
        .collect())
}

struct Entry<'a> {
    id: Option<String>,
    title: Option<String>,
    url: Option<String>,
    published: Value,
    updated: Value,
    author: Option<String>,
    summary: Option<String>,
    content: Option<String>,
    categories: Value,
    enclosures: Value,
    feed: &'a Value,
}

/// An entry as the data of an item. Without an id of its own it gets one that is the same at the next look.
fn entry(one: Entry<'_>) -> Value {
    let Entry { id, title, url, published, updated, author, summary, content, categories, enclosures, feed } = one;
    let id = id
        .or_else(|| url.clone())
        .unwrap_or_else(|| sha256_hex(json!([title, published, summary]).to_string().as_bytes()));
    let mut data = Map::new();
    let fields = [
        ("id", json!(id)),
        ("title", json!(title)),
        ("url", json!(url)),
        ("published", published),
        ("updated", updated),
        ("author", json!(author)),
        ("summary", json!(summary)),
        ("content", json!(content)),
        ("categories", categories),
        ("enclosures", enclosures),
        ("feed", feed.clone()),
    ];
    data.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    Value::Object(data)
}

#[cfg(test)]
mod tests;
