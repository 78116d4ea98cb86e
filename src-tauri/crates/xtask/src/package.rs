//! `cargo xtask package`: Debian packages, a portable tar, an image of the server, their checksums and the list of what is in
//! them, below `target/package`. The same sources and `SOURCE_DATE_EPOCH` give the same bytes, as far as the compiler does.

mod compressed;
mod deb;
mod files;
mod notices;
mod rpm;
mod sbom;
mod sources;

use crate::system::For;
use crate::{Failure, shell, system, ui};
use files::{Package, Parts};
use signalbox_oci::image::{self, Image};
use signalbox_oci::tar::{Entry, Tree};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The runners of exported workflows, smallest first.
const RUNNERS: [&str; 5] = [
    "signalbox-runner-min",
    "signalbox-runner",
    "signalbox-runner-serve",
    "signalbox-runner-ui",
    "signalbox-runner-full",
];

/// Where a build goes.
struct Out {
    folder: PathBuf,
    /// Seconds since 1970 of everything in the packages.
    time: u64,
    version: String,
    arch: String,
    /// Packed fast instead of small: to try the packages.
    fast: bool,
}

/// Builds the programs and packs them. `--dev` packs the programs of `target/debug` as they are, to try the packages, `--built` those
/// of `target/release`, both with `--version V` under another version, to try an upgrade; `--sign KEY` signs the checksums with a key
/// of GnuPG.
pub(crate) fn package(root: &Path, args: &[String]) -> Result<(), Failure> {
    let (mut dev, mut as_built, mut key, mut version) = (false, false, None, None);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--dev" => dev = true,
            "--built" => as_built = true,
            "--sign" => {
                key = Some(rest.next().ok_or("--sign needs the name of a key: `gpg --list-secret-keys` shows them.")?)
            }
            "--version" => version = Some(rest.next().ok_or("--version needs a version, such as 0.1.1.")?.clone()),
            other => {
                return Err(format!(
                    "`cargo xtask package` takes --dev or --built, --version V and --sign KEY, and got '{other}'."
                ));
            }
        }
    }
    if dev && as_built {
        return Err("--dev packs target/debug, --built packs target/release: choose one.".to_owned());
    }
    if version.is_some() && !dev && !as_built {
        return Err(
            "--version goes with --dev or --built: packages have the version of the programs in them.".to_owned()
        );
    }
    if key.is_some() && shell::which("gpg").is_none() {
        return Err("gpg is missing. On Debian: apt-get install gpg".to_owned());
    }
    // Another version is packed to try an upgrade, which the other files have no part in.
    let packages_only = version.is_some();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let built = target.join(if dev { "debug" } else { "release" });
    if !dev && !as_built {
        system::ready(root, For::Window)?;
        ui::install(root)?;
        ui::build(root)?;
        // By themselves: beside the application the runners would get features of libraries that only it asks for, and be 4 % larger.
        for programs in [&["signalbox-standalone"][..], &["signalbox-headless", "signalbox-desktop"]] {
            let named = programs.iter().flat_map(|name| ["-p", *name]);
            let build: Vec<&str> = ["build", "--release", "--bins"].into_iter().chain(named).collect();
            shell::run(root, "cargo", &build)?;
        }
    }
    if std::env::consts::OS != "linux" {
        println!("The programs are in {}. Packages are made on Linux only.", built.display());
        return Ok(());
    }
    for (tool, from) in [
        ("dpkg-deb", "dpkg"),
        ("gzip", "gzip"),
        ("xz", "xz-utils"),
        ("zstd", "zstd"),
        ("sha256sum", "coreutils"),
        ("strip", "binutils"),
    ] {
        if shell::which(tool).is_none() {
            return Err(format!("{tool} is missing. On Debian: apt-get install {from}"));
        }
    }
    let out = Out {
        folder: target.join("package"),
        time: source_date(root)?,
        version: version.unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
        arch: shell::output("dpkg", &["--print-architecture"]).ok_or("dpkg does not say its architecture.")?,
        fast: dev,
    };
    remove(&out.folder)?;
    make(&out.folder)?;
    let parts = parts(root, &built, &out, dev)?;
    let mut made = Vec::new();
    for package in Package::ALL {
        made.push(deb(package, &parts, &out)?);
    }
    if shell::which("rpmbuild").is_some() {
        for package in Package::ALL {
            made.push(rpm(root, package, &parts, &out)?);
        }
    } else {
        println!("No .rpm packages: rpmbuild is missing. On Debian: apt-get install rpm");
    }
    if !packages_only {
        let name = format!("signalbox-{}-linux-{}", out.version, out.arch);
        let portable = files::portable(&parts, files::PORTABLE_README).archive(&name, out.time)?;
        made.push(gzipped(&out, &format!("{name}.tar"), &portable)?);
        made.push(server_image(&parts, &built.join("signalbox"), &out)?);
        made.push(bill(root, &out)?);
    }
    let sums = sha256(&out.folder, &made)?;
    write(&out.folder.join("SHA256SUMS"), sums.as_bytes())?;
    if let Some(key) = key {
        let sums = out.folder.join("SHA256SUMS");
        let args = ["--batch", "--yes", "--armor", "--local-user", key, "--detach-sign"].map(OsStr::new);
        shell::run(root, "gpg", &args.into_iter().chain([sums.as_os_str()]).collect::<Vec<_>>())?;
    }
    for name in &made {
        let size = fs::metadata(out.folder.join(name)).map(|meta| meta.len()).unwrap_or_default();
        println!("{:>9.1} MB  {name}", size as f64 / 1e6);
    }
    let signed = if key.is_some() { " and its signature, SHA256SUMS.asc" } else { "" };
    println!("They are in {}, with SHA256SUMS{signed}.", out.folder.display());
    Ok(())
}

