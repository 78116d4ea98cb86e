//! `--target container`: the program with the libraries that it is linked with, as an OCI image in a tar. No container engine is
//! used; any engine loads it.

use super::{Download, Export, Exported, changed_runner};
use crate::dto::ExportReason;
use crate::error::{ApiError, ApiResult, Class};
use crate::host::clock::now_ms;
use crate::host::files::io_error;
use flate2::{Compression, GzBuilder};
use serde_json::json;
use sha2::{Digest, Sha256};
use signalbox_adapters::durable;
use signalbox_model::bundle::HumanReview;
use signalbox_model::hash::hex;
use signalbox_model::time;
use signalbox_oci::image::{Blob, Image, USER, libraries};
use signalbox_oci::tar::Tree;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Certificates of authorities, where Debian and most others have them.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";
/// The folder of runs and the audit chain: the only one that is written.
const DATA: &str = "var/lib/program";
/// Where its page is served, on the loopback of the container.
const PORT: u16 = 9160;

pub(super) fn refused(message: String, hint: &str) -> ApiError {
    ApiError::new(Class::Invalid, "CANNOT_EXPORT", message, hint)
}

/// The libraries of a program on this machine: path in the image, and its bytes.
fn linked(runner: &Path) -> ApiResult<Vec<(String, Vec<u8>)>> {
    let hint = "Install libc-bin (Debian), or export with --target bundle.";
    let told = Command::new("ldd").arg(runner).output().map_err(|error| {
        refused(format!("ldd, which says what a program is linked with, cannot be started: {error}."), hint)
    })?;
    if !told.status.success() {
        return Err(refused(format!("ldd does not say what {} is linked with.", runner.display()), hint));
    }
    let list = String::from_utf8_lossy(&told.stdout).into_owned();
    let read = |(inside, here): (String, String)| -> ApiResult<(String, Vec<u8>)> {
        let bytes = fs::read(&here).map_err(|error| io_error(&error, Path::new(&here), "read"))?;
        Ok((inside, bytes))
    };
    libraries(&list).into_iter().map(read).collect()
}

/// Seconds since 1970 of everything in the image: `SOURCE_DATE_EPOCH`, or now.
pub(super) fn made_at() -> u64 {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.trim().parse().ok());
    given.unwrap_or_else(|| u64::try_from(now_ms() / 1_000).unwrap_or_default())
}

fn blob(bytes: Vec<u8>) -> Blob {
    Blob { sha256: hex(&Sha256::digest(&bytes)), bytes }
}

fn gzipped(bytes: &[u8]) -> io::Result<Vec<u8>> {
    // Without a name and a time: the same files give the same bytes.
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::default());
    packed.write_all(bytes)?;
    packed.finish()
}

impl Export {
    /// Name of the file that is written.
    pub(super) fn image_name(&self) -> String {
        format!("{}.oci.tar", self.bundle.name)
    }

    /// Whether others reach it through its port.
    fn listens(&self) -> bool {
        self.bundle.human == HumanReview::Callback || self.bundle.needs.triggers.iter().any(|one| one.listens)
    }

