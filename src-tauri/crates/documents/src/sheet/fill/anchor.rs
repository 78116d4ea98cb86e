//! Where pictures, charts and shapes are held in a sheet.

use super::rows::RowMap;
use super::xml::{Edits, Kind, Tag, Tokens};
use crate::Error;

/// Moves one anchor. `inner` is its content, which lies at `offset`. Pictures and charts keep their size; a shape that is sized with
/// its cells grows with them.
pub(super) fn edit(map: &RowMap, tag: Tag<'_>, inner: &str, offset: usize, edits: &mut Edits) -> Result<(), Error> {
    if map.is_plain()
        || tag.raw("editAs") == Some("absolute")
        || tag.raw("sizeWithCells") == Some("0") && tag.raw("moveWithCells") == Some("0")
    {
        return Ok(());
    }
    let keeps_size = tag.raw("editAs") == Some("oneCell")
        || [":graphicFrame", ":pic>", ":pic ", "<graphicFrame", "<pic>"].iter().any(|name| inner.contains(name));
    let mut tokens = Tokens::new(inner, "");
    let mut from: Option<(u32, u32)> = None;
    let mut is_end = false;
    while let Some(token) = tokens.next()? {
        let Kind::Open(tag, is_empty) = token.kind else { continue };
        match tag.local_name() {
            "from" => is_end = false,
            "to" => is_end = true,
            "row" if !is_empty => {
                let at = tokens.inner()?;
                let Some(row) = tokens.source(at.clone()).trim().parse::<u32>().ok().and_then(|row| row.checked_add(1))
                else {
                    continue;
                };
                let moved = match from {
                    Some((old, new)) if is_end => {
                        let is_within = map.block_of(old).is_some_and(|block| block.contains(row));
                        if keeps_size || is_within {
                            new.saturating_add(row.saturating_sub(old))
                        } else {
                            map.last(row)
                        }
                    }
                    _ => {
                        let new = map.first(row);
                        from = Some((row, new));
                        new
                    }
                };
                if moved != row {
                    edits.replace(offset + at.start..offset + at.end, (moved - 1).to_string());
                }
            }
            // The rest is what is drawn.
            "pic" | "sp" | "graphicFrame" | "grpSp" | "cxnSp" | "contentPart" if !is_empty => {
                tokens.inner()?;
            }
            _ => {}
        }
    }
    Ok(())
}