/// `SOURCE_DATE_EPOCH`, or the time of the last commit.
fn source_date(root: &Path) -> Result<u64, Failure> {
    if let Ok(given) = std::env::var("SOURCE_DATE_EPOCH") {
        return given
            .trim()
            .parse()
            .map_err(|_| format!("SOURCE_DATE_EPOCH is '{given}': wanted are seconds since 1970."));
    }
    let folder = root.to_string_lossy();
    let time = shell::output("git", &["-C", &folder, "log", "-1", "--format=%ct"]).and_then(|time| time.parse().ok());
    time.ok_or_else(|| "The time of the last commit is not known; set SOURCE_DATE_EPOCH.".to_owned())
}

fn parts(root: &Path, built: &Path, out: &Out, dev: bool) -> Result<Parts, Failure> {
    let program = |name: &str| -> Result<Vec<u8>, Failure> {
        let path = built.join(name);
        let how = if dev { "cargo build" } else { "cargo build --release" };
        if !path.is_file() {
            return Err(format!(
                "{} does not exist. Build it: {how} -p signalbox-headless -p signalbox-standalone -p signalbox-desktop --bins",
                path.display()
            ));
        }
        // The release profile strips already; programs of a debug build are mostly symbols.
        let stripped = out.folder.join(format!("{name}.stripped"));
        let args = [OsStr::new("--strip-all"), OsStr::new("-o"), stripped.as_os_str(), path.as_os_str()];
        shell::run(root, "strip", &args)?;
        let bytes = read(&stripped)?;
        remove(&stripped)?;
        Ok(bytes)
    };
    let desktop = program("signalbox-desktop")?;
    let launcher = program("signalbox-launcher")?;
    let mut runners = Vec::new();
    for name in RUNNERS {
        let runner = program(name)?;
        let compressed = compressed::program(out, &launcher, &runner)?;
        // Exports of the programs in this folder find it, too.
        let exported_from = built.join(format!("{name}-compressed"));
        write(&exported_from, &compressed)?;
        mode(&exported_from, 0o755)?;
        runners.extend([(name.to_owned(), runner), (format!("{name}-compressed"), compressed)]);
    }
    let cli = built.join("signalbox");
    let man = out.folder.join("man");
    let said = |args: &[&str]| -> Result<Vec<u8>, Failure> {
        let text = shell::output(&cli.to_string_lossy(), args);
        text.map(|text| (text + "\n").into_bytes()).ok_or_else(|| format!("`signalbox {}` failed.", args.join(" ")))
    };
    said(&["man", "--out", &man.to_string_lossy()])?;
    let mut pages = Vec::new();
    let listed = fs::read_dir(&man).map_err(|error| format!("{} cannot be read: {error}", man.display()))?;
    for entry in listed.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        pages.push((name, gzip(out, &read(&entry.path())?)?));
    }
    pages.sort();
    remove(&man)?;
    Ok(Parts {
        desktop,
        program: program("signalbox")?,
        runners,
        sources: gzip(out, &sources::tree(root)?.archive("", out.time)?)?,
        icons: icons(root)?,
        drawing: read(&root.join("ui/src/icon.svg"))?,
        license: read(&root.join("LICENSE"))?,
        notices: gzip(out, notices::document(&compiled_in(root)?, &notices::sources(root)?)?.as_bytes())?,
        changelog: gzip(out, &read(&root.join("CHANGELOG.md"))?)?,
        man: pages,
        bash: said(&["completions", "bash"])?,
        zsh: said(&["completions", "zsh"])?,
        fish: said(&["completions", "fish"])?,
    })
}

