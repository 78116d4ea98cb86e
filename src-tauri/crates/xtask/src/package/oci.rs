//! An OCI image of the server without a container engine: one layer with the programs and what they are linked with, its
//! configuration, and an index, as an image layout in a tar. Digests are given by the caller.

use super::sbom::text;
use super::tar::Tree;

/// Blobs and texts of an image.
pub(crate) struct Image {
    /// `amd64`, `arm64`.
    pub(crate) arch: String,
    /// The version of the program; also the tag.
    pub(crate) version: String,
    /// RFC 3339.
    pub(crate) created: String,
}

/// Something that is named by its SHA-256.
pub(crate) struct Blob {
    pub(crate) sha256: String,
    pub(crate) bytes: Vec<u8>,
}

/// The number of the account in the image.
pub(crate) const USER: u32 = 10_001;

impl Image {
    /// The configuration; `diff` is the SHA-256 of the layer before it is packed.
    pub(crate) fn config(&self, diff: &str) -> String {
        format!(
            "{{\"created\":{0},\"architecture\":{1},\"os\":\"linux\",\"config\":{{\"User\":\"{USER}:{USER}\",\"Env\":[\"PATH=/usr/bin\",\"HOME=/var/lib/signalbox\",\"SIGNALBOX_DATA=/var/lib/signalbox\",\
             \"SIGNALBOX_KEY_STORE=off\"],\"Entrypoint\":[\"/usr/bin/signalbox\"],\"Cmd\":[\"--json\",\"serve\",\"--addr\",\
             \"127.0.0.1:9160\",\"--ui\"],\"Volumes\":{{\"/var/lib/signalbox\":{{}}}},\"WorkingDir\":\"/var/lib/signalbox\",\"Labels\":\
             {{\"org.opencontainers.image.title\":\"signalbox\",\"org.opencontainers.image.version\":{2},\
             \"org.opencontainers.image.licenses\":\"Apache-2.0\"}}}},\"rootfs\":{{\"type\":\"layers\",\"diff_ids\":[\"sha256:{diff}\"]}},\
             \"history\":[{{\"created\":{0},\"created_by\":\"cargo xtask package\"}}]}}",
            text(&self.created),
            text(&self.arch),
            text(&self.version),
        )
    }

    /// The manifest of the image.
    pub(crate) fn manifest(&self, config: &Blob, layer: &Blob) -> String {
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
    pub(crate) fn layout(&self, manifest: Blob, config: Blob, layer: Blob) -> Tree {
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

/// The files that `ldd` lists, as path in the image and path on this machine.
pub(crate) fn libraries(ldd: &str) -> Vec<(String, String)> {
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