    fn image(&self) -> ApiResult<Vec<u8>> {
        let arch = match std::env::consts::ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            other => other,
        };
        let name = &self.bundle.name;
        let program = format!("/usr/bin/{name}");
        let mut tree = Tree::default();
        for (inside, bytes) in linked(&self.runner)? {
            tree.program(inside, bytes);
        }
        tree.program(program.trim_start_matches('/'), self.bytes()?);
        tree.file("etc/passwd", format!("program:x:{USER}:{USER}:{name}:/{DATA}:/nonexistent\n"));
        tree.file("etc/group", format!("program:x:{USER}:\n"));
        if Path::new(CERTIFICATES).is_file() {
            let bytes = fs::read(CERTIFICATES).map_err(|error| io_error(&error, Path::new(CERTIFICATES), "read"))?;
            tree.file(CERTIFICATES.trim_start_matches('/'), bytes);
        }
        tree.folder(DATA, 0o700, USER);
        tree.folder("tmp", 0o1777, 0);
        let time = made_at();
        let unfit =
            |why: String| refused(format!("The image cannot be made: {why}"), "Give the workflow a shorter id.");
        let layer = tree.archive("", time).map_err(unfit)?;
        let data = format!("/{DATA}");
        let command = if self.bundle.serves() { "serve" } else { "run" };
        let image = Image {
            arch: arch.to_owned(),
            title: self.bundle.title.clone(),
            version: self.bundle.made_by.clone(),
            created: time::format(i64::try_from(time).unwrap_or_default().saturating_mul(1_000)),
            created_by: "signalbox export".to_owned(),
            licenses: env!("CARGO_PKG_LICENSE").to_owned(),
            env: [
                "PATH=/usr/bin".to_owned(),
                format!("HOME={data}"),
                format!("SIGNALBOX_DATA={data}"),
                format!("SIGNALBOX_PORT={PORT}"),
            ]
            .into_iter()
            .chain(self.listens().then(|| "SIGNALBOX_LISTEN=0.0.0.0".to_owned()))
            .collect(),
            entrypoint: vec![program.clone()],
            cmd: vec!["--json".to_owned(), command.to_owned()],
            health: if self.bundle.serves() { vec![program, "health".to_owned()] } else { Vec::new() },
            data,
        };
        let packed = gzipped(&layer).map_err(|error| unfit(format!("{error}.")))?;
        let diff = hex(&Sha256::digest(&layer));
        let (config, layer) = (blob(image.config(&diff).into_bytes()), blob(packed));
        let manifest = blob(image.manifest(&config, &layer).into_bytes());
        image.layout(manifest, config, layer).archive("", time).map_err(unfit)
    }

    /// The program, whole.
    fn bytes(&self) -> ApiResult<Vec<u8>> {
        let mut bytes = fs::read(&self.runner).map_err(|error| io_error(&error, &self.runner, "read"))?;
        bytes.extend(&self.section);
        if bytes.len() as u64 != self.size {
            return Err(changed_runner());
        }
        Ok(bytes)
    }

    /// Refuses another system than Linux.
    pub fn check_system() -> ApiResult<()> {
        if std::env::consts::OS == "linux" {
            return Ok(());
        }
        let message = "A container image is made on Linux only: it holds the libraries of this machine.";
        Err(refused(message.to_owned(), "Export it on Linux, or with --target bundle.")
            .with(json!({ "reason": ExportReason::System })))
    }

    /// An image of the program, to be sent away.
    ///
    /// # Errors
    /// Another system than Linux, or a missing `ldd`.
    pub(super) fn download_image(&self) -> ApiResult<Download> {
        Self::check_system()?;
        Ok(Download::of(self.image()?))
    }

    /// Writes an image of the program into a folder that is new or empty: the whole file or none of it.
    ///
    /// # Errors
    /// Another system than Linux, a missing `ldd`, or why the file cannot be written.
    pub fn write_image(&self, out: &Path) -> ApiResult<Exported> {
        Self::check_system()?;
        Self::check_folder(out)?;
        let image = self.image()?;
        fs::create_dir_all(out).map_err(|error| io_error(&error, out, "created"))?;
        let (file, part) = (out.join(self.image_name()), out.join(format!("{}.part", self.image_name())));
        written(&part, &file, &image).map_err(|error| {
            // Half an image is of no use to anybody.
            let _ = fs::remove_file(&part);
            io_error(&error, &file, "written")
        })?;
        Ok(Exported { file, size: image.len() as u64, sha256: hex(&Sha256::digest(&image)) })
    }
}

fn written(part: &PathBuf, file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut to = fs::File::create_new(part)?;
    to.write_all(bytes)?;
    to.sync_all()?;
    fs::rename(part, file)?;
    durable::sync_name(file)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
