//! Names under which tools are offered to a model: letters, digits, `_` and `-`, at most 64, each once.

use signalbox_engine::agent::RESERVED;
use signalbox_model::descriptor::LEARN;

/// What providers take.
const LONGEST: usize = 64;

fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    name.chars().take(LONGEST).map(plain).collect()
}

/// The name of a skill's file without its end, as a tool.
pub(super) fn of_skill(stem: &str) -> String {
    plain(&format!("{LEARN}{stem}"))
}

/// The name of a tool: its own where that is free, else behind that of its server, else with a number.
pub(super) fn of_tool(server: &str, tool: &str, taken: &[String]) -> String {
    let free = |name: &String| {
        !taken.contains(name) && !RESERVED.contains(&name.as_str()) && !name.starts_with(LEARN) && !name.is_empty()
    };
    let (own, with_server) = (plain(tool), plain(&format!("{server}_{tool}")));
    let numbered = (2_u32..).map(|number| {
        let number = format!("_{number}");
        let kept: String = with_server.chars().take(LONGEST - number.len()).collect();
        kept + &number
    });
    [own, with_server.clone()].into_iter().chain(numbered).find(free).unwrap_or_default()
}

#[cfg(test)]
mod tests;
