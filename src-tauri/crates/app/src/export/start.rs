//! How an export is started, as a person types it, and what its file is called.

use super::Export;
use crate::dto::ExportTarget;
use serde_json::json;

impl Export {
    /// Name of the file that is downloaded.
    pub fn file_name(&self, target: ExportTarget) -> String {
        match target {
            ExportTarget::Bundle => self.program_name(),
            ExportTarget::Container => self.image_name(),
            ExportTarget::Source => format!("{}.tar", self.bundle.name),
        }
    }

    /// The command line for what was written to `path`.
    pub fn start(&self, target: ExportTarget, path: &str) -> String {
        let place = quoted(path);
        match target {
            ExportTarget::Bundle => format!("{place} {}", self.first_command()),
            ExportTarget::Container => {
                format!("skopeo copy oci-archive:{place} docker-daemon:{}:latest", self.bundle.name)
            }
            ExportTarget::Source => format!("cd {place} && cargo build --release"),
        }
    }

    /// The command line in the folder that it was downloaded into: a download loses the right to be started.
    pub fn start_downloaded(&self, target: ExportTarget) -> String {
        let name = self.file_name(target);
        match target {
            ExportTarget::Bundle if cfg!(unix) => {
                format!("chmod +x {name} && {}", self.start(target, &format!("./{name}")))
            }
            ExportTarget::Bundle | ExportTarget::Container => self.start(target, &name),
            ExportTarget::Source => format!("tar xf {name} && {}", self.start(target, &self.bundle.name)),
        }
    }

    /// `serve` for what starts by itself, else `run` with the params that it cannot do without.
    fn first_command(&self) -> String {
        let needs = &self.bundle.needs;
        let command = if needs.triggers.is_empty() { "run" } else { "serve" };
        let is_plain = |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        if needs.params.is_empty() || !needs.params.iter().all(is_plain) {
            return command.to_owned();
        }
        let params: Vec<String> = needs.params.iter().map(|name| format!("{}:…", json!(name))).collect();
        format!("{command} --params '{{{}}}'", params.join(","))
    }
}

/// A path as a word of a shell.
fn quoted(path: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-\\:".contains(letter);
    if !path.is_empty() && path.chars().all(is_plain) {
        return path.to_owned();
    }
    if cfg!(windows) { format!("\"{path}\"") } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::quoted;

    #[test]
    fn a_path_stays_one_word() {
        for (path, word) in [
            ("/srv/größe/orders", "/srv/größe/orders"),
            ("/srv/my programs/a", "'/srv/my programs/a'"),
            ("/x/it's; rm -rf $HOME", "'/x/it'\\''s; rm -rf $HOME'"),
        ] {
            assert_eq!(quoted(path), word);
        }
    }
}
