//! An OCI image: one layer with a program and what it is linked with, its configuration, and an index, as an image layout in a tar.
//! Digests are given by the caller.

use crate::json::{text, texts};
use crate::tar::Tree;

/// What an image is and starts.
#[derive(Debug, Clone, Default)]
pub struct Image {
    /// `amd64`, `arm64`.
    pub arch: String,
    /// What it is called.
    pub title: String,
    /// The version of the program; also the tag.
    pub version: String,
    /// RFC 3339.
    pub created: String,
    /// Who made it, for its history.
    pub created_by: String,
    /// SPDX expression of what is in it.
    pub licenses: String,
    /// `NAME=value`.
    pub env: Vec<String>,
    /// The program.
    pub entrypoint: Vec<String>,
    /// Its arguments, unless others are given.
    pub cmd: Vec<String>,
    /// The folder of its data: a volume, and where it works.
    pub data: String,
    /// A command that fails when the program does not work.
    pub health: Vec<String>,
}

/// Something that is named by its SHA-256.
#[derive(Debug, Clone)]
pub struct Blob {
    /// Lowercase hex.
    pub sha256: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// The number of the account in the image.
pub const USER: u32 = 10_001;
/// Nanoseconds between two checks of the health, the longest that one takes, and before the first that counts.
const HEALTH: &str = "\"Interval\":30000000000,\"Timeout\":10000000000,\"StartPeriod\":10000000000,\"Retries\":3";

impl Image {
    /// The configuration; `diff` is the SHA-256 of the layer before it is packed.
    pub fn config(&self, diff: &str) -> String {
        let list = |all: &[String]| texts(all.iter().map(String::as_str));
        let health = if self.health.is_empty() {
            String::new()
        } else {
            let test = texts(std::iter::once("CMD").chain(self.health.iter().map(String::as_str)));
            format!("\"Healthcheck\":{{\"Test\":{test},{HEALTH}}},")
        };
        let data = text(&self.data);
        format!(
            "{{\"created\":{created},\"architecture\":{arch},\"os\":\"linux\",\"config\":{{\"User\":\"{USER}:{USER}\",\"Env\":{env},\
             \"Entrypoint\":{entrypoint},\"Cmd\":{cmd},{health}\"Volumes\":{{{data}:{{}}}},\"WorkingDir\":{data},\"Labels\":\
             {{\"org.opencontainers.image.title\":{title},\"org.opencontainers.image.version\":{version},\
             \"org.opencontainers.image.licenses\":{licenses}}}}},\"rootfs\":{{\"type\":\"layers\",\"diff_ids\":[\"sha256:{diff}\"]}},\
             \"history\":[{{\"created\":{created},\"created_by\":{by}}}]}}",
            created = text(&self.created),
            arch = text(&self.arch),
            env = list(&self.env),
            entrypoint = list(&self.entrypoint),
            cmd = list(&self.cmd),
            title = text(&self.title),
            version = text(&self.version),
            licenses = text(&self.licenses),
            by = text(&self.created_by),
        )
    }

    /// The manifest of the image.
    pub fn manifest(&self, config: &Blob, layer: &Blob) -> String {
        format!(
            "{{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\",\"config\":{{\"mediaType\":\
             \"application/vnd.oci.image.config.v1+json\",\"digest\":\"sha256:{}\",\"size\":{}}},\"layers\":[{{\"mediaType\":\
             \"application/vnd.oci.image.layer.v1.tar+gzip\",\"digest\":\"sha256:{}\",\"size\":{}}}]}}",
            config.sha256,
            config.bytes.len(),
            layer.sha256,
            layer.bytes.len()
        )
    }

    /// The layout.
    pub fn layout(&self, manifest: Blob, config: Blob, layer: Blob) -> Tree {
        let index = format!(
            "{{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.index.v1+json\",\"manifests\":[{{\"mediaType\":\
             \"application/vnd.oci.image.manifest.v1+json\",\"digest\":\"sha256:{}\",\"size\":{},\"annotations\":\
             {{\"org.opencontainers.image.ref.name\":{}}},\"platform\":{{\"architecture\":{},\"os\":\"linux\"}}}}]}}",
            manifest.sha256,
            manifest.bytes.len(),
            text(&self.version),
            text(&self.arch),
        );
        let mut tree = Tree::default();
        tree.file("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}");
        tree.file("index.json", index);
        for blob in [manifest, config, layer] {
            tree.file(format!("blobs/sha256/{}", blob.sha256), blob.bytes);
        }
        tree
    }
}

/// The files that `ldd` lists, each as path in the image and path on this machine.
pub fn libraries(ldd: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = ldd
        .lines()
        .filter_map(|line| {
            let path = line.split_whitespace().find(|word| word.starts_with('/'))?;
            Some((path.trim_start_matches('/').to_owned(), path.to_owned()))
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests;