fn icons(root: &Path) -> Result<Vec<(u16, Vec<u8>)>, Failure> {
    let one = |size| Ok((size, read(&root.join(format!("src-tauri/icons/{size}x{size}.png")))?));
    files::ICON_SIZES.into_iter().map(one).collect()
}

/// The version of the C library that programs of this machine need.
fn libc_version() -> Result<String, Failure> {
    let said =
        shell::output("getconf", &["GNU_LIBC_VERSION"]).ok_or("getconf does not say the version of the C library.")?;
    Ok(said.split_whitespace().last().unwrap_or_default().to_owned())
}

/// One Debian package; gives its file name.
fn deb(package: Package, parts: &Parts, out: &Out) -> Result<String, Failure> {
    let tree = files::tree(package, parts);
    let stage = out.folder.join(format!("stage-{}", package.name()));
    unpack(&tree, &stage)?;
    let control = stage.join("DEBIAN");
    make(&control)?;
    let size = tree.size().div_ceil(1024);
    let text = files::control(package, &out.version, &out.arch, &libc_version()?, size);
    write(&control.join("control"), text.as_bytes())?;
    for (name, text) in files::maintainer_files(package) {
        let path = control.join(name);
        write(&path, text.as_bytes())?;
        mode(&path, if name == "conffiles" { 0o644 } else { 0o755 })?;
    }
    let name = format!("{}_{}_{}.deb", package.name(), out.version, out.arch);
    let to = out.folder.join(&name);
    let done = shell::command("dpkg-deb")
        .args([
            "--root-owner-group",
            if out.fast { "-Zgzip" } else { "-Znone" },
            if out.fast { "-z1" } else { "-z0" },
            "--build",
        ])
        .args([&stage, &to])
        // It takes this time for everything that is newer.
        .env("SOURCE_DATE_EPOCH", out.time.to_string())
        .output()
        .map_err(|error| format!("dpkg-deb did not start: {error}"))?;
    if !done.status.success() {
        return Err(format!("dpkg-deb failed:\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    remove(&stage)?;
    if !out.fast {
        deb::pack(&to, &out.arch, out.time)?;
    }
    Ok(name)
}

/// One RPM package; gives its file name.
fn rpm(root: &Path, package: Package, parts: &Parts, out: &Out) -> Result<String, Failure> {
    let mut tree = Tree::default();
    for (path, entry) in files::tree(package, parts).0 {
        if let Some(path) = rpm::place(&path) {
            tree.0.insert(path, entry);
        }
    }
    tree.file(format!("usr/share/licenses/{}/LICENSE", package.name()), parts.license.clone());
    let work = out.folder.join(format!("rpm-{}", package.name()));
    let stage = work.join("stage");
    unpack(&tree, &stage)?;
    let paths: Vec<String> = tree.0.keys().cloned().collect();
    let spec = work.join("package.spec");
    write(&spec, rpm::spec(package, &out.version, &stage.to_string_lossy(), &paths, out.fast).as_bytes())?;
    let arch = rpm::arch(&out.arch);
    let done = shell::command("rpmbuild")
        .current_dir(root)
        .args(["-bb", "--quiet", "--target", arch])
        .args(["--define", &format!("_topdir {}", work.display())])
        .args(["--define", &format!("_rpmdir {}", out.folder.display())])
        .args(["--define", "_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm"])
        .arg(&spec)
        .env("SOURCE_DATE_EPOCH", out.time.to_string())
        .output()
        .map_err(|error| format!("rpmbuild did not start: {error}"))?;
    if !done.status.success() {
        return Err(format!("rpmbuild failed:\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    remove(&work)?;
    Ok(format!("{}-{}-1.{arch}.rpm", package.name(), out.version))
}

/// Writes the files of a tree into a folder.
fn unpack(tree: &Tree, to: &Path) -> Result<(), Failure> {
    make(to)?;
    mode(to, 0o755)?;
    for folder in tree.parents() {
        make(&to.join(&folder))?;
        mode(&to.join(&folder), 0o755)?;
    }
    for (path, entry) in &tree.0 {
        let path = to.join(path);
        match entry {
            Entry::File { bytes, mode: bits } => {
                write(&path, bytes)?;
                mode(&path, *bits)?;
            }
            Entry::Link(target) => link(target, &path)?,
            Entry::Folder { mode: bits, .. } => {
                make(&path)?;
                mode(&path, *bits)?;
            }
        }
    }
    Ok(())
}

/// An image of the server: the program with the libraries of this machine that it is linked with.
fn server_image(parts: &Parts, program: &Path, out: &Out) -> Result<String, Failure> {
    let ldd = shell::output("ldd", &[&program.to_string_lossy()])
        .ok_or("ldd does not say what the program is linked with.")?;
    let mut tree = Tree::default();
    for (inside, here) in image::libraries(&ldd) {
        tree.program(inside, read(Path::new(&here))?);
    }
    let user = image::USER;
    tree.program("usr/bin/signalbox", parts.program.clone());
    tree.file("etc/passwd", format!("signalbox:x:{user}:{user}:Signalbox:/var/lib/signalbox:/nonexistent\n"));
    tree.file("etc/group", format!("signalbox:x:{user}:\n"));
    let certificates = Path::new("/etc/ssl/certs/ca-certificates.crt");
    if certificates.is_file() {
        tree.file("etc/ssl/certs/ca-certificates.crt", read(certificates)?);
    }
    tree.folder("var/lib/signalbox", 0o700, user);
    tree.folder("tmp", 0o1777, 0);
    tree.file("usr/share/doc/signalbox/LICENSE", parts.license.clone());
    tree.file("usr/share/doc/signalbox/THIRD-PARTY.gz", parts.notices.clone());
    let archive = tree.archive("", out.time)?;
    let created = format!("{}Z", utc(out.time)?);
    const DATA: &str = "/var/lib/signalbox";
    let image = Image {
        arch: out.arch.clone(),
        title: "signalbox".to_owned(),
        version: out.version.clone(),
        created,
        created_by: "cargo xtask package".to_owned(),
        licenses: "Apache-2.0".to_owned(),
        env: vec![
            "PATH=/usr/bin".to_owned(),
            format!("HOME={DATA}"),
            format!("SIGNALBOX_DATA={DATA}"),
            "SIGNALBOX_KEY_STORE=off".to_owned(),
        ],
        entrypoint: vec!["/usr/bin/signalbox".to_owned()],
        cmd: ["--json", "serve", "--addr", "127.0.0.1:9160", "--ui"].map(str::to_owned).to_vec(),
        data: DATA.to_owned(),
        health: Vec::new(),
    };
    let diff = digest(out, &archive)?;
    let layer = blob(out, gzip(out, &archive)?)?;
    let config = blob(out, image.config(&diff).into_bytes())?;
    let manifest = blob(out, image.manifest(&config, &layer).into_bytes())?;
    let name = format!("signalbox-server-{}-{}.oci.tar", out.version, out.arch);
    let layout = image.layout(manifest, config, layer).archive("", out.time)?;
    write(&out.folder.join(&name), &layout)?;
    Ok(name)
}

/// `2026-11-29T00:00:00`.
fn utc(time: u64) -> Result<String, Failure> {
    let said = shell::output("date", &["--utc", "--date", &format!("@{time}"), "+%Y-%m-%dT%H:%M:%S"]);
    said.ok_or_else(|| "date does not say the time.".to_owned())
}

fn blob(out: &Out, bytes: Vec<u8>) -> Result<image::Blob, Failure> {
    Ok(image::Blob { sha256: digest(out, &bytes)?, bytes })
}

/// The crates in the programs and the packages in the UI.
fn compiled_in(root: &Path) -> Result<BTreeSet<sbom::Component>, Failure> {
    let manifest = root.join("Cargo.toml");
    let mut args = vec!["tree", "--manifest-path"];
    let manifest = manifest.to_string_lossy();
    args.push(&manifest);
    args.extend(
        ["signalbox-headless", "signalbox-standalone", "signalbox-desktop"].into_iter().flat_map(|name| ["-p", name]),
    );
    args.extend(["--edges", "normal", "--prefix", "none", "--locked", "--format", "{p}|{l}"]);
    let lines = shell::output("cargo", &args).ok_or("`cargo tree` failed.")?;
    // `name vVERSION (source)|license`
    let lines: Vec<String> = lines.lines().map(|line| line.replacen(' ', "|", 1)).collect();
    let mut all = sbom::components("cargo", &lines.join("\n"));
    const PACKAGES: &str = "const all = require(process.argv[1]).packages; for (const [path, one] of Object.entries(all)) { \
         if (path && !one.dev) console.log([path.split('node_modules/').pop(), one.version, one.license ?? ''].join('|')); }";
    let lock = ui::dir(root).join("package-lock.json");
    let lines = shell::output("node", &["-e", PACKAGES, &lock.to_string_lossy()])
        .ok_or("The lock file of the UI cannot be read.")?;
    all.extend(sbom::components("npm", &lines));
    Ok(all)
}

/// The list of what is in the packages.
fn bill(root: &Path, out: &Out) -> Result<String, Failure> {
    let all = compiled_in(root)?;
    let name = format!("signalbox-{}.cdx.json", out.version);
    let time = format!("{}Z", utc(out.time)?);
    write(&out.folder.join(&name), sbom::document(&out.version, Some(&time), &all).as_bytes())?;
    Ok(name)
}

/// Lines as `sha256sum --check` reads them.
fn sha256(folder: &Path, names: &[String]) -> Result<String, Failure> {
    let done = shell::command("sha256sum").arg("--").args(names).current_dir(folder).output();
    let done = done.map_err(|error| format!("sha256sum did not start: {error}"))?;
    if !done.status.success() {
        return Err(format!("sha256sum failed:\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    String::from_utf8(done.stdout).map_err(|error| format!("sha256sum: {error}"))
}

fn digest(out: &Out, bytes: &[u8]) -> Result<String, Failure> {
    const NAME: &str = "digest.tmp";
    write(&out.folder.join(NAME), bytes)?;
    let sum = sha256(&out.folder, &[NAME.to_owned()])?;
    remove(&out.folder.join(NAME))?;
    Ok(sum.split_whitespace().next().unwrap_or_default().to_owned())
}

/// Gzipped without a name and a time.
fn gzip(out: &Out, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    const NAME: &str = "gzip.tmp";
    let name = gzipped(out, NAME, bytes)?;
    let packed = read(&out.folder.join(&name))?;
    remove(&out.folder.join(&name))?;
    Ok(packed)
}

/// Writes a gzipped file; gives its name.
fn gzipped(out: &Out, name: &str, bytes: &[u8]) -> Result<String, Failure> {
    let path = out.folder.join(name);
    write(&path, bytes)?;
    let status =
        shell::command("gzip").args([if out.fast { "-1" } else { "-9" }, "--no-name", "--force"]).arg(&path).status();
    match status {
        Ok(status) if status.success() => Ok(format!("{name}.gz")),
        Ok(status) => Err(format!("gzip failed ({status}).")),
        Err(error) => Err(format!("gzip did not start: {error}")),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

fn make(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| format!("{} cannot be made: {error}", path.display()))
}

fn remove(path: &Path) -> Result<(), Failure> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{} cannot be removed: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn mode(path: &Path, mode: u32) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    let changed = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    changed.map_err(|error| format!("{} cannot be changed: {error}", path.display()))
}

#[cfg(unix)]
fn link(target: &str, path: &Path) -> Result<(), Failure> {
    std::os::unix::fs::symlink(target, path).map_err(|error| format!("{} cannot be made: {error}", path.display()))
}

#[cfg(not(unix))]
fn mode(_: &Path, _: u32) -> Result<(), Failure> {
    Ok(())
}

#[cfg(not(unix))]
fn link(_: &str, _: &Path) -> Result<(), Failure> {
    Err("Links are made on Unix only.".to_owned())
}
