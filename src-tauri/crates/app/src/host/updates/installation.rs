//! How this program was installed, and the commands that bring a newer one in the same way. Pure: the caller says which files
//! there are.

use super::list::{Package, Release};
use crate::dto::Installation;
use std::path::Path;

/// Files by which the packages are known, and their packages.
const PACKAGES: [(&str, &str); 4] = [
    ("signalbox", "/usr/bin/signalbox-desktop"),
    ("signalbox-cli", "/usr/lib/signalbox/signalbox"),
    ("signalbox-runners", "/usr/lib/signalbox/signalbox-runner-min"),
    ("signalbox-server", "/usr/lib/systemd/system/signalbox-server.service"),
];

/// Finds out how the program at `exe` was installed.
pub(super) fn of(exe: &Path, is_appimage: bool, exists: impl Fn(&str) -> bool) -> Installation {
    if cfg!(not(target_os = "linux")) {
        return Installation::Other;
    }
    if is_appimage {
        return Installation::Appimage;
    }
    if PACKAGES.iter().any(|(_, file)| Path::new(file) == exe) {
        let is_deb = |(name, _): &(&str, &str)| exists(&format!("/var/lib/dpkg/info/{name}.list"));
        return if PACKAGES.iter().any(is_deb) { Installation::Deb } else { Installation::Rpm };
    }
    if exe == Path::new("/usr/bin/signalbox") {
        return Installation::Image;
    }
    let mut folders = exe.ancestors().filter_map(Path::file_name);
    if folders.nth(1).is_some_and(|name| name == "debug" || name == "release") {
        return Installation::Source;
    }
    Installation::Tar
}

/// The commands for a terminal; none where it is done in another way.
pub(super) fn commands(
    kind: Installation,
    exe: &Path,
    arch: &str,
    release: &Release,
    exists: impl Fn(&str) -> bool,
) -> Vec<String> {
    let name = match kind {
        Installation::Deb => "deb",
        Installation::Rpm => "rpm",
        Installation::Tar => "tar",
        Installation::Appimage => "appimage",
        Installation::Image => "image",
        Installation::Source => return vec!["git pull &&".to_owned(), "cargo xtask run".to_owned()],
        Installation::Other => return Vec::new(),
    };
    let is_here = |package: &&Package| {
        let file = PACKAGES.iter().find(|(known, _)| *known == package.name).map(|(_, file)| *file);
        !matches!(kind, Installation::Deb | Installation::Rpm) || file.is_some_and(&exists)
    };
    let packages: Vec<&Package> = release
        .packages
        .iter()
        .filter(|package| package.kind == name && package.arch == arch)
        .filter(is_here)
        .collect();
    if packages.is_empty() {
        return Vec::new();
    }
    let mut commands = Vec::new();
    for package in &packages {
        // Joined: pasted into a shell, nothing is installed when the file is another.
        commands.push(format!("curl --fail --location --remote-name '{}' &&", package.url));
        commands.push(format!("echo '{}  {}' | sha256sum --check &&", package.sha256, package.file()));
    }
    let files: String = packages.iter().map(|package| format!(" ./{}", package.file())).collect();
    let first = packages.first().map(|package| package.file()).unwrap_or_default();
    match kind {
        Installation::Deb => commands.push(format!("sudo apt install{files}")),
        Installation::Rpm => commands.push(format!("sudo dnf install{files}")),
        Installation::Tar => {
            let folder = exe.parent().unwrap_or(exe).display().to_string();
            commands.push(format!("tar xzf {first} --strip-components 1 --directory {}", quoted(&folder)));
        }
        Installation::Appimage => commands.push(format!("chmod +x {first} && mv {first} \"$APPIMAGE\"")),
        Installation::Image => {
            commands.push(format!("skopeo copy oci-archive:{first} containers-storage:signalbox:{}", release.version));
        }
        Installation::Source | Installation::Other => {}
    }
    commands
}

/// A path for a shell.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', "'\\''"))
}
